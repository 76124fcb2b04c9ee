/* SPDX-License-Identifier: BSD-2-Clause
 * Metrics: construction, division, medians over rounds. Pure functions, any thread.
 */
#include "core/metric.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct shunt_metric make(
	double value, const char *unit, const char *source, enum shunt_provenance provenance)
{
	struct shunt_metric f = {.value = value, .min = value, .max = value, .rounds = 1};

	f.provenance = provenance;
	f.unit = unit;
	snprintf(f.source, sizeof f.source, "%s", source);
	return f;
}

struct shunt_metric shunt_measured(double value, const char *unit, const char *source)
{
	return make(value, unit, source, SHUNT_MEASURED);
}

struct shunt_metric shunt_derived(double value, const char *unit, const char *source)
{
	return make(value, unit, source, SHUNT_DERIVED);
}

struct shunt_metric shunt_unavailable(const char *unit, const char *fmt, ...)
{
	struct shunt_metric f = {.provenance = SHUNT_UNAVAILABLE, .unit = unit};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f.reason, sizeof f.reason, fmt, ap);
	va_end(ap);
	return f;
}

struct shunt_metric shunt_per(const struct shunt_metric *a, double n, const char *unit)
{
	struct shunt_metric f = *a;

	f.unit = unit;
	if (f.provenance == SHUNT_UNAVAILABLE)
		return f;
	if (n <= 0)
		return shunt_unavailable(unit, "no packet was delivered");
	f.value /= n;
	f.min /= n;
	f.max /= n;
	return f;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, ascending);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The weaker provenance of two available metrics: derived is weaker than measured. */
static void weaken(struct shunt_metric *f, const struct shunt_metric *by)
{
	if (by->provenance == SHUNT_DERIVED && f->provenance != SHUNT_DERIVED) {
		f->provenance = SHUNT_DERIVED;
		memcpy(f->source, by->source, sizeof f->source);
	}
	if (by->bound != SHUNT_EXACT && f->bound == SHUNT_EXACT) {
		f->bound = by->bound;
		memcpy(f->reason, by->reason, sizeof f->reason);
	}
}

struct shunt_metric shunt_over_rounds(const struct shunt_metric *rounds, size_t n)
{
	struct shunt_metric f = n ? rounds[0] : shunt_unavailable("", "no round was run");
	double *values = calloc(n ? n : 1, sizeof *values);
	size_t have = 0;

	if (!values)
		return shunt_unavailable(f.unit, "out of memory");
	for (size_t i = 0; i < n; i++) {
		if (rounds[i].provenance == SHUNT_UNAVAILABLE)
			continue;
		if (!have)
			f = rounds[i];
		else
			weaken(&f, &rounds[i]);
		values[have++] = rounds[i].value;
	}
	if (have) {
		f.value = median(values, have);
		f.min = values[0];
		f.max = values[have - 1];
		f.rounds = (unsigned)have;
	}
	free(values);
	return f;
}

const char *shunt_provenance_name(enum shunt_provenance provenance)
{
	static const char *const names[] = {"unavailable", "measured", "derived"};

	return names[provenance];
}

const char *shunt_bound_name(enum shunt_bound bound)
{
	static const char *const names[] = {"exact", "lower", "upper"};

	return names[bound];
}
