/* SPDX-License-Identifier: BSD-2-Clause
 * Figures of one pass. softirq is the kernel's receive half, wherever it ran; app is the receiving
 * thread's CPU time less the softirq that interrupted it; the generator's own CPU is in neither.
 */
#include "bench/compare/metrics.h"

#include <stdlib.h>

#define NS "ns/packet"

static double delivered(const struct bench_result *r)
{
	return (double)r->window;
}

static struct shunt_metric untraced(const char *unit)
{
	return shunt_unavailable(unit, "no tracer ran: it needs BPF and a build with tracing");
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
	struct shunt_metric f =
		shunt_measured((double)r->app_cpu_ns, NS, "CLOCK_THREAD_CPUTIME_ID");

	if (r->trace.traced && r->trace.counts.softirq_in_app_ns.provenance != SHUNT_UNAVAILABLE) {
		double in_app = r->trace.counts.softirq_in_app_ns.value;
		f = shunt_measured(f.value > in_app ? f.value - in_app : 0, NS,
			"CLOCK_THREAD_CPUTIME_ID less softirq in the thread");
	} else if (r->app_cpu_ns) {
		f.bound = SHUNT_UPPER;
		snprintf(f.reason, sizeof f.reason, "softirq that ran in the thread is included");
	}
	return shunt_per(&f, delivered(r), NS);
}

struct shunt_metric bench_get_softirq(const struct bench_result *r)
{
	return r->trace.traced ? shunt_per(&r->trace.counts.softirq_ns, delivered(r), NS)
			       : untraced(NS);
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

/* Bursts are timed by the wall: a thread that was switched out in the middle of one shows more than
 * it ran, and its CPU time is then the better bound. */
struct shunt_metric bench_get_busy(const struct bench_result *r)
{
	struct shunt_metric app = bench_get_app_cpu(r);

	if (!r->busy_ns) /* a path that sleeps: no empty polls to leave out */
		return app;
	struct shunt_metric f = shunt_measured(
		(double)r->busy_ns, NS, "CLOCK_MONOTONIC around bursts that brought packets");
	f = shunt_per(&f, delivered(r), NS);
	if (f.provenance == SHUNT_UNAVAILABLE || app.provenance == SHUNT_UNAVAILABLE ||
		f.value <= app.value)
		return f;
	app.bound = SHUNT_UPPER;
	snprintf(app.reason, sizeof app.reason, "the thread was switched out during bursts");
	return app;
}

struct shunt_metric bench_get_syscalls(const struct bench_result *r)
{
	return r->trace.traced ? shunt_per(&r->trace.counts.syscalls, delivered(r), "calls/packet")
			       : untraced("calls/packet");
}

struct shunt_metric bench_get_copies(const struct bench_result *r)
{
	return r->trace.traced ? shunt_per(&r->trace.counts.copies, delivered(r), "copies/packet")
			       : untraced("copies/packet");
}

struct shunt_metric bench_get_hidden(const struct bench_result *r)
{
	return r->trace.traced
		       ? shunt_per(&r->trace.counts.hidden_copies, delivered(r), "copies/packet")
		       : untraced("copies/packet");
}

/* What a tracer can't size, a driver that knows the lengths can: a ring's bytes. */
struct shunt_metric bench_get_copied_bytes(const struct bench_result *r)
{
	struct shunt_metric f;

	if (!r->trace.traced)
		return untraced("bytes/packet");
	f = r->trace.counts.copied_bytes;
	if (f.provenance == SHUNT_UNAVAILABLE && r->id.kind == SHUNT_KIND_RING)
		f = shunt_derived((double)r->stats.rx_bytes, "bytes/packet",
			"tp_snaplen of the blocks, the driver's rx_bytes");
	return shunt_per(&f, delivered(r), "bytes/packet");
}

struct shunt_metric bench_get_user_copies(const struct bench_result *r)
{
	struct shunt_metric f = shunt_derived(
		(double)r->stats.user_copies, "copies/packet", "the driver's user_copies counter");

	return shunt_per(&f, delivered(r), "copies/packet");
}

struct shunt_metric bench_get_switches(const struct bench_result *r)
{
	return r->trace.traced
		       ? shunt_per(&r->trace.counts.switches, delivered(r), "switches/packet")
		       : untraced("switches/packet");
}

struct shunt_metric bench_get_wasted(const struct bench_result *r)
{
	return r->trace.traced ? r->trace.counts.wasted_copies : untraced("copies");
}

struct shunt_metric bench_get_app_share(const struct bench_result *r)
{
	return shunt_derived(
		r->app_share, "of a core", "busy bursts or thread CPU over elapsed time");
}

struct shunt_metric bench_get_generator_share(const struct bench_result *r)
{
	return shunt_derived(r->generator_share, "of a core", "/proc/stat, sampled by the tick");
}

struct shunt_metric bench_get_softirq_share(const struct bench_result *r)
{
	return shunt_derived(
		r->softirq_share, "of the generator's core", "/proc/stat, sampled by the tick");
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
		struct shunt_metric f = get(&none); /* for its unit */
		return shunt_unavailable(f.unit, "no %s pass was run%s%s", bench_pass_names[kind],
			p->status == BENCH_OK ? "" : ": ", p->status == BENCH_OK ? "" : p->reason);
	}
	for (unsigned i = 0; i < p->records; i++)
		if (p->record[i].kind == kind)
			all[n++] = get(&p->record[i].result);
	struct shunt_metric f = shunt_over_rounds(all, n);
	free(all);
	return f;
}

uint64_t bench_lost_in(const struct bench_run_path *p, enum bench_pass_kind kind)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < p->records; i++)
		if (p->record[i].kind == kind)
			lost += bench_lost(&p->record[i].result);
	return lost;
}
