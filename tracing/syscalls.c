/* SPDX-License-Identifier: BSD-2-Clause
 * System calls of the application threads.
 */
#include "tracing/private.h"

#include "syscalls.skel.h"

const struct trace_part shunt_part_syscalls = {
	.what = SHUNT_TRACE_SYSCALLS,
	.elf = syscalls_bpf__elf_bytes,
	.slot_size = sizeof(struct syscalls_slot),
	.nprobes = 1,
	.probes = {TRACE_POINT(
		syscalls_slot, hits, "sys_enter", "system calls of the traced threads", 2)},
};

void shunt_trace_syscalls(const struct shunt_tracer *t, struct shunt_trace_counts *c)
{
	const struct trace_object *o = &t->objects[PART_SYSCALLS];
	const char *why = shunt_trace_why_not(t, PART_SYSCALLS, "sys_enter");

	if (why) {
		c->syscalls = shunt_unavailable("calls", "%s", why);
		return;
	}
	for (unsigned nr = 0; nr < SHUNT_NSYSCALLS; nr++)
		c->by_nr[nr] = TRACE_SUM(o, syscalls_slot, by_nr[nr]);
	c->syscalls = shunt_measured(
		(double)TRACE_SUM(o, syscalls_slot, hits), "calls", "tp_btf/sys_enter");
}
