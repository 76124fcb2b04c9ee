/* SPDX-License-Identifier: BSD-2-Clause
 * What `shunt rx` found, and the two ways to say it.
 */
#ifndef APPS_RX_H
#define APPS_RX_H

#include "bench/compare/pass.h"

#include <jansson.h>
#include <stdio.h>

struct rx_run {
	struct bench_result result; /* trace only when traced */
	struct shunt_err failed;    /* code 0: nothing went wrong */
	const char *pcap;           /* file that was written, or NULL */
	uint64_t written;
};

void rx_text(FILE *out, const struct rx_run *run);
json_t *rx_json(const struct rx_run *run);

#endif
