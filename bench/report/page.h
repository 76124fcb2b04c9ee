/* SPDX-License-Identifier: BSD-2-Clause
 * The parts of the HTML report; each writes one section of bench_report_html()'s page. Errors are
 * the stream's.
 */
#ifndef BENCH_REPORT_PAGE_H
#define BENCH_REPORT_PAGE_H

#include "bench/report/doc.h"

#include <stdio.h>

extern const char *const bench_page_style; /* a style sheet */

void bench_page_charts(FILE *out, const json_t *root); /* CPU, rate, copies, system calls */
void bench_page_grid(FILE *out, const json_t *root);   /* all metrics, and their provenance */
void bench_page_method(FILE *out, const json_t *root); /* workload, generator, passes, self-tests */
void bench_page_means(FILE *out, const json_t *root);  /* what the metrics mean, and do not */

/* `<tag>text</tag>`, or nothing when text is NULL. Frees text. */
void bench_page_say(FILE *out, const char *tag, char *text);

/* Opens a table that scrolls sideways where it is wider than the page. heads: the cells of its
 * header, joined by '|'; '#' marks a column of numbers. */
void bench_page_table(FILE *out, const char *caption, const char *heads);
/* The same up to its header. */
void bench_page_open_table(FILE *out, const char *class, const char *label, const char *caption);
void bench_page_table_end(FILE *out);

/* bench_write_metric() with typographic signs. */
void bench_page_metric(char out[BENCH_NUMBER], const json_t *metric, double scale, int decimals);

/* "measured", "derived" or "unavailable"; never a text from the document. */
const char *bench_page_provenance_name(const json_t *metric);

/* "measured: probe; 1..2 over 3 rounds; at least, because ..." for a tooltip; the caller frees it.
 */
char *bench_page_provenance(const json_t *metric, double scale, int decimals);

#endif
