/* SPDX-License-Identifier: BSD-2-Clause
 * Sending a workload by alloc and tx, over null with an eye on what tx is given.
 */
#include "core/clock.h"
#include "drivers/core/driver.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <shunt/shunt.h>
#include <string.h>

static int (*real_tx)(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
static struct seen {
	uint64_t packets, bytes, calls, stamp[2];
	bool in_order;
	int answer; /* 0: take all; -errno; or at most so many a call */
	bool stuck;
} seen;

static int eye(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	seen.calls++;
	if (seen.answer < 0 && seen.packets > 100)
		return seen.answer;
	if (seen.stuck)
		return 0;
	if (seen.answer > 0 && n > (unsigned)seen.answer)
		n = (unsigned)seen.answer;
	for (unsigned i = 0; i < n; i++) {
		uint64_t stamp[2] = {0};
		if (pkts[i].len >= SHUNT_STAMP_AT + sizeof stamp)
			memcpy(stamp, (char *)pkts[i].data + SHUNT_STAMP_AT, sizeof stamp);
		if (stamp[0] != seen.packets || stamp[1] < seen.stamp[1])
			seen.in_order = false;
		memcpy(seen.stamp, stamp, sizeof stamp);
		seen.packets++;
		seen.bytes += pkts[i].len;
	}
	return real_tx(q, pkts, n);
}

static struct shunt_queue *must_open(struct shunt_dev **dev)
{
	struct shunt_err err = {.code = 0};

	cr_assert_eq(shunt_open(dev, "null:", SHUNT_TX, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_start(*dev, &err), 0, "%s", err.what);
	struct shunt_queue *q = shunt_get_queue(*dev, 0);
	seen = (struct seen){.in_order = true};
	real_tx = q->tx;
	q->tx = eye;
	return q;
}

static uint8_t bytes[3000];
static const struct shunt_frame frames[2] = {{bytes, 60, 0}, {bytes, 100, 0}};

Test(flood, templates_round_and_round)
{
	struct shunt_dev *dev;
	struct shunt_queue *q = must_open(&dev);
	struct shunt_flood f = {.frames = frames, .nframes = 2, .packets = 1001, .stamp = true};
	struct shunt_flood_result r;
	struct shunt_err err;

	cr_assert_eq(shunt_flood(q, &f, &r, &err), 0, "%s", err.what);
	cr_assert_eq(r.sent, 1001);
	cr_assert_eq(seen.packets, 1001);
	cr_assert_eq(r.sent_bytes, 501 * 60 + 500 * 100);
	cr_assert_eq(seen.bytes, r.sent_bytes);
	cr_assert(seen.in_order);
	cr_assert_eq(r.unsendable + r.refused, 0);
	cr_assert_eq(r.batch, SHUNT_BURST);
	cr_assert_gt(r.sent_pps, 0);
	cr_assert_eq(r.max_late_ns, 0);
	cr_assert_eq(shunt_close(dev, &err), 0, "%s", err.what);
}

Test(flood, takes_no_for_a_part)
{
	struct shunt_dev *dev;
	struct shunt_queue *q = must_open(&dev);
	struct shunt_flood f = {.frames = frames, .nframes = 2, .packets = 500, .stamp = true};
	struct shunt_flood_result r;

	seen.answer = 3;
	cr_assert_eq(shunt_flood(q, &f, &r, NULL), 0);
	cr_assert_eq(r.sent, 500);
	cr_assert_eq(seen.packets, 500);
	cr_assert(seen.in_order);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

Test(flood, pace_is_kept)
{
	struct shunt_dev *dev;
	struct shunt_queue *q = must_open(&dev);
	struct shunt_flood f = {.frames = frames, .nframes = 2, .packets = 2001, .pps = 100000};
	struct shunt_flood_result r;

	cr_assert_eq(shunt_flood(q, &f, &r, NULL), 0);
	cr_assert_eq(r.sent, 2001);
	/* The last one is due at 20 ms: never sooner, and not much later on a busy machine. */
	cr_assert_geq(r.elapsed_ns, 20000000u);
	cr_assert_leq(r.elapsed_ns, 2000000000u);
	cr_assert_float_eq(r.asked_pps, 100000, 0);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

Test(flood, too_long_is_unsendable)
{
	struct shunt_dev *dev;
	struct shunt_queue *q = must_open(&dev);
	const struct shunt_frame mixed[3] = {{bytes, 60, 0}, {bytes, 101, 0}, {bytes, 100, 0}};
	struct shunt_flood f = {.frames = mixed, .nframes = 3, .packets = 300};
	struct shunt_flood_result r;
	struct shunt_err err;

	dev->info.max_frame = 100;
	cr_assert_eq(shunt_flood(q, &f, &r, NULL), 0);
	cr_assert_eq(r.sent, 200);
	cr_assert_eq(r.unsendable, 100);
	cr_assert_eq(r.sent_bytes, 100 * 160);
	/* No limit known, but no buffer that has the room: an error, not a cut frame. */
	const struct shunt_frame huge = {bytes, sizeof bytes, 0};
	f = (struct shunt_flood){.frames = &huge, .nframes = 1, .packets = 1};
	dev->info.max_frame = 0;
	cr_assert_eq(shunt_flood(q, &f, &r, &err), -EMSGSIZE);
	cr_assert_eq(r.sent, 0);
	cr_assert_eq(shunt_close(dev, &err), 0, "%s", err.what);
}

struct counted {
	struct shunt_source source;
	int left, error;
};

static int next(struct shunt_source *source, struct shunt_frame *out, unsigned n)
{
	struct counted *c = (struct counted *)source;
	unsigned k = 0;

	if (!c->left && c->error)
		return c->error;
	for (; k < n && k < 7 && c->left; k++, c->left--)
		out[k] = (struct shunt_frame){bytes, 60, 0};
	return (int)k;
}

Test(flood, source_to_its_end)
{
	struct shunt_dev *dev;
	struct shunt_queue *q = must_open(&dev);
	struct counted c = {{next}, 100, 0};
	struct shunt_flood f = {.source = &c.source};
	struct shunt_flood_result r;
	struct shunt_err err = {.code = 0};

	cr_assert_eq(shunt_flood(q, &f, &r, NULL), 0);
	cr_assert_eq(r.sent, 100);
	c = (struct counted){{next}, 100, -EBADMSG};
	cr_assert_eq(shunt_flood(q, &f, &r, &err), -EBADMSG);
	cr_assert_eq(r.sent, 100);
	cr_assert(*err.what);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

Test(flood, timed)
{
	struct shunt_dev *dev;
	struct shunt_queue *q = must_open(&dev);
	const struct shunt_frame timed[3] = {
		{bytes, 60, 0}, {bytes, 60, 5000000}, {bytes, 60, 5000000}};
	struct shunt_flood f = {.frames = timed, .nframes = 3, .packets = 3, .timed = true};
	struct shunt_flood_result r;

	cr_assert_eq(shunt_flood(q, &f, &r, NULL), 0);
	cr_assert_eq(r.sent, 3);
	cr_assert_geq(r.elapsed_ns, 5000000u);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

Test(flood, stops)
{
	struct shunt_dev *dev;
	struct shunt_queue *q = must_open(&dev);
	volatile bool stop = true;
	struct shunt_flood f = {.frames = frames, .nframes = 2, .stop = &stop};
	struct shunt_flood_result r;

	cr_assert_eq(shunt_flood(q, &f, &r, NULL), -EINTR);
	cr_assert_eq(r.sent, 0);
	f = (struct shunt_flood){.packets = 1};
	cr_assert_eq(shunt_flood(q, &f, &r, NULL), -EINVAL);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

/* The link goes, or the device takes nothing any more: the run ends, and no buffer stays out. */
Test(flood, gives_up)
{
	struct shunt_dev *dev;
	struct shunt_queue *q = must_open(&dev);
	struct shunt_flood f = {.frames = frames, .nframes = 2, .packets = 1000};
	struct shunt_flood_result r;
	struct shunt_err err = {.code = 0};

	seen.answer = -ENETDOWN;
	cr_assert_eq(shunt_flood(q, &f, &r, &err), -ENETDOWN);
	cr_assert_eq(r.sent, seen.packets);
	cr_assert_eq(r.sent_bytes, seen.bytes);
	cr_assert(*err.what);
	cr_assert_eq(q->out, 0);
	seen = (struct seen){.stuck = true};
	uint64_t t0 = shunt_now();
	cr_assert_eq(shunt_flood(q, &f, &r, &err), -EIO);
	cr_assert_leq(shunt_now() - t0, 5000000000u);
	cr_assert_eq(r.sent, 0);
	cr_assert_eq(shunt_close(dev, &err), 0, "%s", err.what);
}
