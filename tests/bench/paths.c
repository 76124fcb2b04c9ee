/* SPDX-License-Identifier: BSD-2-Clause
 * The paths of a comparison: one depth= for all of them, and a warning where they got different
 * ones.
 */
#include "bench/compare/paths.h"
#include "bench/compare/document.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(paths, one_depth_for_all)
{
	static const char *const extra[] = {
		"xdp:near0?depth=256", "null:", "pci:0000:01:00.0?queues=1", "malformed"};
	static struct bench_paths paths;
	struct shunt_err err = {.code = 0};

	cr_assert_eq(bench_paths_pick(&paths, NULL, extra, 4, "near0", 512, false, &err), 0, "%s",
		err.what);
	cr_assert_gt(paths.n, 10);
	for (unsigned i = 0; i < paths.n - 4; i++) {
		const struct bench_path *p = &paths.path[i];
		cr_assert(strstr(p->spec, "&depth=512"), "%s", p->spec);
		cr_assert_eq(p->depth, 512, "%s", p->name);
		cr_assert_eq(strstr(p->name, "depth"), NULL);
	}
	const struct bench_path *more = &paths.path[paths.n - 4];
	cr_assert_str_eq(more[0].spec, extra[0]);
	cr_assert_eq(more[0].depth, 256);
	cr_assert_str_eq(more[1].spec, "null:?depth=512");
	cr_assert_str_eq(more[1].name, "null:");
	cr_assert_str_eq(more[2].spec, "pci:0000:01:00.0?queues=1&depth=512");
	cr_assert(bench_path_is_pci(&more[2]));
	cr_assert_str_eq(more[3].spec, "malformed");
}

Test(paths, a_spec_without_room_for_depth)
{
	static struct bench_paths paths;
	struct shunt_err err = {.code = 0};
	char spec[256] = "pcap:/";
	const char *extra[] = {spec};

	memset(spec + 6, 'x', sizeof spec - 7);
	cr_assert_eq(bench_paths_pick(&paths, "xdp-drop", extra, 1, "near0", 512, false, &err),
		-ENAMETOOLONG);
	cr_assert_eq(err.kind, SHUNT_ERR_USAGE);
}

/* The warning of a run whose paths have these names and facts; "" where there is none. */
static const char *warned(const char *const *said, unsigned n, uint32_t asked)
{
	static char text[256];
	struct bench_run *run = calloc(1, sizeof *run);
	struct bench_pass_record *record = calloc(n, sizeof *record);

	cr_assert(run && record);
	run->opts.depth = asked;
	run->npaths = n;
	for (unsigned i = 0; i < n; i++) {
		struct bench_run_path *p = &run->path[i];
		struct shunt_info *info = &record[i].result.info;
		snprintf(p->path.name, sizeof p->path.name, "path-%u", i);
		if (!said[i])
			continue; /* was not measured */
		p->record = &record[i];
		p->records = 1;
		info->nfacts = 1;
		info->facts[0].key = *said[i] ? "depth" : "mode";
		snprintf(info->facts[0].value, sizeof info->facts[0].value, "%s", said[i]);
		cr_assert_str_eq(bench_depth_fact(p), said[i]);
	}
	bench_depth_warn(run);
	snprintf(text, sizeof text, "%s", run->warnings ? run->warning[0] : "");
	free(record);
	free(run);
	return text;
}

Test(paths, different_depths_are_warned_of)
{
	static const char *const same[] = {
		"512 frames, SO_RCVBUF 1", NULL, "512 frames: RX 512", ""};
	static const char *const two[] = {
		"8192 frames", "256 frames per queue: its ring", "8192 frames"};
	const char *many[BENCH_PATHS_MAX];

	cr_assert_str_eq(warned(same, 4, 8192), "");
	cr_assert_str_eq(warned(two, 3, 8192),
		"the queue depths differ: 8192 frames were asked for, path-1 has 256");
	for (unsigned i = 0; i < BENCH_PATHS_MAX; i++)
		many[i] = i % 2 ? "1048576 frames" : "64 frames";
	const char *text = warned(many, BENCH_PATHS_MAX, 8192);
	cr_assert(strstr(text, "path-0 has 64, path-1 has 1048576, "), "%s", text);
	cr_assert(strstr(text, " more") && strlen(text) < 250, "%s", text);
}
