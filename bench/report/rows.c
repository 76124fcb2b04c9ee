/* SPDX-License-Identifier: BSD-2-Clause
 * The rows of the text report: one per measured path, the ceiling last.
 */
#include "bench/report/rows.h"
#include "bench/report/doc.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static unsigned note_number(struct bench_notes *notes, const char *reason)
{
	for (unsigned i = 0; i < notes->n; i++)
		if (!strcmp(notes->text[i], reason))
			return i + 1;
	if (notes->n == BENCH_NOTES) {
		notes->left_out++;
		return 0;
	}
	notes->text[notes->n] = reason;
	return ++notes->n;
}

/* The note stands before the number, so that digits stay aligned. */
static void cell(
	struct bench_rows *rows, char *out, const json_t *metric, double scale, int decimals)
{
	const char *reason = bench_reason(metric);
	char number[BENCH_NUMBER];

	bench_write_metric(number, metric, scale, decimals);
	if (*reason)
		snprintf(out, BENCH_NUMBER, "[%u]%.40s", note_number(&rows->notes, reason), number);
	else
		snprintf(out, BENCH_NUMBER, "%s", number);
}

static void percent(char *out, double share)
{
	if (isnan(share))
		snprintf(out, BENCH_NUMBER, "-");
	else if (share > 0 && share < 0.0001)
		snprintf(out, BENCH_NUMBER, "<0.01 %%");
	else
		snprintf(out, BENCH_NUMBER, "%.*f %%",
			share == 0     ? 0
			: share < 0.01 ? 2
				       : 1,
			share * 100);
}

void bench_rows_add(struct bench_rows *rows, struct shunt_table *table, bench_row *row)
{
	const json_t *path, *ceiling = bench_at(rows->root, "ceiling");
	char name[128];
	size_t i;

	json_array_foreach (bench_at(rows->root, "paths"), i, path)
		if (bench_ok(path))
			row(rows, table, path, bench_text(path, "name"));
	if (!bench_ok(ceiling))
		return;
	snprintf(name, sizeof name, "(%.100s)", bench_text(ceiling, "name"));
	row(rows, table, ceiling, name);
}

static void add(struct bench_rows *rows, struct shunt_table *table, const char *const *cells)
{
	if (shunt_table_add(table, cells))
		rows->err = -ENOMEM;
}

void bench_row_cpu(
	struct bench_rows *rows, struct shunt_table *table, const json_t *path, const char *name)
{
	char text[6][BENCH_NUMBER];

	cell(rows, text[0], bench_at(path, "cpu_ns_per_packet.app"), 1, 0);
	cell(rows, text[1], bench_at(path, "cpu_ns_per_packet.softirq"), 1, 0);
	cell(rows, text[2], bench_at(path, "cpu_ns_per_packet.total"), 1, 0);
	bench_write_range(text[3], bench_at(path, "cpu_ns_per_packet.total"), 1, 0);
	cell(rows, text[4], bench_at(path, "cpu_busy_ns_per_packet"), 1, 0);
	percent(text[5], bench_lost_share(path, "paced"));
	add(rows, table,
		(const char *[]){name, bench_text(path, "wait"), text[0], text[1], text[2], text[3],
			text[4], text[5]});
}

void bench_row_rate(
	struct bench_rows *rows, struct shunt_table *table, const json_t *path, const char *name)
{
	const char *bottleneck = bench_text(path, "bottleneck");
	const json_t *rate = bench_at(path, "delivered_pps"),
		     *ceiling = bench_at(rows->root, "ceiling");
	double top = bench_ok(ceiling) ? bench_number(ceiling, "delivered_pps.value") : 0;
	char text[4][BENCH_NUMBER], reading[80];

	cell(rows, text[0], rate, 1e-6, 3);
	bench_write_range(text[1], rate, 1e-6, 3);
	snprintf(text[2], sizeof text[2], "%s", "");
	if (top > 0 && bench_have(rate))
		snprintf(text[2], sizeof text[2], "%.0f %%",
			100 * bench_number(rate, "value") / top);
	percent(text[3], bench_lost_share(path, "rate"));
	snprintf(reading, sizeof reading, "%s%s", bottleneck,
		path == ceiling                ? ": the ceiling"
		: bench_true(path, "capacity") ? ""
					       : ": not a capacity");
	add(rows, table, (const char *[]){name, text[0], text[1], text[2], text[3], reading});
}

void bench_row_packet(
	struct bench_rows *rows, struct shunt_table *table, const json_t *path, const char *name)
{
	static const struct {
		const char *key;
		double scale;
		int decimals;
		bool only_if_any; /* a column of nothing but 0 is left out */
	} cells[] = {{"syscalls_per_packet", 1, 3, false}, {"copies_per_packet", 1, 3, false},
		{"hidden_copies_per_packet", 1, 3, false}, {"user_copies_per_packet", 1, 3, true},
		{"wasted_copies", 1, 0, true}, {"copied_bytes_per_packet", 1, 1, false},
		{"context_switches_per_packet", 1, 3, false}, {"latency_ns.p50", 1e-3, 1, false},
		{"latency_ns.p99", 1e-3, 1, false}, {"tracer_slowdown", 1, 2, false}};
	enum { N = sizeof cells / sizeof *cells };
	char text[N][BENCH_NUMBER];
	const char *row[N + 1] = {name};

	for (size_t i = 0; i < N; i++) {
		const json_t *metric = bench_at(path, cells[i].key);

		row[i + 1] = "";
		if (cells[i].only_if_any && bench_number(metric, "value") == 0)
			continue;
		cell(rows, text[i], metric, cells[i].scale, cells[i].decimals);
		row[i + 1] = text[i];
	}
	add(rows, table, row);
}
