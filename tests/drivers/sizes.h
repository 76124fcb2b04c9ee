/* SPDX-License-Identifier: BSD-2-Clause
 * Bursts of any size (queue.h): 1000 packets in one call, for the test of each driver. A build with
 * ASan sees what would overflow.
 */
#ifndef TESTS_DRIVERS_SIZES_H
#define TESTS_DRIVERS_SIZES_H

#include <criterion/criterion.h>
#include <shunt/shunt.h>
#include <stdlib.h>
#include <string.h>

#define SIZES 1000u

/* All that the queue gives, at most SIZES. */
static inline unsigned sizes_alloc(struct shunt_queue *q, struct shunt_pkt *p)
{
	unsigned got = 0, n;

	while (got < SIZES && (n = shunt_alloc(q, p + got, SIZES - got))) {
		cr_assert_leq(n, SIZES - got);
		got += n;
	}
	cr_assert_eq(q->out, got);
	return got;
}

static inline void sizes_check(struct shunt_queue *q)
{
	/* malloc'ed to its size: what is written behind it is seen. */
	struct shunt_pkt *p = malloc(SIZES * sizeof *p);
	unsigned got = sizes_alloc(q, p);

	cr_assert_gt(got, 32);
	shunt_release(q, p, got);
	cr_assert_eq(q->out, 0);
	cr_assert_eq(sizes_alloc(q, p), got, "all of them are there again");
	for (unsigned i = 0; i < got; i++) {
		p[i].len = 60;
		memset(p[i].data, 2, 60);
	}
	int k = shunt_tx(q, p, got);
	cr_assert(k > 0 && k <= (int)got, "%d of %u", k, got);
	shunt_release(q, p + k, got - (unsigned)k);
	cr_assert_eq(q->out, 0);
	int n = shunt_rx(q, p, SIZES);
	cr_assert(n >= 0 && n <= (int)SIZES, "%d", n);
	shunt_release(q, p, (unsigned)n);
	cr_assert_eq(q->out, 0);
	free(p);
}

#endif
