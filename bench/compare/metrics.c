/* SPDX-License-Identifier: BSD-2-Clause
 * Metrics of one pass. softirq is the kernel's receive work, on whatever core it ran; app is the
 * receiving thread's CPU time without the softirq that interrupted it. Neither includes the
 * generator's own CPU time.
 */
#include "bench/compare/metrics.h"

#include <stdlib.h>

#define NS "ns/packet"

static double delivered(const struct bench_result *r)
{
	return (double)r->window;
}

/* A count of the tracer. */
static struct shunt_metric traced(
	const struct bench_result *r, const struct shunt_metric *count, const char *unit)
{
	return r->trace.traced ? *count
			       : shunt_unavailable(unit,
					 "no tracer ran: it needs BPF and a build with tracing");
}

static struct shunt_metric traced_per_packet(
	const struct bench_result *r, const struct shunt_metric *count, const char *unit)
{
	struct shunt_metric m = traced(r, count, unit);

	return shunt_per(&m, delivered(r), unit);
}

struct shunt_metric bench_get_pps(const struct bench_result *r)
{
	if (!r->elapsed_ns)
		return shunt_unavailable("packets/s", "the pass took no time");
	return shunt_measured(delivered(r) * 1e9 / (double)r->elapsed_ns, "packets/s",
		"packets delivered, CLOCK_MONOTONIC");
}

struct shunt_metric bench_get_app_cpu(const struct bench_result *r)
{
	if (r->id.kind == SHUNT_KIND_XDP)
		return shunt_unavailable(NS, "no application takes part: XDP drops every frame");
	struct shunt_metric m =
		shunt_measured((double)r->app_cpu_ns, NS, "CLOCK_THREAD_CPUTIME_ID");

	if (r->trace.traced && r->trace.counts.softirq_in_app_ns.provenance != SHUNT_UNAVAILABLE) {
		double in_app = r->trace.counts.softirq_in_app_ns.value;
		m = shunt_measured(m.value > in_app ? m.value - in_app : 0, NS,
			"CLOCK_THREAD_CPUTIME_ID less softirq in the thread");
	} else if (r->app_cpu_ns) {
		m.bound = SHUNT_UPPER;
		snprintf(m.reason, sizeof m.reason, "softirq that ran in the thread is included");
	}
	return shunt_per(&m, delivered(r), NS);
}

struct shunt_metric bench_get_softirq(const struct bench_result *r)
{
	return traced_per_packet(r, &r->trace.counts.softirq_ns, NS);
}

struct shunt_metric bench_get_total_cpu(const struct bench_result *r)
{
	struct shunt_metric app = bench_get_app_cpu(r), soft = bench_get_softirq(r);

	if (soft.provenance == SHUNT_UNAVAILABLE || r->id.kind == SHUNT_KIND_XDP)
		return soft;
	if (app.provenance == SHUNT_UNAVAILABLE)
		return app;
	return shunt_derived(app.value + soft.value, NS, "app + softirq");
}

/* Bursts are measured in wall time. A thread that was switched out within one has used less CPU
 * than that: its CPU time is then the tighter upper bound. */
struct shunt_metric bench_get_busy(const struct bench_result *r)
{
	struct shunt_metric app = bench_get_app_cpu(r);

	if (!r->busy_ns) /* blocks in poll: has no empty polls to exclude */
		return app;
	struct shunt_metric m = shunt_measured(
		(double)r->busy_ns, NS, "CLOCK_MONOTONIC around bursts that returned packets");
	m = shunt_per(&m, delivered(r), NS);
	if (m.provenance == SHUNT_UNAVAILABLE || app.provenance == SHUNT_UNAVAILABLE ||
		m.value <= app.value)
		return m;
	app.bound = SHUNT_UPPER;
	snprintf(app.reason, sizeof app.reason, "the thread was switched out during bursts");
	return app;
}

struct shunt_metric bench_get_syscalls(const struct bench_result *r)
{
	return traced_per_packet(r, &r->trace.counts.syscalls, "calls/packet");
}

struct shunt_metric bench_get_copies(const struct bench_result *r)
{
	return traced_per_packet(r, &r->trace.counts.copies, "copies/packet");
}

struct shunt_metric bench_get_hidden(const struct bench_result *r)
{
	return traced_per_packet(r, &r->trace.counts.hidden_copies, "copies/packet");
}

/* No probe sees the size of a copy into a ring: there the driver's byte count stands in. */
struct shunt_metric bench_get_copied_bytes(const struct bench_result *r)
{
	struct shunt_metric m = traced(r, &r->trace.counts.copied_bytes, "bytes/packet");

	if (r->trace.traced && m.provenance == SHUNT_UNAVAILABLE && r->id.kind == SHUNT_KIND_RING)
		m = shunt_derived((double)r->stats.rx_bytes, "bytes/packet",
			"tp_snaplen of the blocks, the driver's rx_bytes");
	return shunt_per(&m, delivered(r), "bytes/packet");
}

struct shunt_metric bench_get_user_copies(const struct bench_result *r)
{
	struct shunt_metric m = shunt_derived(
		(double)r->stats.user_copies, "copies/packet", "the driver's user_copies counter");

	return shunt_per(&m, delivered(r), "copies/packet");
}

struct shunt_metric bench_get_switches(const struct bench_result *r)
{
	return traced_per_packet(r, &r->trace.counts.switches, "switches/packet");
}

struct shunt_metric bench_get_wasted(const struct bench_result *r)
{
	return traced(r, &r->trace.counts.wasted_copies, "copies");
}

struct shunt_metric bench_get_app_share(const struct bench_result *r)
{
	return shunt_derived(
		r->app_share, "of a core", "busy bursts or thread CPU over elapsed time");
}

struct shunt_metric bench_get_generator_share(const struct bench_result *r)
{
	return shunt_derived(r->generator_share, "of a core", "/proc/stat, sampled per clock tick");
}

struct shunt_metric bench_get_softirq_share(const struct bench_result *r)
{
	return shunt_derived(
		r->softirq_share, "of the generator's core", "/proc/stat, sampled per clock tick");
}

unsigned bench_passes(const struct bench_run_path *p, enum bench_pass_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->records; i++)
		n += p->record[i].kind == kind;
	return n;
}

struct shunt_metric bench_over(
	const struct bench_run_path *p, enum bench_pass_kind kind, bench_get_fn *get)
{
	unsigned n = 0, have = bench_passes(p, kind);
	struct shunt_metric *all = calloc(have ? have : 1, sizeof *all);
	struct bench_result none = {.offered = 0};

	if (!all || !have) {
		free(all);
		struct shunt_metric m = get(&none); /* for its unit */
		return shunt_unavailable(m.unit, "no %s pass was run%s%s", bench_pass_names[kind],
			p->status == BENCH_OK ? "" : ": ", p->status == BENCH_OK ? "" : p->reason);
	}
	for (unsigned i = 0; i < p->records; i++)
		if (p->record[i].kind == kind)
			all[n++] = get(&p->record[i].result);
	struct shunt_metric m = shunt_over_rounds(all, n);
	free(all);
	return m;
}

uint64_t bench_lost_in(const struct bench_run_path *p, enum bench_pass_kind kind)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < p->records; i++)
		if (p->record[i].kind == kind)
			lost += bench_lost(&p->record[i].result);
	return lost;
}
