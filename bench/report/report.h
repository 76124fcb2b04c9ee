/* SPDX-License-Identifier: BSD-2-Clause
 * Reports of one compare run, from its JSON document (docs/schema/compare.schema.json) alone, so
 * that a stored document can be shown again. They compute no metric of their own except shares of
 * the ceiling. One thread at a time may use a document.
 */
#ifndef BENCH_REPORT_REPORT_H
#define BENCH_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Text of at most `columns` columns (shunt_table_columns() knows the terminal's).
 * 0; -EINVAL if root is no shunt-compare/1 document, -EIO, -ENOMEM. */
int bench_report_table(FILE *out, const json_t *root, unsigned columns, bool colour);

/* One HTML file without network access; the document itself is inside. The same errors. */
int bench_report_html(FILE *out, const json_t *root);

#endif
