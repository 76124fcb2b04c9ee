/* SPDX-License-Identifier: BSD-2-Clause
 * The region behind the UMEM, and each queue's stack of free chunks over the region's pool.
 * room frames can wait: RX has so many descriptors, and FILL so many chunks plus what the device's
 * own ring takes, and a few more, so that FILL is not empty before RX is full. Chunks that the
 * application holds come out of a reserve on top.
 */
#include "drivers/af_xdp/af_xdp.h"
#include "drivers/af_xdp/ring.h"

#include <errno.h>
#include <stdlib.h>

#define STACK_MOST (AFXDP_RESERVE + 2 * SHUNT_BURST_MAX) /* more than this goes to the pool */

static uint32_t chunks_a_queue(const struct shunt_dev *dev)
{
	const struct afxdp *a = dev->priv;

	return a->target + AFXDP_RESERVE + (afxdp_can(dev, SHUNT_TX) ? AFXDP_TX_ROOM : 0);
}

static int own_region(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	struct shunt_region_opts opts = {
		.chunk = a->chunk, .chunks = dev->nqueues * chunks_a_queue(dev)};
	int rc = shunt_region_create(&a->region, &opts, err);

	if (rc)
		return rc;
	dev->info.memory += a->region->info.len;
	return 0;
}

static int queue_memory(struct xsk_queue *xq, struct afxdp *a, struct shunt_err *err)
{
	const struct shunt_region_info *info = &a->region->info;
	uint32_t want = a->target + AFXDP_RESERVE;

	xq->pool = a->region;
	xq->base = info->base;
	xq->region = info->id;
	xq->chunk_mask = ~(uint64_t)(info->chunk - 1);
	xq->shift = (uint8_t)__builtin_ctz(info->chunk);
	xq->target = a->target;
	xq->stack = malloc(info->chunks * sizeof *xq->stack);
	xq->held = a->attached ? calloc(info->chunks, 1) : NULL;
	if (!xq->stack || (a->attached && !xq->held))
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	xq->nstack = shunt_pool_get(a->region, xq->stack, want);
	if (xq->nstack < want)
		return shunt_fail(err, -ENOMEM, "make the region larger, or depth= smaller",
			"region %u has %u chunks left, a queue with its room needs %u", info->id,
			xq->nstack, want);
	return 0;
}

int afxdp_memory_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	int rc = a->region ? 0 : own_region(dev, err);

	for (unsigned i = 0; !rc && i < dev->nqueues; i++)
		rc = queue_memory(&a->queue[i], a, err);
	return rc;
}

/* The sockets are closed, so the kernel has nothing any more. */
static void return_chunks(struct xsk_queue *xq)
{
	shunt_pool_put(xq->pool, xq->stack, xq->nstack);
	for (uint32_t c = 0; c < xq->pool->info.chunks; c++)
		if (xq->held[c])
			shunt_pool_put(xq->pool, &(uint64_t){(uint64_t)c << xq->shift}, 1);
}

void afxdp_memory_close(struct shunt_dev *dev)
{
	struct afxdp *a = dev->priv;

	for (unsigned i = 0; a->queue && i < dev->nqueues; i++) {
		if (a->attached && a->queue[i].held && a->queue[i].stack)
			return_chunks(&a->queue[i]);
		free(a->queue[i].held);
		free(a->queue[i].stack);
		a->queue[i].held = NULL;
		a->queue[i].stack = NULL;
	}
	if (!a->attached && a->region) {
		a->region->top = a->region->info.chunks; /* nobody else has seen this region */
		shunt_region_destroy(a->region, NULL);
		a->region = NULL;
	}
}

void afxdp_refill(struct xsk_queue *xq)
{
	uint32_t want = xq->target - xq->level;

	if (!xq->nstack && want >= SHUNT_BURST)
		xq->nstack = shunt_pool_get(
			xq->pool, xq->stack, want < SHUNT_BURST_MAX ? want : SHUNT_BURST_MAX);
	uint32_t n = want < xq->nstack ? want : xq->nstack;
	uint32_t room = xsk_prod_nb_free(&xq->fill, n);
	n = n < room ? n : room;
	if (!n)
		return;
	xq->nstack -= n;
	const uint64_t *chunks = xq->stack + xq->nstack;
	if (xq->held)
		for (uint32_t i = 0; i < n; i++)
			xq->held[chunks[i] >> xq->shift] = 1;
	afxdp_fill(&xq->fill, chunks, n);
	xq->level += n;
}

void afxdp_give_back(struct xsk_queue *xq)
{
	while (xq->nstack > STACK_MOST) {
		xq->nstack -= SHUNT_BURST_MAX;
		shunt_pool_put(xq->pool, xq->stack + xq->nstack, SHUNT_BURST_MAX);
	}
}

unsigned afxdp_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct xsk_queue *xq = (struct xsk_queue *)q;
	/* What FILL needs to go on while the application holds a burst. */
	uint32_t keep = afxdp_can(q->dev, SHUNT_RX) ? SHUNT_BURST_MAX : 0;
	uint32_t room = xq->pool->info.chunk - AFXDP_HEADROOM;

	if (xq->nstack < keep + n)
		xq->nstack += shunt_pool_get(xq->pool, xq->stack + xq->nstack, SHUNT_BURST_MAX);
	uint32_t most = xq->nstack > keep ? xq->nstack - keep : 0;
	n = n < most ? n : most;
	for (unsigned i = 0; i < n; i++) {
		uint64_t chunk = xq->stack[--xq->nstack];
		pkts[i] = (struct shunt_pkt){.data = xq->base + chunk + AFXDP_HEADROOM,
			.len = room,
			.cookie = chunk,
			.region = xq->region,
			.queue = q->index};
	}
	q->out += n;
	return n;
}
