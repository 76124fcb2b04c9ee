/* SPDX-License-Identifier: BSD-2-Clause
 * The receive loop that measures every path: receive a burst, read the clock once, touch, release.
 * Runs on the calling thread, which must own the queues.
 */
#ifndef BENCH_LOOPS_RECEIVER_H
#define BENCH_LOOPS_RECEIVER_H

#include "bench/traffic/sender.h"
#include "core/histogram.h"
#include <shunt/shunt.h>

struct bench_receiver {
	struct shunt_dev *dev;
	struct bench_sender
		*sender;      /* the run ends once all its frames arrived; NULL: at the deadline */
	uint64_t expected;    /* frames that the sender will send; 0 = unknown */
	uint64_t duration_ns; /* without a sender; 0 = until *stop */
	uint64_t packets;     /* without a sender: end after that many; 0 = no limit */
	const volatile bool *stop;  /* ends the run early; may be NULL */
	struct shunt_hist *latency; /* of timestamped frames (flood.h); may be NULL */
	bool touch;                 /* read a byte of every packet, as an application would */
	struct shunt_queue *out;    /* a writer that also gets all packets; may be NULL */
	/* About once per second; may be NULL. */
	void (*tick)(void *ctx, uint64_t now, uint64_t delivered);
	void *ctx;

	/* Results. */
	uint64_t delivered, bytes;
	uint64_t elapsed_ns; /* start to the last packet */
	uint64_t cpu_ns;     /* of this thread over elapsed_ns, softirq in it included */
	uint64_t busy_ns;    /* wall time of bursts with packets, their processing included */
	uint64_t written;    /* packets that out took */
	int error;           /* what ended it early: -ENETDOWN, -ENODEV, the writer's error; or 0 */
	bool writer_failed;  /* the error is that of out */
	unsigned sum;        /* of the touched bytes, so that the compiler keeps the loads */
};

/* Receive until done. */
void bench_receive(struct bench_receiver *r);
/* After shunt_stop: receive all queued packets. */
void bench_drain(struct bench_receiver *r);

#endif
