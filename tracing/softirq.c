/* SPDX-License-Identifier: BSD-2-Clause
 * NET_RX softirq figures. Ours is all of it less the polls of other devices, so that raising and
 * flushing count. The backlog serves frames that come without NAPI (netif_rx): veth's, when they
 * are skbs and there is no XDP program. It is ours if no poll of our devices found work.
 */
#include "tracing/private.h"

#include "softirq.skel.h"

const struct trace_part shunt_part_softirq = {
	.what = SHUNT_TRACE_SOFTIRQ,
	.elf = softirq_bpf__elf_bytes,
	.slot_size = sizeof(struct softirq_slot),
	.nprobes = 3,
	.probes = {{.event = "softirq_entry",
			   .name = "tp_btf/softirq_entry",
			   .counts = "starts of NET_RX softirq",
			   .args = 1,
			   .hits = offsetof(struct softirq_slot, entries)},
		{.event = "softirq_exit",
			.name = "tp_btf/softirq_exit",
			.counts = "ends of NET_RX softirq",
			.args = 1,
			.hits = offsetof(struct softirq_slot, exits)},
		{.event = "napi_poll",
			.name = "tp_btf/napi_poll",
			.counts = "NAPI polls of the traced devices",
			.args = 3,
			.hits = offsetof(struct softirq_slot, polls)}},
};

#define SUM(field) TRACE_SUM(&t->objects[PART_SOFTIRQ], softirq_slot, field)

static struct shunt_figure ns(uint64_t value, bool with_backlog)
{
	return shunt_measured((double)value, "ns",
		with_backlog ? "tp_btf/softirq_entry, softirq_exit, napi_poll; with the backlog"
			     : "tp_btf/softirq_entry, softirq_exit, napi_poll");
}

static void unavailable(struct shunt_trace_counts *c, const char *why)
{
	c->softirq_ns = shunt_unavailable("ns", "%s", why);
	c->softirq_in_app_ns = c->softirq_in_generator_ns = c->softirq_ns;
	c->softirq_elsewhere_ns = c->softirq_other_ns = c->softirq_ns;
}

void shunt_trace_softirq(const struct shunt_tracer *t, struct shunt_trace_counts *c)
{
	uint64_t role_ns[TRACE_ROLES], total = 0, other = SUM(other_ns);
	static const char *const events[] = {"softirq_entry", "softirq_exit", "napi_poll"};

	for (unsigned i = 0; i < 3; i++) {
		const char *why = shunt_trace_why_not(t, PART_SOFTIRQ, events[i]);
		if (why) {
			unavailable(c, why);
			return;
		}
	}
	c->napi_polls = SUM(polls);
	c->napi_work = SUM(work);
	c->napi_polls_in_app = SUM(polls_in_app);
	/* A frame of ours that came by NAPI says that all did. */
	bool backlog_ours = !c->napi_work && SUM(backlog_polls);
	for (unsigned r = 0; r < TRACE_ROLES; r++) {
		uint64_t backlog = SUM(backlog_ns[r]);

		role_ns[r] = SUM(ours_ns[r]) + (backlog_ours ? backlog : 0);
		other += backlog_ours ? 0 : backlog;
		total += role_ns[r];
	}
	c->softirq_ns = ns(total, backlog_ours);
	c->softirq_in_app_ns = ns(role_ns[TRACE_APP], backlog_ours);
	c->softirq_in_generator_ns = ns(role_ns[TRACE_GENERATOR], backlog_ours);
	c->softirq_elsewhere_ns = ns(role_ns[TRACE_ELSEWHERE], backlog_ours);
	c->softirq_other_ns = ns(other, false);
}
