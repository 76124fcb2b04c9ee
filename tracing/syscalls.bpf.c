// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* System calls of the traced application threads, by number, at entry: a blocking call is counted
 * when it is made. Adds a small cost to the system calls of all tasks, also to those filtered out.
 */
#include "tracing/probe.bpf.h"

SLOTS(struct syscalls_slot);

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter, struct pt_regs *regs, long nr)
{
	struct syscalls_slot *s;

	if (!target.enabled || role_of((__u32)bpf_get_current_pid_tgid()) != TRACE_APP)
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->hits++;
	__u32 n = nr & (TRACE_SYSCALLS - 1);
	if (nr & ~(long)(TRACE_SYSCALLS - 1)) {
		s->beyond++;
		return 0;
	}
	barrier_var(n); /* else the compiler drops the mask, which the verifier needs */
	s->by_nr[n & (TRACE_SYSCALLS - 1)]++;
	return 0;
}
