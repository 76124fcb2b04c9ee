/* SPDX-License-Identifier: BSD-2-Clause
 * Shared by the files of the tracer.
 */
#ifndef TRACING_PRIVATE_H
#define TRACING_PRIVATE_H

#include "tracing/object.h"
#include "tracing/tracer.h"
#include "tracing/walk.h"

enum { PART_SOFTIRQ, PART_SOCKETS, PART_XDP, PART_FUNCTIONS, PART_SWITCHES, PART_SYSCALLS, PARTS };

struct shunt_tracer {
	unsigned what;
	bool running;
	bool functions; /* level F is requested */
	int f_kernel;   /* whether the kernel allows it: 1 yes, -1 no, 0 not tried yet */
	uint64_t started, elapsed;
	/* The queues as requested (ids of the caller's PID namespace). */
	struct shunt_identity ids[TRACE_QUEUES];
	struct trace_socket sockets[TRACE_QUEUES]; /* sk 0: not found */
	bool ring_read[TRACE_QUEUES];              /* its last count could be read */
	uint64_t ring_packets[TRACE_QUEUES];       /* up to the last read */
	struct trace_target target;                /* copied to each object */
	char cow_reason[96];                       /* why hidden copies cannot be counted */
	struct trace_walk walk;
	struct trace_object objects[PARTS];
};

extern const struct trace_part shunt_part_softirq, shunt_part_sockets, shunt_part_xdp,
	shunt_part_functions, shunt_part_switches, shunt_part_syscalls;

/* Each fills in its metrics. */
void shunt_trace_softirq(const struct shunt_tracer *t, struct shunt_trace_counts *c);
void shunt_trace_syscalls(const struct shunt_tracer *t, struct shunt_trace_counts *c);
void shunt_trace_switches(const struct shunt_tracer *t, struct shunt_trace_counts *c);
void shunt_trace_copies(const struct shunt_tracer *t, struct shunt_trace_counts *c);

struct trace_copies {
	struct shunt_metric copies, bytes;
};
struct trace_copies shunt_trace_measured(uint64_t copies, uint64_t bytes, const char *source);
struct trace_copies shunt_trace_unavailable(const char *why);
/* Both are lower bounds, for the reason "what: why". */
void shunt_trace_lower(struct trace_copies *c, const char *what, const char *why);

/* By kind of queue. */
struct trace_copies shunt_trace_packet_copies(const struct shunt_tracer *t, enum shunt_kind kind);
struct trace_copies shunt_trace_udp_copies(const struct shunt_tracer *t);
struct trace_copies shunt_trace_ring_copies(const struct shunt_tracer *t);
struct trace_copies shunt_trace_xsk_copies(const struct shunt_tracer *t);
struct trace_copies shunt_trace_hidden_copies(const struct shunt_tracer *t);
struct shunt_metric shunt_trace_wasted_copies(const struct shunt_tracer *t);

/* Copies counted by one probe. */
struct trace_count {
	const char *why; /* NULL, or why there is no such probe */
	uint64_t copies, bytes;
	char source[80];
};
/* Counts of the function probes: packets received by queues of a kind, or sent by AF_XDP sockets.
 */
struct trace_count shunt_trace_function_copies(const struct shunt_tracer *t, enum shunt_kind kind);
struct trace_count shunt_trace_function_sends(const struct shunt_tracer *t);
/* One of two counts of the same copies: that of the function probe if they agree, or if there is no
 * other; else that of the tracepoint, which counts packets. Its source names the other count. */
struct trace_count shunt_trace_choose(
	const struct trace_count *point, const struct trace_count *function);
bool shunt_trace_allows_functions(const struct btf *btf);

bool shunt_trace_has(const struct shunt_tracer *t, enum shunt_kind kind);
/* NULL if the probe is attached; else the reason. */
const char *shunt_trace_why_not(const struct shunt_tracer *t, int part, const char *event);

#endif
