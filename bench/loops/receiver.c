/* SPDX-License-Identifier: BSD-2-Clause
 * The receive loop. Reading CPU time is a system call, so the loop does it at the start and where
 * the run may end, never in between.
 */
#include "bench/loops/receiver.h"

#include "core/clock.h"

#include <errno.h>
#include <string.h>

#define QUIET_NS 150000000u /* no packet for that long after the sender's end: the rest is lost */
#define TICK_NS  1000000000u
#define QUEUES   64
#define WAIT_MS  100  /* as long as rx sleeps at most */
#define ADAPTIVE 4096 /* empty rounds before it sleeps: as rx of one queue does */

struct loop {
	struct bench_receiver *r;
	uint64_t t0, cpu0;
	uint64_t prev;       /* last clock read */
	uint64_t idle_since; /* first empty burst after the sender's end, 0 if none */
	uint64_t next_tick;
	uint64_t last; /* clock of the last burst with packets */
	bool file_ended;
	struct shunt_queue *queue[QUEUES];
	unsigned nq;
	unsigned empty; /* rounds without a packet, in a row */
	unsigned limit; /* of them before it sleeps; 0: it never does, or rx does */
};

/* rx of several queues does not sleep: one that is empty would make the others wait. */
static void find_queues(struct loop *l)
{
	struct shunt_info info;

	shunt_get_info(l->r->dev, &info);
	for (unsigned n = shunt_nqueues(l->r->dev); l->nq < n && l->nq < QUEUES; l->nq++)
		l->queue[l->nq] = shunt_get_queue(l->r->dev, l->nq);
	if (l->nq > 1 && info.wait != SHUNT_WAIT_SPIN)
		l->limit = info.wait == SHUNT_WAIT_POLL ? 1 : ADAPTIVE;
}

static void rest(struct loop *l)
{
	if (!l->limit || ++l->empty < l->limit)
		return;
	int rc = shunt_wait(l->queue, l->nq, WAIT_MS);
	if (rc > 0)
		l->empty = 0;
	else if (rc < 0 && !l->r->error)
		l->r->error = rc;
	l->prev = shunt_now();
}

/* With a sender, the window opens at the first packet: the time before is the sender's start-up. */
static void begin_window(struct loop *l, uint64_t now)
{
	l->t0 = now;
	l->cpu0 = shunt_thread_cpu();
}

static void end_window(struct loop *l)
{
	uint64_t end = l->r->sender && l->last ? l->last : l->prev;

	l->r->cpu_ns = shunt_thread_cpu() - l->cpu0;
	l->r->elapsed_ns = end - l->t0;
}

static void record_latency(struct shunt_hist *h, const struct shunt_pkt *p, uint64_t now)
{
	uint64_t stamp;

	if (p->len < SHUNT_STAMP_AT + 16)
		return;
	memcpy(&stamp, (const uint8_t *)p->data + SHUNT_STAMP_AT + 8, sizeof stamp);
	shunt_hist_add(h, now > stamp ? now - stamp : 0);
}

/* Pass a burst to the writer. One that does not take all of it ends the run. */
static void write_out(struct bench_receiver *r, struct shunt_pkt *pkts, unsigned n)
{
	int k = shunt_tx(r->out, pkts, n);

	if (k > 0)
		r->written += shunt_frames(pkts, (unsigned)k);
	if (k < (int)n && !r->error) {
		r->error = r->out->error ? r->out->error : k < 0 ? k : -EIO;
		r->writer_failed = true;
	}
}

static void take(struct bench_receiver *r, struct shunt_queue *q, struct shunt_pkt *pkts,
	unsigned n, uint64_t now)
{
	for (unsigned i = 0; i < n; i++)
		r->bytes += pkts[i].len;
	if (r->touch)
		for (unsigned i = 0; i < n; i++)
			r->sum += ((const volatile uint8_t *)pkts[i].data)[12]; /* EtherType */
	if (r->latency)
		for (unsigned i = 0; i < n; i++)
			record_latency(r->latency, &pkts[i], now);
	if (r->out)
		write_out(r, pkts, n);
	r->delivered += shunt_frames(pkts, n);
	shunt_release(q, pkts, n);
}

