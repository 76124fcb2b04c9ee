/* SPDX-License-Identifier: BSD-2-Clause
 * A comparison as JSON, shunt-compare/1: docs/schema/compare.schema.json.
 */
#include "bench/compare/document.h"

#include "bench/compare/cards.h"
#include "bench/report/json.h"
#include "bench/report/json_dev.h"

#include <shunt/version.h>
#include <string.h>

static json_t *metric(struct shunt_metric m)
{
	return bench_json_metric(&m);
}

static json_t *environment(struct bench_run *run)
{
	const struct bench_machine *m = &run->machine;
	struct bench_ticks now;
	struct shunt_metric steal = shunt_unavailable("%", "/proc/stat could not be read");

	if (!bench_ticks_read(-1, &now)) {
		struct bench_ticks d = bench_ticks_since(&now, &run->ticks0);
		steal = shunt_measured(d.total ? 100.0 * (double)d.steal / (double)d.total : 0, "%",
			"/proc/stat, all cores, over the run");
	}
#ifdef HAVE_TRACING
	const char *level = shunt_trace_level_name(shunt_trace_level());
	const char *gap = shunt_trace_level_gap(shunt_trace_level());
#else
	const char *level = "none", *gap = "built without tracing";
#endif
	return json_pack(
		"{s:s, s:o, s:i, s:s, s:s, s:o, s:s, s:s, s:[f,f,f], s:o, s:i, s:{s:o, s:o}}",
		"kernel", m->kernel, "cpu", bench_json_text(m->cpu), "cores", (int)m->cores,
		"clocksource", m->clocksource, "virtual", m->virt, "null_syscall_ns",
		metric(run->null_syscall), "trace_level", level, "trace_level_gap", gap, "load",
		m->load[0], m->load[1], m->load[2], "steal_percent", metric(steal),
		"huge_pages_free", (int)m->huge_pages_free, "probe_cost_ns", "cost",
		metric(run->cost_probes), "count", metric(run->count_probes));
}

static json_t *traffic(const struct bench_run *run)
{
	const struct bench_workload *w = &run->work;

	if (!w->capture)
		return json_null();
	return json_pack("{s:o, s:I, s:I, s:I, s:o}", "file", bench_json_text(w->capture), "frames",
		(json_int_t)w->capture_frames, "unsendable", (json_int_t)w->capture_unsendable,
		"bytes", (json_int_t)w->capture_bytes, "speed",
		w->speed > 0 ? json_real(w->speed) : json_null());
}

static uint64_t frames_per_pass(const struct bench_run *run)
{
	if (run->opts.iface)
		return 0;
	return run->work.capture ? run->work.capture_frames - run->work.capture_unsendable
				 : (uint64_t)(run->paced_pps * run->opts.seconds);
}

static json_t *workload(const struct bench_run *run)
{
	const struct bench_compare_opts *opts = &run->opts;
	const char *kind = opts->iface ? "interface" : run->work.capture ? "capture" : "synthetic";
	bool synthetic = !opts->iface && !run->work.capture;
	bool own_timing = opts->iface || run->work.speed > 0;
	const char *to = opts->iface ? "the destinations of the interface's traffic"
			 : run->work.capture
				 ? "the capture's destinations, none of which is a host of the lab"
				 : "another host, so that no IP stack processes them";

	return json_pack("{s:s, s:o, s:i, s:o, s:o, s:f, s:i, s:I, s:o, s:s, s:b, s:{s:i, s:i}}",
		"kind", kind, "size", synthetic ? json_integer(opts->size) : json_null(), "flows",
		synthetic ? (int)opts->flows : 0, "rate",
		opts->rate > 0 ? json_real(opts->rate) : json_string("max"), "paced_pps",
		own_timing ? json_null() : json_real(run->paced_pps), "seconds", opts->seconds,
		"rounds", (int)opts->rounds, "frames_per_pass", (json_int_t)frames_per_pass(run),
		"traffic", traffic(run), "destination", to, "merge", opts->gro, "cores", "app",
		run->cores.app, "generator", run->sender ? run->cores.generator : -1);
}

struct totals {
	struct shunt_metric asked, sent, late, cpu;
	unsigned batch;
};

/* The generator over all paths: its rate and cost in rate passes, its lateness in paced ones. */
static struct totals sum_generator(const struct bench_run *run)
{
	struct totals t = {shunt_unavailable("packets/s", "as fast as possible"),
		shunt_unavailable("packets/s", "no rate pass was run"),
		shunt_unavailable("ns", "no paced pass was run"),
		shunt_unavailable("ns/packet", "no rate pass was run"), 0};
	double packets = 0, cpu = 0, ns = 0, late = -1;

