/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/histogram.h"

#include <criterion/criterion.h>

Test(histogram, index_is_monotonic_and_in_range)
{
	unsigned last = 0;

	for (uint64_t v = 0; v < 100000; v++) {
		unsigned i = shunt_hist_index(v);
		cr_assert(i == last || i == last + 1, "at %lu", (unsigned long)v);
		last = i;
	}
	cr_assert_lt(shunt_hist_index(UINT64_MAX), SHUNT_HIST_BUCKETS);
}

Test(histogram, quantiles_are_within_a_step)
{
	static struct shunt_hist h;

	for (uint64_t v = 1; v <= 100000; v++)
		shunt_hist_add(&h, v);
	for (double q = 0.01; q < 1; q += 0.01) {
		double got = (double)shunt_hist_quantile(&h, q), want = q * 100000;
		cr_assert(got >= want * 0.999 && got <= want * 1.04, "q %.2f: %.0f", q, got);
	}
	cr_assert_eq(shunt_hist_quantile(&h, 1), 100000);
	cr_assert_eq(h.max, 100000);
}

Test(histogram, merge_adds)
{
	static struct shunt_hist a, b;

	shunt_hist_add(&a, 10);
	shunt_hist_add(&b, 1000000);
	shunt_hist_merge(&a, &b);
	cr_assert_eq(a.count, 2);
	cr_assert_eq(a.max, 1000000);
	cr_assert_eq(shunt_hist_quantile(&a, 0.5), 10);
}
