/* SPDX-License-Identifier: BSD-2-Clause
 * One path as JSON: totals, metrics over rounds, and every pass.
 */
#include "bench/compare/document.h"
#include "bench/compare/metrics.h"
#include "bench/report/json.h"
#include "bench/report/json_dev.h"

#include <string.h>

#define FULL 0.9 /* a core with a larger busy share limits the rate */

struct entry {
	const char *key;
	bench_get_fn *get;
};

static void put_metric(json_t *o, const char *key, struct shunt_metric m)
{
	json_object_set_new(o, key, bench_json_metric(&m));
}

/* Medians and ranges over the passes of a kind. */
static void put_entries(json_t *o, const struct bench_run_path *p, enum bench_pass_kind kind,
	const struct entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_metric(o, entries[i].key, bench_over(p, kind, entries[i].get));
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

/* Named losses of a pass. The drops of a path that drops every frame are no losses. */
static void add_losses(json_t *loss, const struct bench_result *r)
{
	if (r->id.kind != SHUNT_KIND_XDP)
		for (unsigned i = 0; i < r->ledger.losses; i++)
			add_loss(loss, r->ledger.loss[i].name, r->ledger.loss[i].count);
	/* Losses that the kernel's NIC counted; the rest was lost on the wire or in the sender. */
	uint64_t left = r->before_device;
	uint64_t missed = r->card.missed < left ? r->card.missed : left;
	left -= missed;
	uint64_t bad = r->card.bad < left ? r->card.bad : left;
	add_loss(loss, "card_missed", missed);
	add_loss(loss, "card_bad", bad);
	add_loss(loss, "before_device", left - bad);
}

static void put_totals(json_t *o, const struct bench_pass_record *record, unsigned n)
{
	uint64_t offered = 0, sent = 0, delivered = 0, unsendable = 0, refused = 0;
	json_t *loss = json_object();

	for (unsigned i = 0; i < n; i++) {
		const struct bench_result *r = &record[i].result;
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

/* Which core was saturated in the rate passes. */
static const char *bottleneck(const struct bench_run *run, const struct bench_run_path *p)
{
	struct shunt_metric app = bench_over(p, BENCH_RATE, bench_get_app_share);
	struct shunt_metric gen = bench_over(p, BENCH_RATE, bench_get_generator_share);
	struct shunt_metric soft = bench_over(p, BENCH_RATE, bench_get_softirq_share);

	if (!bench_passes(p, BENCH_RATE) || !run->sender)
		return "unknown";
	if (app.value >= FULL)
		return "app";
	if (run->opts.rate > 0 || (run->work.capture && run->work.speed > 0))
		return "pace";
	if (gen.value < FULL)
		return "unknown";
	return soft.value > gen.value / 2 ? "softirq" : "generator";
}

static void put_rate(json_t *o, const struct bench_run *run, const struct bench_run_path *p)
{
	static const struct entry shares[] = {{"app", bench_get_app_share},
		{"generator", bench_get_generator_share}, {"softirq", bench_get_softirq_share}};
	const char *limit = bottleneck(run, p);
	json_t *share = json_object();

	put_metric(o, "delivered_pps", bench_over(p, BENCH_RATE, bench_get_pps));
	put_text(o, "bottleneck", limit);
	put_entries(share, p, BENCH_RATE, shares, sizeof shares / sizeof *shares);
	json_object_set_new(o, "busy_share", share);
	json_object_set_new(o, "capacity", json_boolean(!strcmp(limit, "app")));
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
		count.value / cost.value, "times", "CPU per packet, count over cost passes");
}

static void put_latency(json_t *o, const struct bench_run *run, const struct bench_run_path *p)
{
	static const struct {
		const char *name;
		double q;
	} at[] = {{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};
	json_t *latency = json_object();

	for (unsigned i = 0; i < 4; i++) {
		struct shunt_metric m;
		if (p->latency && p->latency->count)
			m = shunt_measured((double)shunt_hist_quantile(p->latency, at[i].q), "ns",
				"from the generator's timestamp to the receiver's clock, read once "
				"per burst");
		else if (p->path.ceiling)
			m = shunt_unavailable("ns", "no packet reaches user space");
		else if (run->work.capture || !run->sender)
			m = shunt_unavailable("ns", "only synthetic frames carry a timestamp");
		else
			m = shunt_unavailable("ns", "no paced, untraced pass was finished");
		put_metric(latency, at[i].name, m);
	}
	json_object_set_new(o, "latency_ns", latency);
}

static void put_metrics(json_t *o, const struct bench_run *run, const struct bench_run_path *p)
{
	static const struct entry cpus[] = {{"app", bench_get_app_cpu},
		{"softirq", bench_get_softirq}, {"total", bench_get_total_cpu}};
	static const struct entry counts[] = {{"syscalls_per_packet", bench_get_syscalls},
		{"copies_per_packet", bench_get_copies},
		{"hidden_copies_per_packet", bench_get_hidden},
		{"copied_bytes_per_packet", bench_get_copied_bytes},
		{"user_copies_per_packet", bench_get_user_copies},
		{"wasted_copies", bench_get_wasted},
		{"context_switches_per_packet", bench_get_switches}};
	json_t *cpu = json_object();

	put_entries(cpu, p, BENCH_COST, cpus, sizeof cpus / sizeof *cpus);
	json_object_set_new(o, "cpu_ns_per_packet", cpu);
	put_metric(o, "cpu_busy_ns_per_packet", bench_over(p, BENCH_COST, bench_get_busy));
	put_entries(o, p, BENCH_COUNT, counts, sizeof counts / sizeof *counts);
	put_latency(o, run, p);
	put_metric(o, "tracer_slowdown", slowdown(p));
}

static void put_traced(json_t *o, const char *key, const struct bench_result *r,
	const struct shunt_metric *count, const char *unit)
{
	struct shunt_metric m =
		shunt_unavailable(unit, "nothing was attached in this kind of pass");

	if (r->trace.traced)
		m = *count;
	m.unit = unit;
	put_metric(o, key, m);
}

/* Totals of one pass, not per packet. */
static void put_pass_metrics(json_t *o, const struct bench_result *r)
{
	const struct shunt_trace_counts *c = &r->trace.counts;

	put_metric(o, "delivered_pps", bench_get_pps(r));
	put_metric(o, "app_cpu_ns",
		shunt_measured((double)r->app_cpu_ns, "ns", "CLOCK_THREAD_CPUTIME_ID"));
	put_traced(o, "softirq_ns", r, &c->softirq_ns, "ns");
	put_metric(o, "generator_cpu_ns",
		r->flood.cpu_ns ? shunt_measured((double)r->flood.cpu_ns, "ns",
					  "CLOCK_THREAD_CPUTIME_ID of the generator, softirq in it "
					  "included")
				: shunt_unavailable("ns", "no generator ran"));
	put_traced(o, "syscalls", r, &c->syscalls, "calls");
	put_traced(o, "copies", r, &c->copies, "copies");
	put_traced(o, "copied_bytes", r, &c->copied_bytes, "bytes");
}

/* What the NIC itself counted, or null: under a kernel driver its statistics, under shunt's the
 * ledger. */
static json_t *card(
	const struct bench_run *run, const struct bench_run_path *p, const struct bench_result *r)
{
	if (run->opts.nic && bench_path_is_pci(&p->path))
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
	json_t *o = json_object();

	put_int(o, "round", rec->round + 1);
	put_text(o, "pass", bench_pass_names[rec->kind]);
	put_int(o, "order", rec->order + 1);
	put_totals(o, rec, 1);
	json_object_set_new(o, "unaccounted", json_integer(r->ledger.unaccounted));
	json_object_set_new(o, "card", card(run, p, r));
	put_int(o, "elapsed_ns", r->elapsed_ns);
	put_pass_metrics(o, r);
	return o;
}

/* The probes that counted copies, as of the last count pass. */
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
	put_text(o, "depth", bench_depth_fact(p));
	put_totals(o, p->record, p->records);
	put_rate(o, run, p);
	put_metrics(o, run, p);
	put_trace(o, p);
	json_object_set_new(o, "notes", info ? bench_json_notes(info) : json_array());
	for (unsigned i = 0; i < p->records; i++)
		json_array_append_new(passes, pass_document(run, p, &p->record[i]));
	json_object_set_new(o, "rounds", passes);
	return o;
}
