/* SPDX-License-Identifier: BSD-2-Clause
 * Receive: descriptors off this end's ring. Sleeping without missing the call: see arm below, and
 * docs/memory-ordering.md.
 */
#include "drivers/core/burst.h"
#include "drivers/pair/pair.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

int pair_rx_arm(struct shunt_queue *q)
{
	struct pair_end *e = (struct pair_end *)q;

	/* Sequentially consistent: orders the flag before the load of the ring's index; pairs with
	 * push and wake(). */
	atomic_store_explicit(&e->sleeping, true, memory_order_seq_cst);
	return pair_ring_waiting(&e->ring) || atomic_load(&e->peer->stopped);
}

static void pair_rx_disarm(struct pair_end *e)
{
	uint64_t count;

	if (!atomic_load_explicit(&e->sleeping, memory_order_relaxed))
		return;
	atomic_store_explicit(&e->sleeping, false, memory_order_relaxed);
	if (read(e->event, &count, sizeof count) < 0)
		return; /* nothing was written: the usual case */
}

static void sleep_a_while(struct pair_end *e)
{
	struct pollfd p = {.fd = e->event, .events = POLLIN};

	if (!pair_rx_arm(&e->q)) {
		poll(&p, 1, SHUNT_POLL_MS);
		SHUNT_COUNT(&e->q, syscalls, 1);
	}
	pair_rx_disarm(e);
}

/* Empty: has the other end gone? What it sent before it went comes first. */
static int nothing(struct pair_end *e)
{
	/* Acquire: orders the flag before another look at the ring; pairs with pair_stop(). */
	if (!atomic_load_explicit(&e->peer->stopped, memory_order_acquire) ||
		pair_ring_waiting(&e->ring))
		return 0;
	return shunt_gone(
		&e->q, -ENETDOWN, "the other end of %.80s was closed", e->q.dev->spec.text);
}

int pair_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct pair_end *e = (struct pair_end *)q;
	uint64_t bytes = 0;

	if (q->error)
		return q->error;
	pair_rx_disarm(e);
	unsigned got = pair_ring_pop(&e->ring, pkts, n);
	if (!got && q->dev->info.wait && !q->waits &&
		!atomic_load_explicit(&e->stopped, memory_order_relaxed)) {
		sleep_a_while(e);
		got = pair_ring_pop(&e->ring, pkts, n);
	}
	if (!got)
		return shunt_rx_none(q, nothing(e));
	for (unsigned i = 0; i < got; i++) {
		pkts[i].queue = q->index;
		bytes += pkts[i].len;
	}
	return shunt_rx_done(q, got, bytes);
}
