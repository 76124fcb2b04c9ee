/* SPDX-License-Identifier: BSD-2-Clause
 * One pass: open a receive device, attach the probes of this kind of pass, send exactly the
 * workload, receive, drain, read the ledger. The calling thread is the application's.
 */
#ifndef BENCH_COMPARE_PASS_H
#define BENCH_COMPARE_PASS_H

#include "bench/lab/machine.h"
#include "bench/lab/wire.h"
#include "bench/loops/watch.h"
#include "bench/traffic/sender.h"
#include "core/histogram.h"

enum bench_pass_kind {
	BENCH_RATE,  /* no probes, at the requested rate */
	BENCH_PACE,  /* no probes, paced: latency, where the rate is max */
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
	uint64_t frames;                 /* that the flood will send, 0 = unknown */
	uint64_t duration_ns;
	struct bench_cores cores;
	const volatile bool *stop;
	struct shunt_hist *latency; /* records latency; may be NULL */
	struct bench_watch *
		*watch; /* of traced passes: reused by the next one, the caller closes it */
};

struct bench_result {
	uint64_t offered, sent, delivered, unsendable, bytes;
	uint64_t window;     /* delivered while the tracer and the clocks ran: before the drain */
	uint64_t elapsed_ns; /* first to last packet at the receiver */
	uint64_t app_cpu_ns; /* receiving thread, softirq in it included */
	uint64_t busy_ns;    /* bursts that returned packets */
	struct shunt_ledger ledger;
	uint64_t before_device; /* sent, and not counted by the device */
	bool card_known;        /* card is valid: a NIC under a kernel driver was under test */
	struct bench_card_counts card;
	struct shunt_flood_result flood;
	struct bench_trace trace;
	struct shunt_qstats stats; /* summed over queues */
	struct shunt_info info;
	struct shunt_identity id;                         /* of queue 0 */
	double app_share, generator_share, softirq_share; /* of a core, 0..1 */
};

/* -errno: the device could not be opened or failed during the pass. */
int bench_pass_run(
	const struct bench_pass *pass, struct bench_result *result, struct shunt_err *err);

/* Packets sent and not delivered. */
uint64_t bench_lost(const struct bench_result *result);
#endif
