/* SPDX-License-Identifier: BSD-2-Clause
 * A workload in as few system calls as possible. Frames lie in chained slots (slots.c); one call
 * sends a stretch of them, and the program inside spins to each deadline. A stretch is at most 50
 * ms long, so that *stop and a dead link are seen, and ends before a gap that is better slept
 * through than spun.
 */
#include "drivers/xdpgen/slots.h"

#include "core/clock.h"
#include "drivers/core/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRETCH_NS 50000000u
#define GAP_NS     200000u /* longest gap inside a stretch: 5000 frames per second */
#define WAKE_NS    150000u /* a sleep ends so long before the deadline: timers are late */
#define MAX_BATCH  64u
#define BULK_MASK  15u /* the kernel passes frames on in bulks of 16: one clock read each */

static bool stopped(const struct xdpgen_flood *w)
{
	return w->f->stop && __atomic_load_n(w->f->stop, __ATOMIC_RELAXED);
}

/* How the stretch from slot `at` on is cut. */
static uint32_t timed_stretch(const struct xdpgen_flood *w, uint32_t at, uint32_t most)
{
	const struct xdpgen_slot *slots = w->xq->gen.slots;
	uint64_t first = slots[at].due_ns;
	uint32_t n = 1;

	for (; n < most; n++) {
		uint32_t next = slots[at].next;
		if (slots[next].due_ns > slots[at].due_ns + GAP_NS ||
			slots[next].due_ns > first + STRETCH_NS)
			break;
		at = next;
	}
	return n;
}

static uint32_t stretch(const struct xdpgen_flood *w)
{
	uint64_t most = w->have < w->left ? w->have : w->left;

	if (most > w->budget)
		most = w->budget;
	if (w->f->timed)
		return timed_stretch(w, w->xq->gen.run->at, (uint32_t)most);
	return (uint32_t)most;
}

/* Sleep until the program can spin the rest of the way. False: *stop or a signal. */
static bool sleep_to_deadline(const struct xdpgen_flood *w)
{
	const struct xdpgen_run *run = w->xq->gen.run;

	if (run->pace == XDPGEN_MAX || !run->base_ns)
		return !stopped(w);
	uint64_t due = run->pace == XDPGEN_TIMED ? run->base_ns + w->xq->gen.slots[run->at].due_ns
						 : run->due_ns;
	while (!stopped(w)) {
		uint64_t now = shunt_now();
		if (now + WAKE_NS >= due)
			return true;
		uint64_t ns = due - now - WAKE_NS;
		struct timespec t = {.tv_nsec = (long)(ns < STRETCH_NS ? ns : STRETCH_NS)};
		if (nanosleep(&t, NULL))
			return false;
	}
	return false;
}

/* Half of what the last stretch took, or twice: at full rate only a try tells. */
static void adapt(struct xdpgen_flood *w, uint32_t n, uint64_t took)
{
	if (w->xq->gen.run->pace != XDPGEN_MAX || n < w->budget)
		return;
	if (took > STRETCH_NS && w->budget > MAX_BATCH)
		w->budget /= 2;
	else if (took < STRETCH_NS / 3 && w->budget < 1u << 22)
		w->budget *= 2;
}

static int send_stretch(struct xdpgen_flood *w)
{
	struct xdpgen_queue *xq = w->xq;
	struct xdpgen_run *run = xq->gen.run;
	uint64_t before = run->sent, t0;
	uint32_t n = stretch(w);

	if (!sleep_to_deadline(w))
		return -EINTR;
	t0 = shunt_now();
	int rc = shunt_xdpgen_call(&xq->gen, n, n < w->r->batch ? n : w->r->batch, w->longest);
	adapt(w, n, shunt_now() - t0);
	uint32_t sent = (uint32_t)(run->sent - before);
	xq->offered += sent;
	SHUNT_COUNT(&xq->q, syscalls, 1);
	SHUNT_COUNT(&xq->q, tx_bursts, 1);
	SHUNT_PROBE_TX(&xq->q, sent);
	if (!w->f->source)
		sent = sent < n ? sent : n;
	else
		w->have -= sent;
	if (w->left != UINT64_MAX)
		w->left -= sent;
	if (run->refused)
		return shunt_fail(w->err, -EIO, NULL, "the generator's program failed on a frame");
	if (rc && rc != -EINTR)
		return shunt_fail(w->err, rc, NULL, "the kernel made no frames: %s", strerror(-rc));
	return rc;
}

static int check(struct xdpgen_flood *w, uint64_t *looked)
{
	struct xdpgen_queue *xq = w->xq;
	struct shunt_dev *dev = xq->q.dev;
	struct xdpgen_counters c;
	int rc = xdpgen_link_check(xq);

	if (rc)
		return shunt_fail(w->err, rc, NULL, "%.80s: %s", dev->spec.text, dev->info.gone);
	/* Nobody there: don't go on for hours. Once is enough: the rest is in the account. */
	if (*looked || !xq->last.known || xdpgen_ledger_read(xq, &c))
		return 0;
	*looked = 1;
	if (c.taken != xq->last.taken || c.errors != xq->last.errors || !xq->offered)
		return 0;
	return shunt_fail(w->err, -ENOTCONN,
		"at the peer: ethtool -K PEER gro off, then gro on; or attach an XDP program there",
		"%.80s: no frame was taken: the peer is down or has no NAPI", dev->spec.text);
}

