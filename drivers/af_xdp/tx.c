/* SPDX-License-Identifier: BSD-2-Clause
 * Transmit. In copy mode sendto does the work, XDP_MAX_TX_SKB_BUDGET descriptors per call, and
 * reports a frame that the device dropped by EBUSY, one per call (net/xdp/xsk.c, xsk_generic_xmit).
 * Completions may never come after a device fault, so nothing waits for them without a bound.
 */
#include "core/clock.h"
#include "drivers/af_xdp/af_xdp.h"
#include "drivers/af_xdp/ring.h"
#include "drivers/core/burst.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define FLUSH_NS (SHUNT_POLL_MS * 1000000u)

/* Sent chunks are free again. A burst at a time is enough: no more are sent per call. */
static void afxdp_tx_reap(struct xsk_queue *xq)
{
	struct shunt_chunks *c = &xq->chunks;
	uint32_t at;

	shunt_chunks_room(c); /* here, where a call costs no registers */
	uint32_t got = xsk_ring_cons__peek(&xq->comp, SHUNT_BURST_MAX, &at);
	if (!got)
		return;
	uint64_t *chunk = c->chunk + c->n;
	c->n += got;
	for (uint32_t i = 0; i < got; i++) {
		chunk[i] = *xsk_ring_cons__comp_addr(&xq->comp, at + i) & xq->chunk_mask;
		if (xq->held)
			xq->held[chunk[i] >> xq->shift] = 0;
	}
	xsk_ring_cons__release(&xq->comp, got);
	xq->tx_out -= got;
}

