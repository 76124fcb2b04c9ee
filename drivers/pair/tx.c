/* SPDX-License-Identifier: BSD-2-Clause
 * Transmit: descriptors onto the other end's ring. Only what lies in another region is copied.
 */
#include "drivers/core/burst.h"
#include "drivers/pair/pair.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A descriptor for the other end. 1, 0 when there is no chunk to copy to or it is a piece of a
 * frame, -EMSGSIZE. */
static int convert(struct pair_end *e, struct shunt_pkt *from, struct shunt_pkt *to)
{
	const struct shunt_region_info *region = &e->chunks.region->info;
	uint64_t at;

	*to = *from;
	to->wire_len = from->wire_len > from->len ? from->wire_len : from->len;
	if (shunt_pkt_where(from) == shunt_in_region(region->id)) {
		/* Another device of the region may call the chunk by another cookie. */
		at = (uint64_t)((uint8_t *)from->data - (uint8_t *)region->base);
		to->cookie = at & ~(uint64_t)(region->chunk - 1);
		e->q.out--;
		return 1;
	}
	if (from->flags & SHUNT_PKT_MORE)
		return 0;
	if (from->len > region->chunk)
		return -EMSGSIZE;
	if (!shunt_chunks_get(&e->chunks, &at))
		return 0;
	to->data = (uint8_t *)region->base + at;
	to->cookie = at;
	to->region = region->id;
	memcpy(to->data, from->data, from->len);
	shunt_tx_copied(&e->q, from);
	return 1;
}

static void wake(struct pair_end *peer)
{
	const uint64_t one = 1;

	/* Sequentially consistent: orders the load after push's store of the ring's index; pairs
	 * with pair_rx_arm(). Of a push and an arm at the same time, one sees the other. */
	if (atomic_load_explicit(&peer->sleeping, memory_order_seq_cst) &&
		write(peer->event, &one, sizeof one) < 0)
		return; /* the counter is full: it is readable already */
}

static unsigned pair_tx_send(struct pair_end *e, struct pair_ring *ring, struct shunt_pkt *pkts,
	unsigned n, uint64_t *bytes)
{
	struct shunt_pkt made[SHUNT_BURST_MAX];
	unsigned taken = 0, m = 0;

	n = n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX;
	n = pair_ring_room(ring, n);
	for (; taken < n; taken++) {
		int rc = convert(e, &pkts[taken], &made[m]);
		if (!rc)
			break;
		*bytes += pkts[taken].len;
		if (rc > 0) {
			m++;
			continue;
		}
		pkts[taken].flags |= SHUNT_PKT_KEPT;
		SHUNT_COUNT(&e->q, tx_errors, 1);
	}
	if (m) {
		pair_ring_push(ring, made, m);
		wake(e->peer);
	}
	return taken;
}

int pair_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct pair_end *e = (struct pair_end *)q;
	uint64_t bytes = 0;
	unsigned taken = 0;

	if (q->error)
		return q->error;
	if (atomic_load_explicit(&e->peer->stopped, memory_order_relaxed))
		return shunt_gone(
			q, -ENETDOWN, "the other end of %.80s was closed", q->dev->spec.text);
	/* Acquire: orders the pointer before the ring's fields; pairs with pair_start(). */
	struct pair_ring *ring = atomic_load_explicit(&e->peer->in, memory_order_acquire);
	if (ring) /* else the other end has not started */
		taken = pair_tx_send(e, ring, pkts, n, &bytes);
	return shunt_tx_done(q, pkts, taken, n, bytes);
}
