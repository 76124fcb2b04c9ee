// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* Live-frame generator. A test run with BPF_F_TEST_XDP_LIVE_FRAMES hands a page to this program
 * for every frame; the program fills it from a slot and redirects it to the interface. Pages are
 * recycled with whatever the receiver left in them, so each frame is written whole.
 */
#include "xdp/xdpgen.h"

#include <linux/bpf.h>
#include <stddef.h>

#include <bpf/bpf_helpers.h>

/* A turn reads the clock once (30 ns and more), and user space leaves less than 1 ms to spin. */
#define SPIN_TURNS 100000
#define SHORTEST   60

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, struct xdpgen_slot);
} slots SEC(".maps");

/* A device map, not an interface index: it is looked up in the namespace of whoever fills it, so
 * that a test run needs not be in the interface's; and it knows when the interface is gone. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} out SEC(".maps");

struct xdpgen_run run;

struct spin {
	__u64 due, now;
};

static long until_due(__u32 turn, struct spin *spin)
{
	(void)turn;
	spin->now = bpf_ktime_get_ns();
	return spin->now >= spin->due;
}

static __always_inline void step(struct xdpgen_run *r)
{
	__u64 frac = (__u64)r->due_frac + r->step_frac;

	r->due_frac = (__u32)frac;
	r->due_ns += r->step_ns + (frac >> 32);
}

static __always_inline void wait_for(struct xdpgen_run *r, const struct xdpgen_slot *slot)
{
	struct spin spin = {.due = 0};

	if (r->base_ns)
		spin.due = r->pace == XDPGEN_TIMED ? r->base_ns + slot->due_ns : r->due_ns;
	bpf_loop(SPIN_TURNS, until_due, &spin, 0);
	if (!r->base_ns) {
		r->base_ns = spin.now - (r->pace == XDPGEN_TIMED ? slot->due_ns : 0);
		r->due_ns = spin.now;
	} else if (spin.now - spin.due > r->max_late_ns && spin.now > spin.due) {
		r->max_late_ns = spin.now - spin.due;
	}
	step(r);
	r->now_ns = spin.now;
}

static __always_inline void stamp(struct xdp_md *ctx, const struct xdpgen_run *r)
{
	char *data = (char *)(long)ctx->data, *end = (char *)(long)ctx->data_end;

	if (data + XDPGEN_STAMP + 16 > end)
		return;
	/* Not aligned; x86 and arm64 do not mind. */
	*(volatile __u64 *)(data + XDPGEN_STAMP) = r->sent;
	*(volatile __u64 *)(data + XDPGEN_STAMP + 8) = r->now_ns;
}

/* The shortest Ethernet frame, by words: a call of a helper costs more. */
static __always_inline int fill_shortest(struct xdp_md *ctx, const struct xdpgen_slot *slot)
{
	char *data = (char *)(long)ctx->data, *end = (char *)(long)ctx->data_end;

	if (data + SHORTEST > end)
		return -1;
		/* For memcpy the compiler would copy bytes, since it knows no alignment. Slot data
		 * is aligned; x86 and arm64 do not mind where the packet's is. */
#pragma clang loop unroll(full)
	for (int i = 0; i < SHORTEST / 4; i++)
		((__u32 *)data)[i] = ((const __u32 *)slot->data)[i];
	return 0;
}

/* The frame gets the slot's length and bytes. The test run made it as long as the longest. */
static __always_inline int fill(struct xdp_md *ctx, const struct xdpgen_slot *slot)
{
	__u32 len = slot->len & (XDPGEN_SLOT - 1);
	int shrink = (int)len - (int)(ctx->data_end - ctx->data);

	/* The verifier must see the bounds on the register that the helper gets. */
	asm volatile("" : "+r"(len));
	if (len < XDPGEN_MIN || len > XDPGEN_FRAME)
		return -1;
	if (shrink && bpf_xdp_adjust_tail(ctx, shrink))
		return -1;
	if (len == SHORTEST)
		return fill_shortest(ctx, slot);
	return (int)bpf_xdp_store_bytes(ctx, 0, (void *)slot->data, len);
}

SEC("xdp")
int xdpgen(struct xdp_md *ctx)
{
	struct xdpgen_run *r = &run;
	__u32 at = r->at;
	struct xdpgen_slot *slot = bpf_map_lookup_elem(&slots, &at);

	if (!slot || fill(ctx, slot)) {
		r->refused++;
		return XDP_DROP;
	}
	if (r->pace != XDPGEN_MAX)
		wait_for(r, slot);
	else if (r->stamp && !(r->sent & r->clock_mask))
		r->now_ns = bpf_ktime_get_ns();
	if (r->stamp)
		stamp(ctx, r);
	r->at = slot->next;
	int act = bpf_redirect_map(&out, 0, XDP_DROP);
	if (act != XDP_REDIRECT) {
		r->gone++;
		return act;
	}
	r->bytes += slot->len;
	r->sent++;
	return act;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
