/* SPDX-License-Identifier: BSD-2-Clause
 * Figures as JSON. Pure functions, any thread. A figure is written as it is: one that lacks its
 * source or its reason fails the schema, which is where such a fault is to be seen.
 */
#include "bench/report/json.h"
#include "core/text.h"

#include <math.h>
#include <stdlib.h>

json_t *bench_json_text(const char *text)
{
	char *clean = shunt_text_clean(text ? text : "");
	json_t *json = clean ? json_string(clean) : NULL;

	free(clean);
	return json;
}

static bool finite_figure(const struct shunt_metric *f)
{
	return isfinite(f->value) && isfinite(f->min) && isfinite(f->max);
}

/* Whole numbers without a fraction, so that a count reads as one. */
static json_t *number(double value)
{
	if (value == floor(value) && fabs(value) < 9e15)
		return json_integer((json_int_t)value);
	return json_real(value);
}

json_t *bench_json_metric(const struct shunt_metric *f)
{
	bool odd = f->provenance != SHUNT_UNAVAILABLE && !finite_figure(f);
	bool have = f->provenance != SHUNT_UNAVAILABLE && !odd;
	const char *reason = odd ? "the computation gave no finite number" : f->reason;

	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:s, s:o, s:o, s:i}", "value",
		have ? number(f->value) : json_null(), "unit", bench_json_text(f->unit), "how",
		shunt_provenance_name(odd ? SHUNT_UNAVAILABLE : f->provenance), "source",
		bench_json_text(f->source), "reason", bench_json_text(reason), "bound",
		shunt_bound_name(f->bound), "min", have ? number(f->min) : json_null(), "max",
		have ? number(f->max) : json_null(), "rounds", have ? (int)f->rounds : 0);
}
