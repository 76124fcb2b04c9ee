/* SPDX-License-Identifier: BSD-2-Clause
 * Context switches away from the application threads.
 */
#include "tracing/private.h"

#include "switches.skel.h"

const struct trace_part shunt_part_switches = {
	.what = SHUNT_TRACE_SWITCHES,
	.elf = switches_bpf__elf_bytes,
	.slot_size = sizeof(struct switches_slot),
	.nprobes = 1,
	.probes = {TRACE_POINT(switches_slot, switches, "sched_switch",
		"context switches away from the traced threads", 4)},
};

void shunt_trace_switches(const struct shunt_tracer *t, struct shunt_trace_counts *c)
{
	const struct trace_object *o = &t->objects[PART_SWITCHES];
	const char *why = shunt_trace_why_not(t, PART_SWITCHES, "sched_switch");

	if (why) {
		c->switches = shunt_unavailable("switches", "%s", why);
		return;
	}
	c->switches_voluntary = TRACE_SUM(o, switches_slot, voluntary);
	c->switches_involuntary = TRACE_SUM(o, switches_slot, switches) - c->switches_voluntary;
	c->switches = shunt_measured((double)(c->switches_voluntary + c->switches_involuntary),
		"switches", "tp_btf/sched_switch");
}
