/* SPDX-License-Identifier: BSD-2-Clause
 * The result of `shunt fwd`, and its two formats.
 */
#ifndef APPS_FWD_H
#define APPS_FWD_H

#include "bench/loops/forward.h"

#include <jansson.h>
#include <stdio.h>

struct fwd_side {
	struct shunt_info info;
	struct shunt_qstats stats;
	struct shunt_ledger ledger;  /* of the device */
	struct shunt_ledger forward; /* of the packets that it received: where they went */
};

struct fwd_run {
	struct bench_forward f;
	struct fwd_side side[2];
	char memory[400]; /* which memory the packets were in, and why; a sentence */
	bool shared;
	struct shunt_err failed; /* code 0: nothing went wrong */
};

void fwd_text(FILE *out, const struct fwd_run *run);
json_t *fwd_json(const struct fwd_run *run);

#endif
