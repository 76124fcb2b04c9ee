/* SPDX-License-Identifier: BSD-2-Clause
 * The rows of the text report's tables, and the reasons collected for the notes below them.
 */
#ifndef BENCH_REPORT_ROWS_H
#define BENCH_REPORT_ROWS_H

#include "core/table.h"

#include <jansson.h>

#define BENCH_NOTES 24

/* Reasons, each once, in the order of their first use. */
struct bench_notes {
	const char *text[BENCH_NOTES];
	unsigned n, left_out;
};

struct bench_rows {
	const json_t *root;
	struct bench_notes notes;
	int err; /* the first -errno */
};

/* Adds one row for a path. */
typedef void bench_row(
	struct bench_rows *rows, struct shunt_table *table, const json_t *path, const char *name);

/* Columns: path, wait, app, softirq, total, range, busy, lost. */
bench_row bench_row_cpu;
/* path, rate, range, of ceiling, lost, bottleneck */
bench_row bench_row_rate;
/* path, system calls, copies, hidden, user, wasted, bytes, switches, p50, p99, slowdown */
bench_row bench_row_packet;

/* One row per measured path, the ceiling last. */
void bench_rows_add(struct bench_rows *rows, struct shunt_table *table, bench_row *row);

#endif
