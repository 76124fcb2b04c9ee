/* SPDX-License-Identifier: BSD-2-Clause
 * Metrics of one pass, and of a path over its rounds. Unless its name says otherwise, a metric is
 * per packet delivered in the window in which it was counted.
 */
#ifndef BENCH_COMPARE_METRICS_H
#define BENCH_COMPARE_METRICS_H

#include "bench/compare/run.h"

typedef struct shunt_metric bench_get_fn(const struct bench_result *r);

/* Median and range over the rounds of one kind of pass. */
struct shunt_metric bench_over(
	const struct bench_run_path *p, enum bench_pass_kind kind, bench_get_fn *get);
/* How many passes of a kind there are. */
unsigned bench_passes(const struct bench_run_path *p, enum bench_pass_kind kind);
/* Packets lost in all passes of a kind. */
uint64_t bench_lost_in(const struct bench_run_path *p, enum bench_pass_kind kind);

bench_get_fn bench_get_pps;
bench_get_fn bench_get_app_cpu, bench_get_softirq, bench_get_total_cpu; /* cost and count passes */
bench_get_fn bench_get_busy;
bench_get_fn bench_get_syscalls, bench_get_copies, bench_get_hidden, bench_get_copied_bytes;
bench_get_fn bench_get_user_copies, bench_get_switches;
bench_get_fn bench_get_wasted; /* a count, not per packet */
bench_get_fn bench_get_app_share, bench_get_generator_share, bench_get_softirq_share;

#endif
