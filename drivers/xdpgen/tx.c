/* SPDX-License-Identifier: BSD-2-Clause
 * Transmit: the packets of a burst are chained by their slots, and one call sends them. It is
 * synchronous: nothing is in flight when it returns, and all of the receiver's NAPI may run inside
 * it. The queue's thread.
 */
#include "drivers/core/burst.h"
#include "drivers/xdpgen/xdpgen.h"

#include <string.h>

static bool xdpgen_tx_fits(const struct xdpgen_queue *xq, const struct shunt_pkt *p)
{
	return p->len >= XDPGEN_MIN && p->len <= xq->q.dev->info.max_frame;
}

/* Taken, and lost by name: too short or too long for the interface. */
static void xdpgen_tx_refuse(struct xdpgen_queue *xq, struct shunt_pkt *p)
{
	if (p->region == xq->chunks.region->info.id)
		xdpgen_bufs_release(&xq->q, p, 1);
	else
		p->flags |= SHUNT_PKT_KEPT;
	SHUNT_COUNT(&xq->q, tx_errors, 1);
}

/* The slot that holds the packet: its own, or one that it is copied to. -1 when none is free. */
static int64_t xdpgen_tx_slot(struct xdpgen_queue *xq, struct shunt_pkt *p)
{
	uint64_t chunk = (uint64_t)((uint8_t *)p->data - (uint8_t *)xq->gen.slots);

	if (p->region == xq->chunks.region->info.id) {
		xq->q.out--;
		return (int64_t)(chunk / XDPGEN_SLOT);
	}
	if (!shunt_chunks_get(&xq->chunks, &chunk))
		return -1;
	uint32_t slot = (uint32_t)(chunk / XDPGEN_SLOT);
	memcpy(xq->gen.slots[slot].data, p->data, p->len);
	shunt_tx_copied(&xq->q, p);
	return slot;
}

static void xdpgen_tx_send(struct xdpgen_queue *xq, uint32_t first, unsigned n, uint32_t longest)
{
	struct xdpgen_run *run = xq->gen.run;

	memset(run, 0, sizeof *run);
	run->at = first;
	/* One batch: a signal ends a test run only between two. */
	shunt_xdpgen_call(&xq->gen, n, n, longest);
	SHUNT_COUNT(&xq->q, syscalls, 1);
	xq->offered += run->sent;
	SHUNT_COUNT(&xq->q, tx_errors, n - run->sent);
}

int xdpgen_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct xdpgen_queue *xq = (struct xdpgen_queue *)q;
	uint32_t slots[SHUNT_BURST_MAX], longest = XDPGEN_MIN;
	unsigned taken = 0, used = 0;
	uint64_t bytes = 0;
	int rc = xdpgen_link_check(xq);

	if (rc)
		return rc;
	for (; taken < n && taken < SHUNT_BURST_MAX; taken++) {
		struct shunt_pkt *p = &pkts[taken];
		int64_t slot = -1;
		if (p->flags & SHUNT_PKT_MORE)
			break;
		if (!xdpgen_tx_fits(xq, p))
			xdpgen_tx_refuse(xq, p);
		else if ((slot = xdpgen_tx_slot(xq, p)) < 0)
			break;
		bytes += p->len;
		if (slot < 0)
			continue;
		xq->gen.slots[slot].len = p->len;
		if (used)
			xq->gen.slots[slots[used - 1]].next = (uint32_t)slot;
		slots[used++] = (uint32_t)slot;
		longest = p->len > longest ? p->len : longest;
	}
	if (used)
		xdpgen_tx_send(xq, slots[0], used, longest);
	while (used)
		shunt_chunks_put(&xq->chunks, (uint64_t)slots[--used] * XDPGEN_SLOT);
	return shunt_tx_done(q, pkts, taken, n, bytes);
}
