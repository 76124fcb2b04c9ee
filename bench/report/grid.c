/* SPDX-License-Identifier: BSD-2-Clause
 * The tables of the HTML report: one row per metric and one column per path, then the provenance of
 * each metric. A mark beside the number gives it in short (~ derived, at least, a dash), a tooltip
 * and the second table in full, since touch screens and paper show no tooltips.
 */
#include "bench/report/escape.h"
#include "bench/report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct line {
	const char *group; /* opens a group of rows */
	const char *name, *unit, *key;
	double scale;
	int decimals;
};

static const struct line lines[] = {
	{"CPU", "application", "ns per packet", "cpu_ns_per_packet.app", 1, 0},
	{NULL, "softirq", "ns per packet", "cpu_ns_per_packet.softirq", 1, 0},
	{NULL, "total", "ns per packet", "cpu_ns_per_packet.total", 1, 0},
	{NULL, "application, without empty polls", "ns per packet", "cpu_busy_ns_per_packet", 1, 0},
	{"Rate", "delivered", "million packets/s", "delivered_pps", 1e-6, 3},
	{NULL, "busy share, application's core", "%", "busy_share.app", 100, 0},
	{NULL, "busy share, generator's core", "%", "busy_share.generator", 100, 0},
	{NULL, "of which softirq", "%", "busy_share.softirq", 100, 0},
	{"Per packet", "system calls", "calls", "syscalls_per_packet", 1, 3},
	{NULL, "copies", "copies", "copies_per_packet", 1, 3},
	{NULL, "of which hidden", "copies", "hidden_copies_per_packet", 1, 3},
	{NULL, "copied", "bytes", "copied_bytes_per_packet", 1, 1},
	{NULL, "copies by the application", "copies", "user_copies_per_packet", 1, 3},
	{NULL, "context switches", "switches", "context_switches_per_packet", 1, 3},
	{NULL, "wasted copies, total", "copies", "wasted_copies", 1, 0},
	{"Latency", "p50", "\xc2\xb5s", "latency_ns.p50", 1e-3, 1},
	{NULL, "p99", "\xc2\xb5s", "latency_ns.p99", 1e-3, 1},
	{NULL, "p99.9", "\xc2\xb5s", "latency_ns.p999", 1e-3, 1},
	{NULL, "max", "\xc2\xb5s", "latency_ns.max", 1e-3, 1},
	{"Tracing", "tracer slowdown, count over cost passes", "ratio", "tracer_slowdown", 1, 2},
};
#define LINES (sizeof lines / sizeof *lines)

/* The paths and then the ceiling. */
static const json_t *column(const json_t *root, size_t i)
{
	const json_t *paths = bench_at(root, "paths"), *ceiling = bench_at(root, "ceiling");

	if (i == json_array_size(paths))
		return json_is_object(ceiling) ? ceiling : NULL;
	return json_array_get(paths, i);
}

static void cell(FILE *out, const json_t *metric, const struct line *line)
{
	char *provenance = bench_page_provenance(metric, line->scale, line->decimals);
	char number[BENCH_NUMBER], range[BENCH_NUMBER];

	fprintf(out, "<td class=\"%s\"", bench_page_provenance_name(metric));
	shunt_html_attr(out, "title", provenance ? provenance : "");
	fputc('>', out);
	bench_page_metric(number, metric, line->scale, line->decimals);
	fputs(number, out);
	bench_write_range(range, metric, line->scale, line->decimals);
	if (*range && bench_number(metric, "min") != bench_number(metric, "max"))
		fprintf(out, "<small>%s</small>", range);
	fputs("</td>", out);
	free(provenance);
}

static void word_row(FILE *out, const json_t *root, const char *name, const char *key)
{
	const json_t *path;

	fprintf(out, "<tr><th scope=\"row\">%s</th>", name);
	for (size_t i = 0; (path = column(root, i)); i++)
		shunt_html_element(out, "td class=\"word\"", bench_text(path, key));
	fputs("</tr>\n", out);
}

