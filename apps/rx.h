/* SPDX-License-Identifier: BSD-2-Clause
 * The result of `shunt rx`, and its two formats.
 */
#ifndef APPS_RX_H
#define APPS_RX_H

#include "bench/loops/watch.h"

#include <jansson.h>
#include <stdio.h>

struct rx_run {
	uint64_t elapsed_ns, cpu_ns, busy_ns;
	struct shunt_info info;
	struct shunt_qstats stats;
	struct shunt_ledger ledger;
	struct bench_trace trace;
	struct shunt_err failed; /* code 0: nothing went wrong */
	const char *pcap;        /* file that was written, or NULL */
	uint64_t written;
};

void rx_text(FILE *out, const struct rx_run *run);
json_t *rx_json(const struct rx_run *run);

#endif
