/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/pass.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/syscall.h>

/* 100 packets of 60 bytes, five calls that bring nothing. */
static struct bench_result result(void)
{
	struct bench_result r = {.traced = true, .delivered = 100, .bytes = 6000};

	r.info.driver = "pci";
	r.trace.syscalls = shunt_measured(5, "calls", "tp_btf/sys_enter");
	r.trace.by_nr[SYS_clock_gettime] = 3;
	r.trace.by_nr[SYS_futex] = 2;
	r.trace.copies = shunt_unavailable("copies", "no probe");
	r.trace.copied_bytes = shunt_unavailable("bytes", "no probe");
	return r;
}

Test(past_kernel, nothing_read_is_nothing_copied)
{
	struct bench_result r = result();

	bench_past_kernel(&r);
	cr_assert_eq(r.trace.copies.how, SHUNT_DERIVED);
	cr_assert_eq(r.trace.copies.bound, SHUNT_EXACT);
	cr_assert_float_eq(r.trace.copies.value, 0, 0);
	cr_assert_float_eq(r.trace.copied_bytes.value, 0, 0);
}

Test(past_kernel, each_read_may_have_been_a_copy)
{
	struct bench_result r = result();

	r.trace.by_nr[SYS_read] = 4;
	r.stats.user_copies = 10;
	bench_past_kernel(&r);
	cr_assert_eq(r.trace.copies.bound, SHUNT_UPPER);
	cr_assert_float_eq(r.trace.copies.value, 14, 0);
	cr_assert_float_eq(r.trace.copied_bytes.value, 14 * 60, 0);
	cr_assert(strstr(r.trace.copies.reason, "4 calls"));
}

Test(past_kernel, unknown_calls_are_unknown_copies)
{
	struct bench_result r = result();

	r.trace.syscalls = shunt_unavailable("calls", "not asked for");
	bench_past_kernel(&r);
	cr_assert_eq(r.trace.copies.how, SHUNT_UNAVAILABLE);
	cr_assert_str_eq(r.trace.copies.reason, "not asked for");
}

Test(past_kernel, what_a_probe_counted_stands)
{
	struct bench_result r = result();

	r.trace.copies = shunt_measured(7, "copies", "a probe");
	bench_past_kernel(&r);
	cr_assert_float_eq(r.trace.copies.value, 7, 0);
	r = result();
	r.info.driver = "packet";
	bench_past_kernel(&r);
	cr_assert_eq(r.trace.copies.how, SHUNT_UNAVAILABLE);
}
