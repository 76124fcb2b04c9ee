/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/metric.h"

#include <criterion/criterion.h>
#include <string.h>

Test(metric, median_min_max_of_odd_and_even)
{
	struct shunt_metric r[4];
	static const double values[4] = {7, -1, 3, 5};

	for (int i = 0; i < 4; i++)
		r[i] = shunt_measured(values[i], "ns", "clock");
	struct shunt_metric f = shunt_over_rounds(r, 3);
	cr_assert_float_eq(f.value, 3, 0);
	cr_assert_float_eq(f.min, -1, 0);
	cr_assert_float_eq(f.max, 7, 0);
	cr_assert_eq(f.rounds, 3);
	f = shunt_over_rounds(r, 4);
	cr_assert_float_eq(f.value, 4, 0);
	cr_assert_eq(f.provenance, SHUNT_MEASURED);
	cr_assert_str_eq(f.source, "clock");
	cr_assert_str_eq(f.unit, "ns");
	/* The rounds themselves are not sorted. */
	cr_assert_float_eq(r[0].value, 7, 0);
}

Test(metric, unavailable_rounds_are_left_out)
{
	struct shunt_metric r[3] = {shunt_unavailable("ns", "first %d", 1),
		shunt_measured(10, "ns", "a"), shunt_measured(20, "ns", "a")};
	struct shunt_metric f = shunt_over_rounds(r, 3);

	cr_assert_eq(f.provenance, SHUNT_MEASURED);
	cr_assert_eq(f.rounds, 2);
	cr_assert_float_eq(f.value, 15, 0);
	cr_assert_str_eq(f.reason, "");
	r[1] = r[2] = shunt_unavailable("ns", "later");
	f = shunt_over_rounds(r, 3);
	cr_assert_eq(f.provenance, SHUNT_UNAVAILABLE);
	cr_assert_str_eq(f.reason, "first 1");
	cr_assert_eq(shunt_over_rounds(NULL, 0).provenance, SHUNT_UNAVAILABLE);
	cr_assert(*shunt_over_rounds(NULL, 0).reason);
}

Test(metric, the_weakest_claim_wins)
{
	struct shunt_metric r[3] = {shunt_measured(1, "copies", "probe"),
		shunt_derived(1, "copies", "counter"), shunt_measured(1, "copies", "probe")};

	r[2].bound = SHUNT_LOWER;
	strcpy(r[2].reason, "one may hide");
	for (int turn = 0; turn < 3; turn++) {
		struct shunt_metric f = shunt_over_rounds(r, 3), first = r[0];
		cr_assert_eq(f.provenance, SHUNT_DERIVED);
		cr_assert_str_eq(f.source, "counter");
		cr_assert_eq(f.bound, SHUNT_LOWER);
		cr_assert_str_eq(f.reason, "one may hide");
		/* In whatever order they come. */
		memmove(r, r + 1, 2 * sizeof *r);
		r[2] = first;
	}
}

Test(metric, per)
{
	struct shunt_metric f = shunt_measured(600, "bytes", "probe"), q;

	f.min = 300;
	f.max = 900;
	q = shunt_per(&f, 10, "bytes/packet");
	cr_assert_float_eq(q.value, 60, 0);
	cr_assert_float_eq(q.min, 30, 0);
	cr_assert_float_eq(q.max, 90, 0);
	cr_assert_str_eq(q.unit, "bytes/packet");
	cr_assert_eq(q.provenance, SHUNT_MEASURED);
	/* Nothing to divide by is no zero, and no infinity. */
	cr_assert_eq(shunt_per(&f, 0, "x").provenance, SHUNT_UNAVAILABLE);
	cr_assert(*shunt_per(&f, 0, "x").reason);
	f = shunt_unavailable("ns", "no probe");
	q = shunt_per(&f, 10, "ns/packet");
	cr_assert_eq(q.provenance, SHUNT_UNAVAILABLE);
	cr_assert_str_eq(q.reason, "no probe");
	cr_assert_str_eq(q.unit, "ns/packet");
}
