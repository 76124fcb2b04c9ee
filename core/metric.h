/* SPDX-License-Identifier: BSD-2-Clause
 * A metric and its provenance. A value that was neither measured nor derived is unavailable, with
 * the reason.
 */
#ifndef CORE_METRIC_H
#define CORE_METRIC_H

#include <stdbool.h>
#include <stddef.h>

enum shunt_provenance {
	SHUNT_UNAVAILABLE, /* zero value of the struct: reason says why */
	SHUNT_MEASURED,    /* source names the probe or clock; its self-test passed */
	SHUNT_DERIVED,     /* source names the counters it was computed from */
};

enum shunt_bound { SHUNT_EXACT, SHUNT_LOWER, SHUNT_UPPER };

struct shunt_metric {
	double value; /* meaningless when unavailable */
	double min, max;
	unsigned
		rounds; /* number of values that min and max span; value is their median when > 1 */
	enum shunt_provenance provenance;
	enum shunt_bound bound;
	const char *unit; /* "packets", "ns/packet", "calls/packet" */
	char source[96];
	char reason[160]; /* why unavailable, or why only a bound */
};

struct shunt_metric shunt_measured(double value, const char *unit, const char *source);
struct shunt_metric shunt_derived(double value, const char *unit, const char *source);
struct shunt_metric shunt_unavailable(const char *unit, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Quotient per n; stays unavailable, or becomes so when n is 0. */
struct shunt_metric shunt_per(const struct shunt_metric *a, double n, const char *unit);

/* One metric over rounds: median, min, max. Unavailable rounds are left out; if all are, the first
 * one's reason is kept. The provenance is the weakest of the rounds. */
struct shunt_metric shunt_over_rounds(const struct shunt_metric *rounds, size_t n);

const char *shunt_provenance_name(enum shunt_provenance provenance); /* "measured", ... */
const char *shunt_bound_name(enum shunt_bound bound);                /* "exact", "lower", "upper" */

#endif