	for (unsigned i = 0; run->sender && i < run->npaths; i++)
		for (unsigned k = 0; k < run->path[i].records; k++) {
			const struct bench_pass_record *rec = &run->path[i].record[k];
			const struct shunt_flood_result *f = &rec->result.flood;
			if (f->asked_pps > 0 && (double)f->max_late_ns > late)
				late = (double)f->max_late_ns;
			if (rec->kind != BENCH_RATE)
				continue;
			packets += (double)f->sent;
			cpu += (double)f->cpu_ns;
			ns += (double)f->elapsed_ns;
			if (f->batch > t.batch)
				t.batch = f->batch;
		}
	if (ns > 0)
		t.sent = shunt_measured(
			packets * 1e9 / ns, "packets/s", "the generator, all rate passes");
	if (packets > 0)
		t.cpu = shunt_measured(cpu / packets, "ns/packet",
			"CLOCK_THREAD_CPUTIME_ID of the generator, softirq in it included");
	if (late >= 0)
		t.late = shunt_measured(late, "ns", "the generator, worst of all paced passes");
	if (run->sender && run->opts.rate > 0)
		t.asked = shunt_derived(run->opts.rate, "packets/s", "--rate");
	return t;
}

static json_t *generator(const struct bench_run *run)
{
	const char *spec = !run->sender                 ? ""
			   : run->opts.nic              ? run->opts.via
			   : run->opts.packet_generator ? "packet:" BENCH_FAR "?mode=mmsg"
							: "xdpgen:" BENCH_FAR;
	struct totals t = sum_generator(run);
	struct shunt_info info = {.nnotes = 0};
	char name[16] = "none";

	if (run->sender) {
		bench_sender_info(run->sender, &info);
		snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
	}
	return json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o}", "name", name, "spec", spec,
		"batch", (int)t.batch, "asked_pps", metric(t.asked), "sent_pps", metric(t.sent),
		"max_late_ns", metric(t.late), "cpu_ns_per_packet", metric(t.cpu), "notes",
		bench_json_notes(&info));
}

static json_t *count_or_null(int64_t v)
{
	return v < 0 ? json_null() : json_integer(v);
}

static json_t *selftests(const struct bench_run *run)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < run->nselftests; i++) {
		const struct bench_selftest *t = &run->selftest[i];
		json_array_append_new(
			all, json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:I, s:o, s:b, s:o}", "path",
				     t->path, "probe", *t->probe ? t->probe : "none", "counts",
				     t->counts, "sent", (json_int_t)t->sent, "expected",
				     count_or_null(t->expected), "got", count_or_null(t->got),
				     "negative_sent", (json_int_t)t->negative_sent, "negative_got",
				     count_or_null(t->negative_got), "passed", t->passed, "reason",
				     bench_json_text(t->reason)));
	}
	return all;
}

static json_t *command(const struct bench_run *run)
{
	json_t *words = json_array();

	for (int i = 0; i < run->opts.argc; i++)
		json_array_append_new(words, bench_json_text(run->opts.argv[i]));
	if (!run->opts.argc)
		json_array_append_new(words, json_string("compare"));
	return words;
}

/* A generator that stalls for longer than the queues can buffer catches up in a burst. Loss and
 * latency of paced passes are then the generator's. */
static void warn_of_lateness(struct bench_run *run)
{
	struct totals t = sum_generator(run);
	double depth_ns = run->opts.depth * 1e9 / run->paced_pps;

	if (t.late.provenance != SHUNT_UNAVAILABLE && t.late.value > depth_ns)
		bench_warn(run,
			"the generator was up to %.1f ms late, longer than a queue of %u frames "
			"buffers: loss and latency of paced passes may be the generator's, not the "
			"paths'",
			t.late.value / 1e6, run->opts.depth);
}

json_t *bench_document(struct bench_run *run)
{
	json_t *paths = json_array(), *ceiling = json_null(), *warnings = json_array();

	for (unsigned i = 0; i < run->npaths; i++) {
		json_t *p = bench_path_document(run, &run->path[i]);
		if (!run->path[i].path.ceiling) {
			json_array_append_new(paths, p);
			continue;
		}
		json_decref(ceiling);
		ceiling = p;
	}
	warn_of_lateness(run);
	bench_depth_warn(run);
	for (unsigned i = 0; i < run->warnings; i++)
		json_array_append_new(warnings, bench_json_text(run->warning[i]));
	return json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", "shunt-compare/1", "version", SHUNT_VERSION, "started", run->started,
		"seed", (json_int_t)run->opts.seed, "command", command(run), "environment",
		environment(run), "cards", bench_cards_json(run), "workload", workload(run),
		"generator", generator(run), "selftest", selftests(run), "ceiling", ceiling,
		"paths", paths, "gain", bench_gains(run), "warnings", warnings);
}
