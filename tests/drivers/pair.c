/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/clock.h"
#include "drivers/pair/ring.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <pthread.h>
#include <shunt/shunt.h>
#include <stdio.h>
#include <string.h>

static struct shunt_dev *open_end(const char *spec)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;

	cr_assert_eq(shunt_open(&dev, spec, SHUNT_RXTX, &err), 0, "%s", err.what);
	return dev;
}

static struct shunt_queue *start_end(struct shunt_dev *dev)
{
	struct shunt_err err = {.code = 0};

	cr_assert_eq(shunt_start(dev, &err), 0, "%s", err.what);
	return shunt_get_queue(dev, 0);
}

static void send_numbers(struct shunt_queue *q, uint32_t from, unsigned n)
{
	struct shunt_pkt p[SHUNT_BURST_MAX];

	cr_assert_eq(shunt_alloc(q, p, n), n);
	for (unsigned i = 0; i < n; i++) {
		uint32_t v = from + i;
		memcpy(p[i].data, &v, sizeof v);
		p[i].len = 60;
	}
	cr_assert_eq(shunt_tx(q, p, n), n);
}

static uint32_t number(const struct shunt_pkt *p)
{
	uint32_t v;

	memcpy(&v, p->data, sizeof v);
	return v;
}

Test(pair, ring_across_the_wrap)
{
	/* Full, empty and in between, with the indices on both sides of 2^32. */
	for (uint32_t start = UINT32_MAX - 20; start != 20; start++) {
		struct pair_ring r;
		struct shunt_pkt p[16];
		uint64_t in = 0, out = 0;
		cr_assert_eq(pair_ring_init(&r, 13, start), 0);
		for (unsigned round = 0; round < 12; round++) {
			unsigned n = pair_ring_room(&r, 5 + round);
			cr_assert_leq(in - out + n, 16);
			for (unsigned i = 0; i < n; i++)
				p[i] = (struct shunt_pkt){.cookie = in++};
			pair_ring_push(&r, p, n);
			cr_assert_eq(pair_ring_waiting(&r), in - out);
			n = pair_ring_pop(&r, p, round % 4 ? round : 16);
			for (unsigned i = 0; i < n; i++)
				cr_assert_eq(p[i].cookie, out++);
		}
		while (pair_ring_room(&r, 16)) {
			p[0].cookie = in++;
			pair_ring_push(&r, p, 1);
		}
		cr_assert_eq(in - out, 16);
		cr_assert_eq(pair_ring_pop(&r, p, 16), 16);
		cr_assert_eq(pair_ring_pop(&r, p, 16), 0);
		cr_assert_eq(pair_ring_room(&r, 16), 16);
		free(r.slots);
	}
}

Test(pair, moves_descriptors_and_not_bytes)
{
	struct shunt_dev *a = open_end("pair:x"), *b = open_end("pair:x");
	struct shunt_queue *qa = start_end(a), *qb = start_end(b);
	struct shunt_pkt sent[2], got[4];

	cr_assert_eq(shunt_alloc(qa, sent, 2), 2);
	cr_assert_eq(sent[0].len, SHUNT_CHUNK);
	sent[0].len = sent[1].len = 1514;
	cr_assert_eq(shunt_tx(qa, sent, 2), 2);
	cr_assert_eq(qa->out, 0);
	cr_assert_eq(shunt_rx(qb, got, 4), 2);
	cr_assert_eq(got[0].data, sent[0].data);
	cr_assert_eq(got[1].wire_len, 1514);
	cr_assert_eq(qb->out, 2);
	cr_assert_eq(qa->stats.user_copies, 0);
	/* And back, without a copy: the same memory once more. */
	cr_assert_eq(shunt_tx(qb, got, 1), 1);
	cr_assert_eq(shunt_rx(qa, sent, 2), 1);
	cr_assert_eq(sent[0].data, got[0].data);
	cr_assert_eq(shunt_close(b, NULL), -EBUSY);
	shunt_release(qb, got + 1, 1);
	shunt_release(qa, sent, 1);
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_close(b, NULL), 0);
}

