/* SPDX-License-Identifier: BSD-2-Clause
 * Observe what a run costs in the kernel: system calls, copies, softirq time, context switches.
 * A tracer knows no driver: it is given identities (include/shunt/trace.h) of queues and threads.
 * One thread at a time; nothing is attached before shunt_tracer_start, nothing after stop.
 */
#ifndef TRACING_TRACER_H
#define TRACING_TRACER_H

#include "core/metric.h"
#include <shunt/err.h>
#include <shunt/trace.h>

enum shunt_trace_what {
	SHUNT_TRACE_SOFTIRQ = 1,  /* softirq_entry, softirq_exit, napi_poll: the cost pass */
	SHUNT_TRACE_SYSCALLS = 2, /* raw sys_enter, sys_exit of the traced threads */
	SHUNT_TRACE_COPIES = 4,   /* per event where a probe exists, by state where not */
	SHUNT_TRACE_SWITCHES = 8, /* sched_switch away from the traced threads */
	SHUNT_TRACE_ALL = 15,
};

/* What this kernel lets a tracer do; measuring levels are explained in docs/tracing.md. */
enum shunt_trace_level { SHUNT_LEVEL_NONE, SHUNT_LEVEL_T, SHUNT_LEVEL_K, SHUNT_LEVEL_F };

/* Here, so that a report can be printed by a shunt that is built without its tracer. */
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
	/* SHUNT_LEVEL_T: probes on tracepoints only, to compare with. 0: all that there is. */
	enum shunt_trace_level most;
};

#define SHUNT_NSYSCALLS 512

struct shunt_trace_counts {
	uint64_t elapsed_ns; /* start to read, or to stop */

	/* App threads only. by_nr is indexed by x86-64 system call number. */
	struct shunt_metric syscalls;
	uint64_t by_nr[SHUNT_NSYSCALLS];

	/* Payload copies made by this kernel for the queues; hidden ones (a device's own copy of
	 * the frame, skb_pp_cow_data) are included in copies and given apart, too. Copied for
	 * nothing: made and then refused by a full ring. */
	struct shunt_metric copies, copied_bytes, hidden_copies, wasted_copies;

	/* NET_RX softirq. ours = all NET_RX time less NAPI polls of other devices; a softirq that
	 * polled other devices only is theirs. */
	struct shunt_metric softirq_ns;              /* ours, wherever it ran */
	struct shunt_metric softirq_in_app_ns;       /* the part inside app threads' CPU time */
	struct shunt_metric softirq_in_generator_ns; /* the part inside generator threads' */
	struct shunt_metric softirq_elsewhere_ns;    /* idle task, ksoftirqd, bystanders */
	struct shunt_metric softirq_other_ns;        /* polls of other devices: left out of ours */
	uint64_t napi_polls, napi_work;              /* of our devices */
	uint64_t napi_polls_in_app; /* busy-poll: polls that ran in the app thread */

	struct shunt_metric switches; /* context switches away from app threads */
	uint64_t switches_voluntary, switches_involuntary;

	uint64_t missed; /* events that a probe could not record: map full, recursion */
};

struct shunt_tracer;

/* Load what is asked for. A probe that this kernel lacks makes its figure unavailable, never the
 * whole tracer; only when nothing at all can be loaded (no BPF, no permission) is this an error:
 * -EPERM, -ENOTSUP. */
int shunt_tracer_open(
	struct shunt_tracer **tracer, const struct shunt_trace_opts *opts, struct shunt_err *err);
/* Trace others, with what is loaded; a stopped tracer only (-EBUSY). Far cheaper than close and
 * open, which load BPF programs. opts->what may ask for more than at open: that is loaded now. */
int shunt_tracer_retarget(
	struct shunt_tracer *tracer, const struct shunt_trace_opts *opts, struct shunt_err *err);
int shunt_tracer_start(struct shunt_tracer *tracer, struct shunt_err *err); /* zero and attach */
int shunt_tracer_stop(struct shunt_tracer *tracer, struct shunt_err *err);  /* detach, keep */
int shunt_tracer_read(
	struct shunt_tracer *tracer, struct shunt_trace_counts *counts, struct shunt_err *err);
void shunt_tracer_close(struct shunt_tracer *tracer);

/* Which probes a tracer uses, for reports and for the self-tests that bench drives. */
struct shunt_probe_info {
	const char *name;   /* "tp_btf/xdp_redirect" */
	const char *counts; /* "copies into AF_XDP sockets" */
	bool attached;
	uint64_t hits;    /* recorded since start, for the traced queues or threads */
	char reason[160]; /* why it is not attached */
};
#define SHUNT_PROBES_MAX 32
unsigned shunt_tracer_probes(
	struct shunt_tracer *tracer, struct shunt_probe_info *probes, unsigned most);

/* The best level that this kernel allows, found by trying; and the one that a tracer used when it
 * was last started: F if it had a program at a function. */
enum shunt_trace_level shunt_trace_level(void);
enum shunt_trace_level shunt_tracer_level(const struct shunt_tracer *tracer);
/* What can't be seen at this level, and why: "the time of a copy: ...". */
const char *shunt_trace_level_gap(enum shunt_trace_level level);

/* What the probes of `what` cost per hit, ns, by interleaved thread-CPU loops with and without;
 * unavailable with the reason where noise exceeds the effect. Takes about a second. */
struct shunt_metric shunt_trace_probe_cost(unsigned what);
/* CPU ns of a null system call (getppid) on this machine, untraced. */
struct shunt_metric shunt_null_syscall(void);

#endif
