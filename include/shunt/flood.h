/* SPDX-License-Identifier: BSD-2-Clause
 * Send a workload: so many frames, at such a pace, from templates or from a source that is read
 * in bounded memory. A driver that has a better way than alloc and tx in a loop (xdpgen: the kernel
 * makes the frames) takes over; the caller sees the same result. Runs on the queue's thread until
 * done, stopped or refused.
 */
#ifndef SHUNT_FLOOD_H
#define SHUNT_FLOOD_H

#include <shunt/queue.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shunt_frame {
	const void *data;
	uint32_t len;    /* bytes, no FCS */
	uint64_t due_ns; /* since the first frame; used when pps is 0 and timed is set */
};

/* Where frames come from, in order. next fills up to n frames and returns how many, 0 at the end
 * or -errno; they stay valid until the next call. */
struct shunt_source {
	int (*next)(struct shunt_source *src, struct shunt_frame *frames, unsigned n);
};

/* Synthetic frames carry, from byte SHUNT_STAMP_AT, two little-endian u64: sequence number from 0,
 * and CLOCK_MONOTONIC in ns when the frame was made. 60-byte UDP frames have just the room. */
#define SHUNT_STAMP_AT 42u

struct shunt_flood {
	const struct shunt_frame *frames; /* templates, sent round and round; or NULL with source */
	unsigned nframes;
	struct shunt_source *source; /* sent once, to its end */
	uint64_t packets;            /* how many; 0 = until the source ends or *stop */
	double pps;                  /* frames per second; 0 = as fast as possible */
	bool timed;                  /* keep each frame's due_ns instead of pps */
	bool stamp;                  /* write sequence and time into each frame; templates only */
	const volatile bool *stop;   /* NULL or ends the run early; atomic store from a thread */
};

struct shunt_flood_result {
	uint64_t sent; /* frames that the device really passed on */
	uint64_t sent_bytes;
	uint64_t unsendable;  /* frames longer than the device takes: never offered */
	uint64_t refused;     /* offered and then dropped on the sending side */
	uint64_t elapsed_ns;  /* first to last frame */
	uint64_t cpu_ns;      /* CPU time of this thread, softirq that ran in it included */
	uint64_t max_late_ns; /* worst delay behind a frame's deadline; 0 when not paced */
	unsigned batch;       /* frames per call or burst */
	double asked_pps, sent_pps;
};

/* 0, -errno with err; result is filled in both cases. -EINTR when a signal or *stop ended it.
 * Thread: queue; it transmits, so that stop waits for its end. */
SHUNT_API int shunt_flood(struct shunt_queue *q, const struct shunt_flood *flood,
	struct shunt_flood_result *result, struct shunt_err *err);

#ifdef __cplusplus
}
#endif
#endif
