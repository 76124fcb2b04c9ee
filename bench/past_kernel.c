/* SPDX-License-Identifier: BSD-2-Clause
 * Copies on a path past the kernel. The card writes into the application's memory itself, and no
 * function of this kernel sees the packet; what the kernel copies into a process it copies in a
 * call of that process, and the driver counts its own copies. So: calls that could bring data.
 */
#include "bench/pass.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

/* They read a clock, wait or yield. */
static const int without_data[] = {SYS_clock_gettime, SYS_poll, SYS_ppoll, SYS_nanosleep,
	SYS_clock_nanosleep, SYS_futex, SYS_sched_yield};

static struct shunt_figure figure(const struct bench_result *r, const char *unit, double each)
{
	double calls = r->trace.syscalls.value;

	if (r->trace.syscalls.how == SHUNT_UNAVAILABLE)
		return shunt_unavailable(unit, "%s", r->trace.syscalls.reason);
	for (size_t i = 0; i < sizeof without_data / sizeof *without_data; i++)
		calls -= (double)r->trace.by_nr[without_data[i]];
	struct shunt_figure f = shunt_derived(((double)r->stats.user_copies + calls) * each, unit,
		"the thread's calls that could bring data, and the driver's user_copies");
	if (calls > 0) {
		f.bound = SHUNT_UPPER;
		snprintf(f.reason, sizeof f.reason,
			"each of %.0f calls that could bring data is taken for a copy", calls);
	}
	return f;
}

void bench_past_kernel(struct bench_result *r)
{
	if (!r->traced || !r->info.driver || strcmp(r->info.driver, "pci") || !r->delivered)
		return;
	if (r->trace.copies.how == SHUNT_UNAVAILABLE)
		r->trace.copies = figure(r, "copies", 1);
	if (r->trace.copied_bytes.how == SHUNT_UNAVAILABLE)
		r->trace.copied_bytes =
			figure(r, "bytes", (double)r->bytes / (double)r->delivered);
}
