/* SPDX-License-Identifier: BSD-2-Clause
 * One pass: open a receive device, start the tracer that the kind of pass asks for, send exactly
 * the workload, receive, drain, close the ledger. The calling thread is the application's.
 */
#ifndef BENCH_COMPARE_PASS_H
#define BENCH_COMPARE_PASS_H

#include "bench/lab/machine.h"
#include "bench/lab/wire.h"
#include "bench/loops/watch.h"
#include "bench/traffic/sender.h"
#include "core/histogram.h"

enum bench_pass_kind {
	BENCH_RATE,  /* nothing attached, at the rate asked for */
	BENCH_PACE,  /* nothing attached, paced: latency, where rate is max */
	BENCH_COST,  /* softirq probes only, paced */
	BENCH_COUNT, /* all probes, paced */
	BENCH_KINDS
};
extern const char *const bench_pass_names[BENCH_KINDS];

struct bench_pass {
	const char *spec; /* receive device */
	enum bench_pass_kind kind;
	struct bench_sender *sender;     /* NULL: the interface's own traffic, for duration_ns */
	const struct shunt_flood *flood; /* with a sender */
	uint64_t frames;                 /* that the flood will send, 0 = not known */
	uint64_t duration_ns;
	struct bench_cores cores;
	const volatile bool *stop;
	struct shunt_hist *latency; /* NULL or filled */
	struct bench_watch *
		*watch; /* for traced kinds: kept from pass to pass, the caller closes it */
};

struct bench_result {
	uint64_t offered, sent, delivered, unsendable, bytes;
	uint64_t window;     /* delivered while the tracer and the clocks ran: before the drain */
	uint64_t elapsed_ns; /* first to last packet at the receiver */
	uint64_t app_cpu_ns; /* receiving thread, softirq in it included */
	uint64_t busy_ns;    /* bursts that brought something */
	struct shunt_ledger ledger;
	uint64_t before_device; /* sent, and never seen by the device */
	bool card_known;        /* a card of the kernel's was under test, and told */
	struct bench_card_counts card;
	struct shunt_flood_result flood;
	struct bench_trace trace;
	struct shunt_qstats stats; /* summed over queues */
	struct shunt_info info;
	struct shunt_identity id;                         /* of queue 0 */
	double app_share, generator_share, softirq_share; /* of a core; ticks, 0..1 */
};

/* 0, or -errno: the device could not be opened or failed under way. */
int bench_pass_run(
	const struct bench_pass *pass, struct bench_result *result, struct shunt_err *err);

/* Packets that reached the application, or the end of the path where none is meant to. */
uint64_t bench_lost(const struct bench_result *result);
#endif
