/* SPDX-License-Identifier: BSD-2-Clause
 * The NICs of a comparison on a wire: do frames arrive, what limits the results, which NICs took
 * part.
 */
#ifndef BENCH_COMPARE_CARDS_H
#define BENCH_COMPARE_CARDS_H

#include "bench/compare/run.h"

/* Fails where no frame arrives: a missing wire is reported before minutes are spent on it. */
int bench_cards_probe(struct bench_run *run, struct shunt_err *err);
/* Warns where cards or machine make metrics hard to compare. */
void bench_cards_warn(struct bench_run *run);
/* The cards that took part, for the document: empty in a lab. */
json_t *bench_cards_json(const struct bench_run *run);

#endif
