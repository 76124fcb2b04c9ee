// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* Copies between a socket and a process. A socket is matched by its address; where that is unknown
 * (fd -1), by the thread that asks and by the address family. */
#include "tracing/probe.bpf.h"

SLOTS(struct sockets_slot);

#define AF_INET   2
#define AF_INET6  10
#define AF_PACKET 17

static __always_inline bool of_kind(struct sock *sk, __u32 kind)
{
	unsigned short family = BPF_CORE_READ(sk, __sk_common.skc_family);

	if (kind == TRACE_KIND_PACKET || kind == TRACE_KIND_RING)
		return family == AF_PACKET;
	return kind == TRACE_KIND_UDP && (family == AF_INET || family == AF_INET6);
}

/* The kind of our queue that sk belongs to, 0 if none. */
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

/* AF_PACKET's recv: skb->sk is the socket that it waited on. Blind to linear UDP. */
SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(skb_copy_datagram_iovec, struct sk_buff *skb, int len)
{
	struct sockets_slot *s;
	struct sock *sk = skb->sk;

	if (!target.enabled || !sk || our_socket(sk) != TRACE_KIND_PACKET)
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->copies++;
	s->copied_bytes += len;
	return 0;
}

/* Fires for every call, also one that returns EAGAIN. */
SEC("tp_btf/sock_recv_length")
int BPF_PROG(sock_recv_length, struct sock *sk, int ret)
{
	struct sockets_slot *s;

	if (!target.enabled || ret <= 0 || our_socket(sk) != TRACE_KIND_UDP)
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->received++;
	s->received_bytes += ret;
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sock_send_length, struct sock *sk, int ret)
{
	struct sockets_slot *s;

	if (!target.enabled || ret <= 0)
		return 0;
	__u32 kind = our_socket(sk);
	if (kind != TRACE_KIND_PACKET && kind != TRACE_KIND_UDP)
		return 0; /* a kick of a ring: no payload in the call */
	s = slot();
	if (!s)
		return 0;
	s->sent++;
	if (kind == TRACE_KIND_UDP) {
		s->udp_sent_bytes += ret;
		return 0;
	}
	s->packet_sent++;
	s->packet_sent_bytes += ret;
	return 0;
}

/* poll, ppoll, epoll_wait, epoll_pwait, epoll_pwait2 of x86-64. */
static __always_inline bool is_poll(unsigned long nr)
{
	return nr == 7 || nr == 271 || nr == 232 || nr == 281 || nr == 441;
}

/* tpacket_rcv's copy has no tracepoint; its count is looked at when the owner has polled. */
SEC("tp_btf/sys_exit")
int BPF_PROG(sys_exit, struct pt_regs *regs)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct sockets_slot *s;

	if (!target.enabled || !is_poll(regs->orig_ax))
		return 0;
	for (__u32 i = 0; i < TRACE_QUEUES && i < target.nqueues; i++) {
		struct packet_sock *po = (void *)target.queues[i].sk;
		struct trace_ring *ring = &target.rings[i];

		if (target.queues[i].kind != TRACE_KIND_RING || target.queues[i].tid != tid || !po)
			continue;
		__u32 now = BPF_CORE_READ(po, stats.stats1.tp_packets);
		ring->packets += now >= ring->last ? now - ring->last : now;
		ring->last = now;
		s = slot();
		if (s)
			s->polls++;
	}
	return 0;
}