static void lost_row(FILE *out, const json_t *root, const char *name, const char *kind)
{
	const json_t *path;

	fprintf(out, "<tr><th scope=\"row\">%s <span>%%</span></th>", name);
	for (size_t i = 0; (path = column(root, i)); i++) {
		double share = bench_lost_share(path, kind);

		if (isnan(share))
			fputs("<td class=\"unavailable\" title=\"no such pass\">\xe2\x80\x93</td>",
				out);
		else
			fprintf(out, "<td>%.*f</td>", share == 0 ? 0 : 3, share * 100);
	}
	fputs("</tr>\n", out);
}

static void head(FILE *out, const json_t *root)
{
	const json_t *path;

	fputs("<thead><tr><td></td>", out);
	for (size_t i = 0; (path = column(root, i)); i++)
		shunt_html_element(out, "th scope=\"col\"", bench_text(path, "name"));
	fputs("</tr></thead>\n<tbody>\n", out);
	word_row(out, root, "status", "status");
	word_row(out, root, "mode", "mode");
	word_row(out, root, "wait policy", "wait");
	lost_row(out, root, "lost in paced passes", "paced");
	lost_row(out, root, "lost in rate passes", "rate");
	word_row(out, root, "bottleneck", "bottleneck");
}

static void all_metrics(FILE *out, const json_t *root)
{
	const json_t *path;
	size_t columns = 1;

	while (column(root, columns - 1))
		columns++;
	bench_page_open_table(out, "grid", "All metrics",
		"All metrics of all paths. ~ derived from other counts; \xe2\x89\xa5 at least; "
		"\xe2\x80\x93 unavailable. Small: least..most over the rounds.");
	head(out, root);
	for (size_t l = 0; l < LINES; l++) {
		if (lines[l].group)
			fprintf(out,
				"</tbody>\n<tbody><tr class=\"group\"><th scope=\"rowgroup\" "
				"colspan=\"%zu\"><span>%s</span></th></tr>\n",
				columns, lines[l].group);
		fprintf(out, "<tr><th scope=\"row\">%s <span>%s</span></th>", lines[l].name,
			lines[l].unit);
		for (size_t i = 0; (path = column(root, i)); i++)
			cell(out, bench_at(path, lines[l].key), &lines[l]);
		fputs("</tr>\n", out);
	}
	bench_page_table_end(out);
}

static bool same(const json_t *a, const json_t *b)
{
	return !strcmp(bench_text(a, "how"), bench_text(b, "how")) &&
	       !strcmp(bench_text(a, "source"), bench_text(b, "source")) &&
	       !strcmp(bench_text(a, "bound"), bench_text(b, "bound")) &&
	       !strcmp(bench_text(a, "reason"), bench_text(b, "reason"));
}

/* One row for all paths whose metric has the same provenance, written for the first of them. */
static void provenance_row(FILE *out, const json_t *root, const struct line *line, size_t at)
{
	const json_t *metric = bench_at(column(root, at), line->key), *path;
	const char *bound = bench_text(metric, "bound");
	bool first = true;

	for (size_t i = 0; i < at; i++)
		if (same(metric, bench_at(column(root, i), line->key)))
			return;
	fprintf(out, "<tr><th scope=\"row\">%s</th><td class=\"word\">", line->name);
	for (size_t i = at; (path = column(root, i)); i++) {
		if (!same(metric, bench_at(path, line->key)))
			continue;
		fputs(first ? "" : ", ", out);
		shunt_html_text(out, bench_text(path, "name"));
		first = false;
	}
	fprintf(out, "</td><td class=\"word\">%s%s</td>", bench_page_provenance_name(metric),
		!strcmp(bound, "lower")   ? ", at least"
		: !strcmp(bound, "upper") ? ", at most"
					  : "");
	shunt_html_element(out, "td class=\"word\"", bench_text(metric, "source"));
	shunt_html_element(out, "td class=\"word\"", bench_reason(metric));
	fputs("</tr>\n", out);
}

void bench_page_grid(FILE *out, const json_t *root)
{
	all_metrics(out, root);
	fputs("<details><summary>Provenance of each metric</summary>\n", out);
	bench_page_table(out,
		"Probes, clocks and counters of the metrics, and why some are unavailable or only "
		"bounds.",
		"metric|paths|provenance|source|reason");
	for (size_t l = 0; l < LINES; l++)
		for (size_t i = 0; column(root, i); i++)
			provenance_row(out, root, &lines[l], i);
	bench_page_table_end(out);
	fputs("</details>\n", out);
}
