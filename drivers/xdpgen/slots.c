/* SPDX-License-Identifier: BSD-2-Clause
 * Templates lie in the slots once and for all, in a circle; a source fills them a chunk at a time.
 */
#include "drivers/xdpgen/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool sendable(const struct xdpgen_flood *w, const struct shunt_frame *frame)
{
	return frame->len >= XDPGEN_MIN && frame->len <= w->xq->q.dev->info.max_frame;
}

static void put(struct xdpgen_flood *w, uint32_t at, const struct shunt_frame *frame)
{
	struct xdpgen_slot *slot = &w->xq->gen.slots[at];

	slot->due_ns = frame->due_ns;
	slot->len = frame->len;
	slot->next = at + 1;
	memcpy(slot->data, frame->data, frame->len);
	if (frame->len > w->longest)
		w->longest = frame->len;
}

uint64_t xdpgen_passed(const struct xdpgen_flood *w, uint64_t n)
{
	if (!w->sendable)
		return 0;
	return n / w->sendable * w->unsendable + w->skipped[n % w->sendable];
}

int xdpgen_load_templates(struct xdpgen_flood *w)
{
	const struct shunt_flood *f = w->f;

	if (f->nframes > w->xq->gen.nslots)
		return shunt_fail(w->err, -E2BIG,
			"open the device with a larger depth=, or use a source",
			"%u templates are more than the %u slots", f->nframes, w->xq->gen.nslots);
	w->skipped = calloc(f->nframes + 1, sizeof *w->skipped);
	if (!w->skipped)
		return shunt_fail(w->err, -ENOMEM, NULL, "out of memory");
	for (unsigned i = 0; i < f->nframes; i++) {
		if (!sendable(w, &f->frames[i])) {
			w->unsendable++;
			continue;
		}
		w->skipped[w->sendable] = w->unsendable;
		put(w, w->sendable++, &f->frames[i]);
	}
	if (!w->sendable && !f->packets)
		return shunt_fail(w->err, -EMSGSIZE, NULL,
			"every frame is too long or too short for %s (%u to %u bytes)",
			w->xq->q.dev->info.ifname, XDPGEN_MIN, w->xq->q.dev->info.max_frame);
	if (w->sendable)
		w->xq->gen.slots[w->sendable - 1].next = 0;
	w->have = UINT32_MAX;
	w->left = UINT64_MAX;
	if (f->packets) {
		w->left = f->packets / f->nframes * w->sendable;
		for (unsigned i = 0; i < f->packets % f->nframes; i++)
			w->left += sendable(w, &f->frames[i]);
		w->r->unsendable = f->packets - w->left;
	}
	return 0;
}

int xdpgen_refill(struct xdpgen_flood *w)
{
	struct shunt_frame frames[SHUNT_BURST];
	const uint64_t most = w->f->packets ? w->f->packets : UINT64_MAX;

	w->longest = XDPGEN_MIN;
	while (w->have < w->chunk && w->taken < most) {
		uint64_t want = w->chunk - w->have;
		want = want < SHUNT_BURST ? want : SHUNT_BURST;
		want = want < most - w->taken ? want : most - w->taken;
		int n = w->f->source->next(w->f->source, frames, (unsigned)want);
		if (n < 0)
			return shunt_fail(
				w->err, n, NULL, "the source of frames failed: %s", strerror(-n));
		w->ended = n == 0;
		if (w->ended)
			break;
		w->taken += (unsigned)n;
		for (int i = 0; i < n; i++)
			if (sendable(w, &frames[i]))
				put(w, w->have++, &frames[i]);
			else
				w->r->unsendable++;
	}
	w->ended |= w->taken == most;
	w->xq->gen.run->at = 0;
	return 0;
}
