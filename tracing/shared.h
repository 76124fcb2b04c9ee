/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
 * Memory shared by the BPF programs and the tracer: one struct trace_target per BPF object (written
 * by the tracer, except rings), and one slot of counters per CPU (written by the programs). Reading
 * it takes no system call.
 */
#ifndef TRACING_SHARED_H
#define TRACING_SHARED_H

#include <linux/types.h>

#define TRACE_THREADS  32
#define TRACE_QUEUES   64
#define TRACE_SYSCALLS 512
#define TRACE_COWS     2

enum trace_role { TRACE_APP, TRACE_GENERATOR, TRACE_ELSEWHERE, TRACE_ROLES };

/* The values of enum shunt_kind that programs test for; tracer.c asserts that they agree. */
enum trace_kind {
	TRACE_KIND_PACKET = 1,
	TRACE_KIND_RING,
	TRACE_KIND_XSK,
	TRACE_KIND_XDP,
	TRACE_KIND_XDPGEN,
	TRACE_KIND_UDP,
	TRACE_KIND_USER,
};

/* A range of return addresses. */
struct trace_range {
	__u64 start, end;
};

struct trace_thread {
	__u32 tid; /* in the initial PID namespace */
	__u32 role;
};

struct trace_queue {
	__u64 sk; /* address of the kernel's socket, 0 if it was not found */
	__u32 kind, ifindex, queue, netns;
	__u32 tid;
	__u32 pad;
};

/* Progress of tp_packets. Written at start, then only by the program that runs at the owner's poll.
 */
struct trace_ring {
	__u64 packets; /* up to last */
	__u32 last;    /* tp_packets when last read; reading PACKET_STATISTICS clears it */
	__u32 pad;
};

/* No cache line is shared between CPUs. */
#define TRACE_SLOT __attribute__((aligned(64)))

struct trace_target {
	__u32 enabled; /* nothing is counted while 0 */
	__u32 nthreads, nqueues, pad;
	struct trace_range cow[TRACE_COWS]; /* code that makes the hidden copy */
	struct trace_thread threads[TRACE_THREADS];
	struct trace_queue queues[TRACE_QUEUES];
	struct trace_ring rings[TRACE_QUEUES];
};

struct syscalls_slot {
	__u64 hits, beyond; /* beyond: numbers that do not fit into by_nr */
	__u64 by_nr[TRACE_SYSCALLS];
} TRACE_SLOT;

struct softirq_slot {
	/* The softirq under way on this CPU. */
	__u64 entered, segment, other, backlog;
	__u32 active, role, polled, pad;
	/* Sums. A backlog poll belongs to no device, and is summed separately. */
	__u64 ours_ns[TRACE_ROLES], backlog_ns[TRACE_ROLES], other_ns;
	__u64 entries, exits, polls, work, polls_in_app;
	__u64 backlog_frames, backlog_ours;
} TRACE_SLOT;

struct sockets_slot {
	__u64 copies, copied_bytes;     /* skb_copy_datagram_iovec */
	__u64 received, received_bytes; /* sock_recv_length above 0 */
	__u64 sent, udp_sent_bytes;     /* sock_send_length above 0 */
	__u64 packet_sent, packet_sent_bytes;
	__u64 polls; /* of threads that own a ring */
} TRACE_SLOT;

struct xdp_slot {
	/* Into our AF_XDP sockets: all, those without a copy, bytes of the others. */
	__u64 redirects, zero_copy, bytes;
	__u64 unread;                /* redirects whose descriptor could not be read */
	__u64 refused, refused_full; /* by our sockets: all, those after the copy */
	__u64 cow, cow_bytes;        /* skb_pp_cow_data */
	/* Generic mode: frames; frames for a program without frags; of these, copied. */
	__u64 generic, generic_plain, expanded, expanded_bytes;
	/* With frags: frames copied according to the kernel's rule. */
	__u64 cow_expected, cow_expected_bytes;
} TRACE_SLOT;

struct functions_slot {
	__u64 in_ring; /* this CPU is in tpacket_rcv, for a ring of ours */
	__u64 ring_entered, ring_left, ring, ring_bytes;
	__u64 packet, packet_bytes, xsk, xsk_bytes, xsk_sent, xsk_sent_bytes;
} TRACE_SLOT;

struct switches_slot {
	__u64 switches, voluntary;
} TRACE_SLOT;

/* Records of the iterators (walk.bpf.c). */
struct trace_task {
	__u32 tid;    /* in the initial PID namespace */
	__u32 ns_tid; /* in the requested PID namespace, 0 if not in it */
};

struct trace_socket {
	__u64 sk;
	__u32 fd, family;
	__u32 tp_packets;                 /* AF_PACKET */
	__u32 ifindex, queue, netns, xsk; /* AF_XDP; netns of every socket */
	__u32 zero_copy, bound, pad;
};

#endif
