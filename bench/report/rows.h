/* SPDX-License-Identifier: BSD-2-Clause
 * The rows of the text report's tables, and the reasons that they collect for the notes below.
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

/* Columns: path, wait, app, softirq, total, range, busy, lost. */
void bench_rows_cpu(struct bench_rows *rows, struct shunt_table *table);
/* path, rate, range, of ceiling, lost, bottleneck */
void bench_rows_rate(struct bench_rows *rows, struct shunt_table *table);
/* path, system calls, copies, hidden, user, wasted, bytes, switches, p50, p99, slowdown */
void bench_rows_packet(struct bench_rows *rows, struct shunt_table *table);

#endif
