/* SPDX-License-Identifier: BSD-2-Clause
 * The compare engine: the same receive loop and the same traffic over several paths, four kinds of
 * pass, shuffled each round; what comes out is one JSON document, shunt-compare/1.
 */
#ifndef BENCH_COMPARE_COMPARE_H
#define BENCH_COMPARE_COMPARE_H

#include <jansson.h>
#include <shunt/err.h>
#include <stdbool.h>
#include <stdint.h>

#define BENCH_PACED_PPS   100000.0 /* cost and count passes where the rate is max */
#define BENCH_CAPTURE_PPS 50000.0  /* a capture, where no rate was given */

struct bench_compare_opts {
	const char *paths;        /* comma-separated names, NULL for the default */
	const char *const *specs; /* --path */
	unsigned nspecs;
	uint32_t size;       /* bytes in memory, no FCS; 0 = 60 */
	uint32_t flows;      /* 0 = 1 */
	double rate;         /* packets a second; 0 = as fast as possible */
	double speed;        /* xN: N times the capture's own timing; 0 = rate decides */
	double seconds;      /* a pass; 0 = 5 */
	unsigned rounds;     /* 0 = 5 */
	const char *traffic; /* capture file, NULL for synthetic frames */
	bool packet_generator;
	const char *iface; /* measure this interface's own traffic, NULL for the lab or the wire */
	bool take_traffic;
	/* Both or none: cards in place of the lab's veth pair. */
	const char *nic; /* the kernel's card under test, which packet-* and xdp-* paths get */
	const char *via; /* spec of the device that frames are sent through, to reach all others */
	bool gro;
	uint64_t seed; /* 0 = taken from the clock */
	const volatile bool *stop;
	/* One line about what is going on; done of total passes. NULL is fine. */
	void (*progress)(void *ctx, unsigned done, unsigned total, const char *what);
	void *ctx;
	int argc; /* the command, for the document */
	char **argv;
};

/* The document belongs to the caller (json_decref). A path that can't run here is in it as
 * unavailable, a pass that broke as failed; an error is returned only where nothing could be
 * measured. -EINTR when *stop ended it: the document then holds what was finished, or is NULL. */
int bench_compare(const struct bench_compare_opts *opts, json_t **document, struct shunt_err *err);

#endif
