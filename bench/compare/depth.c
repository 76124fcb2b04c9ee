/* SPDX-License-Identifier: BSD-2-Clause
 * The queue depth of each path: what it got, and a warning where paths got different ones. A path
 * with more of it survives a longer stall of the application, so that its losses say less.
 */
#include "bench/compare/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *bench_depth_fact(const struct bench_run_path *p)
{
	const struct shunt_info *info = p->records ? &p->record[0].result.info : NULL;

	for (unsigned i = 0; info && i < info->nfacts; i++)
		if (!strcmp(info->facts[i].key, "depth"))
			return info->facts[i].value;
	return "";
}

/* 0: not known, or the path has no queue. */
static unsigned long frames_of(const struct bench_run_path *p)
{
	return p->path.ceiling ? 0 : strtoul(bench_depth_fact(p), NULL, 10);
}

static bool differ(const struct bench_run *run)
{
	unsigned long first = 0;

	for (unsigned i = 0; i < run->npaths; i++) {
		unsigned long frames = frames_of(&run->path[i]);
		if (frames && first && frames != first)
			return true;
		first = first ? first : frames;
	}
	return false;
}

void bench_depth_warn(struct bench_run *run)
{
	char list[160] = "";
	unsigned used = 0, more = 0;

	if (!differ(run))
		return;
	for (unsigned i = 0; i < run->npaths; i++) {
		const struct bench_run_path *p = &run->path[i];
		char one[128];
		if (!frames_of(p) || frames_of(p) == run->opts.depth)
			continue;
		int len = snprintf(one, sizeof one, "%s%s has %lu", used ? ", " : "", p->path.name,
			frames_of(p));
		if (more || used + (unsigned)len >= sizeof list) {
			more++;
			continue;
		}
		memcpy(list + used, one, (size_t)len + 1);
		used += (unsigned)len;
	}
	if (more)
		bench_warn(run,
			"the queue depths differ: %u frames were asked for, %s, and %u more",
			run->opts.depth, list, more);
	else
		bench_warn(run, "the queue depths differ: %u frames were asked for, %s",
			run->opts.depth, list);
}
