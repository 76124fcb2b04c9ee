/* SPDX-License-Identifier: BSD-2-Clause
 * What the files of the tracer share.
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
	bool functions; /* level F is asked for */
	int f_kernel;   /* whether the kernel allows it: 1, or -1; 0: not tried yet */
	uint64_t started, elapsed;
	/* Who is traced, as it was asked for (ids of the caller's PID namespace). */
	struct shunt_identity ids[TRACE_QUEUES];
	struct trace_socket sockets[TRACE_QUEUES]; /* sk 0: not found */
	bool ring_read[TRACE_QUEUES];              /* its count was read to the end */
	uint64_t ring_packets[TRACE_QUEUES];       /* up to the last read */
	struct trace_target target;                /* copied to each object */
	char cow_reason[96];                       /* why hidden copies can't be told apart */
	struct trace_walk walk;
	struct trace_object objects[PARTS];
};

extern const struct trace_part shunt_part_softirq, shunt_part_sockets, shunt_part_xdp,
	shunt_part_functions, shunt_part_switches, shunt_part_syscalls;

/* Each fills its figures of counts. */
void shunt_trace_softirq(const struct shunt_tracer *t, struct shunt_trace_counts *c);
void shunt_trace_syscalls(const struct shunt_tracer *t, struct shunt_trace_counts *c);
void shunt_trace_switches(const struct shunt_tracer *t, struct shunt_trace_counts *c);
void shunt_trace_copies(const struct shunt_tracer *t, struct shunt_trace_counts *c);

/* Copies by kind of queue; copies and bytes are what was found for the queues of that kind. */
void shunt_trace_packet_copies(const struct shunt_tracer *t, enum shunt_kind kind,
	struct shunt_metric *copies, struct shunt_metric *bytes);
void shunt_trace_udp_copies(
	const struct shunt_tracer *t, struct shunt_metric *copies, struct shunt_metric *bytes);
void shunt_trace_ring_copies(
	const struct shunt_tracer *t, struct shunt_metric *copies, struct shunt_metric *bytes);
void shunt_trace_xsk_copies(
	const struct shunt_tracer *t, struct shunt_metric *copies, struct shunt_metric *bytes);
void shunt_trace_hidden_copies(
	const struct shunt_tracer *t, struct shunt_metric *copies, struct shunt_metric *bytes);
void shunt_trace_wasted_copies(const struct shunt_tracer *t, struct shunt_metric *copies);

/* Copies that a probe counted. */
struct trace_count {
	const char *why; /* NULL, or why there is no such probe */
	uint64_t copies, bytes;
	char source[80];
};
/* The function probes' counts: of what queues of a kind received, and of what AF_XDP sockets sent.
 */
struct trace_count shunt_trace_function_copies(const struct shunt_tracer *t, enum shunt_kind kind);
struct trace_count shunt_trace_function_sends(const struct shunt_tracer *t);
/* Two probes on the same copies: the function's, if both say the same or it is alone; else the
 * tracepoint's, which knows packets, and its source says what the other counted. */
struct trace_count shunt_trace_choose(
	const struct trace_count *point, const struct trace_count *function);
bool shunt_trace_allows_functions(const struct btf *btf);

bool shunt_trace_has(const struct shunt_tracer *t, enum shunt_kind kind);
/* NULL if the probe works; else why not. */
const char *shunt_trace_why_not(const struct shunt_tracer *t, int part, const char *event);

#endif
