/* SPDX-License-Identifier: BSD-2-Clause
 * Connects drivers and tracing: a tracer of the queues and threads of a run. In a build without
 * tracing, opening one fails with the reason.
 */
#ifndef BENCH_LOOPS_WATCH_H
#define BENCH_LOOPS_WATCH_H

#include "tracing/tracer.h"
#include <shunt/shunt.h>

struct bench_watch;

/* The results of a tracer. */
struct bench_trace {
	bool traced; /* the rest is valid */
	enum shunt_trace_level level;
	struct shunt_trace_counts counts;
	struct shunt_probe_info probes[SHUNT_PROBES_MAX];
	unsigned nprobes;
};

/* Trace these queues, the calling thread as the application, and generator (0: none). *watch is
 * NULL at the first call, which loads BPF programs; later calls retarget the same tracer, which is
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
