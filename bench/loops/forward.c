/* SPDX-License-Identifier: BSD-2-Clause
 * The forwarding loop. Fast path of a burst: all packets lie in the common region and the sending
 * side takes them in one call. The rest is out of line.
 */
#include "bench/loops/forward.h"

#include "core/clock.h"

#include <errno.h>
#include <string.h>

#define TRIES   64u /* transmit calls without progress before the rest is dropped */
#define ROUNDS  64u /* rounds per clock read while there is traffic */
#define TICK_NS 1000000000u
#define QUEUES  64
#define WAIT_MS 100 /* as long as rx sleeps at most */
#define UNFIT   (SHUNT_PKT_TRUNC | SHUNT_PKT_OUT)

/* Are all of them whole frames, of one piece, of that region? Touches each frame, too, so that one
 * loop does both. OR and AND over all regions equal the region only where every one does. */
static inline bool all_good(
	const struct shunt_pkt *pkts, unsigned n, uint16_t region, const bool touch)
{
	uint32_t flags = 0;
	uint16_t any = region, all = region;

	for (const struct shunt_pkt *p = pkts, *end = pkts + n; p != end; p++) {
		/* Volatile: the compiler must keep load and store. */
		volatile uint8_t *type = (volatile uint8_t *)p->data + 12;
		flags |= p->flags;
		any |= p->region;
		all &= p->region;
		if (touch)
			*type = *type;
	}
	return !(flags & (UNFIT | SHUNT_PKT_MORE)) && any == region && all == region;
}

static void swap(struct shunt_pkt *pkts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint8_t *mac = pkts[i].data, was[6];
		/* Only a frame's first piece begins with addresses. */
		if (pkts[i].len < 14 || (i && pkts[i - 1].flags & SHUNT_PKT_MORE))
			continue;
		memcpy(was, mac, 6);
		memmove(mac, mac + 6, 6);
		memcpy(mac + 6, was, 6);
	}
}

static unsigned in_region(const struct shunt_pkt *pkts, unsigned n, uint16_t region)
{
	unsigned ours = 0;

	for (unsigned i = 0; i < n; i++)
		ours += pkts[i].region == region;
	return ours;
}

/* Release what is not a whole received frame, with all its pieces; returns how many packets are
 * left, in order. */
static __attribute__((noinline)) unsigned sort_out(
	struct bench_way *w, struct shunt_queue *from, struct shunt_pkt *pkts, unsigned n)
{
	unsigned left = 0;

	for (unsigned i = 0, k; i < n; i += k) {
		uint32_t flags = pkts[i].flags;
		for (k = 1; i + k < n && pkts[i + k - 1].flags & SHUNT_PKT_MORE; k++)
			flags |= pkts[i + k].flags;
		if (flags & UNFIT) {
			shunt_release(from, &pkts[i], k);
			w->unfit++;
		} else {
			memmove(&pkts[left], &pkts[i], k * sizeof *pkts);
			left += k;
		}
	}
	return left;
}

/* The sending side copied these packets and left them with us (SHUNT_PKT_KEPT): release them. */
static void release_kept(
	struct bench_way *w, struct shunt_queue *from, const struct shunt_pkt *pkts, unsigned n)
{
	unsigned i = 0, first;

	while (i < n) {
		for (first = i; i < n && pkts[i].flags & SHUNT_PKT_KEPT; i++)
			;
		if (i > first)
			shunt_release(from, pkts + first, i - first);
		w->kept += i - first;
		i += i < n;
	}
}

static void fail(struct bench_forward *f, const struct shunt_queue *q, int error)
{
	if (f->error)
		return;
	f->error = error;
	f->failed = q->dev == f->dev[1];
}

/* A burst that the sending side copied or took only in part. */
static __attribute__((noinline)) void finish(struct bench_forward *f, struct bench_way *w,
	struct shunt_queue *from, struct shunt_queue *to, struct shunt_pkt *pkts, unsigned n, int k)
{
	unsigned done = 0;

	for (unsigned tries = 0;; k = shunt_tx(to, pkts + done, n - done)) {
		if (k > 0) {
			release_kept(w, from, pkts + done, (unsigned)k);
			done += (unsigned)k;
			tries = 0;
		}
		if (done == n || k < 0 || tries++ == TRIES)
			break;
	}
	if (done == n)
		return;
	shunt_move(to, from, in_region(pkts + done, n - done, f->region_id));
	shunt_release(from, pkts + done, n - done);
	if (k < 0) {
		w->tx_gone += shunt_frames(pkts + done, n - done);
		fail(f, to, k);
	} else {
		w->tx_full += shunt_frames(pkts + done, n - done);
	}
}

/* No packet arrived. The sending side may still hold frames that a kick would transmit. */
static __attribute__((noinline)) void idle(
	struct bench_forward *f, struct shunt_queue *from, struct shunt_queue *to, int got)
{
	struct shunt_pkt none = {.len = 0};
	int k = shunt_tx(to, &none, 0);

	if (got == -ENODATA)
		f->file_ended = true;
	else if (got < 0)
		fail(f, from, got);
	else if (k < 0)
		fail(f, to, k);
}

unsigned bench_forward_burst(struct bench_forward *f, struct bench_way *w, struct shunt_queue *from,
	struct shunt_queue *to, unsigned most)
{
	struct shunt_pkt pkts[SHUNT_BURST_MAX];
	int got = shunt_rx(from, pkts, most);

