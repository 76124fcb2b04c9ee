/* SPDX-License-Identifier: BSD-2-Clause
 * A second thread that reads a device beside its queue's thread: ledger, counters and info, and
 * what it plants to prove that both run at the same time. A build with TSan judges the rest.
 */
#ifndef TESTS_DRIVERS_THREADS_H
#define TESTS_DRIVERS_THREADS_H

#include "drivers/core/driver.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>

#define CALLS 100000u /* of each side, in the common window */

struct beside {
	struct shunt_dev *dev;
	struct shunt_queue *q;
	pthread_mutex_t *device; /* of a model whose registers the ledger reads, or NULL */
	bool no_ledger;          /* the control thread reads it */
	bool plant;              /* a race of our own: see beside_plant() */
	bool back;               /* a counter went back */
	atomic_bool go, end;
	atomic_uint calls;
	pthread_t thread;
};

/* A race that a test must find before it may say that there is none: one update of q->out is lost
 * sooner or later where both threads write it, and packets are out that nobody has. Not seen by
 * TSan, which would end the program. */
static __attribute__((no_sanitize("thread"))) inline void beside_plant(struct shunt_queue *q)
{
	volatile uint32_t *out = &q->out;

	for (unsigned i = 0; i < 1024; i++) {
		*out = *out + 1;
		*out = *out - 1;
	}
}

static inline void *beside_read(void *arg)
{
	struct beside *b = arg;
	struct shunt_qstats seen = {.rx_packets = 0}, now;
	struct shunt_ledger ledger;
	struct shunt_info info;

	while (!atomic_load(&b->end)) {
		if (b->plant)
			beside_plant(b->q);
		if (b->device)
			pthread_mutex_lock(b->device);
		if (!b->no_ledger)
			shunt_get_ledger(b->dev, &ledger, NULL);
		if (b->device)
			pthread_mutex_unlock(b->device);
		shunt_get_info(b->dev, &info);
		shunt_get_stats(b->dev, &now);
		b->back |= now.rx_packets < seen.rx_packets || now.tx_bytes < seen.tx_bytes;
		seen = now;
		atomic_fetch_add(&b->calls, 1);
		atomic_store(&b->go, true);
	}
	return NULL;
}

/* The reader runs when this returns. */
static inline void beside_begin(struct beside *b)
{
	cr_assert_eq(pthread_create(&b->thread, NULL, beside_read, b), 0);
	while (!atomic_load(&b->go))
		;
}

static inline bool beside_enough(struct beside *b, uint32_t calls)
{
	return calls >= CALLS && atomic_load(&b->calls) >= CALLS;
}

static inline void beside_end(struct beside *b)
{
	atomic_store(&b->end, true);
	pthread_join(b->thread, NULL);
	cr_assert_not(b->back, "a counter went back");
}

/* A run with a planted race finds it; several, since on a busy machine two threads hardly meet. */
#define BESIDE_FINDS(run)                                                                          \
	do {                                                                                       \
		unsigned tries_ = 0;                                                               \
		while (!(run) && tries_ < 30)                                                      \
			tries_++;                                                                  \
		cr_assert_lt(tries_, 30, "a planted race is not found");                           \
	} while (0)

/* After a run with a planted race, in which all packets were released: was it found? Mends it. */
static inline bool beside_found(struct shunt_queue *q)
{
	bool found = q->out != 0;

	q->out = 0;
	return found;
}

#endif
