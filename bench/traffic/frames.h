/* SPDX-License-Identifier: BSD-2-Clause
 * Synthetic frames: UDP over IPv4 to another host, one template per flow. Flows differ in source
 * port.
 */
#ifndef BENCH_TRAFFIC_FRAMES_H
#define BENCH_TRAFFIC_FRAMES_H

#include <shunt/err.h>
#include <shunt/flood.h>

#define BENCH_FRAME_MIN 60u /* 64 bytes on the wire, less the FCS */
#define BENCH_FRAME_MAX 1514u

/* One allocation with `flows` templates of size bytes: free(*frames) frees it all. -EINVAL (usage)
 * for a size out of range, or 0 or more than 16384 flows. */
int bench_frames_make(
	struct shunt_frame **frames, uint32_t size, uint32_t flows, struct shunt_err *err);

#endif