static int run(struct xdpgen_flood *w)
{
	uint64_t looked = 0;
	int rc = 0;

	while (!rc && w->left && !stopped(w)) {
		if (w->f->source && !w->have) {
			if (w->ended)
				break;
			rc = xdpgen_refill(w);
			continue;
		}
		rc = send_stretch(w);
		int gone = check(w, &looked);
		rc = gone ? gone : rc;
	}
	/* Interrupted on the last frame is not interrupted. */
	bool done = !w->left || (w->f->source && w->ended && !w->have);
	if (rc == -EINTR || !rc)
		return done ? 0 : -EINTR;
	return rc;
}

static void set_pace(struct xdpgen_flood *w)
{
	const struct shunt_flood *f = w->f;
	struct xdpgen_run *r = w->xq->gen.run;

	memset(r, 0, sizeof *r);
	r->stamp = f->stamp && !f->source;
	r->clock_mask = BULK_MASK;
	w->budget = 1u << 14;
	w->chunk = w->xq->gen.nslots;
	w->r->batch = MAX_BATCH;
	if (f->timed) {
		r->pace = XDPGEN_TIMED;
		w->r->batch = 1;
	} else if (f->pps > 0) {
		double ns = 1e9 / f->pps, whole = (double)(uint64_t)ns;
		r->pace = XDPGEN_PACED;
		r->step_ns = (uint64_t)ns;
		r->step_frac = (uint32_t)((ns - whole) * 4294967296.0);
		w->r->batch = f->pps <= 1e6    ? 1
			      : f->pps >= 16e6 ? MAX_BATCH
					       : (unsigned)(f->pps / 25e4);
		w->budget = ns > GAP_NS ? 1 : (uint32_t)(STRETCH_NS / ns);
	}
	/* Filling slots holds up the frames after them: little at a time where calls are cheap. */
	if (r->pace != XDPGEN_MAX && w->xq->gen.spare && w->chunk > 256)
		w->chunk = 256;
}

static void sum_up(struct xdpgen_flood *w, uint64_t t0, uint64_t cpu0)
{
	struct xdpgen_queue *xq = w->xq;
	const struct xdpgen_run *run = xq->gen.run;
	struct shunt_flood_result *r = w->r;
	struct xdpgen_settled s;
	bool paced = run->pace != XDPGEN_MAX;

	r->cpu_ns = shunt_thread_cpu() - cpu0;
	r->elapsed_ns = paced ? run->now_ns - run->base_ns : shunt_now() - t0;
	r->max_late_ns = run->max_late_ns;
	if (xdpgen_ledger_settle(xq, &s))
		shunt_note(xq->q.dev, "the interface is gone: what it refused last is not known");
	if (s.shared)
		shunt_note(xq->q.dev, "another program sends XDP frames here: refused is a guess");
	r->refused = s.refused + run->gone;
	r->sent = run->sent - s.refused;
	/* Which of the frames were refused is not known: their mean length is taken. */
	r->sent_bytes =
		run->sent
			? (uint64_t)((double)run->bytes / (double)run->sent * (double)r->sent + 0.5)
			: 0;
	/* Paced: n frames span n - 1 intervals. */
	uint64_t spans = r->sent - (paced && r->sent);
	r->sent_pps = r->elapsed_ns ? (double)spans * 1e9 / (double)r->elapsed_ns : 0;
	if (!w->f->source && !w->f->packets)
		r->unsendable = xdpgen_passed(w, run->sent);
	SHUNT_COUNT(&xq->q, tx_packets, run->sent + run->gone);
	SHUNT_COUNT(&xq->q, tx_errors, run->gone);
	SHUNT_COUNT(&xq->q, tx_bytes, run->bytes);
}

int xdpgen_flood(struct shunt_queue *q, const struct shunt_flood *f, struct shunt_flood_result *r,
	struct shunt_err *err)
{
	struct xdpgen_flood w = {.xq = (struct xdpgen_queue *)q,
		.f = f,
		.r = r,
		.err = err,
		.left = UINT64_MAX,
		.longest = XDPGEN_MIN};
	struct xdpgen_settled before;

	if (q->out)
		return shunt_fail(err, -EBUSY, "send or release them first",
			"%.80s has %u packets out", q->dev->spec.text, q->out);
	if (q->error)
		return shunt_fail(
			err, q->error, NULL, "%.80s: %s", q->dev->spec.text, q->dev->info.gone);
	set_pace(&w);
	xdpgen_ledger_settle(w.xq, &before);
	int rc = f->source ? 0 : xdpgen_load_templates(&w);
	uint64_t t0 = shunt_now(), cpu0 = shunt_thread_cpu();
	if (!rc) {
		rc = run(&w);
		sum_up(&w, t0, cpu0);
	}
	free(w.skipped);
	return rc;
}
