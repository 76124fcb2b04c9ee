/* SPDX-License-Identifier: BSD-2-Clause
 * What a pass sends: synthetic frames, or a capture file once from its start.
 */
#ifndef BENCH_TRAFFIC_WORKLOAD_H
#define BENCH_TRAFFIC_WORKLOAD_H

#include <shunt/flood.h>

struct bench_workload {
	struct shunt_frame *frames; /* synthetic templates */
	unsigned nframes;
	uint32_t size, flows;
	const char *capture; /* file, NULL for synthetic */
	double speed;        /* times the capture's own timing; 0: paced by pps */
	/* Of a capture, counted once at the start. */
	uint64_t capture_frames, capture_bytes, capture_unsendable;
};

int bench_workload_synthetic(
	struct bench_workload *w, uint32_t size, uint32_t flows, struct shunt_err *err);
/* Reads the file once: a malformed one is a usage error here, before a lab is built. */
int bench_workload_capture(struct bench_workload *w, const char *file, double speed,
	uint32_t max_frame, struct shunt_err *err);
void bench_workload_free(struct bench_workload *w);

/* A flood of this workload: frames at pps (0: max), or the whole capture from its start, which
 * bench_workload_end closes again. */
int bench_workload_begin(struct bench_workload *w, struct shunt_flood *flood, uint64_t frames,
	double pps, struct shunt_err *err);
void bench_workload_end(struct shunt_flood *flood);

#endif