Test(pair, takes_what_the_ring_holds)
{
	struct shunt_dev *a = open_end("pair:x"), *b = open_end("pair:x?depth=64");
	struct shunt_queue *qa = start_end(a);
	struct shunt_pkt p[100], got[100];

	cr_assert_eq(shunt_alloc(qa, p, 100), 100);
	cr_assert_eq(shunt_tx(qa, p, 100), 0); /* nobody is there yet */
	struct shunt_queue *qb = start_end(b);
	cr_assert_eq(shunt_tx(qa, p, 100), 64);
	cr_assert_eq(qa->out, 36);
	cr_assert_eq(shunt_tx(qa, p + 64, 36), 0);
	cr_assert_eq(shunt_rx(qb, got, 100), 64);
	cr_assert_eq(shunt_rx(qb, got + 64, 1), 0);
	cr_assert_eq(shunt_tx(qa, p + 64, 36), 36);
	cr_assert_eq(shunt_rx(qb, got + 64, 36), 36);
	for (unsigned i = 0; i < 100; i++)
		cr_assert_eq(got[i].data, p[i].data);
	shunt_release(qb, got, 100);
	cr_assert_eq(qa->stats.tx_short, 3);
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_close(b, NULL), 0);
}

Test(pair, copies_what_lies_elsewhere)
{
	struct shunt_dev *a = open_end("pair:x"), *b = open_end("pair:x");
	struct shunt_queue *qa = start_end(a), *qb = start_end(b);
	static uint8_t data[4096] = {1, 2, 3};
	struct shunt_pkt p[2] = {{.data = data, .len = 100}, {.data = data, .len = 2049}}, got;

	cr_assert_eq(shunt_tx(qa, p, 2), 2);
	cr_assert(p[0].flags & p[1].flags & SHUNT_PKT_KEPT);
	cr_assert_eq(qa->out, 0);
	cr_assert_eq(qa->stats.user_copies, 1);
	cr_assert_eq(qa->stats.user_copied_bytes, 100);
	cr_assert_eq(qa->stats.tx_errors, 1);
	cr_assert_eq(shunt_rx(qb, &got, 1), 1);
	cr_assert_neq(got.data, data);
	cr_assert_arr_eq(got.data, data, 100);
	cr_assert_not(got.flags & SHUNT_PKT_KEPT);
	shunt_release(qb, &got, 1);
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_close(b, NULL), 0);
}

Test(pair, shares_a_region_and_forwards)
{
	struct shunt_region *region, *other;
	struct shunt_region_info info;
	struct shunt_dev *d[4];
	struct shunt_queue *q[4];
	struct shunt_pkt p;

	cr_assert_eq(
		shunt_region_create(&region, &(struct shunt_region_opts){.chunks = 4096}, NULL), 0);
	cr_assert_eq(
		shunt_region_create(&other, &(struct shunt_region_opts){.chunks = 64}, NULL), 0);
	for (unsigned i = 0; i < 4; i++)
		d[i] = open_end(i < 2 ? "pair:x" : "pair:y");
	cr_assert_eq(shunt_attach(d[0], region, NULL), 0);
	cr_assert_eq(shunt_attach(d[1], region, NULL), 0);
	cr_assert_eq(shunt_attach(d[1], other, NULL), -EBUSY);
	cr_assert_eq(shunt_attach(d[2], other, NULL), 0);
	cr_assert_eq(shunt_detach(d[2], other, NULL), 0);
	cr_assert_eq(shunt_detach(d[2], other, NULL), -EINVAL);
	cr_assert_eq(shunt_region_destroy(other, NULL), 0);
	cr_assert_eq(shunt_attach(d[3], region, NULL), 0);
	for (unsigned i = 0; i < 4; i++)
		q[i] = start_end(d[i]);
	cr_assert_eq(shunt_attach(d[0], region, NULL), -EBUSY);
	/* x's first end > x's second > y's first > y's second, one memory all the way. */
	cr_assert_eq(shunt_alloc(q[0], &p, 1), 1);
	void *data = p.data;
	p.len = 60;
	cr_assert_eq(shunt_tx(q[0], &p, 1), 1);
	cr_assert_eq(shunt_rx(q[1], &p, 1), 1);
	shunt_move(q[1], q[2], 1);
	cr_assert_eq(shunt_tx(q[2], &p, 1), 1);
	cr_assert_eq(shunt_rx(q[3], &p, 1), 1);
	cr_assert_eq(p.data, data);
	cr_assert_eq(q[2]->stats.user_copies, 0);
	for (unsigned i = 0; i < 3; i++)
		cr_assert_eq(q[i]->out, 0);
	cr_assert_eq(shunt_region_destroy(region, NULL), -EBUSY);
	shunt_release(q[3], &p, 1);
	for (unsigned i = 0; i < 4; i++)
		cr_assert_eq(shunt_close(d[i], NULL), 0);
	shunt_region_info(region, &info);
	cr_assert_eq(info.free, 4096);
	cr_assert_eq(shunt_region_destroy(region, NULL), 0);
}

