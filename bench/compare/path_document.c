/* SPDX-License-Identifier: BSD-2-Clause
 * One path as JSON: totals, figures over rounds, and every pass.
 */
#include "bench/compare/document.h"
#include "bench/compare/metrics.h"
#include "bench/report/json.h"
#include "bench/report/json_dev.h"

#include <string.h>

#define FULL 0.9 /* a core that is busy for more than this share is what limits a rate */

static void put_figure(json_t *o, const char *key, struct shunt_metric f)
{
	json_object_set_new(o, key, bench_json_metric(&f));
}

static void put_int(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_integer((json_int_t)v));
}

static void put_text(json_t *o, const char *key, const char *text)
{
	json_object_set_new(o, key, bench_json_text(text));
}

static void add_loss(json_t *loss, const char *name, uint64_t count)
{
	json_int_t before = json_integer_value(json_object_get(loss, name));

	if (count || before)
		json_object_set_new(loss, name, json_integer(before + (json_int_t)count));
}

/* Named losses of a pass. A drop program's drops are its purpose. */
static void add_losses(json_t *loss, const struct bench_result *r)
{
	if (r->id.kind != SHUNT_KIND_XDP)
		for (unsigned i = 0; i < r->ledger.losses; i++)
			add_loss(loss, r->ledger.loss[i].name, r->ledger.loss[i].count);
	/* What the kernel's card says of it; the rest is lost on the wire, or before. */
	uint64_t left = r->before_device;
	uint64_t missed = r->card.missed < left ? r->card.missed : left;
	left -= missed;
	uint64_t bad = r->card.bad < left ? r->card.bad : left;
	add_loss(loss, "card_missed", missed);
	add_loss(loss, "card_bad", bad);
	add_loss(loss, "before_device", left - bad);
}

static void put_totals(json_t *o, const struct bench_run_path *p)
{
	uint64_t offered = 0, sent = 0, delivered = 0, unsendable = 0, refused = 0;
	json_t *loss = json_object();

	for (unsigned i = 0; i < p->records; i++) {
		const struct bench_result *r = &p->record[i].result;
		offered += r->offered;
		sent += r->sent;
		delivered += r->delivered;
		unsendable += r->unsendable;
		refused += r->flood.refused;
		add_losses(loss, r);
	}
	put_int(o, "offered", offered);
	put_int(o, "sent", sent);
	put_int(o, "delivered", delivered);
	put_int(o, "unsendable", unsendable);
	put_int(o, "refused", refused);
	json_object_set_new(o, "loss", loss);
}

/* Which core was full in the rate passes. */
static const char *bottleneck(const struct bench_run *run, const struct bench_run_path *p)
{
	struct shunt_metric app = bench_over(p, BENCH_RATE, bench_get_app_share);
	struct shunt_metric gen = bench_over(p, BENCH_RATE, bench_get_generator_share);
	struct shunt_metric soft = bench_over(p, BENCH_RATE, bench_get_softirq_share);

	if (!bench_passes(p, BENCH_RATE) || !run->sender)
		return "unknown";
	if (app.value >= FULL)
		return "app";
	if (run->filled.rate > 0 || (run->work.capture && run->work.speed > 0))
		return "pace";
	if (gen.value < FULL)
		return "unknown";
	return soft.value > gen.value / 2 ? "softirq" : "generator";
}

static void put_rate(json_t *o, const struct bench_run *run, const struct bench_run_path *p)
{
	const char *neck = bottleneck(run, p);

	put_figure(o, "delivered_pps", bench_over(p, BENCH_RATE, bench_get_pps));
	put_text(o, "bottleneck", neck);
	json_t *share = json_object();
	put_figure(share, "app", bench_over(p, BENCH_RATE, bench_get_app_share));
	put_figure(share, "generator", bench_over(p, BENCH_RATE, bench_get_generator_share));
	put_figure(share, "softirq", bench_over(p, BENCH_RATE, bench_get_softirq_share));
	json_object_set_new(o, "busy_share", share);
	json_object_set_new(o, "capacity", json_boolean(!strcmp(neck, "app")));
}

