/* SPDX-License-Identifier: BSD-2-Clause
 * The generator's thread. Commands go through a mutex; `done` alone is read by the receive loop.
 */
#include "bench/traffic/sender.h"

#include "bench/lab/machine.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct bench_sender {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	enum { STARTING, IDLE, FLOODING, QUITTING } state; /* under lock */
	char spec[256];
	int core;
	pid_t tid;
	struct shunt_info info;
	const struct shunt_flood *flood;
	struct shunt_flood_result result;
	struct shunt_err err;
	int rc;
	atomic_bool done;
	volatile bool cancel;
};

static void set_state(struct bench_sender *s, int state)
{
	pthread_mutex_lock(&s->lock);
	s->state = state;
	pthread_cond_broadcast(&s->change);
	pthread_mutex_unlock(&s->lock);
}

static int wait_while(struct bench_sender *s, int state)
{
	pthread_mutex_lock(&s->lock);
	while ((int)s->state == state)
		pthread_cond_wait(&s->change, &s->lock);
	int now = s->state;
	pthread_mutex_unlock(&s->lock);
	return now;
}

static void flood(struct bench_sender *s, struct shunt_queue *q)
{
	struct shunt_flood f = *s->flood;

	f.stop = &s->cancel;
	s->rc = shunt_flood(q, &f, &s->result, &s->err);
	if (s->rc == -EINTR)
		s->rc = 0;
	shunt_get_info(q->dev, &s->info);
	/* Release: the result is visible before the receive loop sees done; pairs with the
	 * acquire in bench_sender_done(). */
	atomic_store_explicit(&s->done, true, memory_order_release);
}

static void *run(void *arg)
{
	struct bench_sender *s = arg;
	struct shunt_dev *dev = NULL;

	s->tid = (pid_t)syscall(SYS_gettid);
	s->rc = s->core >= 0 ? bench_pin(s->core, &s->err) : 0;
	if (!s->rc)
		s->rc = shunt_open(&dev, s->spec, SHUNT_TX, &s->err);
	if (!s->rc)
		s->rc = shunt_start(dev, &s->err);
	if (!s->rc)
		shunt_get_info(dev, &s->info);
	set_state(s, IDLE);
	for (bool opened = !s->rc; opened;) {
		if (wait_while(s, IDLE) == QUITTING)
			break;
		flood(s, shunt_get_queue(dev, 0));
		set_state(s, IDLE);
	}
	shunt_close(dev, NULL);
	return NULL;
}

int bench_sender_open(struct bench_sender **out, const char *spec, int core, struct shunt_err *err)
{
	struct bench_sender *s = calloc(1, sizeof *s);
	sigset_t all, before;

	*out = NULL;
	if (!s)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	snprintf(s->spec, sizeof s->spec, "%s", spec);
	s->core = core;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->change, NULL);
	/* The control thread handles signals: none may interrupt a flood. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int rc = pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc) {
		free(s);
		return shunt_fail(
			err, -rc, NULL, "cannot start the generator's thread: %s", strerror(rc));
	}
	wait_while(s, STARTING);
	if (s->rc) {
		rc = s->rc;
		if (err)
			*err = s->err;
		pthread_join(s->thread, NULL);
		free(s);
		return rc;
	}
	*out = s;
	return 0;
}

pid_t bench_sender_tid(const struct bench_sender *s)
{
	return s->tid;
}

void bench_sender_info(const struct bench_sender *s, struct shunt_info *info)
{
	*info = s->info;
}

void bench_sender_go(struct bench_sender *s, const struct shunt_flood *f)
{
	s->flood = f;
	s->cancel = false;
	atomic_store_explicit(&s->done, false, memory_order_relaxed);
	set_state(s, FLOODING);
}

bool bench_sender_done(const struct bench_sender *s, uint64_t *sent)
{
	/* Acquire: the result that flood() stored; pairs with its release. */
	if (!atomic_load_explicit(&s->done, memory_order_acquire))
		return false;
	*sent = s->result.sent;
	return true;
}

void bench_sender_cancel(struct bench_sender *s)
{
	/* Relaxed: a flag that orders nothing. */
	__atomic_store_n(&s->cancel, true, __ATOMIC_RELAXED);
}

int bench_sender_wait(
	struct bench_sender *s, struct shunt_flood_result *result, struct shunt_err *err)
{
	wait_while(s, FLOODING);
	*result = s->result;
	if (s->rc && err)
		*err = s->err;
	return s->rc;
}

void bench_sender_close(struct bench_sender *s)
{
	if (!s)
		return;
	bench_sender_cancel(s);
	wait_while(s, FLOODING);
	set_state(s, QUITTING);
	pthread_join(s->thread, NULL);
	free(s);
}
