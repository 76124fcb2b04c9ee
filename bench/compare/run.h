/* SPDX-License-Identifier: BSD-2-Clause
 * The state of one comparison. engine.c runs it and calls selftest.c (tests of the probes), cards.c
 * (its NICs) and document.c (its JSON); these three do not call each other, except that the
 * document contains the cards.
 */
#ifndef BENCH_COMPARE_RUN_H
#define BENCH_COMPARE_RUN_H

#include "bench/compare/compare.h"
#include "bench/compare/pass.h"
#include "bench/compare/paths.h"
#include "bench/lab/lab.h"
#include "bench/lab/wire.h"
#include "bench/traffic/frames.h"
#include "bench/traffic/workload.h"

enum bench_status { BENCH_OK, BENCH_UNAVAILABLE, BENCH_FAILED };

struct bench_pass_record {
	enum bench_pass_kind kind;
	unsigned round, order; /* order: position in the shuffle of its round */
	struct bench_result result;
};

struct bench_run_path {
	struct bench_path path;
	char spec[352]; /* with the namespace */
	enum bench_status status;
	char reason[256];
	double max_pps; /* from the warm-up: sets the length of a rate pass */
	struct bench_pass_record *record;
	unsigned records;
	struct shunt_hist *latency;
};

struct bench_selftest {
	char path[32], probe[64], counts[96], reason[192];
	uint64_t sent, negative_sent;
	int64_t expected, got, negative_got; /* -1: not run */
	bool passed;
};
#define BENCH_SELFTESTS 24

struct bench_run {
	struct bench_compare_opts opts; /* the caller's, with defaults filled in */
	struct bench_lab lab;
	struct bench_wire wire; /* with opts.nic */
	struct bench_cores cores;
	struct bench_machine machine;
	struct bench_sender
		*sender;          /* in the lab for the self-tests, then of the run; NULL: none */
	struct bench_sender *via; /* on the wire, until it becomes sender */
	struct bench_watch *watch;
	struct bench_workload work;
	struct bench_run_path path[BENCH_PATHS_MAX];
	unsigned npaths;
	struct bench_selftest selftest[BENCH_SELFTESTS];
	unsigned nselftests;
	struct shunt_metric null_syscall, cost_probes, count_probes;
	struct bench_ticks ticks0;
	uint64_t rng;
	double paced_pps;
	unsigned done, total; /* passes */
	char started[32];
	char warning[12][256];
	unsigned warnings;
};

/* run.c: helpers that engine, self-tests and document share. */
void bench_warn(struct bench_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool bench_stopped(const struct bench_run *run);
/* -EINTR once the user has stopped the run, else 0. */
int bench_interrupted(const struct bench_run *run, struct shunt_err *err);
/* The path's spec, with the lab's namespace in it. */
void bench_place(
	const struct bench_run *run, const struct bench_path *path, char *buf, size_t size);
/* One pass of that many frames; pps 0: unpaced. */
int bench_one_pass(struct bench_run *run, struct bench_run_path *p, enum bench_pass_kind kind,
	uint64_t frames, double pps, struct bench_result *res, struct shunt_err *err);

#endif
