/* SPDX-License-Identifier: BSD-2-Clause
 * A tracer on a device's queues and the run's threads.
 */
#include "bench/compare/watch.h"
#include "bench/report/json.h"

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

int bench_watch_stop(struct bench_watch *w, struct bench_result *res, struct shunt_err *err)
{
	int rc = shunt_tracer_stop(w->tracer, err);

	if (!rc)
		rc = shunt_tracer_read(w->tracer, &res->trace, err);
	res->nprobes = shunt_tracer_probes(w->tracer, res->probes, SHUNT_PROBES_MAX);
	res->level = shunt_tracer_level(w->tracer);
	res->traced = !rc;
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

int bench_watch_stop(struct bench_watch *w, struct bench_result *res, struct shunt_err *err)
{
	(void)w, (void)res;
	return shunt_fail(err, -ENOTSUP, NULL, "no tracing");
}

void bench_watch_close(struct bench_watch *w)
{
	(void)w;
}
#endif

void bench_watch_json(json_t *o, const struct bench_result *r)
{
	json_t *probes = json_array();

	for (unsigned i = 0; i < r->nprobes; i++) {
		const struct shunt_probe_info *p = &r->probes[i];
		json_array_append_new(
			probes, json_pack("{s:s, s:s, s:b, s:I, s:o}", "name", p->name, "counts",
					p->counts, "attached", p->attached, "hits",
					(json_int_t)p->hits, "reason", bench_json_text(p->reason)));
	}
	json_object_set_new(o, "level", json_string(shunt_trace_level_name(r->level)));
	json_object_set_new(o, "means", json_string(shunt_trace_level_means(r->level)));
	json_object_set_new(o, "probes", probes);
}

int bench_watch_dev(struct bench_watch **watch, unsigned what, struct shunt_dev *dev,
	pid_t generator, struct shunt_err *err)
{
	struct shunt_identity ids[QUEUES];
	unsigned n = 0;

	for (; n < shunt_nqueues(dev) && n < QUEUES; n++)
		shunt_queue_identity(shunt_get_queue(dev, n), &ids[n]);
	return bench_watch_aim(watch, what, ids, n, generator, err);
}
