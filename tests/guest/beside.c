/* SPDX-License-Identifier: BSD-2-Clause
 * In the guest: who may call what beside whom, on a card.
 *   guest-beside CARD PEER CALLS ROUNDS: so many rounds of start, traffic, stop and close on CARD,
 *     to which PEER sends all the time; in each, its queue's thread, a reader of counters and info,
 *     and the control thread with the ledger make CALLS calls at least, and stop comes while the
 *     queue's thread receives. Before that, a race that is planted must be found once.
 * One line on stdout; whoever started it judges.
 */
#include "core/clock.h"
#include "tests/guest/frames.h"

#include <pthread.h>
#include <shunt/shunt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define TRIES 30u

static const uint8_t mac[6] = {0x52, 0x54, 0, 0, 0, 1};

struct scene {
	struct shunt_queue *q, *peer;
	struct shunt_dev *dev;
	bool plant;
	atomic_bool end, rest, resting; /* rest: no tx any more; resting: the thread saw it */
	atomic_uint bursts, reads, with_packets;
	int error;
};

static _Noreturn void die(const char *what, const struct shunt_err *err)
{
	fprintf(stderr, "guest-beside: %s: %s\n", what, err ? err->what : "");
	exit(1);
}

static struct shunt_dev *start(const char *spec)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;

	if (shunt_open(&dev, spec, SHUNT_RXTX, &err) || shunt_start(dev, &err))
		die(spec, &err);
	return dev;
}

static void end(struct shunt_dev *dev)
{
	struct shunt_err err = {.code = 0};

	if (shunt_close(dev, &err))
		die("close", &err);
}

/* What comes to the peer is the card's echo: dropped. */
static void *send_on(void *arg)
{
	struct scene *s = arg;
	struct shunt_pkt p[SHUNT_BURST];

	for (uint32_t number = 0; !atomic_load(&s->end);) {
		int n = shunt_rx(s->peer, p, SHUNT_BURST);
		if (n > 0)
			shunt_release(s->peer, p, (unsigned)n);
		unsigned have = shunt_alloc(s->peer, p, 8);
		for (unsigned i = 0; i < have; i++)
			p[i].len = frame_make(p[i].data, 1, FRAME_RX, mac, number++);
		int k = shunt_tx(s->peer, p, have);
		unsigned taken = k < 0 ? 0 : (unsigned)k;
		shunt_release(s->peer, p + taken, have - taken);
	}
	return NULL;
}

static void *own_queue(void *arg)
{
	struct scene *s = arg;
	struct shunt_pkt p[SHUNT_BURST];

	while (!atomic_load(&s->end)) {
		int n = shunt_rx(s->q, p, SHUNT_BURST), k = 0;
		unsigned got = n < 0 ? 0 : (unsigned)n;
		if (n < 0)
			s->error = n;
		if (got && !atomic_load(&s->rest))
			k = shunt_tx(s->q, p, got / 4);
		atomic_store(&s->resting, atomic_load(&s->rest));
		k = k < 0 ? 0 : k;
		shunt_release(s->q, p + k, got - (unsigned)k);
		atomic_fetch_add(&s->bursts, 1);
		atomic_fetch_add(&s->with_packets, got > 0);
	}
	return NULL;
}

/* An update of q->out is lost where two threads write it: then packets are out that nobody has. */
static void plant(struct shunt_queue *q)
{
	volatile uint32_t *out = &q->out;

	for (unsigned i = 0; i < 1024; i++) {
		*out = *out + 1;
		*out = *out - 1;
	}
}

static void *read_on(void *arg)
{
	struct scene *s = arg;
	struct shunt_qstats stats;
	struct shunt_info info;

	while (!atomic_load(&s->end)) {
		if (s->plant)
			plant(s->q);
		shunt_get_info(s->dev, &info);
		shunt_get_stats(s->dev, &stats);
		atomic_fetch_add(&s->reads, 1);
	}
	return NULL;
}

static void run_calls(struct scene *s, uint32_t calls, uint64_t *ledgers)
{
	struct shunt_ledger l;

	for (uint32_t n = 0; n < calls || atomic_load(&s->bursts) < calls ||
			     atomic_load(&s->reads) < calls || !atomic_load(&s->with_packets);
		n++, ++*ledgers)
		if (shunt_get_ledger(s->dev, &l, NULL))
			die("the ledger", NULL);
	atomic_store(&s->rest, true);
	while (!atomic_load(&s->resting))
		;
}

/* One round; what the device can't account for goes into *missing. True: the planted race was
 * found. */
static bool round_of(const char *card, struct shunt_queue *peer, uint32_t calls, bool plant_it,
	uint64_t *ledgers, int64_t *missing)
{
	struct scene s = {.peer = peer, .plant = plant_it, .dev = start(card)};
	void *(*const work[3])(void *) = {send_on, own_queue, read_on};
	struct shunt_pkt p[SHUNT_BURST];
	struct shunt_ledger l;
	pthread_t t[3];

	s.q = shunt_get_queue(s.dev, 0);
	for (unsigned i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, work[i], &s))
			die("pthread_create", NULL);
	run_calls(&s, calls, ledgers);
	uint32_t before = atomic_load(&s.bursts);
	shunt_stop(s.dev, NULL);
	while (atomic_load(&s.bursts) < before + 16)
		;
	atomic_store(&s.end, true);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	if (s.error)
		die("receive ended with an error", NULL);
	for (int n; (n = shunt_rx(s.q, p, SHUNT_BURST)) > 0;)
		shunt_release(s.q, p, (unsigned)n);
	if (shunt_get_ledger(s.dev, &l, NULL))
		die("the ledger", NULL);
	*missing += l.unaccounted;
	bool found = s.q->out != 0;
	s.q->out = 0;
	end(s.dev);
	return found;
}

int main(int argc, char **argv)
{
	uint64_t ledgers = 0, none = 0;
	int64_t missing = 0, planted = 0;
	unsigned tries = 0, found = 0;

	if (argc != 5) {
		fprintf(stderr, "usage: guest-beside CARD PEER CALLS ROUNDS\n");
		return 2;
	}
	uint32_t calls = (uint32_t)atoi(argv[3]), rounds = (uint32_t)atoi(argv[4]);
	struct shunt_dev *peer = start(argv[2]);
	struct shunt_queue *q = shunt_get_queue(peer, 0);
	while (rounds == 1 && !found && tries++ < TRIES)
		found = round_of(argv[1], q, calls / 10, true, &none, &planted);
	for (uint32_t i = 0; i < rounds; i++)
		if (round_of(argv[1], q, calls, false, &ledgers, &missing))
			die("packets are out that nobody has", NULL);
	printf("card=%s rounds=%u ledgers=%llu unaccounted=%lld planted_found=%u\n", argv[1],
		rounds, (unsigned long long)ledgers, (long long)missing, found);
	end(peer);
	return 0;
}
