/* SPDX-License-Identifier: BSD-2-Clause
 * From counters to metrics: the sum of the copies of all kinds of traced queues.
 */
#include "tracing/private.h"

#include <stdio.h>
#include <string.h>

bool shunt_trace_has(const struct shunt_tracer *t, enum shunt_kind kind)
{
	for (unsigned i = 0; i < t->target.nqueues; i++)
		if (t->ids[i].kind == kind)
			return true;
	return false;
}

const char *shunt_trace_why_not(const struct shunt_tracer *t, int part, const char *event)
{
	const struct trace_object *o = &t->objects[part];

	if (!o->part || !(t->what & o->part->what))
		return "not requested";
	for (unsigned i = 0; i < o->part->nprobes; i++) {
		if (strcmp(o->part->probes[i].event, event))
			continue;
		if (o->probe[i].used)
			return NULL;
		if (o->probe[i].reason[0])
			return o->probe[i].reason;
		return o->probe[i].wanted ? "it was never attached" : "no traced queue needs it";
	}
	return "no such probe";
}

/* Sum of two metrics, with the weaker provenance. The first to be added replaces the sum. */
static void add(struct shunt_metric *sum, const struct shunt_metric *f)
{
	if (!sum->unit) {
		*sum = *f;
		return;
	}
	if (sum->provenance == SHUNT_UNAVAILABLE)
		return;
	if (f->provenance == SHUNT_UNAVAILABLE) {
		*sum = *f;
		return;
	}
	sum->value += f->value;
	sum->min = sum->max = sum->value;
	if (f->provenance == SHUNT_DERIVED)
		sum->provenance = SHUNT_DERIVED;
	if (f->bound != SHUNT_EXACT && sum->bound == SHUNT_EXACT) {
		sum->bound = f->bound;
		snprintf(sum->reason, sizeof sum->reason, "%s", f->reason);
	}
	size_t have = strlen(sum->source);
	snprintf(sum->source + have, sizeof sum->source - have, "; %s", f->source);
}

/* Hidden copies are part of the total. Where they are unavailable it is a lower bound. */
static void add_hidden(struct shunt_metric *sum, const struct shunt_metric *hidden)
{
	if (hidden->provenance != SHUNT_UNAVAILABLE) {
		add(sum, hidden);
		return;
	}
	if (sum->provenance == SHUNT_UNAVAILABLE || sum->bound != SHUNT_EXACT)
		return;
	sum->bound = SHUNT_LOWER;
	snprintf(sum->reason, sizeof sum->reason,
		"copies before the XDP program are not counted: %.100s", hidden->reason);
}

static void nothing(struct shunt_trace_counts *c, const char *why)
{
	c->copies = c->hidden_copies = c->wasted_copies = shunt_unavailable("copies", "%s", why);
	c->copied_bytes = shunt_unavailable("bytes", "%s", why);
}

/* An XDP program without a socket: packets end in it, so there are hidden copies only. */
static void program_copies(struct shunt_metric *copies, struct shunt_metric *bytes)
{
	*copies = shunt_measured(0, "copies", "no socket behind the program");
	*bytes = shunt_measured(0, "bytes", "no socket behind the program");
}

static void by_kind(const struct shunt_tracer *t, enum shunt_kind kind, struct shunt_metric *copies,
	struct shunt_metric *bytes)
{
	switch (kind) {
	case SHUNT_KIND_PACKET:
	case SHUNT_KIND_USER:
		shunt_trace_packet_copies(t, kind, copies, bytes);
		break;
	case SHUNT_KIND_RING:
		shunt_trace_ring_copies(t, copies, bytes);
		break;
	case SHUNT_KIND_XSK:
		shunt_trace_xsk_copies(t, copies, bytes);
		break;
	case SHUNT_KIND_XDP:
		program_copies(copies, bytes);
		break;
	default:
		shunt_trace_udp_copies(t, copies, bytes);
	}
}

void shunt_trace_copies(const struct shunt_tracer *t, struct shunt_trace_counts *c)
{
	static const enum shunt_kind kinds[] = {SHUNT_KIND_PACKET, SHUNT_KIND_RING, SHUNT_KIND_XSK,
		SHUNT_KIND_XDP, SHUNT_KIND_UDP, SHUNT_KIND_USER};
	struct shunt_metric copies, bytes, hidden_bytes;

	nothing(c, "no queue of a kind whose copies this kernel makes is traced");
	if (!(t->what & SHUNT_TRACE_COPIES)) {
		nothing(c, "not requested");
		return;
	}
	struct shunt_metric sum = {.unit = NULL}, sum_bytes = {.unit = NULL};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!shunt_trace_has(t, kinds[i]))
			continue;
		by_kind(t, kinds[i], &copies, &bytes);
		add(&sum, &copies);
		add(&sum_bytes, &bytes);
	}
	if (!sum.unit)
		return;
	c->hidden_copies = shunt_unavailable(
		"copies", "no XDP program is traced: hidden copies are made only before one");
	if (shunt_trace_has(t, SHUNT_KIND_XSK) || shunt_trace_has(t, SHUNT_KIND_XDP)) {
		shunt_trace_hidden_copies(t, &c->hidden_copies, &hidden_bytes);
		add_hidden(&sum, &c->hidden_copies);
		add_hidden(&sum_bytes, &hidden_bytes);
	}
	shunt_trace_wasted_copies(t, &c->wasted_copies);
	c->copies = sum;
	c->copied_bytes = sum_bytes;
}
