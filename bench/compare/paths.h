/* SPDX-License-Identifier: BSD-2-Clause
 * The named paths of a comparison, and the specs behind them.
 */
#ifndef BENCH_COMPARE_PATHS_H
#define BENCH_COMPARE_PATHS_H

#include <shunt/err.h>
#include <stdbool.h>
#include <stdint.h>

#define BENCH_PATHS_MAX 24

struct bench_path {
	char name[96];       /* "packet-recv", or the spec of a --path */
	const char *family;  /* "kernel" or "bypass" */
	char spec[256];      /* with the interface's name and depth=, without netns */
	const char *summary; /* NULL for a --path */
	bool ceiling;        /* delivers nothing to user space: the upper bound for the others */
	char scheme[16];     /* scheme and keys of spec, parsed once */
	bool polls;          /* wait=poll: blocks in poll while the queue is empty */
	uint32_t depth;      /* queue depth in frames, as asked for */
	bool busy_poll;      /* valid only where NAPI polls run in the application's thread */
};

struct bench_paths {
	struct bench_path path[BENCH_PATHS_MAX];
	unsigned n;
};

/* list: comma-separated names, NULL for the default ones. extra: specs of --path. A usage error
 * lists the known names. ifname goes into the specs of named paths, depth into each spec that has
 * none. kernel_only leaves out default
 * paths that take the interface's traffic away from the kernel, and refuses those named by the
 * user. */
int bench_paths_pick(struct bench_paths *paths, const char *list, const char *const *extra,
	unsigned nextra, const char *ifname, uint32_t depth, bool kernel_only,
	struct shunt_err *err);

bool bench_path_is_pci(const struct bench_path *path);

/* Walk the named paths, for --list; false past the end. */
bool bench_path_at(unsigned index, const char *ifname, struct bench_path *path, bool *dflt);

#endif
