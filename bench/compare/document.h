/* SPDX-License-Identifier: BSD-2-Clause
 * A finished comparison as JSON: shunt-compare/1, docs/schema/compare.schema.json. The caller owns
 * the result.
 */
#ifndef BENCH_COMPARE_DOCUMENT_H
#define BENCH_COMPARE_DOCUMENT_H

#include "bench/compare/run.h"

json_t *bench_document(struct bench_run *run);
/* path_document.c: one path. */
json_t *bench_path_document(struct bench_run *run, const struct bench_run_path *p);
/* depth.c: what the path got, as its device says; "" where it was not measured. */
const char *bench_depth_fact(const struct bench_run_path *p);
void bench_depth_warn(struct bench_run *run);
/* gain.c: bypass paths against kernel paths. */
json_t *bench_gains(struct bench_run *run);

#endif