/* One burst; false when it was empty. */
static bool burst(struct loop *l, struct shunt_queue *q)
{
	struct shunt_pkt pkts[SHUNT_BURST];
	unsigned most = SHUNT_BURST;
	struct bench_receiver *r = l->r;

	if (r->packets && r->packets - r->delivered < most)
		most = (unsigned)(r->packets - r->delivered);
	int n = shunt_rx(q, pkts, most);
	uint64_t now = shunt_now();

	if (n <= 0) {
		l->prev = now;
		if (n == -ENODATA)
			l->file_ended = true; /* no error */
		else if (n < 0 && !r->error)
			r->error = n;
		return false;
	}
	if (r->sender && !l->last)
		begin_window(l, now);
	take(r, q, pkts, (unsigned)n, now);
	l->last = now;
	uint64_t after = shunt_now();
	r->busy_ns += after - l->prev;
	l->prev = after;
	l->idle_since = 0;
	return true;
}

/* After an empty burst: is the run over? */
static bool over(struct loop *l)
{
	struct bench_receiver *r = l->r;
	uint64_t sent;

	if (r->stop && *r->stop && r->sender)
		bench_sender_cancel(r->sender);
	if (!r->sender)
		return false;
	/* Once all frames have arrived, the time until the sender is done is not the path's. */
	if (r->expected && r->delivered >= r->expected && !l->idle_since) {
		end_window(l);
		l->idle_since = l->prev;
	}
	if (!bench_sender_done(r->sender, &sent))
		return false;
	if (!l->idle_since) {
		end_window(l);
		l->idle_since = l->prev;
	}
	return r->delivered >= sent || l->prev - l->idle_since > QUIET_NS;
}

static bool ended(struct loop *l, bool idle)
{
	struct bench_receiver *r = l->r;

	if (r->error || l->file_ended)
		return true;
	if (r->sender)
		return idle && over(l);
	return (r->stop && *r->stop) || (r->packets && r->delivered >= r->packets) ||
	       (r->duration_ns && l->prev - l->t0 >= r->duration_ns);
}

/* A device that delivers nothing to user space (a drop program): sleep until the sender is done,
 * then until the program's count stops increasing. */
static void watch(struct loop *l)
{
	struct bench_receiver *r = l->r;
	struct shunt_ledger ledger;
	struct timespec ms = {.tv_nsec = 1000000};
	uint64_t sent = 0, seen = 0;

	for (l->prev = shunt_now(); !r->error; l->prev = shunt_now()) {
		bool done = !r->sender || bench_sender_done(r->sender, &sent);
		if (done && shunt_get_ledger(r->dev, &ledger, NULL))
			return;
		if (done && ledger.received != seen) {
			l->last = l->prev;
			l->idle_since = 0;
			seen = r->delivered = ledger.received;
		}
		if ((r->sender && done && seen >= sent) || ended(l, true))
			break;
		nanosleep(&ms, NULL);
	}
}

void bench_receive(struct bench_receiver *r)
{
	struct shunt_identity id;
	struct loop l = {.r = r, .t0 = shunt_now(), .cpu0 = shunt_thread_cpu()};

	l.prev = l.t0;
	l.next_tick = l.t0 + TICK_NS;
	find_queues(&l);
	shunt_queue_identity(shunt_get_queue(r->dev, 0), &id);
	if (id.kind == SHUNT_KIND_XDP)
		watch(&l);
	else
		for (bool idle = false; !ended(&l, idle);) {
			idle = true;
			for (unsigned i = 0; i < l.nq; i++)
				idle &= !burst(&l, l.queue[i]);
			if (idle)
				rest(&l);
			else
				l.empty = 0;
			if (r->tick && l.prev >= l.next_tick) {
				r->tick(r->ctx, l.prev, r->delivered);
				l.next_tick += TICK_NS;
			}
		}
	if (!l.idle_since) /* else over() closed the window before the quiet period */
		end_window(&l);
}

void bench_drain(struct bench_receiver *r)
{
	struct loop l = {.r = r, .t0 = shunt_now()};
	int error = r->error;

	r->packets = 0;
	l.prev = l.t0;
	for (bool more = true; more;) {
		more = false;
		for (unsigned i = 0; i < shunt_nqueues(r->dev); i++)
			more |= burst(&l, shunt_get_queue(r->dev, i));
	}
	if (error)
		r->error = error;
}
