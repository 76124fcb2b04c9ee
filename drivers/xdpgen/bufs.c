/* SPDX-License-Identifier: BSD-2-Clause
 * Slots as chunks: the mapped slots are a lent region, cut into as many chunks, all of them in the
 * queue's cache. A slot is free again when the call that sent it returns, so that nothing has to be
 * refilled.
 */
#include "drivers/xdpgen/xdpgen.h"

#include <errno.h>
#include <unistd.h>

#define HEAD ((uint32_t)offsetof(struct xdpgen_slot, data))

unsigned xdpgen_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct xdpgen_queue *xq = (struct xdpgen_queue *)q;

	n = shunt_chunks_lend(&xq->chunks, q, pkts, n, HEAD);
	q->out += n;
	return n;
}

void xdpgen_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	struct xdpgen_queue *xq = (struct xdpgen_queue *)q;

	shunt_chunks_return(&xq->chunks, pkts, n);
	q->out -= n;
}

int xdpgen_bufs_make(struct shunt_dev *dev, struct xdpgen_queue *xq, struct shunt_err *err)
{
	uint32_t n = xq->gen.nslots;
	struct shunt_region *region;
	int rc = shunt_region_lend(&region, xq->gen.slots, (size_t)n * XDPGEN_SLOT,
		(size_t)sysconf(_SC_PAGESIZE), err);

	_Static_assert(sizeof(struct xdpgen_slot) == XDPGEN_SLOT, "a slot is a chunk");
	if (rc)
		return rc;
	rc = shunt_region_cut(region, XDPGEN_SLOT, err);
	if (!rc && shunt_chunks_init(&xq->chunks, region, n, n))
		rc = shunt_fail(err, -ENOMEM, NULL, "out of memory");
	if (rc)
		shunt_region_destroy(region, NULL);
	dev->info.memory = rc ? 0 : region->info.len;
	return rc;
}

void xdpgen_bufs_return(struct xdpgen_queue *xq)
{
	struct shunt_region *region = xq->chunks.region;

	if (!region)
		return;
	shunt_chunks_drain(&xq->chunks);
	shunt_region_destroy(region, NULL);
}
