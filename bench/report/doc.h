/* SPDX-License-Identifier: BSD-2-Clause
 * What both reports share: reading a shunt-compare/1 document, formatting its numbers, and making
 * sentences of it. A missing key reads as "", 0, false or an unavailable metric: the report of an
 * incomplete document has gaps.
 */
#ifndef BENCH_REPORT_DOC_H
#define BENCH_REPORT_DOC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define BENCH_NUMBER 48 /* size of a buffer for one formatted number */

bool bench_doc_valid(const json_t *root);

/* path: keys joined by '.'. NULL when one is absent. */
const json_t *bench_at(const json_t *doc, const char *path);
const char *bench_text(const json_t *doc, const char *path);
double bench_number(const json_t *doc, const char *path);
bool bench_true(const json_t *doc, const char *path);

/* Metrics. */
bool bench_have(const json_t *metric);
bool bench_is(const json_t *metric, const char *provenance_or_bound);
const char *bench_reason(const json_t *metric); /* never empty for an unavailable one */

/* 1234567.8 as "1,234,568". */
void bench_write_number(char out[BENCH_NUMBER], double value, int decimals);
/* A metric times scale with its mark: ~ derived, >= or <= a bound, - unavailable. */
void bench_write_metric(char out[BENCH_NUMBER], const json_t *metric, double scale, int decimals);
/* "least..most", empty for fewer than two rounds. */
void bench_write_range(char out[BENCH_NUMBER], const json_t *metric, double scale, int decimals);

/* Share of the packets sent in passes of this kind ("rate", or "paced": cost and count) that were
 * lost; NAN when none was sent, below 0 when more arrived than were sent. */
double bench_lost_share(const json_t *path, const char *kind);
bool bench_ok(const json_t *path); /* was measured */

/* Sentences; the caller frees them, NULL when out of memory. */
char *bench_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *bench_say_workload(const json_t *root);
char *bench_say_machine(const json_t *root);
/* One of "cards": its role, address and driver. */
char *bench_say_card(const json_t *card);
char *bench_say_pace(const json_t *root); /* "at 100,000 packets/s" */
char *bench_say_gain(const json_t *gain);
char *bench_say_selftests(const json_t *root);
char *bench_say_depths(const json_t *root);  /* what each path got; "" where none says */
char *bench_say_tracing(const json_t *root); /* levels and function probes used */
char *bench_say_probe_cost(const json_t *root);

#endif