Test(pair, what_was_sent_before_the_end_is_received)
{
	struct shunt_dev *a = open_end("pair:x"), *b = open_end("pair:x");
	struct shunt_queue *qa = start_end(a), *qb = start_end(b);
	struct shunt_ledger l;
	struct shunt_info info;
	struct shunt_pkt p[8];

	send_numbers(qa, 0, 8);
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_tx(qb, p, 0), -ENETDOWN);
	shunt_get_info(b, &info);
	cr_assert(strstr(info.gone, "closed"));
	qb->error = 0; /* rx sees for itself */
	cr_assert_eq(shunt_rx(qb, p, 5), 5);
	cr_assert_eq(number(&p[4]), 4);
	shunt_release(qb, p, 5);
	cr_assert_eq(shunt_stop(b, NULL), 0);
	cr_assert_eq(shunt_get_ledger(b, &l, NULL), 0);
	cr_assert_eq(l.received, 8);
	cr_assert_eq(l.delivered, 5);
	cr_assert_str_eq(l.loss[0].name, "shutdown");
	cr_assert_eq(l.loss[0].count, 3);
	cr_assert_eq(l.unaccounted, 0);
	cr_assert_eq(shunt_rx(qb, p, 2), 2);
	shunt_release(qb, p, 2);
	cr_assert_eq(shunt_rx(qb, p, 2), 1);
	shunt_release(qb, p, 1);
	cr_assert_eq(shunt_rx(qb, p, 2), -ENETDOWN);
	cr_assert_eq(shunt_close(b, NULL), 0);
}

Test(pair, names)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *a = open_end("pair:x"), *b = open_end("pair:x"), *c;

	cr_assert_eq(shunt_open(&c, "pair:x", SHUNT_RXTX, &err), -EBUSY);
	cr_assert_eq(err.kind, SHUNT_ERR_USAGE);
	cr_assert_eq(shunt_open(&c, "pair:", SHUNT_RXTX, &err), -EINVAL);
	c = open_end("pair:z"); /* never joined, never started */
	cr_assert_eq(shunt_close(c, NULL), 0);
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_open(&c, "pair:x", SHUNT_RXTX, &err), -EBUSY);
	cr_assert_eq(shunt_close(b, NULL), 0);
	a = open_end("pair:x"); /* a new life */
	start_end(a);
	cr_assert_eq(shunt_close(a, NULL), 0);
}

#define PACKETS 200000u

struct job {
	struct shunt_queue *q;
	uint32_t wrong;
};

static void *sender(void *arg)
{
	struct job *job = arg;
	struct shunt_pkt p[SHUNT_BURST];

	for (uint32_t sent = 0; sent < PACKETS;) {
		unsigned n = shunt_alloc(job->q, p, SHUNT_BURST), k = 0;
		n = n < PACKETS - sent ? n : PACKETS - sent;
		for (unsigned i = 0; i < n; i++) {
			uint32_t v = sent + i;
			memcpy(p[i].data, &v, sizeof v);
			p[i].len = 60;
		}
		while (k < n)
			k += (unsigned)shunt_tx(job->q, p + k, n - k);
		sent += n;
		if (sent == PACKETS && n < SHUNT_BURST && job->q->out)
			shunt_release(job->q, p + n, job->q->out);
	}
	return NULL;
}

static void *echo(void *arg)
{
	struct job *job = arg;
	struct shunt_pkt p[SHUNT_BURST];

	for (uint32_t seen = 0; seen < PACKETS;) {
		int n = shunt_rx(job->q, p, SHUNT_BURST);
		for (int i = 0; i < n; i++)
			job->wrong += number(&p[i]) != seen++;
		if (n > 0)
			shunt_release(job->q, p, (unsigned)n);
	}
	return NULL;
}

