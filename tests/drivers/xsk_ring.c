/* SPDX-License-Identifier: BSD-2-Clause
 * Ring arithmetic on rings in our own memory, the test being the kernel: indices start just below
 * the u32 wrap and run over it.
 */
#include "drivers/af_xdp/ring.h"

#include <criterion/criterion.h>
#include <string.h>

#define SIZE 64u

static uint32_t prod, cons, flags;
static uint64_t addrs[SIZE];
static struct xdp_desc descs[SIZE];

/* As libxdp leaves a ring whose indices both stand at start. */
static struct xsk_ring_prod producer(uint32_t start)
{
	prod = cons = start;
	return (struct xsk_ring_prod){.cached_prod = start,
		.cached_cons = start + SIZE,
		.mask = SIZE - 1,
		.size = SIZE,
		.producer = &prod,
		.consumer = &cons,
		.ring = addrs,
		.flags = &flags};
}

static struct xsk_ring_cons consumer(uint32_t start)
{
	prod = cons = start;
	return (struct xsk_ring_cons){.cached_prod = start,
		.cached_cons = start,
		.mask = SIZE - 1,
		.size = SIZE,
		.producer = &prod,
		.consumer = &cons,
		.ring = descs,
		.flags = &flags};
}

Test(xsk_ring, fill_is_all_or_nothing)
{
	struct xsk_ring_prod r = producer(UINT32_MAX - 10);
	uint64_t in[SIZE + 1];

	for (uint32_t i = 0; i <= SIZE; i++)
		in[i] = i * UINT64_C(2048);
	cr_assert_not(afxdp_fill(&r, in, SIZE + 1));
	cr_assert_eq(prod, UINT32_MAX - 10);
	cr_assert(afxdp_fill(&r, in, SIZE));
	cr_assert_eq(prod, UINT32_MAX - 10 + SIZE);
	cr_assert_eq(prod, SIZE - 11); /* it did wrap */
	cr_assert_eq(afxdp_pending(&r), SIZE);
	cr_assert_not(afxdp_fill(&r, in, 1));
	cons++; /* the kernel takes one */
	cr_assert(afxdp_fill(&r, in + SIZE, 1));
	cr_assert_eq(addrs[(UINT32_MAX - 10) & r.mask], in[SIZE]);
}

/* Addresses are u64 and come out in the order that they went in, over the wrap. */
Test(xsk_ring, fill_keeps_order_over_the_wrap)
{
	struct xsk_ring_prod r = producer(UINT32_MAX - 1000);
	uint64_t next_in = UINT64_C(1) << 40, next_out = next_in, in[7];

	for (unsigned round = 0; round < 1000; round++) {
		for (unsigned i = 0; i < 7; i++)
			in[i] = next_in + i;
		if (afxdp_fill(&r, in, 7))
			next_in += 7;
		for (unsigned i = 0; i < 5 && cons != prod; i++, cons++)
			cr_assert_eq(addrs[cons & r.mask], next_out++);
		cr_assert_eq(afxdp_pending(&r), next_in - next_out);
		cr_assert_leq(afxdp_pending(&r), SIZE);
	}
	cr_assert_gt(next_in - (UINT64_C(1) << 40), 4000);
	cr_assert_lt(prod, 1u << 16);
}

Test(xsk_ring, waiting_and_peek_over_the_wrap)
{
	struct xsk_ring_cons r = consumer(UINT32_MAX - 20);
	uint64_t made = 0, seen = 0;
	uint32_t at;

	for (unsigned round = 0; round < 100; round++) {
		while (prod - cons < SIZE) { /* the kernel fills it up */
			descs[prod & r.mask] =
				(struct xdp_desc){.addr = made, .len = (uint32_t)made};
			made++;
			prod++;
		}
		cr_assert_eq(afxdp_waiting(&r), SIZE);
		uint32_t n = xsk_ring_cons__peek(&r, 48, &at);
		cr_assert_gt(n, 0);
		for (uint32_t i = 0; i < n; i++)
			cr_assert_eq(xsk_ring_cons__rx_desc(&r, at + i)->addr, seen++);
		cr_assert_eq(afxdp_waiting(&r), SIZE - n);
		xsk_ring_cons__release(&r, n);
	}
	cr_assert_eq(made - seen, afxdp_waiting(&r));
	cr_assert_lt(cons, 1u << 16);
}

Test(xsk_ring, sizes_are_powers_of_two)
{
	static const uint32_t want[][2] = {{1, 1}, {2, 2}, {3, 4}, {64, 64}, {65, 128},
		{8192, 8192}, {8193, 16384}, {1u << 20, 1u << 20}, {(1u << 20) + 1, 1u << 21}};

	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		cr_assert_eq(afxdp_pow2(want[i][0]), want[i][1], "%u", want[i][0]);
}
