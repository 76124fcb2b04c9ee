/* SPDX-License-Identifier: BSD-2-Clause
 * Chunks: the region behind the UMEM, each queue's cache over the region's pool, and FILL.
 * depth frames can wait: RX has so many descriptors, and FILL so many chunks plus what the device's
 * own ring takes, and a few more, so that FILL is not empty before RX is full. Chunks that the
 * application holds come out of a reserve on top.
 */
#include "drivers/af_xdp/af_xdp.h"
#include "drivers/af_xdp/ring.h"

#include <errno.h>
#include <stdlib.h>

#define CACHE_MOST (AFXDP_RESERVE + 2 * SHUNT_BURST_MAX) /* more than this goes to the pool */

static uint32_t chunks_per_queue(const struct shunt_dev *dev)
{
	const struct afxdp *a = dev->priv;

	return a->target + AFXDP_RESERVE + (afxdp_can(dev, SHUNT_TX) ? AFXDP_TX_ROOM : 0);
}

/* All that FILL is to have, and the reserve, are taken now: a queue starts whole or not at all. */
static int open_queue(struct xsk_queue *xq, struct shunt_dev *dev, struct shunt_err *err)
{
	const struct afxdp *a = dev->priv;
	const struct shunt_region_info *info = &dev->region->info;
	uint32_t want = a->target + AFXDP_RESERVE;

	xq->base = info->base;
	xq->region = info->id;
	xq->chunk_mask = ~(uint64_t)(info->chunk - 1);
	xq->shift = (uint8_t)__builtin_ctz(info->chunk);
	xq->target = a->target;
	xq->held = dev->attached ? calloc(info->chunks, 1) : NULL;
	if (shunt_chunks_init(&xq->chunks, dev->region, CACHE_MOST, want) ||
		(dev->attached && !xq->held))
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	if (xq->chunks.n < want)
		return shunt_fail(err, -ENOMEM, "make the region larger, or depth= smaller",
			"region %u has %u chunks left, a queue of this depth needs %u", info->id,
			xq->chunks.n, want);
	return 0;
}

int afxdp_bufs_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	struct shunt_region_opts opts = {
		.chunk = a->chunk, .chunks = dev->nqueues * chunks_per_queue(dev)};
	int rc = shunt_region_need(dev, &opts, err);

	for (unsigned i = 0; !rc && i < dev->nqueues; i++)
		rc = open_queue(&a->queue[i], dev, err);
	return rc;
}

/* The sockets are closed, so the kernel has nothing any more. A region of our own is discarded
 * whole, wherever its chunks are. */
void afxdp_bufs_close(struct shunt_dev *dev)
{
	struct afxdp *a = dev->priv;

	for (unsigned i = 0; a->queue && i < dev->nqueues; i++) {
		struct xsk_queue *xq = &a->queue[i];
		for (uint32_t c = 0; xq->held && c < dev->region->info.chunks; c++)
			if (xq->held[c])
				shunt_pool_put(
					dev->region, &(uint64_t){(uint64_t)c << xq->shift}, 1);
		shunt_chunks_drain(&xq->chunks);
		free(xq->held);
		xq->held = NULL;
	}
	shunt_region_undo(dev);
}

void afxdp_bufs_refill(struct xsk_queue *xq)
{
	uint32_t want = xq->target - xq->level;

	if (!xq->chunks.n && want >= SHUNT_BURST)
		shunt_chunks_fetch(&xq->chunks, want);
	uint32_t n = want < xq->chunks.n ? want : xq->chunks.n;
	uint32_t room = xsk_prod_nb_free(&xq->fill, n);
	n = n < room ? n : room;
	if (!n)
		return;
	const uint64_t *chunks = shunt_chunks_take(&xq->chunks, n);
	if (xq->held)
		for (uint32_t i = 0; i < n; i++)
			xq->held[chunks[i] >> xq->shift] = 1;
	afxdp_fill(&xq->fill, chunks, n);
	xq->level += n;
}

/* FILL is as full as it should be. */
SHUNT_NOINLINE void keep(struct xsk_queue *xq, const struct shunt_pkt *pkts, unsigned n)
{
	shunt_chunks_return(&xq->chunks, pkts, n);
}

/* The chunk is found from the packet's place: its cookie may be another driver's of the region. */
SHUNT_INLINE void release_body(
	struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n, const bool tracked)
{
	struct xsk_queue *xq = (struct xsk_queue *)q;
	uint64_t mask = xq->chunk_mask;
	const uint8_t *base = xq->base;
	uint32_t at;

	q->out -= n;
	if (SHUNT_UNLIKELY(
		    n > xq->target - xq->level || xsk_ring_prod__reserve(&xq->fill, n, &at) != n)) {
		keep(xq, pkts, n);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t chunk = (uint64_t)((const uint8_t *)pkts[i].data - base) & mask;
		*xsk_ring_prod__fill_addr(&xq->fill, at + i) = chunk;
		if (tracked)
			xq->held[chunk >> xq->shift] = 1;
	}
	xsk_ring_prod__submit(&xq->fill, n);
	xq->level += n;
}

static void afxdp_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	release_body(q, pkts, n, false);
}

static void afxdp_bufs_release_tracked(
	struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	release_body(q, pkts, n, true);
}

static unsigned afxdp_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct xsk_queue *xq = (struct xsk_queue *)q;
	/* What FILL needs to go on while the application holds a burst. */
	uint32_t keep = afxdp_can(q->dev, SHUNT_RX) ? SHUNT_BURST_MAX : 0;

	n = shunt_chunks_lend_but(&xq->chunks, q, pkts, n, AFXDP_HEADROOM, keep);
	q->out += n;
	return n;
}

void afxdp_bufs_choose(struct xsk_queue *xq)
{
	xq->q.release = xq->held ? afxdp_bufs_release_tracked : afxdp_bufs_release;
	if (afxdp_can(xq->q.dev, SHUNT_TX))
		xq->q.alloc = afxdp_bufs_alloc;
}
