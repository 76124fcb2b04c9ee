/* SPDX-License-Identifier: BSD-2-Clause
 * A ring of packet descriptors: one producer thread, one consumer thread. Indices are u32 and run
 * on over the wrap; their difference is what is in the ring. prod is written by the producer only,
 * cons by the consumer only; each keeps the last value that it saw of the other's, so that the
 * other's cache line is touched only when the ring looks full or empty.
 */
#ifndef DRIVERS_PAIR_RING_H
#define DRIVERS_PAIR_RING_H

#include <errno.h>
#include <shunt/pkt.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pair_ring {
	struct shunt_pkt *slots;
	uint32_t mask;
	_Alignas(64) atomic_uint prod;
	uint32_t cons_seen;       /* producer's */
	_Atomic(uint64_t) pushed; /* written by the producer, read for the ledger */
	_Alignas(64) atomic_uint cons;
	uint32_t prod_seen; /* consumer's */
};

/* size is rounded up to a power of two; start is where the indices begin (tests begin before the
 * wrap). -ENOMEM. */
static inline int pair_ring_init(struct pair_ring *r, uint32_t size, uint32_t start)
{
	uint32_t n = 1;

	while (n < size)
		n *= 2;
	r->slots = calloc(n, sizeof *r->slots);
	r->mask = n - 1;
	r->cons_seen = r->prod_seen = start;
	atomic_init(&r->prod, start);
	atomic_init(&r->cons, start);
	atomic_init(&r->pushed, 0);
	return r->slots ? 0 : -ENOMEM;
}

/* Producer: room for at most n. */
static inline uint32_t pair_ring_room(struct pair_ring *r, uint32_t n)
{
	uint32_t prod = atomic_load_explicit(&r->prod, memory_order_relaxed);
	uint32_t room = r->mask + 1 - (prod - r->cons_seen);

	if (room < n) {
		/* Acquire: the consumer has read a slot before it is written again; pairs with the
		 * release in pair_ring_pop(). */
		r->cons_seen = atomic_load_explicit(&r->cons, memory_order_acquire);
		room = r->mask + 1 - (prod - r->cons_seen);
	}
	return room < n ? room : n;
}

/* Producer: n packets, for which there is room. */
static inline void pair_ring_push(struct pair_ring *r, const struct shunt_pkt *pkts, uint32_t n)
{
	uint32_t prod = atomic_load_explicit(&r->prod, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++)
		r->slots[(prod + i) & r->mask] = pkts[i];
	atomic_store_explicit(&r->pushed,
		atomic_load_explicit(&r->pushed, memory_order_relaxed) + n, memory_order_relaxed);
	/* Sequentially consistent, which includes release: orders the slots, and the bytes that
	 * they point to, before the index; pairs with the loads of prod in pair_ring_pop()
	 * and pair_ring_waiting(). And orders the index before the load of the consumer's
	 * sleep flag; pairs with pair_rx_arm(). */
	atomic_store_explicit(&r->prod, prod + n, memory_order_seq_cst);
}

/* Consumer: up to n packets. */
static inline uint32_t pair_ring_pop(struct pair_ring *r, struct shunt_pkt *pkts, uint32_t n)
{
	uint32_t cons = atomic_load_explicit(&r->cons, memory_order_relaxed);
	uint32_t have = r->prod_seen - cons;

	if (have < n) {
		/* Acquire: orders the index before the slots; pairs with push's store. */
		r->prod_seen = atomic_load_explicit(&r->prod, memory_order_acquire);
		have = r->prod_seen - cons;
	}
	n = have < n ? have : n;
	for (uint32_t i = 0; i < n; i++)
		pkts[i] = r->slots[(cons + i) & r->mask];
	/* Release: orders the reads of the slots before the index that returns them; pairs with
	 * the acquire in pair_ring_room(). */
	atomic_store_explicit(&r->cons, cons + n, memory_order_release);
	return n;
}

/* Consumer: how many wait. Sequentially consistent for the sake of pair_rx_arm(): see push. */
static inline uint32_t pair_ring_waiting(struct pair_ring *r)
{
	return atomic_load_explicit(&r->prod, memory_order_seq_cst) -
	       atomic_load_explicit(&r->cons, memory_order_relaxed);
}

#endif
