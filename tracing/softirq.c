/* SPDX-License-Identifier: BSD-2-Clause
 * NET_RX softirq time. Ours is all of it except polls of other devices, so that the overhead of
 * raising a softirq and of flushing counts; a softirq that polled only other devices is theirs. The
 * backlog serves frames without NAPI (netif_rx: lo, and skbs into a veth without an XDP program)
 * and has no device: its time is split in proportion to the frames.
 */
#include "tracing/private.h"

#include "softirq.skel.h"

#include <stdio.h>

const struct trace_part shunt_part_softirq = {
	.what = SHUNT_TRACE_SOFTIRQ,
	.elf = softirq_bpf__elf_bytes,
	.slot_size = sizeof(struct softirq_slot),
	.nprobes = 4,
	.probes = {TRACE_POINT(
			   softirq_slot, entries, "softirq_entry", "starts of NET_RX softirq", 1),
		TRACE_POINT(softirq_slot, exits, "softirq_exit", "ends of NET_RX softirq", 1),
		TRACE_POINT(
			softirq_slot, polls, "napi_poll", "NAPI polls of the traced devices", 3),
		TRACE_POINT(softirq_slot, backlog_ours, "netif_rx",
			"frames of the traced devices into the backlog", 1)},
};

#define SUM(field) TRACE_SUM(&t->objects[PART_SOFTIRQ], softirq_slot, field)

static void unavailable(struct shunt_trace_counts *c, const char *why)
{
	c->softirq_ns = shunt_unavailable("ns", "%s", why);
	c->softirq_in_app_ns = c->softirq_in_generator_ns = c->softirq_ns;
	c->softirq_elsewhere_ns = c->softirq_other_ns = c->softirq_ns;
}

/* Our share of the backlog, 0 to 1. */
static double backlog_share(const struct shunt_tracer *t)
{
	uint64_t all = SUM(backlog_frames);

	return all ? (double)SUM(backlog_ours) / (double)all : 0;
}

static struct shunt_metric softirq_ns(
	const struct shunt_tracer *t, uint64_t polled, uint64_t backlog, double share)
{
	static const char source[] = "tp_btf/softirq_entry, softirq_exit, napi_poll";
	static const char split[] =
		"tp_btf/softirq_entry, softirq_exit, napi_poll; backlog by share of netif_rx";
	const char *why = shunt_trace_why_not(t, PART_SOFTIRQ, "netif_rx");
	double ns = (double)polled + (double)backlog * share;
	struct shunt_metric f = share > 0 && share < 1 ? shunt_derived(ns, "ns", split)
						       : shunt_measured(ns, "ns", source);

	if (why && backlog) {
		f.bound = SHUNT_LOWER;
		snprintf(f.reason, sizeof f.reason, "the backlog is not counted: %.120s", why);
	}
	return f;
}

/* The sum of app, generator and elsewhere. */
static struct shunt_metric total(const struct shunt_trace_counts *c)
{
	struct shunt_metric f = c->softirq_in_app_ns;

	f.value += c->softirq_in_generator_ns.value + c->softirq_elsewhere_ns.value;
	f.min = f.max = f.value;
	return f;
}

void shunt_trace_softirq(const struct shunt_tracer *t, struct shunt_trace_counts *c)
{
	static const char *const events[] = {"softirq_entry", "softirq_exit", "napi_poll"};
	uint64_t backlog = 0;

	for (unsigned i = 0; i < 3; i++) {
		const char *why = shunt_trace_why_not(t, PART_SOFTIRQ, events[i]);
		if (why) {
			unavailable(c, why);
			return;
		}
	}
	double share = backlog_share(t);
	struct shunt_metric *parts[TRACE_ROLES] = {
		&c->softirq_in_app_ns, &c->softirq_in_generator_ns, &c->softirq_elsewhere_ns};
	for (unsigned r = 0; r < TRACE_ROLES; r++) {
		*parts[r] = softirq_ns(t, SUM(ours_ns[r]), SUM(backlog_ns[r]), share);
		backlog += SUM(backlog_ns[r]);
	}
	c->softirq_ns = total(c);
	c->softirq_other_ns = shunt_measured(
		(double)SUM(other_ns) + (double)backlog * (1 - share), "ns", c->softirq_ns.source);
	c->napi_polls = SUM(polls);
	c->napi_work = SUM(work);
	c->napi_polls_in_app = SUM(polls_in_app);
}
