/* SPDX-License-Identifier: BSD-2-Clause
 * Chunks of the queue's region, with a cache of the queue's own: the pool's lock is taken once in
 * many bursts. A packet's chunk is found from its address, not from its cookie, so that packets
 * which another device of the region received can be sent and released here.
 */
#include "drivers/packet/packet.h"

#include <errno.h>
#include <string.h>

#define REFILL 64u

int packet_bufs_create(struct packet_queue *pq, struct shunt_err *err)
{
	struct shunt_dev *dev = pq->q.dev;

	if (!pq->region) {
		uint32_t whole = dev->info.mtu + 14 + 8 + PACKET_HEAD;
		struct shunt_region_opts opts = {.chunk = whole > 2048 ? 4096 : 2048,
			.chunks = dev->depth < 1024   ? 1024
				  : dev->depth > 8192 ? 8192
						      : dev->depth};
		int rc = shunt_region_create(&pq->region, &opts, err);
		if (rc)
			return rc;
		pq->own_region = true;
		atomic_fetch_add(&pq->region->attached, 1);
		if (*pq->region->info.note)
			shunt_note(dev, "%s", pq->region->info.note);
	}
	pq->cache.most = pq->region->info.chunks / 4;
	if (pq->cache.most > PACKET_CACHE)
		pq->cache.most = PACKET_CACHE;
	pq->longest = pq->region->info.chunk - PACKET_HEAD;
	dev->info.memory += pq->region->info.len;
	shunt_fact(dev, "huge_pages", pq->region->info.huge ? "yes" : "no");
	return 0;
}

/* An attached region stays attached. */
void packet_bufs_destroy(struct packet_queue *pq)
{
	if (pq->region)
		shunt_pool_put(pq->region, pq->cache.at, pq->cache.have);
	pq->cache.have = 0;
	if (!pq->own_region)
		return;
	atomic_fetch_sub(&pq->region->attached, 1);
	shunt_region_destroy(pq->region, NULL);
	pq->region = NULL;
	pq->own_region = false;
}

unsigned packet_bufs_get(struct packet_queue *pq, uint64_t *at, unsigned n)
{
	struct packet_cache *c = &pq->cache;

	if (c->have < n) {
		unsigned want = n - c->have + (c->most < REFILL ? 0 : REFILL);
		c->have += shunt_pool_get(pq->region, c->at + c->have, want);
		if (n > c->have)
			n = c->have;
	}
	c->have -= n;
	memcpy(at, c->at + c->have, n * sizeof *at);
	return n;
}

void packet_bufs_put(struct packet_queue *pq, uint64_t at)
{
	struct packet_cache *c = &pq->cache;

	if (c->have > c->most) { /* the half that was used longest ago */
		unsigned half = c->have / 2;
		shunt_pool_put(pq->region, c->at, half);
		c->have -= half;
		memmove(c->at, c->at + half, c->have * sizeof *c->at);
	}
	c->at[c->have++] = at;
}

unsigned packet_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct packet_queue *pq = packet_of(q);
	uint64_t at[SHUNT_BURST_MAX];

	n = packet_bufs_get(pq, at, n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX);
	for (unsigned i = 0; i < n; i++)
		pkts[i] = (struct shunt_pkt){
			.data = (uint8_t *)pq->region->info.base + at[i] + PACKET_HEAD,
			.len = pq->longest,
			.cookie = at[i],
			.region = pq->region->info.id,
			.queue = q->index};
	q->out += n;
	return n;
}

void packet_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	struct packet_queue *pq = packet_of(q);
	const uint8_t *base = pq->region->info.base;
	uint64_t mask = ~(uint64_t)(pq->region->info.chunk - 1);

	for (unsigned i = 0; i < n; i++)
		packet_bufs_put(pq, (uint64_t)((const uint8_t *)pkts[i].data - base) & mask);
	q->out -= n;
}
