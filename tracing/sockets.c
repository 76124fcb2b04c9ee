/* SPDX-License-Identifier: BSD-2-Clause
 * Copies between sockets and their process: AF_PACKET by recv, UDP, and TPACKET rings by their
 * counter.
 */
#include "tracing/private.h"

#include "sockets.skel.h"

#include <stdio.h>

const struct trace_part shunt_part_sockets = {
	.what = SHUNT_TRACE_COPIES,
	.elf = sockets_bpf__elf_bytes,
	.slot_size = sizeof(struct sockets_slot),
	.nprobes = 4,
	.probes = {TRACE_POINT(sockets_slot, copies, "skb_copy_datagram_iovec",
			   "packets copied to the process", 2,
			   TRACE_KIND(PACKET) | TRACE_KIND(USER)),
		TRACE_POINT(sockets_slot, received, "sock_recv_length",
			"copies from UDP sockets to the process", 2, TRACE_KIND(UDP)),
		TRACE_POINT(sockets_slot, sent, "sock_send_length",
			"copies from the process to sockets", 2,
			TRACE_KIND(PACKET) | TRACE_KIND(UDP)),
		TRACE_POINT(sockets_slot, polls, "sys_exit",
			"polls of threads that own a TPACKET ring, with a read of "
			"tp_packets",
			1, TRACE_KIND(RING))},
};

#define SUM(field) TRACE_SUM(&t->objects[PART_SOCKETS], sockets_slot, field)

/* Sent packets are copied, too; where those copies are not counted the sums are lower bounds. */
static struct trace_copies received_and_sent(const struct shunt_tracer *t, enum shunt_kind kind,
	const struct trace_count *point, uint64_t sent, uint64_t sent_bytes)
{
	struct trace_count function = shunt_trace_function_copies(t, kind);
	struct trace_count in = shunt_trace_choose(point, &function);
	const char *no_sends = shunt_trace_why_not(t, PART_SOCKETS, "sock_send_length");
	char source[sizeof((struct shunt_metric *)NULL)->source];

	if (in.why)
		return shunt_trace_unavailable(in.why);
	snprintf(source, sizeof source, "%.76s%s", in.source,
		kind == SHUNT_KIND_USER ? " of the threads" : ", sock_send_length");
	struct trace_copies c =
		shunt_trace_measured(in.copies + sent, in.bytes + sent_bytes, source);
	if (kind != SHUNT_KIND_USER && no_sends)
		shunt_trace_lower(&c, "copies of sent packets are not counted", no_sends);
	return c;
}

struct trace_copies shunt_trace_packet_copies(const struct shunt_tracer *t, enum shunt_kind kind)
{
	struct trace_count point = {shunt_trace_why_not(t, PART_SOCKETS, "skb_copy_datagram_iovec"),
		SUM(copies), SUM(copied_bytes), "tp_btf/skb_copy_datagram_iovec"};

	return received_and_sent(t, kind, &point, SUM(packet_sent), SUM(packet_sent_bytes));
}

struct trace_copies shunt_trace_udp_copies(const struct shunt_tracer *t)
{
	struct trace_count point = {shunt_trace_why_not(t, PART_SOCKETS, "sock_recv_length"),
		SUM(received), SUM(received_bytes), "tp_btf/sock_recv_length"};

	return received_and_sent(
		t, SHUNT_KIND_UDP, &point, SUM(sent) - SUM(packet_sent), SUM(udp_sent_bytes));
}

struct trace_copies shunt_trace_ring_copies(const struct shunt_tracer *t)
{
	struct trace_count seen = shunt_trace_function_copies(t, SHUNT_KIND_RING);
	struct trace_copies c;
	uint64_t packets = 0;
	bool complete = true;

	if (!seen.why)
		return shunt_trace_measured(seen.copies, seen.bytes, seen.source);
	c.bytes = shunt_unavailable("bytes", "tp_packets counts packets, not bytes, and the copy "
					     "in tpacket_rcv has no tracepoint");
	for (unsigned i = 0; i < t->target.nqueues; i++) {
		if (t->ids[i].kind != SHUNT_KIND_RING)
			continue;
		if (!t->sockets[i].sk) {
			c.copies =
				shunt_unavailable("copies", "queue %u's socket was not found: %s",
					i, t->walk.skel ? "no such descriptor" : t->walk.reason);
			return c;
		}
		packets += t->ring_packets[i];
		complete = complete && t->ring_read[i];
	}
	c.copies = shunt_derived((double)packets, "copies", "packet_sock.stats.tp_packets");
	if (complete)
		return c;
	c.copies.bound = SHUNT_LOWER;
	snprintf(c.copies.reason, sizeof c.copies.reason,
		"the socket was closed before its counter was read: counted up to the last poll");
	return c;
}
