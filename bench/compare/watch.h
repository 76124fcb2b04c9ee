/* SPDX-License-Identifier: BSD-2-Clause
 * Where drivers and tracing meet: a tracer told who the queues and threads of a run are.
 * Without tracing in the build, opening one fails with the reason.
 */
#ifndef BENCH_COMPARE_WATCH_H
#define BENCH_COMPARE_WATCH_H

#include "bench/compare/pass.h"

#include <jansson.h>

struct bench_watch;

/* Watch queues, the calling thread as the application, and generator (0: none). *watch is NULL at
 * the first call, which loads BPF programs; later calls aim the same watch at others, which is
 * cheap. Close it also after an error. */
int bench_watch_aim(struct bench_watch **watch, unsigned what, const struct shunt_identity *queues,
	unsigned n, pid_t generator, struct shunt_err *err);
/* All queues of dev. */
int bench_watch_dev(struct bench_watch **watch, unsigned what, struct shunt_dev *dev,
	pid_t generator, struct shunt_err *err);
int bench_watch_start(struct bench_watch *watch, struct shunt_err *err);
/* Detach; fill result's trace and probes. */
int bench_watch_stop(struct bench_watch *watch, struct bench_result *result, struct shunt_err *err);
void bench_watch_close(struct bench_watch *watch);
/* The level that a traced result was got at, and its probes: level, means, probes of o. */
void bench_watch_json(json_t *o, const struct bench_result *result);

#endif
