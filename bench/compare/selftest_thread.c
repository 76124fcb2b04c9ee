/* SPDX-License-Identifier: BSD-2-Clause
 * Self-tests of the probes on a thread: system calls and context switches. The traced thread is a
 * separate one, which spins while the control thread attaches and detaches, since either may block.
 */
#include "bench/compare/selftest.h"

#ifdef HAVE_TRACING
#include "bench/loops/watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define N BENCH_SELFTEST_N

struct kind {
	const char *counts, *probe;
	void (*act)(void);
	uint64_t (*get)(const struct shunt_trace_counts *);
	uint64_t (*kernel)(void); /* NULL, or the kernel's own counter, which is then expected */
};

struct subject {
	struct bench_run *run;
	const struct kind *kind;
	bool act;
	atomic_int stage; /* the subject sets AIMED and DONE, the control thread the others */
	int rc;
	struct shunt_err err;
	uint64_t counted;
};
enum { BORN, AIMED, STARTED, DONE, OVER };

static void act_getppid(void)
{
	getppid();
}

static void act_sleep(void)
{
	struct timespec ts = {.tv_nsec = 20000};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static uint64_t count_getppid(const struct shunt_trace_counts *c)
{
	return c->by_nr[SYS_getppid];
}

static uint64_t count_switches(const struct shunt_trace_counts *c)
{
	return c->switches_voluntary;
}

/* A short sleep may end before the thread is switched out: the kernel's counter is the reference.
 */
static uint64_t own_switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (uint64_t)u.ru_nvcsw;
}

static const struct kind kinds[] = {
	{"system calls of a thread", "tp_btf/sys_enter", act_getppid, count_getppid, NULL},
	{"context switches of a thread", "tp_btf/sched_switch", act_sleep, count_switches,
		own_switches},
};

/* Spin: the traced thread must not be switched out by its own waiting. */
static void spin_until(atomic_int *stage, int want)
{
	/* Acquire: what the other thread did before it moved on; pairs with move_to(). */
	while (atomic_load_explicit(stage, memory_order_acquire) < want)
		;
}

static void move_to(atomic_int *stage, int to)
{
	/* Release: what this thread did is seen before the new stage; pairs with the acquires. */
	atomic_store_explicit(stage, to, memory_order_release);
}

static void *subject(void *arg)
{
	struct subject *s = arg;

	s->rc = bench_pin(s->run->cores.generator, &s->err);
	if (!s->rc)
		s->rc = bench_watch_aim(&s->run->watch, SHUNT_TRACE_SYSCALLS | SHUNT_TRACE_SWITCHES,
			NULL, 0, 0, &s->err);
	move_to(&s->stage, AIMED);
	spin_until(&s->stage, STARTED);
	uint64_t before = s->kind->kernel ? s->kind->kernel() : 0;
	for (unsigned i = 0; s->act && i < N; i++)
		s->kind->act();
	s->counted = s->kind->kernel ? s->kind->kernel() - before : s->act ? N : 0;
	move_to(&s->stage, DONE);
	spin_until(&s->stage, OVER);
	return NULL;
}

static void wait_for(atomic_int *stage, int want)
{
	struct timespec ms = {.tv_nsec = 1000000};

	while (atomic_load_explicit(stage, memory_order_acquire) < want)
		nanosleep(&ms, NULL);
}

/* One run; -1 with the reason in t where it failed. */
static int64_t watch_subject(struct subject *s, struct bench_selftest *t, struct bench_result *res)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, subject, s)) {
		snprintf(t->reason, sizeof t->reason, "no thread could be started");
		return -1;
	}
	wait_for(&s->stage, AIMED);
	int rc = s->rc ? s->rc : bench_watch_start(s->run->watch, &s->err);
	move_to(&s->stage, STARTED);
	wait_for(&s->stage, DONE);
	if (!rc)
		rc = bench_watch_stop(s->run->watch, &res->trace, &s->err);
	move_to(&s->stage, OVER);
	pthread_join(thread, NULL);
	if (rc)
		snprintf(t->reason, sizeof t->reason, "%.190s", s->err.what);
	return rc ? -1 : (int64_t)s->kind->get(&res->trace.counts);
}

static void test_kind(struct bench_run *run, const struct kind *kind)
{
	struct bench_selftest *t = bench_selftest_add(run, "thread", kind->counts);
	struct bench_result *res = calloc(1, sizeof *res);
	struct subject active = {.run = run, .kind = kind, .act = true},
		       idle = {.run = run, .kind = kind};

	if (t && res) {
		snprintf(t->probe, sizeof t->probe, "%s", kind->probe);
		t->got = watch_subject(&active, t, res);
		t->expected = (int64_t)active.counted;
		t->sent = N;
		t->negative_got = watch_subject(&idle, t, res);
		bench_selftest_judge(t);
	}
	free(res);
}

void bench_selftest_threads(struct bench_run *run)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		test_kind(run, &kinds[i]);
}
#endif
