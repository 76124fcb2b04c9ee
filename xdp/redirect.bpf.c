// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* Two programs, of which one is loaded: one redirects frames to the AF_XDP socket of their receive
 * queue, the other drops them (the upper bound of a comparison). Both count every frame and do as
 * little else as possible, since every packet pays for it.
 * Per-CPU counters: no other XDP program preempts one on its CPU.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "xdp/redirect_count.h"

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, REDIRECT_QUEUES);
	__type(key, __u32);
	__type(value, __u32);
} sockets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct redirect_count);
} counts SEC(".maps");

/* Frames that the drop program dropped, by queue: counted separately from `counts`. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, REDIRECT_QUEUES);
	__type(key, __u32);
	__type(value, __u64);
} dropped SEC(".maps");

volatile __u32 ended; /* the sockets are being taken away: what finds none came after the end */
const volatile __u64 covered = ~0ull; /* queues whose frames are dropped; bit i = queue i */

SEC("xdp.frags")
int shunt_redirect(struct xdp_md *ctx)
{
	struct redirect_count *c = bpf_map_lookup_elem(&counts, &(__u32){0});

	if (!c) /* for the verifier: entry 0 is always there */
		return XDP_PASS;
	c->seen++;
	/* The helper returns XDP_PASS if the map has no socket for the queue. */
	int verdict = bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_PASS);
	if (verdict == XDP_PASS && ended)
		c->seen--;
	else if (verdict == XDP_PASS)
		c->passed++;
	return verdict;
}

SEC("xdp.frags")
int shunt_drop(struct xdp_md *ctx)
{
	__u32 queue = ctx->rx_queue_index;
	struct redirect_count *c = bpf_map_lookup_elem(&counts, &(__u32){0});

	if (!c)
		return XDP_PASS;
	c->seen++;
	__u64 *n = bpf_map_lookup_elem(&dropped, &queue);
	if (!n || !(covered >> queue & 1)) {
		c->passed++;
		return XDP_PASS;
	}
	++*n;
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
