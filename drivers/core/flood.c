/* SPDX-License-Identifier: BSD-2-Clause
 * Send a workload with alloc and tx, spinning to each frame's deadline. Runs on the queue's thread.
 */
#include "core/clock.h"
#include "drivers/core/driver.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define STUCK_NS 1000000000u /* a device that takes nothing for so long is given up */

struct run {
	struct shunt_queue *q;
	const struct shunt_flood *f;
	struct shunt_flood_result *r;
	struct shunt_frame chunk[SHUNT_BURST]; /* from the source */
	unsigned have, at;
	uint64_t taken; /* frames taken from templates or source, unsendable ones included */
	uint64_t seq;   /* frames offered */
	uint64_t t0;
	int rc;
};

static bool stopped(const struct run *run)
{
	return run->f->stop && __atomic_load_n(run->f->stop, __ATOMIC_RELAXED);
}

/* The next frame that fits, or NULL at the end. It is not consumed yet. */
static const struct shunt_frame *peek(struct run *run)
{
	const struct shunt_flood *f = run->f;
	uint32_t longest = run->q->dev->info.max_frame;

	for (;;) {
		const struct shunt_frame *frame;
		if (f->packets && run->taken == f->packets)
			return NULL;
		if (!f->source) {
			frame = &f->frames[run->taken % f->nframes];
		} else {
			if (run->at == run->have) {
				int n = f->source->next(f->source, run->chunk, SHUNT_BURST);
				if (n <= 0) {
					run->rc = n;
					return NULL;
				}
				run->have = (unsigned)n;
				run->at = 0;
			}
			frame = &run->chunk[run->at];
		}
		if (!longest || frame->len <= longest)
			return frame;
		run->r->unsendable++;
		run->taken++;
		run->at++;
	}
}

static uint64_t due(const struct run *run, const struct shunt_frame *frame)
{
	if (run->f->timed)
		return run->t0 + frame->due_ns;
	if (run->f->pps > 0)
		return run->t0 + (uint64_t)((double)run->seq * 1e9 / run->f->pps);
	return 0;
}

static void write_stamp(struct shunt_pkt *p, uint64_t seq)
{
	uint64_t stamp[2] = {seq, shunt_now()};

	if (p->len >= SHUNT_STAMP_AT + sizeof stamp)
		memcpy((uint8_t *)p->data + SHUNT_STAMP_AT, stamp, sizeof stamp);
}

/* Fill pkts with frames that are due; waits for the first one's deadline. */
static unsigned collect(struct run *run, struct shunt_pkt *pkts, unsigned room)
{
	const struct shunt_frame *frame;
	unsigned n = 0;

	while (n < room && (frame = peek(run))) {
		uint64_t when = due(run, frame), now = 0;
		while (when && (now = shunt_now()) < when)
			if (n || stopped(run))
				return n;
		if (now > when && now - when > run->r->max_late_ns && when)
			run->r->max_late_ns = now - when;
		if (frame->len > pkts[n].len) {
			run->rc = -EMSGSIZE;
			return n;
		}
		memcpy(pkts[n].data, frame->data, frame->len);
		pkts[n].len = frame->len;
		if (run->f->stamp)
			write_stamp(&pkts[n], run->seq);
		run->seq++;
		run->taken++;
		run->at++;
		n++;
	}
	return n;
}

/* What was not taken in the end is released: a device with packets out can't be closed. */
static int push(struct run *run, struct shunt_pkt *pkts, unsigned n)
{
	uint64_t since = 0;
	unsigned k = 0;
	int rc = 0;

	while (k < n && !rc) {
		uint32_t bytes[SHUNT_BURST];
		for (unsigned i = k; i < n; i++) /* tx owns what it took */
			bytes[i] = pkts[i].len;
		int got = shunt_tx(run->q, pkts + k, n - k);
		for (int i = 0; i < got; i++)
			run->r->sent_bytes += bytes[k++];
		run->r->sent += got > 0 ? (unsigned)got : 0;
		uint64_t now = got ? 0 : shunt_now();
		since = got ? 0 : since ? since : now;
		if (got < 0)
			rc = got;
		else if (since && now - since > STUCK_NS)
			rc = -EIO;
	}
	shunt_release(run->q, pkts + k, n - k);
	return rc;
}

static void burst(struct run *run)
{
	struct shunt_pkt pkts[SHUNT_BURST];
	unsigned room = shunt_alloc(run->q, pkts, SHUNT_BURST);

	if (!room) { /* everything is in flight: tx of nothing reaps completions */
		int rc = shunt_tx(run->q, pkts, 0);
		if (rc < 0)
			run->rc = rc;
		return;
	}
	unsigned n = collect(run, pkts, room);
	shunt_release(run->q, pkts + n, room - n);
	if (n > run->r->batch)
		run->r->batch = n;
	int rc = push(run, pkts, n);
	if (rc)
		run->rc = rc;
}

int shunt_flood_by_tx(struct shunt_queue *q, const struct shunt_flood *f,
	struct shunt_flood_result *r, struct shunt_err *err)
{
	struct run run = {.q = q, .f = f, .r = r};
	uint64_t cpu = shunt_thread_cpu(), errors = q->stats.tx_errors;

	run.t0 = shunt_now();
	while (!run.rc && !stopped(&run) && peek(&run))
		burst(&run);
	r->refused = q->stats.tx_errors - errors;
	r->sent -= r->refused;
	r->elapsed_ns = shunt_now() - run.t0;
	r->cpu_ns = shunt_thread_cpu() - cpu;
	r->sent_pps = r->elapsed_ns ? (double)r->sent * 1e9 / (double)r->elapsed_ns : 0;
	if (run.rc)
		return shunt_fail(err, run.rc, NULL,
			"sending on %.80s stopped after %" PRIu64 " frames: %s", q->dev->spec.text,
			r->sent, q->dev->info.gone[0] ? q->dev->info.gone : strerror(-run.rc));
	return stopped(&run) ? -EINTR : 0;
}

/* Templates that can't be sent are passed over; if that is all of them, for ever. */
static bool endless(const struct shunt_queue *q, const struct shunt_flood *f)
{
	uint32_t longest = q->dev->info.max_frame;

	for (unsigned i = 0; i < f->nframes; i++)
		if (!longest || f->frames[i].len <= longest)
			return false;
	return !f->source && !f->packets;
}

int shunt_flood(struct shunt_queue *q, const struct shunt_flood *f, struct shunt_flood_result *r,
	struct shunt_err *err)
{
	memset(r, 0, sizeof *r);
	r->asked_pps = f->timed ? 0 : f->pps;
	if (!f->source && !f->nframes)
		return shunt_fail(err, -EINVAL, NULL, "a workload without frames");
	if (endless(q, f))
		return shunt_fail(err, -EMSGSIZE, NULL,
			"every frame is longer than the %u bytes that %.80s takes",
			q->dev->info.max_frame, q->dev->spec.text);
	if (q->dev->drv->flood)
		return q->dev->drv->flood(q, f, r, err);
	return shunt_flood_by_tx(q, f, r, err);
}