static struct shunt_metric slowdown(const struct bench_run_path *p)
{
	struct shunt_metric cost = bench_over(p, BENCH_COST, bench_get_total_cpu);
	struct shunt_metric count = bench_over(p, BENCH_COUNT, bench_get_total_cpu);

	if (cost.provenance == SHUNT_UNAVAILABLE || cost.value <= 0)
		return shunt_unavailable("times", "%s", *cost.reason ? cost.reason : "no CPU time");
	if (count.provenance == SHUNT_UNAVAILABLE)
		return shunt_unavailable("times", "%s", count.reason);
	return shunt_derived(
		count.value / cost.value, "times", "CPU a packet, count over cost passes");
}

static void put_latency(json_t *o, const struct bench_run *run, const struct bench_run_path *p)
{
	static const struct {
		const char *name;
		double q;
	} at[] = {{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};
	json_t *latency = json_object();

	for (unsigned i = 0; i < 4; i++) {
		struct shunt_metric f;
		if (p->latency && p->latency->count)
			f = shunt_measured((double)shunt_hist_quantile(p->latency, at[i].q), "ns",
				"generator's stamp to one clock read a burst");
		else if (p->path.ceiling)
			f = shunt_unavailable("ns", "no packet reaches user space");
		else if (run->work.capture || !run->sender)
			f = shunt_unavailable("ns", "only synthetic frames carry a stamp");
		else
			f = shunt_unavailable("ns", "no paced, untraced pass was finished");
		put_figure(latency, at[i].name, f);
	}
	json_object_set_new(o, "latency_ns", latency);
}

static void put_figures(json_t *o, const struct bench_run *run, const struct bench_run_path *p)
{
	json_t *cpu = json_object();

	put_figure(cpu, "app", bench_over(p, BENCH_COST, bench_get_app_cpu));
	put_figure(cpu, "softirq", bench_over(p, BENCH_COST, bench_get_softirq));
	put_figure(cpu, "total", bench_over(p, BENCH_COST, bench_get_total_cpu));
	json_object_set_new(o, "cpu_ns_per_packet", cpu);
	put_figure(o, "cpu_busy_ns_per_packet", bench_over(p, BENCH_COST, bench_get_busy));
	put_figure(o, "syscalls_per_packet", bench_over(p, BENCH_COUNT, bench_get_syscalls));
	put_figure(o, "copies_per_packet", bench_over(p, BENCH_COUNT, bench_get_copies));
	put_figure(o, "hidden_copies_per_packet", bench_over(p, BENCH_COUNT, bench_get_hidden));
	put_figure(
		o, "copied_bytes_per_packet", bench_over(p, BENCH_COUNT, bench_get_copied_bytes));
	put_figure(o, "user_copies_per_packet", bench_over(p, BENCH_COUNT, bench_get_user_copies));
	put_figure(o, "wasted_copies", bench_over(p, BENCH_COUNT, bench_get_wasted));
	put_figure(
		o, "context_switches_per_packet", bench_over(p, BENCH_COUNT, bench_get_switches));
	put_latency(o, run, p);
	put_figure(o, "tracer_slowdown", slowdown(p));
}

/* Totals of one pass, not per packet. */
static void put_pass_figures(json_t *o, const struct bench_result *r)
{
	struct shunt_metric none =
		shunt_unavailable("", "nothing was attached in this kind of pass");
	struct shunt_metric f = none;

	put_figure(o, "delivered_pps", bench_get_pps(r));
	put_figure(o, "app_cpu_ns",
		shunt_measured((double)r->app_cpu_ns, "ns", "CLOCK_THREAD_CPUTIME_ID"));
	none.unit = "ns";
	put_figure(o, "softirq_ns", r->trace.traced ? r->trace.counts.softirq_ns : none);
	put_figure(o, "generator_cpu_ns",
		r->flood.cpu_ns ? shunt_measured((double)r->flood.cpu_ns, "ns",
					  "CLOCK_THREAD_CPUTIME_ID of the generator, softirq in it "
					  "included")
				: shunt_unavailable("ns", "no generator ran"));
	f = r->trace.traced ? r->trace.counts.syscalls : none;
	f.unit = "calls";
	put_figure(o, "syscalls", f);
	f = r->trace.traced ? r->trace.counts.copies : none;
	f.unit = "copies";
	put_figure(o, "copies", f);
	f = r->trace.traced ? r->trace.counts.copied_bytes : none;
	f.unit = "bytes";
	put_figure(o, "copied_bytes", f);
}

/* What the card itself counted, or null: the kernel's by its counters, ours by its ledger. */
static json_t *card(
	const struct bench_run *run, const struct bench_run_path *p, const struct bench_result *r)
{
	if (run->filled.nic && bench_path_is_pci(&p->path))
		return json_pack("{s:I, s:s}", "seen", (json_int_t)r->ledger.received, "source",
			r->ledger.received_source);
	if (!r->card_known)
		return json_null();
	return json_pack("{s:I, s:s}", "seen",
		(json_int_t)(r->card.packets + r->card.missed + r->card.bad), "source",
		"IFLA_STATS64: rx_packets, rx_missed_errors, rx_fifo_errors, rx_errors");
}

static json_t *pass_document(const struct bench_run *run, const struct bench_run_path *p,
	const struct bench_pass_record *rec)
{
	const struct bench_result *r = &rec->result;
	json_t *o = json_object(), *loss = json_object();

	put_int(o, "round", rec->round + 1);
	put_text(o, "pass", bench_pass_names[rec->kind]);
	put_int(o, "order", rec->order + 1);
	put_int(o, "offered", r->offered);
	put_int(o, "sent", r->sent);
	put_int(o, "delivered", r->delivered);
	put_int(o, "unsendable", r->unsendable);
	put_int(o, "refused", r->flood.refused);
	add_losses(loss, r);
	json_object_set_new(o, "loss", loss);
	json_object_set_new(o, "unaccounted", json_integer(r->ledger.unaccounted));
	json_object_set_new(o, "card", card(run, p, r));
	put_int(o, "elapsed_ns", r->elapsed_ns);
	put_pass_figures(o, r);
	return o;
}

static void put_notes(json_t *o, const struct bench_run_path *p)
{
	json_t *notes = json_array();

	if (p->records) {
		const struct shunt_info *info = &p->record[0].result.info;
		for (unsigned i = 0; i < info->nnotes; i++)
			json_array_append_new(notes, bench_json_text(info->notes[i]));
	}
	json_object_set_new(o, "notes", notes);
}

/* With what the copies were counted, in the last pass that did. */
static void put_trace(json_t *o, const struct bench_run_path *p)
{
	const struct bench_result *last = NULL;
	json_t *trace = json_null();

	for (unsigned i = 0; i < p->records; i++)
		if (p->record[i].kind == BENCH_COUNT && p->record[i].result.trace.traced)
			last = &p->record[i].result;
	if (last) {
		trace = json_object();
		bench_json_probes(
			trace, last->trace.level, last->trace.probes, last->trace.nprobes);
	}
	json_object_set_new(o, "trace", trace);
}

json_t *bench_path_document(struct bench_run *run, const struct bench_run_path *p)
{
	static const char *const status[] = {"ok", "unavailable", "failed"};
	const struct shunt_info *info = p->records ? &p->record[0].result.info : NULL;
	json_t *o = json_object(), *passes = json_array();

	put_text(o, "name", p->path.name);
	put_text(o, "family", p->path.family);
	put_text(o, "spec", p->path.spec);
	put_text(o, "status", status[p->status]);
	put_text(o, "reason", p->reason);
	put_text(o, "mode", info ? info->mode : "");
	put_text(o, "wait", p->path.polls ? "poll" : "spin");
	put_int(o, "room", p->path.depth);
	put_totals(o, p);
	put_rate(o, run, p);
	put_figures(o, run, p);
	put_trace(o, p);
	put_notes(o, p);
	for (unsigned i = 0; i < p->records; i++)
		json_array_append_new(passes, pass_document(run, p, &p->record[i]));
	json_object_set_new(o, "rounds", passes);
	return o;
}
