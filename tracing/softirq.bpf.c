// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* NET_RX softirq time, split at each NAPI poll and attributed to the polled device.
 * Runs with bottom halves disabled, so a CPU's slot has one writer at a time. In softirq the
 * current task is the interrupted one: it tells whose CPU time is used, not whose packet it is. */
#include "tracing/probe.bpf.h"

SLOTS(struct softirq_slot);

#define NET_RX_SOFTIRQ 3

enum { POLLED_OURS = 1, POLLED_OTHER = 2, POLLED_BACKLOG = 4 };

static __always_inline __u32 interrupted_role(void)
{
	return role_of((__u32)bpf_get_current_pid_tgid());
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry, unsigned int vector)
{
	struct softirq_slot *s = slot();

	if (vector != NET_RX_SOFTIRQ || !s || !target.enabled)
		return 0;
	s->entries++;
	s->role = interrupted_role();
	s->other = s->backlog = s->polled = 0;
	s->active = 1;
	s->entered = s->segment = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/napi_poll")
int BPF_PROG(napi_poll, struct napi_struct *napi, int work)
{
	struct softirq_slot *s = slot();
	struct net_device *dev = napi->dev;

	if (!s || !target.enabled)
		return 0;
	bool ours = dev && is_our_device(dev);
	if (ours) {
		s->polls++;
		s->work += work;
		if (!s->active && interrupted_role() == TRACE_APP)
			s->polls_in_app++;
	}
	if (!s->active)
		return 0;
	__u64 now = bpf_ktime_get_ns();
	if (!dev)
		s->backlog += now - s->segment;
	else if (!ours)
		s->other += now - s->segment;
	s->polled |= ours ? POLLED_OURS : dev ? POLLED_OTHER : POLLED_BACKLOG;
	s->segment = now;
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_exit, unsigned int vector)
{
	struct softirq_slot *s = slot();

	if (vector != NET_RX_SOFTIRQ || !s || !s->active)
		return 0;
	s->active = 0;
	__u32 role = s->role;
	if (!target.enabled || role >= TRACE_ROLES)
		return 0;
	s->exits++;
	/* Time outside of polls is ours, unless only other devices were polled. */
	__u64 rest = bpf_ktime_get_ns() - s->entered - s->other - s->backlog;
	if (s->polled & POLLED_OURS || !s->polled)
		s->ours_ns[role] += rest;
	else if (s->polled & POLLED_BACKLOG)
		s->backlog += rest;
	else
		s->other += rest;
	s->backlog_ns[role] += s->backlog;
	s->other_ns += s->other;
	return 0;
}

/* Frames without NAPI go through the backlog, which has no device: theirs is known only here. */
SEC("tp_btf/netif_rx")
int BPF_PROG(netif_rx, struct sk_buff *skb)
{
	struct softirq_slot *s = slot();

	if (!s || !target.enabled)
		return 0;
	s->backlog_frames++;
	if (skb->dev && is_our_device(skb->dev))
		s->backlog_ours++;
	return 0;
}
