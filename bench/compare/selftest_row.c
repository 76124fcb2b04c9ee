/* SPDX-License-Identifier: BSD-2-Clause
 * One row of the self-tests: expected and counted numbers, and the verdict.
 */
#include "bench/compare/selftest.h"

#include <inttypes.h>
#include <stdio.h>

struct bench_selftest *bench_selftest_add(
	struct bench_run *run, const char *path, const char *counts)
{
	if (run->nselftests == BENCH_SELFTESTS)
		return NULL;
	struct bench_selftest *t = &run->selftest[run->nselftests++];
	snprintf(t->path, sizeof t->path, "%s", path);
	snprintf(t->counts, sizeof t->counts, "%s", counts);
	t->expected = t->got = t->negative_got = -1;
	return t;
}

void bench_selftest_judge(struct bench_selftest *t)
{
	t->passed = t->got >= 0 && t->got == t->expected && t->negative_got == 0;
	if (!t->passed && !*t->reason)
		snprintf(t->reason, sizeof t->reason,
			"expected %" PRId64 ", counted %" PRId64
			"; of dropped frames expected 0, counted %" PRId64,
			t->expected, t->got, t->negative_got);
}
