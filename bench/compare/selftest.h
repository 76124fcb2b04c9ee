/* SPDX-License-Identifier: BSD-2-Clause
 * Self-tests of the probes, before anything is measured.
 */
#ifndef BENCH_COMPARE_SELFTEST_H
#define BENCH_COMPARE_SELFTEST_H

#include "bench/compare/run.h"

#define BENCH_SELFTEST_N 1000u

/* Tests every probe that a default path relies on, in the lab, with a negative control. */
int bench_selftests(struct bench_run *run, struct shunt_err *err);

/* A new row; NULL when there are too many. Counts start at -1, "not run". */
struct bench_selftest *bench_selftest_add(
	struct bench_run *run, const char *path, const char *counts);
/* Sets passed, and the reason where it did not pass. */
void bench_selftest_judge(struct bench_selftest *t);

/* selftest_thread.c: probes on a thread itself. */
void bench_selftest_threads(struct bench_run *run);

#endif
