/* SPDX-License-Identifier: BSD-2-Clause
 * Where drivers and tracing meet: a tracer is told the queues and threads of a run.
 * Without tracing in the build, opening one fails with the reason.
 */
#ifndef BENCH_LOOPS_WATCH_H
#define BENCH_LOOPS_WATCH_H

#include "tracing/tracer.h"
#include <shunt/shunt.h>

struct bench_watch;

/* What a tracer found while it was attached. */
struct bench_trace {
	bool traced; /* the rest holds */
	enum shunt_trace_level level;
	struct shunt_trace_counts counts;
	struct shunt_probe_info probes[SHUNT_PROBES_MAX];
	unsigned nprobes;
};

/* Watch queues, the calling thread as the application, and generator (0: none). *watch is NULL at
 * the first call, which loads BPF programs; later calls aim the same watch at others, which is
 * cheap. Close it also after an error. */
int bench_watch_aim(struct bench_watch **watch, unsigned what, const struct shunt_identity *queues,
	unsigned n, pid_t generator, struct shunt_err *err);
/* All queues of dev. */
int bench_watch_dev(struct bench_watch **watch, unsigned what, struct shunt_dev *dev,
	pid_t generator, struct shunt_err *err);
int bench_watch_start(struct bench_watch *watch, struct shunt_err *err);
/* Detach, and fill trace. */
int bench_watch_stop(struct bench_watch *watch, struct bench_trace *trace, struct shunt_err *err);
void bench_watch_close(struct bench_watch *watch);

#endif
