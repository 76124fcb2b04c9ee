/* SPDX-License-Identifier: BSD-2-Clause
 * The frames of a capture file as a workload, in bounded memory. due_ns follows the file's
 * timestamps, speed times as fast: a backward step counts as 0, a gap as at most 1 s.
 */
#ifndef BENCH_TRAFFIC_SOURCE_H
#define BENCH_TRAFFIC_SOURCE_H

#include <shunt/flood.h>

/* Ethernet only. Usage errors are those of capture_file_open. */
int bench_source_open(
	struct shunt_source **source, const char *path, double speed, struct shunt_err *err);
/* The error that next returned: fills err and returns its code; 0 when there was none. */
int bench_source_error(const struct shunt_source *source, struct shunt_err *err);
void bench_source_close(struct shunt_source *source);

#endif
