// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* Copies around XDP: into AF_XDP sockets, and those that a device or generic mode makes of a frame
 * before the program runs. xdp_redirect also fires for frames of the generator, hence the test of
 * the map type. */
#include "tracing/probe.bpf.h"

SLOTS(struct xdp_slot);

#define FRAGS_MAX           18 /* MAX_SKB_FRAGS + 1 */
#define XDP_PKT_CONTD       1  /* 6.6 */
#define XDP_PACKET_HEADROOM 256
#define DATAREF_MASK        0xffff
#define ENOBUFS             105

/* Bytes of the packet whose last descriptor was just produced. A multi-buffer packet has one
 * descriptor per buffer, all but the last marked. -1 if the ring cannot be read. */
static __always_inline long produced_bytes(struct xdp_sock *xs)
{
	struct xsk_queue *rx = BPF_CORE_READ(xs, rx);
	__u32 mask = BPF_CORE_READ(rx, ring_mask), at = BPF_CORE_READ(rx, cached_prod);
	void *desc =
		(void *)BPF_CORE_READ(rx, ring) + bpf_core_field_offset(struct xdp_rxtx_ring, desc);
	long bytes = 0;

	for (__u32 i = 0; i < FRAGS_MAX; i++) {
		struct {
			__u64 addr;
			__u32 len, options;
		} d; /* struct xdp_desc of if_xdp.h */

		at--;
		if (bpf_probe_read_kernel(&d, sizeof d, desc + (at & mask) * sizeof d))
			return -1;
		if (i && !(d.options & XDP_PKT_CONTD))
			break;
		bytes += d.len;
		if (i >= mask)
			break;
	}
	return bytes;
}

/* raw_tp, not tp_btf: the verifier of 6.12 rejects a read of tgt, a pointer to const void. */
SEC("raw_tp/xdp_redirect")
int BPF_PROG(xdp_redirect, struct net_device *dev, struct bpf_prog *prog, void *tgt, int err,
	int map_type)
{
	struct xdp_slot *s;

	if (map_type != BPF_MAP_TYPE_XSKMAP || !target.enabled || !our_xsk(tgt))
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->redirects++;
	if (BPF_CORE_READ((struct xdp_sock *)tgt, zc)) {
		s->zero_copy++;
		return 0;
	}
	long bytes = produced_bytes(tgt);
	if (bytes < 0)
		s->unread++;
	else
		s->bytes += bytes;
	return 0;
}

/* __xsk_rcv refuses frames that are too long (ENOSPC), allocates a buffer (ENOMEM if there is
 * none), copies, and only then reserves a descriptor (ENOBUFS, since 5.19). */
SEC("raw_tp/xdp_redirect_err")
int BPF_PROG(xdp_redirect_err, struct net_device *dev, struct bpf_prog *prog, void *tgt, int err,
	int map_type)
{
	struct xdp_slot *s;

	if (map_type != BPF_MAP_TYPE_XSKMAP || !target.enabled || !tgt || !our_xsk(tgt))
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->refused++;
	if (err == -ENOBUFS && !BPF_CORE_READ((struct xdp_sock *)tgt, zc))
		s->refused_full++;
	return 0;
}

static __always_inline bool made_hidden_copy(__u64 from)
{
	for (int i = 0; i < TRACE_COWS; i++)
		if (from >= target.cow[i].start && from < target.cow[i].end)
			return true;
	return false;
}

/* The old skb is consumed once its data has been copied into new pages. */
SEC("tp_btf/consume_skb")
int BPF_PROG(consume_skb, struct sk_buff *skb, void *location)
{
	struct xdp_slot *s;

	if (!made_hidden_copy((__u64)location) || !target.enabled)
		return 0;
	if (!skb->dev || !is_our_device(skb->dev))
		return 0;
	s = slot();
	if (!s)
		return 0;
	s->cow++;
	s->cow_bytes += skb->len;
	return 0;
}

static __always_inline bool is_cloned(struct sk_buff *skb)
{
	struct skb_shared_info *info = (void *)(skb->head + skb->end);

	return BPF_CORE_READ_BITFIELD(skb, cloned) &&
	       (BPF_CORE_READ(info, dataref.counter) & DATAREF_MASK) != 1;
}

/* Before generic mode runs. Its rule (netif_receive_generic_xdp in net/core/dev.c): a frame that is
 * cloned, nonlinear or short of headroom is copied: by skb_pp_cow_data if the program supports
 * frags (6.9), else by pskb_expand_head, which has no tracepoint. */
SEC("tp_btf/netif_receive_skb")
int BPF_PROG(netif_receive_skb, struct sk_buff *skb)
{
	struct net_device *dev = skb->dev;
	struct xdp_slot *s;

	if (!target.enabled || !dev || !dev->xdp_prog || !is_our_device(dev))
		return 0;
	s = slot();
	if (!s)
		return 0;
	bool frags = dev->xdp_prog->aux->xdp_has_frags;
	/* Read, not loaded: the verifier of 7.2 types a loaded one as pointer, and rejects
	 * arithmetic. */
	__u64 head = (__u64)BPF_CORE_READ(skb, head), data = (__u64)BPF_CORE_READ(skb, data);
	__u64 mac = head + skb->mac_header;
	s->generic++;
	s->generic_plain += !frags;
	if (!is_cloned(skb) && !skb->data_len && mac - head >= XDP_PACKET_HEADROOM)
		return 0;
	__u64 len = skb->len + (data - mac);
	if (frags) {
		s->cow_expected++;
		s->cow_expected_bytes += len;
		return 0;
	}
	s->expanded++;
	s->expanded_bytes += len;
	return 0;
}
