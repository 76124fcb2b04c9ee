/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
 * What the programs of an object share: its target, its slots, and who is traced. A tp_btf program
 * never runs twice at once on a CPU (the kernel counts a recursion miss instead), so a counter with
 * one program for a writer needs no atomic.
 */
#ifndef TRACING_PROBE_BPF_H
#define TRACING_PROBE_BPF_H

#include "tracing/kernel.h"
#include "tracing/shared.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Alone in .bss: the tracer maps that section as a struct trace_target. */
struct trace_target target;

/* An array that is mapped beats a per-CPU one: as cheap here, and read without system calls. */
#define SLOTS(slot_type)                                                                           \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                  \
		__uint(map_flags, BPF_F_MMAPABLE);                                                 \
		__uint(max_entries, 1); /* the tracer makes it one a CPU */                        \
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

/* A device of a traced queue. For pointers that the verifier trusts. */
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

#endif
