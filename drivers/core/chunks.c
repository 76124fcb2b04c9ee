/* SPDX-License-Identifier: BSD-2-Clause
 * A queue's cache of free chunks: what is not for every burst.
 */
#include "drivers/core/chunks.h"

#include <errno.h>
#include <stdlib.h>

int shunt_chunks_init(
	struct shunt_chunks *c, struct shunt_region *region, uint32_t most, uint32_t first)
{
	size_t size = (first > most ? first : most) + SHUNT_BURST_MAX;

	*c = (struct shunt_chunks){.region = region, .most = most};
	c->chunk = malloc(size * sizeof *c->chunk);
	if (!c->chunk)
		return -ENOMEM;
	c->n = shunt_pool_get(region, c->chunk, first);
	return 0;
}

void shunt_chunks_drain(struct shunt_chunks *c)
{
	if (c->n)
		shunt_pool_put(c->region, c->chunk, c->n);
	free(c->chunk);
	*c = (struct shunt_chunks){.n = 0};
}

void shunt_chunks_fetch(struct shunt_chunks *c, uint32_t n)
{
	uint32_t room = c->most + SHUNT_BURST_MAX - c->n;

	c->n += shunt_pool_get(c->region, c->chunk + c->n, n < room ? n : room);
}

/* A burst at least, so that the next ones find some; but not of a small region, where others need
 * them. */
void shunt_chunks_refill(struct shunt_chunks *c, uint32_t want)
{
	uint32_t least = c->most < SHUNT_BURST_MAX ? 0 : SHUNT_BURST_MAX;

	want -= c->n;
	shunt_chunks_fetch(c, want > least ? want : least);
}

void shunt_chunks_spill(struct shunt_chunks *c)
{
	uint32_t keep = c->most / 2;

	shunt_pool_put(c->region, c->chunk + keep, c->n - keep);
	c->n = keep;
}

void shunt_chunks_return_more(struct shunt_chunks *c, const struct shunt_pkt *pkts, unsigned n)
{
	while (n) {
		unsigned some = n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX;
		shunt_chunks_room(c);
		shunt_chunks_return(c, pkts, some);
		pkts += some;
		n -= some;
	}
}

unsigned shunt_chunks_lend_more(struct shunt_chunks *c, const struct shunt_queue *q,
	struct shunt_pkt *pkts, unsigned n, uint32_t head, uint32_t keep)
{
	n = n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX;
	uint32_t have = shunt_chunks_have(c, keep + n);
	return shunt_chunks_lend_but(c, q, pkts, have > keep ? have - keep : 0, head, 0);
}
