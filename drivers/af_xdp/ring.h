/* SPDX-License-Identifier: BSD-2-Clause
 * What af_xdp does with libxdp's inline rings. Indices are u32, run free and wrap; addresses are
 * u64. FILL and COMPLETION have one producer and one consumer per queue of a device.
 */
#ifndef DRIVERS_AF_XDP_RING_H
#define DRIVERS_AF_XDP_RING_H

#include <xdp/xsk.h>

/* Entries that lie in a ring that we consume, handed out ones not included. */
static inline uint32_t afxdp_waiting(const struct xsk_ring_cons *r)
{
	/* Acquire: orders the index before the entries; pairs with the kernel's release in
	 * xskq_prod_submit(). */
	return __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) - r->cached_cons;
}

/* As afxdp_waiting(), for a thread other than the ring's: up to what was released to the kernel.
 * Acquire: orders consumer before producer, so that the difference is never negative. */
static inline uint32_t afxdp_look(const struct xsk_ring_cons *r)
{
	uint32_t cons = __atomic_load_n(r->consumer, __ATOMIC_ACQUIRE);

	return __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) - cons;
}

/* Entries of a ring that we produce that the kernel has not taken yet. */
static inline uint32_t afxdp_pending(const struct xsk_ring_prod *r)
{
	/* Acquire: orders the kernel's reads of the entries before our next writes to them; pairs
	 * with its release in __xskq_cons_release(). */
	return r->cached_prod - __atomic_load_n(r->consumer, __ATOMIC_ACQUIRE);
}

/* Put n addresses into FILL: all of them, or none when it has no room. */
static inline bool afxdp_fill(struct xsk_ring_prod *r, const uint64_t *addrs, uint32_t n)
{
	uint32_t at;

	if (xsk_ring_prod__reserve(r, n, &at) != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		*xsk_ring_prod__fill_addr(r, at + i) = addrs[i];
	xsk_ring_prod__submit(r, n);
	return true;
}

static inline uint32_t afxdp_pow2(uint32_t n)
{
	return n < 2 ? 1 : UINT32_C(1) << (32 - __builtin_clz(n - 1));
}

#endif
