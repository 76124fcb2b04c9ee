// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* Context switches away from the traced application threads. Voluntary by the rule of the scheduler
 * (__schedule in kernel/sched/core.c): not preempted, and no longer runnable. */
#include "tracing/probe.bpf.h"

SLOTS(struct switches_slot);

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	unsigned int prev_state)
{
	struct switches_slot *s;

	if (!target.enabled || role_of(prev->pid) != TRACE_APP)
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->switches++;
	s->voluntary += !preempt && prev_state;
	return 0;
}
