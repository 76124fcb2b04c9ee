/* SPDX-License-Identifier: BSD-2-Clause
 * A queue's cache of free chunks over its region's pool: the pool's lock is taken once per many
 * bursts. Chunks are offsets into the region, the last used on top. The queue's thread only.
 * Invariant: n <= most + SHUNT_BURST_MAX once shunt_chunks_room() returned, so that a burst fits.
 */
#ifndef DRIVERS_CORE_CHUNKS_H
#define DRIVERS_CORE_CHUNKS_H

#include "core/compiler.h"
#include "drivers/core/region.h"
#include <shunt/queue.h>

struct shunt_chunks {
	uint32_t n;    /* chunks in the cache */
	uint32_t most; /* more than these go back to the pool */
	struct shunt_region *region;
	uint64_t *chunk;
};

/* An empty cache, and then `first` chunks of the pool, as far as it has them: n says how many it
 * had. -ENOMEM. */
int shunt_chunks_init(
	struct shunt_chunks *c, struct shunt_region *region, uint32_t most, uint32_t first);
/* Return all to the pool and free the cache. Fine on a zeroed one. */
void shunt_chunks_drain(struct shunt_chunks *c);
/* So many from the pool, as far as it has them and the cache takes them. */
void shunt_chunks_fetch(struct shunt_chunks *c, uint32_t n);
/* The slow halves of have, room, return and lend. */
void shunt_chunks_refill(struct shunt_chunks *c, uint32_t want);
void shunt_chunks_spill(struct shunt_chunks *c);
void shunt_chunks_return_more(struct shunt_chunks *c, const struct shunt_pkt *pkts, unsigned n);
unsigned shunt_chunks_lend_more(struct shunt_chunks *c, const struct shunt_queue *q,
	struct shunt_pkt *pkts, unsigned n, uint32_t head, uint32_t keep);

/* Up to want chunks (want <= most + SHUNT_BURST_MAX) are in the cache afterwards; returns how many
 * of them, at most want. */
SHUNT_INLINE uint32_t shunt_chunks_have(struct shunt_chunks *c, uint32_t want)
{
	if (SHUNT_UNLIKELY(c->n < want))
		shunt_chunks_refill(c, want);
	return c->n < want ? c->n : want;
}

/* n chunks out of the cache, which has them. Valid until the next put. */
SHUNT_INLINE const uint64_t *shunt_chunks_take(struct shunt_chunks *c, uint32_t n)
{
	return c->chunk + (c->n -= n);
}

/* One chunk: false where cache and pool have none. */
SHUNT_INLINE bool shunt_chunks_get(struct shunt_chunks *c, uint64_t *chunk)
{
	if (!shunt_chunks_have(c, 1))
		return false;
	*chunk = c->chunk[--c->n];
	return true;
}

/* Make room for up to SHUNT_BURST_MAX chunks: the surplus goes to the pool. */
SHUNT_INLINE void shunt_chunks_room(struct shunt_chunks *c)
{
	if (SHUNT_UNLIKELY(c->n > c->most))
		shunt_chunks_spill(c);
}

/* Places for n chunks, n <= SHUNT_BURST_MAX, that the caller fills. */
SHUNT_INLINE uint64_t *shunt_chunks_give(struct shunt_chunks *c, uint32_t n)
{
	shunt_chunks_room(c);
	uint64_t *at = c->chunk + c->n;
	c->n += n;
	return at;
}

SHUNT_INLINE void shunt_chunks_put(struct shunt_chunks *c, uint64_t chunk)
{
	shunt_chunks_room(c);
	c->chunk[c->n++] = chunk;
}

/* Up to n packets of q over chunks of the cache, `head` bytes into each; `keep` chunks stay. q->out
 * is the caller's. */
SHUNT_INLINE unsigned shunt_chunks_lend_but(struct shunt_chunks *c, const struct shunt_queue *q,
	struct shunt_pkt *pkts, unsigned n, uint32_t head, uint32_t keep)
{
	const struct shunt_region_info *region = &c->region->info;
	uint8_t *data = (uint8_t *)region->base + head;
	uint32_t len = region->chunk - head;
	uint16_t id = region->id, index = q->index;

	/* As in return. */
	if (SHUNT_UNLIKELY(n > SHUNT_BURST_MAX || c->n < n + keep))
		return shunt_chunks_lend_more(c, q, pkts, n, head, keep);
	const uint64_t *chunk = shunt_chunks_take(c, n);
	for (unsigned i = 0; i < n; i++)
		pkts[i] = (struct shunt_pkt){.data = data + chunk[i],
			.len = len,
			.cookie = chunk[i],
			.region = id,
			.queue = index};
	return n;
}

SHUNT_INLINE unsigned shunt_chunks_lend(struct shunt_chunks *c, const struct shunt_queue *q,
	struct shunt_pkt *pkts, unsigned n, uint32_t head)
{
	return shunt_chunks_lend_but(c, q, pkts, n, head, 0);
}

/* The chunks of n packets back into the cache, each found from the packet's place: another device
 * of the region may call it by another cookie. q->out is the caller's. */
SHUNT_INLINE void shunt_chunks_return(
	struct shunt_chunks *c, const struct shunt_pkt *pkts, unsigned n)
{
	const uint8_t *base = c->region->info.base;
	uint64_t mask = ~(uint64_t)(c->region->info.chunk - 1);

	/* All of it out of line, so that the usual case makes no call and saves no registers. */
	if (SHUNT_UNLIKELY(n > SHUNT_BURST_MAX || c->n > c->most)) {
		shunt_chunks_return_more(c, pkts, n);
		return;
	}
	uint64_t *chunk = c->chunk + c->n;
	for (unsigned i = 0; i < n; i++)
		chunk[i] = (uint64_t)((const uint8_t *)pkts[i].data - base) & mask;
	c->n += n;
}

#endif
