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
void bench_page_grid(FILE *out, const json_t *root);   /* every figure, and how it was got */
void bench_page_method(FILE *out, const json_t *root); /* workload, generator, passes, self-tests */
void bench_page_means(FILE *out, const json_t *root);  /* what the figures mean, and do not */

/* Takes text over: `<tag>text</tag>`, or nothing when it is NULL. */
void bench_page_say(FILE *out, const char *tag, char *text);

/* Opens a table that scrolls sideways where it is wider than the page. heads: the header's cells,
 * joined by '|', a number column's with '#' before it. */
void bench_page_table(FILE *out, const char *class, const char *caption, const char *heads);
void bench_page_table_end(FILE *out);

/* As bench_write_metric(), with a dash and signs that a page can show. */
void bench_page_metric(char out[BENCH_NUMBER], const json_t *metric, double scale, int decimals);

/* "measured", "derived" or "unavailable"; never a text from the document. */
const char *bench_page_provenance_name(const json_t *metric);

/* "measured by probe; 1..2 over 3 rounds; at least, because ..." for a tooltip; the caller frees.
 */
char *bench_page_provenance(const json_t *metric, double scale, int decimals);

#endif
