/* SPDX-License-Identifier: BSD-2-Clause
 * Who may call what beside whom (dev.h, drivers/core/contract.h), on the drivers of a netdev: a
 * sender, the queue's thread, a reader, and the control thread. A build with TSan is what judges
 * it; counts prove that the calls did overlap.
 */
#include "tests/drivers/threads.h"
#include "tests/net.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifdef __SANITIZE_THREAD__
#define ROUNDS 200u
#else
#define ROUNDS 50u /* of 100 ms each: TSan is what they are for */
#endif

struct scene {
	struct shunt_dev *far;
	struct beside r;
	bool echo;
	atomic_bool end, rest, resting; /* rest: no tx any more; resting: the thread saw it */
	atomic_uint bursts, with_packets;
};

static void *send_on(void *arg)
{
	struct scene *s = arg;
	struct shunt_queue *q = shunt_get_queue(s->far, 0);
	struct shunt_pkt p[SHUNT_BURST];

	while (!atomic_load(&s->end)) {
		unsigned n = shunt_alloc(q, p, SHUNT_BURST);
		for (unsigned i = 0; i < n; i++)
			udp_frame(p[i].data, p[i].len = 60);
		int k = shunt_tx(q, p, n);
		unsigned taken = k < 0 ? 0 : (unsigned)k;
		shunt_release(q, p + taken, n - taken);
	}
	return NULL;
}

/* Receive; send some of it back while that is allowed; release the rest. */
static void *own_queue(void *arg)
{
	struct scene *s = arg;
	struct shunt_pkt p[SHUNT_BURST];

	while (!atomic_load(&s->end)) {
		int n = shunt_rx(s->r.q, p, SHUNT_BURST);
		unsigned got = n < 0 ? 0 : (unsigned)n, done = 0;
		if (s->echo && got && !atomic_load(&s->rest)) {
			int k = shunt_tx(s->r.q, p, got / 4);
			for (unsigned i = 0; k > 0 && i < (unsigned)k; i++)
				if (p[i].flags & SHUNT_PKT_KEPT)
					shunt_release(s->r.q, p + i, 1);
			done = k < 0 ? 0 : (unsigned)k;
		}
		atomic_store(&s->resting, atomic_load(&s->rest));
		shunt_release(s->r.q, p + done, got - done);
		atomic_fetch_add(&s->bursts, 1);
		atomic_fetch_add(&s->with_packets, got > 0);
	}
	return NULL;
}

/* Info and counters are read by a thread of its own, the ledger by this one, the control thread.
 * Returns whether a planted race was found. */
static bool run_scene(
	const struct bench_lab *lab, const char *spec, bool echo, uint32_t calls, bool plant)
{
	struct scene s = {.echo = echo, .r = {.no_ledger = true, .plant = plant}};
	struct shunt_ledger l;
	struct shunt_pkt p[SHUNT_BURST];
	pthread_t sender, owner;
	unsigned ledgers = 0;

	s.far = must_open(SHUNT_TX, "packet:far0?netns=%s", lab->far_path);
	struct shunt_dev *dev = must_open(echo ? SHUNT_RXTX : SHUNT_RX, "%s%snetns=%s", spec,
		strchr(spec, '?') ? "&" : "?", lab->near_path);
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	s.r.dev = dev;
	s.r.q = q;
	cr_assert_eq(pthread_create(&sender, NULL, send_on, &s), 0);
	cr_assert_eq(pthread_create(&owner, NULL, own_queue, &s), 0);
	beside_begin(&s.r);
	while (atomic_load(&s.bursts) < calls || atomic_load(&s.r.calls) < calls ||
		ledgers < calls || !atomic_load(&s.with_packets)) {
		cr_assert_eq(shunt_get_ledger(dev, &l, NULL), 0);
		ledgers++;
	}
	/* Transmit ends before stop, receive and release do not. */
	atomic_store(&s.rest, true);
	while (!atomic_load(&s.resting))
		sched_yield();
	uint32_t before = atomic_load(&s.bursts);
	cr_assert_eq(shunt_stop(dev, NULL), 0);
	while (atomic_load(&s.bursts) < before + 64)
		sched_yield();
	atomic_store(&s.end, true);
	pthread_join(sender, NULL);
	pthread_join(owner, NULL);
	beside_end(&s.r);
	for (int n; (n = shunt_rx(q, p, SHUNT_BURST)) > 0;)
		shunt_release(q, p, (unsigned)n);
	bool found = beside_found(q);
	cr_assert_eq(shunt_get_ledger(dev, &l, NULL), 0);
	cr_assert_eq(l.unaccounted, 0, "%s: %lld of %llu, %llu delivered", spec,
		(long long)l.unaccounted, (unsigned long long)l.received,
		(unsigned long long)l.delivered);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	cr_assert_eq(shunt_close(s.far, NULL), 0);
	return found;
}

static void all_beside_all(const char *spec, bool echo)
{
	NEED_LAB(lab);
	BESIDE_FINDS(run_scene(&lab, spec, echo, CALLS, true));
	cr_assert_not(run_scene(&lab, spec, echo, CALLS, false));
	bench_lab_close(&lab);
}

static void stopped_in_a_burst(const char *spec, bool echo)
{
	NEED_LAB(lab);
	for (unsigned i = 0; i < ROUNDS; i++)
		run_scene(&lab, spec, echo, 1 + i % 7, false);
	bench_lab_close(&lab);
}

#define SCENE(name, spec, echo)                                                                    \
	Test(threads, name##_all_beside_all, .timeout = 300)                                       \
	{                                                                                          \
		all_beside_all(spec, echo);                                                        \
	}                                                                                          \
	Test(threads, name##_stopped_in_a_burst, .timeout = 300)                                   \
	{                                                                                          \
		stopped_in_a_burst(spec, echo);                                                    \
	}
SCENE(recv, "packet:near0?mode=recv", true)
SCENE(mmsg, "packet:near0?mode=mmsg", true)
SCENE(ring, "packet:near0?mode=ring", true)
SCENE(xdp, "xdp:near0", true)
SCENE(xdp_poll, "xdp:near0?wait=poll", false)