static void two_threads(const char *a_spec, const char *b_spec)
{
	struct shunt_dev *a = open_end(a_spec), *b = open_end(b_spec);
	struct job ja = {.q = start_end(a)}, jb = {.q = start_end(b)};
	struct shunt_ledger l;
	pthread_t t, u;

	cr_assert_eq(pthread_create(&t, NULL, sender, &ja), 0);
	cr_assert_eq(pthread_create(&u, NULL, echo, &jb), 0);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	cr_assert_eq(jb.wrong, 0);
	shunt_stop(b, NULL);
	cr_assert_eq(shunt_get_ledger(b, &l, NULL), 0);
	cr_assert_eq(l.received, PACKETS);
	cr_assert_eq(l.unaccounted, 0);
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_close(b, NULL), 0);
}

Test(pair, two_threads_that_spin)
{
	two_threads("pair:x", "pair:x?depth=256");
}

Test(pair, two_threads_one_that_sleeps)
{
	two_threads("pair:x", "pair:x?wait=poll&depth=256");
}

static void *late(void *arg)
{
	struct timespec t = {.tv_nsec = 20000000};

	nanosleep(&t, NULL);
	send_numbers(arg, 7, 1);
	return NULL;
}

Test(pair, wakes_a_sleeper)
{
	struct shunt_dev *a = open_end("pair:x"), *b = open_end("pair:x");
	struct shunt_queue *qa = start_end(a), *qb = start_end(b);
	struct pollfd fd = {.fd = shunt_queue_fd(qb), .events = POLLIN};
	struct shunt_pkt p;
	pthread_t t;

	cr_assert_eq(shunt_arm(qb), 0);
	cr_assert_eq(pthread_create(&t, NULL, late, qa), 0);
	cr_assert_eq(poll(&fd, 1, 10000), 1);
	pthread_join(t, NULL);
	cr_assert_eq(shunt_arm(qb), 1);
	cr_assert_eq(shunt_rx(qb, &p, 1), 1);
	cr_assert_eq(number(&p), 7);
	shunt_release(qb, &p, 1);
	cr_assert_eq(shunt_rx(qb, &p, 1), 0);
	cr_assert_eq(poll(&fd, 1, 0), 0);
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_close(b, NULL), 0);
}

/* Of two devices one has packets: that one is no longer asleep for, whichever it is. */
Test(pair, waits_for_several_queues)
{
	struct shunt_dev *a = open_end("pair:x"), *b = open_end("pair:x?wait=poll");
	struct shunt_dev *c = open_end("pair:y"), *d = open_end("pair:y?wait=poll");
	struct shunt_queue *qa = start_end(a), *q[2] = {start_end(b)}, *qc = start_end(c);
	struct shunt_pkt p;
	pthread_t t;

	q[1] = start_end(d);
	cr_assert_eq(shunt_wait(q, 2, 1), 0, "nothing came");
	for (unsigned i = 0; i < 2; i++) {
		cr_assert_eq(pthread_create(&t, NULL, late, i ? qc : qa), 0);
		uint64_t before = shunt_now();
		cr_assert_eq(shunt_rx(q[!i], &p, 1), 0);
		cr_assert_lt(shunt_now() - before, 15000000, "rx does not sleep any more");
		cr_assert_eq(shunt_wait(q, 2, 10000), 1);
		pthread_join(t, NULL);
		cr_assert_eq(shunt_rx(q[i], &p, 1), 1);
		shunt_release(q[i], &p, 1);
	}
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_wait(q, 2, 10000), 1, "an error is to be had");
	cr_assert_eq(shunt_rx(q[0], &p, 1), -ENETDOWN);
	cr_assert_eq(shunt_close(b, NULL), 0);
	cr_assert_eq(shunt_close(c, NULL), 0);
	cr_assert_eq(shunt_close(d, NULL), 0);
}

Test(pair, waits_for_nothing_else)
{
	struct shunt_dev *null;
	struct shunt_queue *q;

	cr_assert_eq(shunt_open(&null, "null:", SHUNT_RX, NULL), 0);
	cr_assert_eq(shunt_start(null, NULL), 0);
	q = shunt_get_queue(null, 0);
	cr_assert_eq(shunt_wait(&q, 1, 0), -ENOTSUP);
	cr_assert_eq(shunt_wait(&q, 0, 0), -EINVAL);
	cr_assert_eq(shunt_wait(&q, 65, 0), -EINVAL);
	cr_assert_eq(shunt_close(null, NULL), 0);
}
