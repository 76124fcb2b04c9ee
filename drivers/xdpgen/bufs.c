/* SPDX-License-Identifier: BSD-2-Clause
 * Slots in the place of chunks: alloc, release, and the making and return of all. A slot is free
 * again when the call that sent it returns, so that nothing has to be refilled.
 */
#include "drivers/xdpgen/xdpgen.h"

#include "drivers/core/region.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

unsigned xdpgen_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct xdpgen_queue *xq = (struct xdpgen_queue *)q;

	if (n > xq->nfree)
		n = xq->nfree;
	for (unsigned i = 0; i < n; i++) {
		uint32_t slot = xq->free[--xq->nfree];
		pkts[i] = (struct shunt_pkt){.data = xq->gen.slots[slot].data,
			.len = XDPGEN_FRAME,
			.cookie = slot,
			.region = xq->region->info.id,
			.queue = q->index};
	}
	q->out += n;
	return n;
}

void xdpgen_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	struct xdpgen_queue *xq = (struct xdpgen_queue *)q;

	for (unsigned i = 0; i < n; i++)
		xq->free[xq->nfree++] = (uint32_t)pkts[i].cookie;
	q->out -= n;
}

int xdpgen_bufs_make(struct shunt_dev *dev, struct xdpgen_queue *xq, struct shunt_err *err)
{
	int rc = shunt_region_lend(&xq->region, xq->gen.slots, (size_t)xq->gen.nslots * XDPGEN_SLOT,
		(size_t)sysconf(_SC_PAGESIZE), err);

	if (rc)
		return rc;
	xq->free = malloc(xq->gen.nslots * sizeof *xq->free);
	if (!xq->free)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	for (uint32_t i = xq->gen.nslots; i;)
		xq->free[xq->nfree++] = --i;
	dev->info.memory = xq->region->info.len;
	return 0;
}

void xdpgen_bufs_return(struct xdpgen_queue *xq)
{
	shunt_region_destroy(xq->region, NULL);
	xq->region = NULL;
	free(xq->free);
	xq->free = NULL;
	xq->nfree = 0;
}
