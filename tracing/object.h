/* SPDX-License-Identifier: BSD-2-Clause
 * A BPF object of probes: loaded once, attached and detached often, read without a system call.
 */
#ifndef TRACING_OBJECT_H
#define TRACING_OBJECT_H

#include "tracing/shared.h"

#include <bpf/libbpf.h>
#include <shunt/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_PROBES 6 /* programs per object */

struct btf;
struct shunt_tracer;

/* One program. */
struct trace_probe {
	const char *event;    /* tracepoint; the name of the program in the object */
	const char *function; /* to attach the program to; NULL: the tracepoint */
	const char *name;     /* for reports: "tp_btf/xdp_redirect" */
	const char *counts;   /* for reports */
	unsigned args;        /* least number of the tracepoint or function */
	size_t hits;          /* offset of its hit counter in a slot */
	unsigned kinds;       /* of queues that need it, bits 1 << kind; 0: always needed */
	bool generic;         /* of these, only queues in skb mode */
};

/* A program at a tracepoint: its hits are a field of the slot. */
#define TRACE_POINT(slot, field, event, counts, args, ...)                                         \
	{                                                                                          \
		event, NULL, "tp_btf/" event, counts, args, offsetof(struct slot, field),          \
			__VA_ARGS__                                                                \
	}
#define TRACE_KIND(kind) (1u << SHUNT_KIND_##kind)

/* One object, constant. */
struct trace_part {
	unsigned what; /* the bit of enum shunt_trace_what that requests it */
	const void *(*elf)(size_t *size);
	size_t slot_size;
	unsigned nprobes;
	struct trace_probe probes[TRACE_PROBES];
};

struct trace_loaded_probe {
	struct bpf_program *prog;
	struct bpf_link *link;
	bool wanted, able; /* able: loaded */
	bool used;         /* attached at the last start */
	uint64_t misses;   /* recursion misses at start; since start once stopped */
	char reason[160];
};

struct trace_object {
	const struct trace_part *part;
	struct bpf_object *obj; /* NULL until requested */
	struct trace_target *target;
	size_t target_len;
	char *slots;
	size_t slots_len;
	struct trace_loaded_probe probe[TRACE_PROBES];
};

/* btf is the kernel's, NULL if it has none. Programs that this kernel does not support are left
 * out, with the reason; an error only if none is left or the kernel refuses BPF altogether. */
int shunt_trace_load(struct trace_object *o, const struct trace_part *part, const struct btf *btf,
	struct shunt_err *err);
void shunt_trace_unload(struct trace_object *o);
/* A probe that loads but would count nothing. */
void shunt_trace_disable(struct trace_object *o, const char *event, const char *reason);
void shunt_trace_clear(struct trace_object *o); /* counts and state to 0 */
/* Attach what is wanted; one that fails is left out with the reason. */
void shunt_trace_attach(struct trace_object *o);
void shunt_trace_detach(struct trace_object *o);
void shunt_trace_enable(struct trace_object *o, bool on);

/* Sum over CPUs of the u64 at an offset of the slot. */
uint64_t shunt_trace_sum(const struct trace_object *o, size_t offset);
uint64_t shunt_trace_misses(const struct trace_object *o); /* since start */

#define TRACE_SUM(o, slot, field) shunt_trace_sum(o, offsetof(struct slot, field))

#endif
