/* SPDX-License-Identifier: BSD-2-Clause
 * Measures the cost of a run in the kernel: system calls, copies, softirq time, context switches.
 * A tracer knows no driver: it takes identities (include/shunt/trace.h) of queues and threads.
 * One thread at a time; probes are attached only between shunt_tracer_start and stop.
 */
#ifndef TRACING_TRACER_H
#define TRACING_TRACER_H

#include "core/metric.h"
#include <shunt/err.h>
#include <shunt/trace.h>

enum shunt_trace_what {
	SHUNT_TRACE_SOFTIRQ = 1,  /* softirq_entry, softirq_exit, napi_poll: the cost pass */
	SHUNT_TRACE_SYSCALLS = 2, /* raw sys_enter, sys_exit of the traced threads */
	SHUNT_TRACE_COPIES = 4,   /* by probes, or by counters where there is no probe */
	SHUNT_TRACE_SWITCHES = 8, /* sched_switch away from the traced threads */
	SHUNT_TRACE_ALL = 15,
};

/* What this kernel lets a tracer do; docs/tracing.md explains the levels. */
enum shunt_trace_level { SHUNT_LEVEL_NONE, SHUNT_LEVEL_T, SHUNT_LEVEL_K, SHUNT_LEVEL_F };

/* Inline, so that reports can be printed by a shunt that is built without its tracer. */
static inline const char *shunt_trace_level_name(enum shunt_trace_level level)
{
	static const char *const names[] = {"none", "T", "K", "F"};

	return names[level];
}

static inline const char *shunt_trace_level_means(enum shunt_trace_level level)
{
	static const char *const means[] = {"nothing", "tracepoints", "kprobes", "fentry"};

	return means[level];
}

struct shunt_trace_thread {
	pid_t pid, tid;
	enum { SHUNT_THREAD_APP, SHUNT_THREAD_GENERATOR } role;
};

struct shunt_trace_opts {
	unsigned what;
	const struct shunt_identity *queues;
	unsigned nqueues;
	const struct shunt_trace_thread *threads;
	unsigned nthreads;
	/* SHUNT_LEVEL_T: probes on tracepoints only, for comparison. 0: the best level. */
	enum shunt_trace_level most;
};

#define SHUNT_NSYSCALLS 512

struct shunt_trace_counts {
	uint64_t elapsed_ns; /* start to read, or to stop */

	/* App threads only. by_nr is indexed by x86-64 system call number. */
	struct shunt_metric syscalls;
	uint64_t by_nr[SHUNT_NSYSCALLS];

	/* Payload copies by this kernel for the queues. Hidden ones (a device's own copy of the
	 * frame, skb_pp_cow_data) are included in copies. Wasted ones were made before a full ring
	 * refused the packet, and are not included. */
	struct shunt_metric copies, copied_bytes, hidden_copies, wasted_copies;

	/* NET_RX softirq. ours = all NET_RX time except NAPI polls of other devices; a softirq that
	 * polled only other devices is theirs. */
	struct shunt_metric softirq_ns;              /* ours, wherever it ran */
	struct shunt_metric softirq_in_app_ns;       /* the part inside app threads' CPU time */
	struct shunt_metric softirq_in_generator_ns; /* the part inside generator threads' */
	struct shunt_metric softirq_elsewhere_ns;    /* idle task, ksoftirqd, other threads */
	struct shunt_metric softirq_other_ns;        /* polls of other devices: not in ours */
	uint64_t napi_polls, napi_work;              /* of our devices */
	uint64_t napi_polls_in_app; /* busy-poll: polls that ran in the app thread */

	struct shunt_metric switches; /* context switches away from app threads */
	uint64_t switches_voluntary, switches_involuntary;

	uint64_t missed; /* events that a probe could not record: map full, recursion */
};

struct shunt_tracer;

/* Load the requested probes. One that this kernel does not support makes its metric unavailable,
 * not the whole tracer; an error only if nothing can be loaded (no BPF, no permission): -EPERM,
 * -ENOTSUP. */
int shunt_tracer_open(
	struct shunt_tracer **tracer, const struct shunt_trace_opts *opts, struct shunt_err *err);
/* Trace other queues and threads with the loaded probes; a stopped tracer only (-EBUSY). Far
 * cheaper than close and open, which load BPF programs. Probes that opts->what adds are loaded now.
 */
int shunt_tracer_retarget(
	struct shunt_tracer *tracer, const struct shunt_trace_opts *opts, struct shunt_err *err);
int shunt_tracer_start(struct shunt_tracer *tracer, struct shunt_err *err); /* reset and attach */
int shunt_tracer_stop(struct shunt_tracer *tracer, struct shunt_err *err); /* detach, keep counts */
int shunt_tracer_read(
	struct shunt_tracer *tracer, struct shunt_trace_counts *counts, struct shunt_err *err);
void shunt_tracer_close(struct shunt_tracer *tracer);

/* The probes of a tracer, for reports and for the self-tests of bench. */
struct shunt_probe_info {
	const char *name;   /* "tp_btf/xdp_redirect" */
	const char *counts; /* "copies into AF_XDP sockets" */
	bool attached;
	uint64_t hits;    /* events since start, of the traced queues or threads */
	char reason[160]; /* why it is not attached */
};
#define SHUNT_PROBES_MAX 32
unsigned shunt_tracer_probes(
	struct shunt_tracer *tracer, struct shunt_probe_info *probes, unsigned most);

/* The best level that this kernel allows, found by trying; and the one that a tracer used at its
 * last start: F if a program was attached to a function. */
enum shunt_trace_level shunt_trace_level(void);
enum shunt_trace_level shunt_tracer_level(const struct shunt_tracer *tracer);
/* What is not visible at this level, and why: "the time of a copy: ...". */
const char *shunt_trace_level_gap(enum shunt_trace_level level);

/* The cost per hit of the probes of `what`, in ns of thread CPU time, from alternating loops with
 * and without them; unavailable with the reason where noise exceeds the effect. Takes about a
 * second. */
struct shunt_metric shunt_trace_probe_cost(unsigned what);
/* CPU ns of a null system call (getppid) on this machine, untraced. */
struct shunt_metric shunt_null_syscall(void);

#endif
