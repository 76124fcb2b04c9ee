/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
 * Shared by the programs of an object: its target, its slots, and the test for traced queues. A
 * tp_btf program does not nest on a CPU (the kernel counts a recursion miss instead), so a counter
 * that one program writes needs no atomic.
 */
#ifndef TRACING_PROBE_BPF_H
#define TRACING_PROBE_BPF_H

#include "tracing/kernel.h"
#include "tracing/shared.h"

#define AF_INET   2
#define AF_INET6  10
#define AF_PACKET 17

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The only variable in .bss: the tracer maps that section as a struct trace_target. */
struct trace_target target;

/* A mapped array, not a per-CPU one: same cost here, and reading takes no system call. */
#define SLOTS(slot_type)                                                                           \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                  \
		__uint(map_flags, BPF_F_MMAPABLE);                                                 \
		__uint(max_entries, 1); /* the tracer sets one per CPU */                          \
		__type(key, __u32);                                                                \
		__type(value, slot_type);                                                          \
	} slots SEC(".maps");                                                                      \
	static __always_inline slot_type *slot(void)                                               \
	{                                                                                          \
		__u32 cpu = bpf_get_smp_processor_id();                                            \
		return bpf_map_lookup_elem(&slots, &cpu);                                          \
	}                                                                                          \
	struct slots_need_a_semicolon

static __always_inline __u32 role_of(__u32 tid)
{
	for (__u32 i = 0; i < TRACE_THREADS && i < target.nthreads; i++)
		if (target.threads[i].tid == tid)
			return target.threads[i].role;
	return TRACE_ELSEWHERE;
}

/* Whether a traced queue is on this device. For trusted pointers (BTF-typed arguments). */
static __always_inline bool is_our_device(struct net_device *dev)
{
	__u32 ifindex = dev->ifindex, netns = 0;

	for (__u32 i = 0; i < TRACE_QUEUES && i < target.nqueues; i++) {
		if (target.queues[i].ifindex != ifindex)
			continue;
		if (!netns)
			netns = dev->nd_net.net->ns.inum;
		if (target.queues[i].netns == netns)
			return true;
	}
	return false;
}

static __always_inline bool of_kind(struct sock *sk, __u32 kind)
{
	unsigned short family = BPF_CORE_READ(sk, __sk_common.skc_family);

	if (kind == TRACE_KIND_PACKET || kind == TRACE_KIND_RING)
		return family == AF_PACKET;
	return kind == TRACE_KIND_UDP && (family == AF_INET || family == AF_INET6);
}

/* The kind of the traced queue that sk belongs to, 0 if none. A socket is matched by its address;
 * if that is unknown (fd -1), by the calling thread and the address family. */
static __always_inline __u32 our_socket(struct sock *sk)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	for (__u32 i = 0; i < TRACE_QUEUES && i < target.nqueues; i++) {
		struct trace_queue *q = &target.queues[i];

		if (q->sk ? q->sk == (__u64)sk : q->tid == tid && of_kind(sk, q->kind))
			return q->kind;
	}
	return 0;
}

/* Whether a copy out of a packet counts. With AF_PACKET skb->sk is the receiving socket. A
 * user-space NIC driver has no socket: then any packet that is copied to an app thread counts. */
static __always_inline bool for_us(struct sock *sk)
{
	if (target.nqueues && target.queues[0].kind == TRACE_KIND_USER)
		return role_of((__u32)bpf_get_current_pid_tgid()) == TRACE_APP;
	return sk && our_socket(sk) == TRACE_KIND_PACKET;
}

/* Whether the socket is a traced queue: by its address or, if unknown, by what it is bound to. */
static __always_inline bool our_xsk(struct xdp_sock *xs)
{
	__u32 ifindex = 0, queue = 0, netns = 0;

	for (__u32 i = 0; i < TRACE_QUEUES && i < target.nqueues; i++) {
		struct trace_queue *q = &target.queues[i];

		if (q->kind != TRACE_KIND_XSK)
			continue;
		if (q->sk == (__u64)xs)
			return true;
		if (q->sk)
			continue;
		if (!ifindex) {
			ifindex = BPF_CORE_READ(xs, dev, ifindex);
			queue = BPF_CORE_READ(xs, queue_id);
			netns = BPF_CORE_READ(xs, dev, nd_net.net, ns.inum);
		}
		if (q->ifindex == ifindex && q->queue == queue && q->netns == netns)
			return true;
	}
	return false;
}

#endif
