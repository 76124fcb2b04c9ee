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

struct trace_copies shunt_trace_measured(uint64_t copies, uint64_t bytes, const char *source)
{
	return (struct trace_copies){shunt_measured((double)copies, "copies", source),
		shunt_measured((double)bytes, "bytes", source)};
}

struct trace_copies shunt_trace_unavailable(const char *why)
{
	return (struct trace_copies){
		shunt_unavailable("copies", "%s", why), shunt_unavailable("bytes", "%s", why)};
}

void shunt_trace_lower(struct trace_copies *c, const char *what, const char *why)
{
	c->copies.bound = c->bytes.bound = SHUNT_LOWER;
	snprintf(c->copies.reason, sizeof c->copies.reason, "%.60s: %.90s", what, why);
	memcpy(c->bytes.reason, c->copies.reason, sizeof c->bytes.reason);
}

static struct trace_copies by_kind(const struct shunt_tracer *t, enum shunt_kind kind)
{
	switch (kind) {
	case SHUNT_KIND_PACKET:
	case SHUNT_KIND_USER:
		return shunt_trace_packet_copies(t, kind);
	case SHUNT_KIND_RING:
		return shunt_trace_ring_copies(t);
	case SHUNT_KIND_XSK:
		return shunt_trace_xsk_copies(t);
	case SHUNT_KIND_XDP: /* packets end in the program, so there are hidden copies only */
		return shunt_trace_measured(0, 0, "no socket behind the program");
	default:
		return shunt_trace_udp_copies(t);
	}
}

void shunt_trace_copies(const struct shunt_tracer *t, struct shunt_trace_counts *c)
{
	static const enum shunt_kind kinds[] = {SHUNT_KIND_PACKET, SHUNT_KIND_RING, SHUNT_KIND_XSK,
		SHUNT_KIND_XDP, SHUNT_KIND_UDP, SHUNT_KIND_USER};
	bool requested = t->what & SHUNT_TRACE_COPIES;
	struct trace_copies sum = {.copies.unit = NULL}, more;

	for (unsigned i = 0; requested && i < sizeof kinds / sizeof *kinds; i++) {
		if (!shunt_trace_has(t, kinds[i]))
			continue;
		more = by_kind(t, kinds[i]);
		add(&sum.copies, &more.copies);
		add(&sum.bytes, &more.bytes);
	}
	if (sum.copies.unit) {
		c->hidden_copies = shunt_unavailable("copies",
			"no XDP program is traced: hidden copies are made only before one");
		c->wasted_copies = shunt_trace_wasted_copies(t);
	} else {
		sum = shunt_trace_unavailable(
			requested ? "no queue of a kind whose copies this kernel makes is traced"
				  : "not requested");
		c->hidden_copies = c->wasted_copies = sum.copies;
	}
	if (requested &&
		(shunt_trace_has(t, SHUNT_KIND_XSK) || shunt_trace_has(t, SHUNT_KIND_XDP))) {
		more = shunt_trace_hidden_copies(t);
		add_hidden(&sum.copies, &more.copies);
		add_hidden(&sum.bytes, &more.bytes);
		c->hidden_copies = more.copies;
	}
	c->copies = sum.copies;
	c->copied_bytes = sum.bytes;
}
