/* SPDX-License-Identifier: BSD-2-Clause
 * The cards of a comparison on a wire: does anything arrive, what is to be said of them, who they
 * are.
 */
#ifndef BENCH_COMPARE_CARDS_H
#define BENCH_COMPARE_CARDS_H

#include "bench/compare/run.h"

/* Does anything arrive? Said before minutes are spent on a wire that is missing. */
int bench_wire_probe(struct bench_run *run, struct shunt_err *err);
/* Warn of what cards and machine make of the metrics. */
void bench_wire_warn(struct bench_run *run);
/* Who took part, for the document: empty in a lab. */
json_t *bench_cards(const struct bench_run *run);

#endif
