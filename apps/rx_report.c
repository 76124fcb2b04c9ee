/* SPDX-License-Identifier: BSD-2-Clause
 * The report of `shunt rx`: text, and JSON (shunt-rx/1).
 */
#include "apps/rx.h"

#include "apps/app.h"
#include "bench/report/json.h"
#include "bench/report/json_dev.h"
#include "core/syscalls.h"

#include <inttypes.h>
#include <string.h>

static const struct {
	const char *key;
	size_t at;
} metrics[] = {
	{"syscalls", offsetof(struct shunt_trace_counts, syscalls)},
	{"copies", offsetof(struct shunt_trace_counts, copies)},
	{"copied_bytes", offsetof(struct shunt_trace_counts, copied_bytes)},
	{"hidden_copies", offsetof(struct shunt_trace_counts, hidden_copies)},
	{"wasted_copies", offsetof(struct shunt_trace_counts, wasted_copies)},
	{"softirq_ns", offsetof(struct shunt_trace_counts, softirq_ns)},
	{"softirq_in_app_ns", offsetof(struct shunt_trace_counts, softirq_in_app_ns)},
	{"context_switches", offsetof(struct shunt_trace_counts, switches)},
};
#define NMETRICS (sizeof metrics / sizeof *metrics)

static const struct shunt_metric *metric_at(const struct shunt_trace_counts *t, size_t i)
{
	return (const struct shunt_metric *)((const char *)t + metrics[i].at);
}

/* Counted by the probes that measure softirq time. */
static bool polls_known(const struct shunt_trace_counts *t)
{
	return t->softirq_ns.provenance != SHUNT_UNAVAILABLE;
}

static void text_trace(FILE *out, const struct rx_run *r)
{
	fprintf(out, "trace: level %s (%s)\n", shunt_trace_level_name(r->trace.level),
		shunt_trace_level_means(r->trace.level));
	for (size_t i = 0; i < NMETRICS; i++) {
		const struct shunt_metric *f = metric_at(&r->trace.counts, i);
		if (f->provenance == SHUNT_UNAVAILABLE) {
			fprintf(out, "  %-18s %14s  unavailable: %s\n", metrics[i].key, "-",
				f->reason);
			continue;
		}
		fprintf(out, "  %-18s %14.0f", metrics[i].key, f->value);
		if (r->ledger.delivered)
			fprintf(out, "  %10.3f per packet", f->value / (double)r->ledger.delivered);
		fprintf(out, "  %s%s, %s\n", shunt_provenance_name(f->provenance),
			f->bound == SHUNT_EXACT   ? ""
			: f->bound == SHUNT_LOWER ? " (at least)"
						  : " (at most)",
			f->source);
	}
	if (polls_known(&r->trace.counts))
		fprintf(out,
			"  %-18s %14" PRIu64 "  %14" PRIu64 " of them in the receiving thread\n",
			"napi_polls", r->trace.counts.napi_polls,
			r->trace.counts.napi_polls_in_app);
	for (unsigned nr = 0; nr < SHUNT_NSYSCALLS; nr++)
		if (r->trace.counts.by_nr[nr])
			fprintf(out, "  system call %-6s %14" PRIu64 "\n",
				shunt_syscall_name(nr) ? shunt_syscall_name(nr) : "?",
				r->trace.counts.by_nr[nr]);
	for (unsigned i = 0; i < r->trace.nprobes; i++) {
		const struct shunt_probe_info *p = &r->trace.probes[i];
		fprintf(out, "  probe %-31s ", p->name);
		if (p->attached)
			fprintf(out, "%9" PRIu64 "  %s\n", p->hits, p->counts);
		else
			fprintf(out, "        -  not attached: %s\n", p->reason);
	}
}

void rx_text(FILE *out, const struct rx_run *r)
{
	double s = (double)r->elapsed_ns / 1e9;

	app_print_info(out, &r->info);
	fprintf(out, "%" PRIu64 " packets, %" PRIu64 " bytes in %.3f s (%.0f packets/s)\n",
		r->ledger.delivered, r->stats.rx_bytes, s,
		s > 0 ? (double)r->ledger.delivered / s : 0);
	fprintf(out, "ledger:\n");
	app_print_ledger(out, &r->ledger);
	if (r->pcap)
		fprintf(out, "wrote %" PRIu64 " packets to %s\n", r->written, r->pcap);
	if (r->trace.traced)
		text_trace(out, r);
}

static json_t *json_trace(const struct rx_run *r)
{
	json_t *o = json_object(), *calls = json_object();

	if (!r->trace.traced) {
		json_decref(o);
		json_decref(calls);
		return json_null();
	}
	for (size_t i = 0; i < NMETRICS; i++)
		json_object_set_new(
			o, metrics[i].key, bench_json_metric(metric_at(&r->trace.counts, i)));
	bool polls = polls_known(&r->trace.counts);
	json_object_set_new(o, "napi_polls",
		polls ? json_integer((json_int_t)r->trace.counts.napi_polls) : json_null());
	json_object_set_new(o, "napi_polls_in_app",
		polls ? json_integer((json_int_t)r->trace.counts.napi_polls_in_app) : json_null());
	for (unsigned nr = 0; nr < SHUNT_NSYSCALLS; nr++) {
		char number[16];
		snprintf(number, sizeof number, "%u", nr);
		const char *name = shunt_syscall_name(nr) ? shunt_syscall_name(nr) : number;
		if (r->trace.counts.by_nr[nr])
			json_object_set_new(
				calls, name, json_integer((json_int_t)r->trace.counts.by_nr[nr]));
	}
	json_object_set_new(o, "by_syscall", calls);
	bench_json_probes(o, r->trace.level, r->trace.probes, r->trace.nprobes);
	json_object_set_new(o, "missed", json_integer((json_int_t)r->trace.counts.missed));
	return o;
}

json_t *rx_json(const struct rx_run *r)
{
	const struct shunt_qstats *s = &r->stats;

	return json_pack("{s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I, s:I, s:I}, "
			 "s:o, s:o, s:o, s:o}",
		"schema", "shunt-rx/1", "spec", bench_json_text(r->info.spec), "info",
		bench_json_info(&r->info), "packets", (json_int_t)r->ledger.delivered, "bytes",
		(json_int_t)s->rx_bytes, "elapsed_ns", (json_int_t)r->elapsed_ns, "cpu_ns",
		(json_int_t)r->cpu_ns, "busy_ns", (json_int_t)r->busy_ns, "counters", "bursts",
		(json_int_t)s->rx_bursts, "empty_bursts", (json_int_t)s->rx_empty, "user_copies",
		(json_int_t)s->user_copies, "user_copied_bytes", (json_int_t)s->user_copied_bytes,
		"syscalls", (json_int_t)s->syscalls, "ledger", bench_json_ledger(&r->ledger),
		"written", r->pcap ? json_integer((json_int_t)r->written) : json_null(), "trace",
		json_trace(r), "error",
		r->failed.code ? bench_json_text(r->failed.what) : json_null());
}
