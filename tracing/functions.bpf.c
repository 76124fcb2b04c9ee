// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* Level F: probes on the functions that copy. Such a function has many callers, so each probe
 * filters by the arguments or, in softirq, where nothing else runs on the CPU, by a per-CPU flag.
 * There is none on _copy_to_iter, where all copies end up: the kernel's lib/ is built without the
 * nops that fentry needs, and kprobe events refuse its functions for that reason. */
#include "tracing/probe.bpf.h"

SLOTS(struct functions_slot);

#define AF_XDP      44
#define FILTER_LOAD 4 /* bytes that a classic socket filter loads at once */

/* The tracepoint in the function fires at its entry; at exit it is known whether it succeeded. */
SEC("fexit/skb_copy_datagram_iter")
int BPF_PROG(skb_copy_datagram_iter, const struct sk_buff *skb, int offset, void *iter, int len,
	int failed)
{
	struct functions_slot *s;

	if (!target.enabled || failed || !for_us(skb->sk))
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->packet++;
	s->packet_bytes += len;
	return 0;
}

static __always_inline bool is_our_ring(void *sk)
{
	for (__u32 i = 0; i < TRACE_QUEUES && i < target.nqueues; i++)
		if (target.queues[i].kind == TRACE_KIND_RING && target.queues[i].sk == (__u64)sk)
			return true;
	return false;
}

/* Softirqs are disabled while this function runs. */
SEC("fentry/tpacket_rcv")
int BPF_PROG(tpacket_rcv, struct sk_buff *skb, struct net_device *dev, struct packet_type *pt)
{
	struct functions_slot *s;

	if (!target.enabled)
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->in_ring = is_our_ring(pt->af_packet_priv);
	s->ring_entered += s->in_ring;
	return 0;
}

SEC("fexit/tpacket_rcv")
int BPF_PROG(tpacket_rcv_exit)
{
	struct functions_slot *s = slot();

	if (!s)
		return 0;
	s->ring_left += s->in_ring;
	s->in_ring = 0;
	return 0;
}

/* Copies from the first byte of the packet. A classic filter that loads from a nonlinear skb also
 * calls this function, for a few bytes, or for headers at a higher offset. */
SEC("fentry/skb_copy_bits")
int BPF_PROG(skb_copy_bits, const struct sk_buff *skb, int offset, void *to, int len)
{
	struct functions_slot *s;

	if (!target.enabled || offset || len <= FILTER_LOAD)
		return 0;
	s = slot();
	if (!s || !s->in_ring)
		return 0;
	s->ring++;
	s->ring_bytes += len;
	return 0;
}

/* Copies before it checks whether the ring is full. Refused packets are counted as wasted copies,
 * by the tracepoint. */
SEC("fexit/__xsk_rcv")
int BPF_PROG(xsk_rcv, struct xdp_sock *xs, void *xdp, __u32 len, int refused)
{
	struct functions_slot *s;

	if (!target.enabled || refused || !our_xsk(xs))
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->xsk++;
	s->xsk_bytes += len;
	return 0;
}

/* Called by __xsk_generic_xmit, for an empty skb of the sending AF_XDP socket. */
SEC("fentry/skb_store_bits")
int BPF_PROG(skb_store_bits, struct sk_buff *skb, int offset, const void *from, int len)
{
	struct sock *sk = skb->sk;
	struct functions_slot *s;

	if (!target.enabled || offset || !sk)
		return 0;
	if (BPF_CORE_READ(sk, __sk_common.skc_family) != AF_XDP || !our_xsk((void *)sk))
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->xsk_sent++;
	s->xsk_sent_bytes += len;
	return 0;
}
