/* SPDX-License-Identifier: BSD-2-Clause
 * Level F: probes on the functions that copy. Where a tracepoint counts the same copies, the two
 * counts are compared.
 */
#include "tracing/private.h"

#include "functions.skel.h"

#include <stdio.h>

#define SLOT(field) offsetof(struct functions_slot, field)

const struct trace_part shunt_part_functions = {
	.what = SHUNT_TRACE_COPIES,
	.elf = functions_bpf__elf_bytes,
	.slot_size = sizeof(struct functions_slot),
	.nprobes = 6,
	.probes =
		{/* event, function, name, counts, args, hits, kinds */
			{"skb_copy_datagram_iter", "skb_copy_datagram_iter",
				"fexit/skb_copy_datagram_iter", "packets copied to the process", 4,
				SLOT(packet), TRACE_KIND(PACKET) | TRACE_KIND(USER)},
			{"tpacket_rcv", "tpacket_rcv", "fentry/tpacket_rcv",
				"frames for TPACKET rings", 3, SLOT(ring_entered),
				TRACE_KIND(RING)},
			{"tpacket_rcv_exit", "tpacket_rcv", "fexit/tpacket_rcv",
				"returns from tpacket_rcv", 3, SLOT(ring_left), TRACE_KIND(RING)},
			{"skb_copy_bits", "skb_copy_bits", "fentry/skb_copy_bits",
				"copies into TPACKET rings", 4, SLOT(ring), TRACE_KIND(RING)},
			{"xsk_rcv", "__xsk_rcv", "fexit/__xsk_rcv", "copies into AF_XDP sockets", 3,
				SLOT(xsk), TRACE_KIND(XSK)},
			{"skb_store_bits", "skb_store_bits", "fentry/skb_store_bits",
				"copies of what AF_XDP sockets send", 4, SLOT(xsk_sent),
				TRACE_KIND(XSK)}},
};

#define SUM(field) TRACE_SUM(&t->objects[PART_FUNCTIONS], functions_slot, field)

static const char *why_not(const struct shunt_tracer *t, const char *const *programs, unsigned n)
{
	const char *why = NULL;

	for (unsigned i = 0; i < n && !why; i++)
		why = shunt_trace_why_not(t, PART_FUNCTIONS, programs[i]);
	return why;
}

#define WHY_NOT(...)                                                                               \
	why_not(t, (const char *const[]){__VA_ARGS__},                                             \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* In tpacket_rcv the socket is identified by its address only. */
static const char *ring_why_not(const struct shunt_tracer *t)
{
	for (unsigned i = 0; i < t->target.nqueues; i++)
		if (t->ids[i].kind == SHUNT_KIND_RING && !t->sockets[i].sk)
			return "the socket was not found";
	return WHY_NOT("tpacket_rcv", "tpacket_rcv_exit", "skb_copy_bits");
}

struct trace_count shunt_trace_function_copies(const struct shunt_tracer *t, enum shunt_kind kind)
{
	switch (kind) {
	case SHUNT_KIND_PACKET:
	case SHUNT_KIND_USER:
		return (struct trace_count){WHY_NOT("skb_copy_datagram_iter"), SUM(packet),
			SUM(packet_bytes), "fexit/skb_copy_datagram_iter"};
	case SHUNT_KIND_RING:
		return (struct trace_count){ring_why_not(t), SUM(ring), SUM(ring_bytes),
			"fentry/skb_copy_bits in tpacket_rcv"};
	case SHUNT_KIND_XSK:
		return (struct trace_count){
			WHY_NOT("xsk_rcv"), SUM(xsk), SUM(xsk_bytes), "fexit/__xsk_rcv"};
	default:
		return (struct trace_count){"no function probe counts only these"};
	}
}

struct trace_count shunt_trace_function_sends(const struct shunt_tracer *t)
{
	return (struct trace_count){WHY_NOT("skb_store_bits"), SUM(xsk_sent), SUM(xsk_sent_bytes),
		"fentry/skb_store_bits"};
}

struct trace_count shunt_trace_choose(
	const struct trace_count *point, const struct trace_count *function)
{
	struct trace_count c = function->why ? *point : *function;

	if (point->why || function->why)
		return c;
	if (point->copies == function->copies && point->bytes == function->bytes) {
		snprintf(c.source, sizeof c.source, "%.38s = %.38s", function->source,
			point->source);
		return c;
	}
	c = *point;
	snprintf(c.source, sizeof c.source, "%.30s, not %.24s: %llu", point->source,
		function->source, (unsigned long long)function->copies);
	return c;
}
