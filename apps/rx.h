/* SPDX-License-Identifier: BSD-2-Clause
 * The result of `shunt rx`, and its two formats.
 */
#ifndef APPS_RX_H
#define APPS_RX_H

#include "bench/compare/pass.h"

#include <jansson.h>
#include <stdio.h>

struct rx_run {
	struct bench_result result; /* its trace only with --trace */
	struct shunt_err failed;    /* code 0: nothing went wrong */
	const char *pcap;           /* file that was written, or NULL */
	uint64_t written;
};

void rx_text(FILE *out, const struct rx_run *run);
json_t *rx_json(const struct rx_run *run);

#endif