/* One call: false when another one makes no sense now. */
static bool kick_once(struct xsk_queue *xq)
{
	uint32_t before = afxdp_pending(&xq->tx);

	SHUNT_COUNT(&xq->q, syscalls, 1);
	xq->kicked = true;
	if (sendto(xq->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
		return false;
	switch (errno) {
	case EBUSY:
		if (xq->zc)
			return false;
		SHUNT_COUNT(&xq->q, tx_errors, 1); /* completed, but the device dropped it */
		return true;
	case EAGAIN: /* budget used up, or the socket's or the device's queue is full */
		return afxdp_pending(&xq->tx) < before;
	case ENETDOWN:
	case ENXIO:
		afxdp_link_check(xq);
		return false;
	default: /* ENOBUFS and the like: the next call tries again */
		return false;
	}
}

/* A TX ring of 2048 needs 64 calls of 32, and each EBUSY ends one: bounded by the ring. */
static void afxdp_tx_kick(struct xsk_queue *xq)
{
	for (unsigned i = 0; i < AFXDP_TX_ROOM && afxdp_pending(&xq->tx); i++) {
		if (xq->zc && xq->wakeup && xq->kicked && !xsk_ring_prod__needs_wakeup(&xq->tx))
			return;
		if (!kick_once(xq))
			return;
	}
}

/* What is lost if the device goes now. A copy that the kernel has taken goes its own way; with
 * zero-copy the frame lies here until its completion. */
static uint32_t unsent(const struct xsk_queue *xq)
{
	return xq->zc ? xq->tx_out - afxdp_waiting(&xq->comp) : afxdp_pending(&xq->tx);
}

/* Kick until all is sent or nothing moved for 100 ms. COMPLETION, which has room for all of TX, is
 * left alone: stop runs this beside receive, and the cache is the queue's thread's. */
static void flush(struct xsk_queue *xq)
{
	uint32_t left = unsent(xq);
	uint64_t end = shunt_now() + FLUSH_NS;

	while (left && !SHUNT_GET(xq->q.error) && shunt_now() < end) {
		afxdp_tx_kick(xq);
		if (unsent(xq) < left)
			end = shunt_now() + FLUSH_NS;
		left = unsent(xq);
	}
}

/* A frame from a region that the device is not attached to, into a chunk of our own. */
static bool copy_in(struct xsk_queue *xq, struct shunt_pkt *p, struct xdp_desc *d)
{
	uint64_t chunk;

	if (!shunt_chunks_get(&xq->chunks, &chunk))
		return false;
	memcpy(xq->base + chunk + AFXDP_HEADROOM, p->data, p->len);
	*d = (struct xdp_desc){.addr = chunk + AFXDP_HEADROOM, .len = p->len};
	shunt_tx_copied(&xq->q, p);
	return true;
}

/* Nothing may go into the ring that the kernel would call invalid: not every kernel completes what
 * it drops so, and then the chunk is lost with it. True when the frame cannot be sent, and is given
 * up. */
static bool unsendable(struct xsk_queue *xq, struct shunt_pkt *p, bool ours)
{
	uint64_t room = ours ? (uint64_t)~xq->chunk_mask + 1 -
					(((uint8_t *)p->data - xq->base) & ~xq->chunk_mask)
			     : (uint64_t)~xq->chunk_mask + 1 - AFXDP_HEADROOM;

	if (p->len && p->len <= room && p->len <= xq->q.dev->info.max_frame)
		return false;
	SHUNT_COUNT(&xq->q, tx_errors, 1);
	if (ours)
		xq->q.release(&xq->q, p, 1);
	else
		p->flags |= SHUNT_PKT_KEPT;
	return true;
}

static uint32_t fill_tx(
	struct xsk_queue *xq, struct shunt_pkt *pkts, unsigned n, unsigned *taken, uint64_t *bytes)
{
	const uint32_t here = shunt_in_region(xq->region);
	uint32_t at = 0, used = 0, room = xsk_prod_nb_free(&xq->tx, n);
	unsigned i;

	n = n < room ? n : room;
	at = xq->tx.cached_prod;
	for (i = 0; i < n; i++) {
		struct xdp_desc *d = xsk_ring_prod__tx_desc(&xq->tx, at + used);
		bool ours = shunt_pkt_where(&pkts[i]) == here;

		if (!ours && pkts[i].flags & SHUNT_PKT_MORE)
			break;
		if (unsendable(xq, &pkts[i], ours)) {
			*bytes += pkts[i].len;
			continue;
		}
		if (ours) {
			*d = (struct xdp_desc){
				.addr = (uint64_t)((uint8_t *)pkts[i].data - xq->base),
				.len = pkts[i].len};
			xq->q.out--;
		} else if (!copy_in(xq, &pkts[i], d)) {
			break;
		}
		if (xq->held)
			xq->held[d->addr >> xq->shift] = 1;
		*bytes += pkts[i].len;
		used++;
	}
	xq->tx.cached_prod += used;
	*taken = i;
	return used;
}

static int afxdp_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct xsk_queue *xq = (struct xsk_queue *)q;
	uint64_t bytes = 0;
	unsigned taken = 0;

	if (q->error)
		return q->error;
	afxdp_tx_reap(xq);
	uint32_t used = n ? fill_tx(xq, pkts, n, &taken, &bytes) : 0;
	if (used)
		xsk_ring_prod__submit(&xq->tx, used);
	xq->tx_out += used;
	afxdp_tx_kick(xq);
	taken = (unsigned)shunt_tx_done(q, pkts, taken, n, bytes);
	return taken ? (int)taken : q->error;
}

/* The generic sender, and then what it leaves in the ring. */
int afxdp_flood(struct shunt_queue *q, const struct shunt_flood *flood,
	struct shunt_flood_result *r, struct shunt_err *err)
{
	struct xsk_queue *xq = (struct xsk_queue *)q;
	int rc = shunt_flood_by_tx(q, flood, r, err);
	uint64_t errors = q->stats.tx_errors;

	flush(xq);
	uint64_t lost = q->stats.tx_errors - errors + unsent(xq);
	r->refused += lost;
	r->sent -= lost;
	return rc;
}

/* What the device did not take in time is lost, and counted so. */
void afxdp_tx_stop(struct xsk_queue *xq)
{
	shunt_queue_end_tx(&xq->q);
	flush(xq);
	SHUNT_COUNT(&xq->q, tx_errors, unsent(xq));
}

void afxdp_tx_choose(struct xsk_queue *xq)
{
	if (afxdp_can(xq->q.dev, SHUNT_TX))
		xq->q.tx = afxdp_tx;
}