	if (got <= 0) {
		idle(f, from, to, got);
		return 0;
	}
	unsigned n = (unsigned)got, ours = n, frames = n;
	bool good = f->touch ? all_good(pkts, n, f->region_id, true)
			     : all_good(pkts, n, f->region_id, false);
	if (__builtin_expect(!good, 0)) {
		frames = shunt_frames(pkts, n);
		n = sort_out(w, from, pkts, n);
		ours = in_region(pkts, n, f->region_id);
	}
	if (f->swap)
		swap(pkts, n);
	w->received += frames;
	shunt_move(from, to, ours);
	int k = n ? shunt_tx(to, pkts, n) : 0;
	if (__builtin_expect(k != (int)n || ours != n, 0))
		finish(f, w, from, to, pkts, n, k);
	return frames;
}

/* One burst of each queue of dev[i]. */
static unsigned sweep(struct bench_forward *f, unsigned i, bool limited)
{
	unsigned from = shunt_nqueues(f->dev[i]), to = shunt_nqueues(f->dev[!i]), moved = 0;

	for (unsigned q = 0; q < from; q++) {
		unsigned most = f->burst;
		uint64_t so_far = f->way[0].received + f->way[1].received;
		if (limited && f->packets && f->packets - so_far < most)
			most = (unsigned)(f->packets - so_far);
		if (!most)
			break;
		moved += bench_forward_burst(f, &f->way[i], shunt_get_queue(f->dev[i], q),
			shunt_get_queue(f->dev[!i], q % to), most);
	}
	return moved;
}

static bool ended(const struct bench_forward *f)
{
	return f->error || f->file_ended || (f->stop && *f->stop) ||
	       (f->packets && f->way[0].received + f->way[1].received >= f->packets);
}

/* rx of several queues does not sleep; --one-way only, since the other side would wait, too. */
static void rest(struct bench_forward *f)
{
	struct shunt_queue *queue[QUEUES];
	unsigned n = shunt_nqueues(f->dev[0]);

	if (!f->sleeps || n < 2 || n > QUEUES)
		return;
	for (unsigned i = 0; i < n; i++)
		queue[i] = shunt_get_queue(f->dev[0], i);
	int rc = shunt_wait(queue, n, WAIT_MS);
	if (rc < 0)
		fail(f, queue[0], rc);
}

void bench_forward_run(struct bench_forward *f)
{
	uint64_t start = shunt_now(), cpu = shunt_thread_cpu(), now = start;
	uint64_t next_tick = start + TICK_NS;

	for (unsigned round = 0; !ended(f); round++) {
		unsigned moved = sweep(f, 0, true);
		if (!f->one_way)
			moved += sweep(f, 1, true);
		if (!moved && !ended(f))
			rest(f);
		if (moved && round % ROUNDS)
			continue;
		now = shunt_now();
		if (f->tick && now >= next_tick) {
			f->tick(f->ctx, now, f->way);
			next_tick += TICK_NS;
		}
		if (f->duration_ns && now - start >= f->duration_ns)
			break;
	}
	f->elapsed_ns = shunt_now() - start;
	f->cpu_ns = shunt_thread_cpu() - cpu;
}

/* Release what dev[1] received after dev[0] had stopped. */
static void lose(struct bench_forward *f)
{
	struct shunt_pkt pkts[SHUNT_BURST];
	struct bench_way *w = &f->way[1];

	for (unsigned i = 0; i < shunt_nqueues(f->dev[1]); i++) {
		struct shunt_queue *q = shunt_get_queue(f->dev[1], i);
		for (int n; (n = shunt_rx(q, pkts, SHUNT_BURST)) > 0;) {
			unsigned frames = shunt_frames(pkts, (unsigned)n);
			shunt_release(q, pkts, (unsigned)n);
			w->received += frames;
			w->shutdown += frames;
		}
	}
}

void bench_forward_stop(struct bench_forward *f)
{
	int error = f->error;
	unsigned failed = f->failed;

	shunt_stop(f->dev[0], NULL);
	while (sweep(f, 0, false))
		;
	shunt_stop(f->dev[1], NULL);
	if (!f->one_way)
		lose(f);
	/* Keep the error that ended the run: stopping may have added a second one. */
	f->error = error;
	f->failed = failed;
}

void bench_forward_ledger(const struct bench_forward *f, unsigned way, struct shunt_ledger *l)
{
	const struct bench_way *w = &f->way[way];
	struct shunt_qstats from, to;

	shunt_get_stats(f->dev[way], &from);
	shunt_get_stats(f->dev[!way], &to);
	const struct shunt_loss loss[] = {
		{"tx_full", "the far side took no more: dropped after a bounded number of attempts",
			w->tx_full},
		{"tx_refused", "the far side's driver took them and could not send them",
			to.tx_errors},
		{"tx_gone", "in hand when the far side failed", w->tx_gone},
		{"unfit", "truncated, or outgoing: not forwarded", w->unfit},
		{"shutdown", "received after the far side had stopped", w->shutdown},
	};
	uint64_t lost = 0;

	memset(l, 0, sizeof *l);
	l->received = from.rx_packets;
	l->received_source = "the receiving driver's count";
	l->delivered = to.tx_packets - to.tx_errors;
	for (unsigned i = 0; i < sizeof loss / sizeof *loss; i++) {
		l->loss[l->losses++] = loss[i];
		lost += loss[i].count;
	}
	l->unaccounted = (int64_t)(l->received - l->delivered - lost);
}
