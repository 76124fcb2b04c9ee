/* SPDX-License-Identifier: BSD-2-Clause
 * The gain of kernel bypass: against the best kernel path of the same wait policy, and only where
 * both paths lost nothing and the difference exceeds 10 % and both ranges.
 */
#include "bench/compare/document.h"
#include "bench/compare/metrics.h"
#include "bench/report/json.h"

#include <math.h>
#include <string.h>

#define LEAST 0.10 /* shared cores are noisy: smaller differences are not reported */

static const struct metric {
	const char *name;
	enum bench_pass_kind kind;
	bench_get_fn *get;
	bool less_is_better;
} metrics[] = {
	{"cpu_ns_per_packet", BENCH_COST, bench_get_total_cpu, true},
	{"delivered_pps", BENCH_RATE, bench_get_pps, false},
};

/* The best kernel path with this wait policy; one without loss wins over any with loss. */
static const struct bench_run_path *best_kernel(
	const struct bench_run *run, const struct metric *m, bool polls)
{
	const struct bench_run_path *best = NULL;
	struct shunt_metric b = {.value = 0};

	for (unsigned i = 0; i < run->npaths; i++) {
		const struct bench_run_path *p = &run->path[i];
		if (p->status != BENCH_OK || strcmp(p->path.family, "kernel") ||
			p->path.polls != polls)
			continue;
		struct shunt_metric median = bench_over(p, m->kind, m->get);
		if (median.provenance == SHUNT_UNAVAILABLE)
			continue;
		bool clean = !bench_lost_in(p, m->kind),
		     best_clean = best && !bench_lost_in(best, m->kind);
		bool better = m->less_is_better ? median.value < b.value : median.value > b.value;
		if (!best || (clean && !best_clean) || (clean == best_clean && better)) {
			best = p;
			b = median;
		}
	}
	return best;
}

static struct shunt_metric compare(const struct metric *m, const struct bench_run_path *bypass,
	const struct bench_run_path *kernel, bool emulated)
{
	struct shunt_metric x = bench_over(bypass, m->kind, m->get);
	struct shunt_metric k = bench_over(kernel, m->kind, m->get);

	if (emulated)
		return shunt_unavailable(
			"times", "the CPU is emulated (QEMU TCG): times are not comparable");
	if (x.provenance == SHUNT_UNAVAILABLE || x.value <= 0)
		return shunt_unavailable(
			"times", "%s", *x.reason ? x.reason : "nothing to divide by");
	uint64_t lost = bench_lost_in(bypass, m->kind) + bench_lost_in(kernel, m->kind);
	if (lost)
		return shunt_unavailable("times", "%s lost packets in these passes",
			bench_lost_in(bypass, m->kind) ? bypass->path.name : kernel->path.name);
	double factor = m->less_is_better ? k.value / x.value : x.value / k.value;
	double apart = fabs(k.value - x.value), larger = fmax(k.value, x.value);
	if (apart <= LEAST * larger)
		return shunt_unavailable("times",
			"the difference is %.1f %%, below the threshold of 10 %%",
			100 * apart / larger);
	if (apart <= x.max - x.min || apart <= k.max - k.min)
		return shunt_unavailable("times", "the difference is within the range over rounds");
	return shunt_derived(factor, "times", "medians over rounds");
}

static json_t *entry(const struct metric *m, const char *wait, const struct bench_run_path *bypass,
	const struct bench_run_path *kernel, bool emulated)
{
	char verdict[256];
	struct shunt_metric factor = kernel ? compare(m, bypass, kernel, emulated)
					    : shunt_unavailable("times",
						      "no kernel path with wait=%s was measured: "
						      "add packet-%s to --paths",
						      wait, bypass->path.polls ? "ring" : "spin");

	if (factor.provenance == SHUNT_UNAVAILABLE)
		snprintf(verdict, sizeof verdict, "no statement");
	else
		snprintf(verdict, sizeof verdict, "%.0f against %.0f %s",
			bench_over(bypass, m->kind, m->get).value,
			bench_over(kernel, m->kind, m->get).value,
			m->less_is_better ? "ns" : "packets/s");
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "metric", m->name, "wait", wait,
		"bypass", bench_json_text(bypass->path.name), "kernel",
		bench_json_text(kernel ? kernel->path.name : "none"), "factor",
		bench_json_metric(&factor), "verdict", bench_json_text(verdict));
}

json_t *bench_gains(struct bench_run *run)
{
	json_t *gains = json_array();

	for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++)
		for (unsigned i = 0; i < run->npaths; i++) {
			const struct bench_run_path *p = &run->path[i];
			if (p->status != BENCH_OK || strcmp(p->path.family, "bypass") ||
				p->path.ceiling)
				continue;
			const char *wait = p->path.polls ? "poll" : "spin";
			json_array_append_new(
				gains, entry(&metrics[m], wait, p,
					       best_kernel(run, &metrics[m], p->path.polls),
					       run->machine.emulated));
		}
	return gains;
}
