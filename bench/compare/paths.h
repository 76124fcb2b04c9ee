/* SPDX-License-Identifier: BSD-2-Clause
 * The named paths of a comparison, and the specs behind them.
 */
#ifndef BENCH_COMPARE_PATHS_H
#define BENCH_COMPARE_PATHS_H

#include <shunt/err.h>
#include <stdbool.h>

#define BENCH_PATHS_MAX 24

struct bench_path {
	char name[96];       /* "packet-recv", or the spec of a --path */
	const char *family;  /* "kernel" or "bypass" */
	char spec[256];      /* with the interface's name, without netns */
	const char *summary; /* NULL for a --path */
	bool ceiling;        /* hands nothing to user space: what the rest is held against */
	bool busy_poll;      /* counts only when NAPI polls run in the application's thread */
};

struct bench_paths {
	struct bench_path path[BENCH_PATHS_MAX];
	unsigned n;
};

/* list: comma-separated names, NULL for the default ones. extra: specs of --path. Usage errors name
 * what there is. ifname goes into the named specs. kernel_only drops every path that takes the
 * interface's traffic away from the stack, unless it was asked for by name: then it is an error. */
int bench_paths_pick(struct bench_paths *paths, const char *list, const char *const *extra,
	unsigned nextra, const char *ifname, bool kernel_only, struct shunt_err *err);

/* Walk the table for --list; NULL past the end. */
const char *bench_path_name(unsigned index, const char **summary, const char **spec, bool *dflt);

#endif
