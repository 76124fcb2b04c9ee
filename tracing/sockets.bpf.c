// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* Copies between a socket and a process. */
#include "tracing/probe.bpf.h"

SLOTS(struct sockets_slot);

/* Does not fire for UDP payload in the linear part of an skb. */
SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(skb_copy_datagram_iovec, struct sk_buff *skb, int len)
{
	struct sockets_slot *s;

	if (!target.enabled || !for_us(skb->sk))
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->copies++;
	s->copied_bytes += len;
	return 0;
}

/* Fires for every call, even if it returns EAGAIN. */
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
		return 0; /* a kick (wakeup) of a ring: no payload in the call */
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

/* The copy in tpacket_rcv has no tracepoint; its counter is read when the owner has polled. */
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
