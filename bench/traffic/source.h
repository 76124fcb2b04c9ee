/* SPDX-License-Identifier: BSD-2-Clause
 * The frames of a capture file as a workload, in bounded memory. due_ns follows the file's own
 * clock, speed times as fast: a step back counts 0, a gap counts 1 s at most.
 */
#ifndef BENCH_TRAFFIC_SOURCE_H
#define BENCH_TRAFFIC_SOURCE_H

#include <shunt/flood.h>

/* Ethernet only. Usage errors as of capture_file_open. */
int shunt_pcap_source_open(
	struct shunt_source **source, const char *path, double speed, struct shunt_err *err);
/* Why next returned an error: fills err and returns the code; 0 when it did not. */
int shunt_pcap_source_error(const struct shunt_source *source, struct shunt_err *err);
void shunt_pcap_source_close(struct shunt_source *source);

#endif
