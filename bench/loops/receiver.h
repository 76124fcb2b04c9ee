/* SPDX-License-Identifier: BSD-2-Clause
 * The one receive loop that every path is measured with: burst, one clock read, touch, release.
 * Runs on the calling thread, which must own the queues.
 */
#ifndef BENCH_LOOPS_RECEIVER_H
#define BENCH_LOOPS_RECEIVER_H

#include "bench/traffic/sender.h"
#include "core/histogram.h"
#include <shunt/shunt.h>

struct bench_receiver {
	struct shunt_dev *dev;
	struct bench_sender *sender; /* ends when all that it sent is here; NULL: at the deadline */
	uint64_t expected;           /* frames that the sender means to send; 0 = not known */
	uint64_t duration_ns;        /* without a sender; 0 = until *stop */
	uint64_t packets;            /* without a sender: end after so many; 0 = no limit */
	const volatile bool *stop;   /* NULL or ends the run early */
	struct shunt_hist *latency;  /* NULL, or frames are stamped: see flood.h */
	bool touch;                  /* read a byte of every packet, as whoever uses it would */
	struct shunt_queue *out;     /* NULL, or received packets are sent there, too (a writer) */
	void (*tick)(
		void *ctx, uint64_t now, uint64_t delivered); /* NULL, or about once a second */
	void *ctx;

	/* Results. */
	uint64_t delivered, bytes;
	uint64_t elapsed_ns; /* start to the last packet */
	uint64_t cpu_ns;     /* of this thread, start to the last packet: softirq in it included */
	uint64_t busy_ns;    /* wall time of bursts that brought something, processing included */
	uint64_t written;    /* packets that out took */
	int error;           /* what ended it early: -ENETDOWN, -ENODEV, the writer's error; or 0 */
	bool writer_failed;  /* it was out that could not go on */
	unsigned sum;        /* of the bytes touched, so that the touch is not optimised away */
};

/* Receive until done. */
void bench_receive(struct bench_receiver *r);
/* After shunt_stop: everything that is queued, to the last packet. */
void bench_drain(struct bench_receiver *r);

#endif
