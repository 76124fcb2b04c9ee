/* SPDX-License-Identifier: BSD-2-Clause
 * shunt lab, shunt lab-exec.
 */
#include "bench/lab/lab.h"
#include "apps/options.h"
#include "apps/verbs.h"

#include <string.h>

const char app_lab_usage[] =
	"[--queues N] [--gro] [-- COMMAND...]\n"
	"  Creates two private network namespaces joined by a veth pair, near0 "
	"and far0, and runs COMMAND,\n"
	"  or your shell, in that of near0. All of it is removed when the "
	"command ends or shunt is killed.\n"
	"  --queues N   receive and transmit queues of each end (1)\n"
	"  --gro        enable GRO, as on a stock system";
const char app_lab_exec_usage[] = "-- COMMAND...\n"
				  "  Inside a lab: runs COMMAND, or your shell, in the namespace "
				  "of far0. Returns its exit status.";

int app_lab(int argc, char **argv)
{
	struct bench_lab_opts opts = {.queues = 1};
	struct shunt_err err = {.code = 0};
	const struct app_option options[] = {{"queues", APP_U32, &opts.queues, 1, 16, "1 to 16"},
		{"gro", APP_FLAG, &opts.merge}, {0}};
	int rc = app_options(app_verb("lab"), argc, argv, options, false);

	if (rc)
		return rc;
	rc = bench_lab_run(argv + optind, &opts, &err);
	return rc < 0 ? app_fail(&err) : rc;
}

int app_lab_exec(int argc, char **argv)
{
	struct shunt_err err = {.code = 0};

	if (argc > 1 && argv[1][0] == '-' && strcmp(argv[1], "--"))
		return app_usage(app_verb("lab-exec"), "unknown option '%.40s'", argv[1]);
	bench_lab_exec_far(argv + (argc > 1 && !strcmp(argv[1], "--") ? 2 : 1), &err);
	return app_fail(&err);
}
