/* SPDX-License-Identifier: BSD-2-Clause
 * A tracer on a device's queues and the run's threads.
 */
#include "bench/loops/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define QUEUES 64u

#ifdef HAVE_TRACING
struct bench_watch {
	struct shunt_tracer *tracer;
	struct shunt_identity ids[QUEUES];
	struct shunt_trace_thread threads[2];
};

int bench_watch_aim(struct bench_watch **watch, unsigned what, const struct shunt_identity *queues,
	unsigned n, pid_t generator, struct shunt_err *err)
{
	struct bench_watch *w = *watch ? *watch : calloc(1, sizeof *w);
	struct shunt_trace_opts opts = {.what = what};

	*watch = w;
	if (!w)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	for (unsigned i = 0; i < n && i < QUEUES; i++)
		w->ids[opts.nqueues++] = queues[i];
	w->threads[opts.nthreads++] = (struct shunt_trace_thread){
		.pid = getpid(), .tid = (pid_t)syscall(SYS_gettid), .role = SHUNT_THREAD_APP};
	if (generator)
		w->threads[opts.nthreads++] = (struct shunt_trace_thread){
			.pid = getpid(), .tid = generator, .role = SHUNT_THREAD_GENERATOR};
	opts.queues = w->ids;
	opts.threads = w->threads;
	return w->tracer ? shunt_tracer_retarget(w->tracer, &opts, err)
			 : shunt_tracer_open(&w->tracer, &opts, err);
}

int bench_watch_start(struct bench_watch *w, struct shunt_err *err)
{
	return shunt_tracer_start(w->tracer, err);
}

int bench_watch_stop(struct bench_watch *w, struct bench_trace *trace, struct shunt_err *err)
{
	int rc = shunt_tracer_stop(w->tracer, err);

	if (!rc)
		rc = shunt_tracer_read(w->tracer, &trace->counts, err);
	trace->nprobes = shunt_tracer_probes(w->tracer, trace->probes, SHUNT_PROBES_MAX);
	trace->level = shunt_tracer_level(w->tracer);
	trace->traced = !rc;
	return rc;
}

void bench_watch_close(struct bench_watch *w)
{
	if (!w)
		return;
	if (w->tracer)
		shunt_tracer_close(w->tracer);
	free(w);
}
#else
int bench_watch_aim(struct bench_watch **watch, unsigned what, const struct shunt_identity *queues,
	unsigned n, pid_t generator, struct shunt_err *err)
{
	(void)watch, (void)what, (void)queues, (void)n, (void)generator;
	return shunt_fail(err, -ENOTSUP, "build with libbpf, clang and bpftool: scripts/setup",
		"this shunt was built without tracing");
}

int bench_watch_start(struct bench_watch *w, struct shunt_err *err)
{
	(void)w;
	return shunt_fail(err, -ENOTSUP, NULL, "no tracing");
}

int bench_watch_stop(struct bench_watch *w, struct bench_trace *trace, struct shunt_err *err)
{
	(void)w, (void)trace;
	return shunt_fail(err, -ENOTSUP, NULL, "no tracing");
}

void bench_watch_close(struct bench_watch *w)
{
	(void)w;
}
#endif

int bench_watch_dev(struct bench_watch **watch, unsigned what, struct shunt_dev *dev,
	pid_t generator, struct shunt_err *err)
{
	struct shunt_identity ids[QUEUES];
	unsigned n = 0;

	for (; n < shunt_nqueues(dev) && n < QUEUES; n++)
		shunt_queue_identity(shunt_get_queue(dev, n), &ids[n]);
	return bench_watch_aim(watch, what, ids, n, generator, err);
}
