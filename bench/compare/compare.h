/* SPDX-License-Identifier: BSD-2-Clause
 * The compare engine: the same receive loop and the same traffic over several paths, four kinds of
 * pass, shuffled each round. The result is one JSON document, shunt-compare/1.
 */
#ifndef BENCH_COMPARE_COMPARE_H
#define BENCH_COMPARE_COMPARE_H

#include <jansson.h>
#include <shunt/err.h>
#include <stdbool.h>
#include <stdint.h>

#define BENCH_DEPTH       8192u    /* depth= of every path, whatever its driver's default */
#define BENCH_PACED_PPS   100000.0 /* cost and count passes where the rate is max */
#define BENCH_CAPTURE_PPS 50000.0  /* a capture without --rate */

struct bench_compare_opts {
	const char *paths;        /* comma-separated names, NULL for the default */
	const char *const *specs; /* --path */
	unsigned nspecs;
	uint32_t size;       /* bytes in memory, no FCS; 0 = 60 */
	uint32_t flows;      /* 0 = 1 */
	uint32_t depth;      /* depth= of each path whose spec has none; 0 = BENCH_DEPTH */
	double rate;         /* packets per second; 0 = as fast as possible */
	double speed;        /* times the capture's own timing; 0 = paced by rate */
	double seconds;      /* per pass; 0 = 5 */
	unsigned rounds;     /* 0 = 5 */
	const char *traffic; /* capture file, NULL for synthetic frames */
	bool packet_generator;
	const char *iface; /* measure this interface's own traffic, NULL for the lab or the wire */
	bool take_traffic;
	/* Both or neither: NICs in place of the lab's veth pair. */
	const char *nic; /* the NIC under test: kernel driver, for packet-* and xdp-* paths */
	const char *via; /* spec of the device that sends to all others */
	bool gro;
	uint64_t seed; /* 0 = taken from the clock */
	const volatile bool *stop;
	/* One line of progress, done of total passes. May be NULL. */
	void (*progress)(void *ctx, unsigned done, unsigned total, const char *what);
	void *ctx;
	int argc; /* the command, for the document */
	char **argv;
};

/* The document belongs to the caller (json_decref). It lists a path that can't run here as
 * unavailable and one whose pass failed as failed; an error is returned only where nothing could be
 * measured. -EINTR when *stop ended it: the document then holds what was finished, or is NULL. */
int bench_compare(const struct bench_compare_opts *opts, json_t **document, struct shunt_err *err);

#endif
