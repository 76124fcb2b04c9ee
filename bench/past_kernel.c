/* SPDX-License-Identifier: BSD-2-Clause
 * Copies on a path past the kernel. The card writes into the application's memory itself, and no
 * function of this kernel sees the packet; what the kernel copies into a process it copies in a
 * call of that process, and the driver counts its own copies. So: calls that read or receive.
 */
#include "bench/pass.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

static const int bring_data[] = {SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_preadv2,
	SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_io_uring_enter, SYS_ioctl,
	SYS_process_vm_readv};

static struct shunt_figure figure(const struct bench_result *r, const char *unit, double each)
{
	double calls = 0;

	if (r->trace.syscalls.how == SHUNT_UNAVAILABLE)
		return shunt_unavailable(unit, "%s", r->trace.syscalls.reason);
	for (size_t i = 0; i < sizeof bring_data / sizeof *bring_data; i++)
		calls += (double)r->trace.by_nr[bring_data[i]];
	struct shunt_figure f = shunt_derived(((double)r->stats.user_copies + calls) * each, unit,
		"sys_enter of calls that read or receive, and the driver's user_copies");
	if (calls > 0) {
		f.bound = SHUNT_UPPER;
		snprintf(f.reason, sizeof f.reason,
			"each of %.0f calls that read or receive is taken for a copy", calls);
	}
	return f;
}

void bench_past_kernel(struct bench_result *r)
{
	if (!r->traced || !r->info.driver || strcmp(r->info.driver, "pci") || !r->delivered)
		return;
	if (r->trace.hidden_copies.how == SHUNT_UNAVAILABLE)
		r->trace.hidden_copies = shunt_unavailable(
			"copies", "what the card itself does is not seen from this kernel");
	if (r->trace.copies.how == SHUNT_UNAVAILABLE)
		r->trace.copies = figure(r, "copies", 1);
	if (r->trace.copied_bytes.how == SHUNT_UNAVAILABLE)
		r->trace.copied_bytes = figure(r, "bytes", (double)r->bytes / (double)r->delivered);
}
