/* SPDX-License-Identifier: BSD-2-Clause
 * Metrics as JSON. Pure functions, any thread. A metric is written as it is: one that lacks its
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

static bool is_finite(const struct shunt_metric *m)
{
	return isfinite(m->value) && isfinite(m->min) && isfinite(m->max);
}

/* Whole numbers without a fraction, so that a count reads as one. */
static json_t *number(double value)
{
	if (value == floor(value) && fabs(value) < 9e15)
		return json_integer((json_int_t)value);
	return json_real(value);
}

json_t *bench_json_metric(const struct shunt_metric *m)
{
	bool odd = m->provenance != SHUNT_UNAVAILABLE && !is_finite(m);
	bool have = m->provenance != SHUNT_UNAVAILABLE && !odd;
	const char *reason = odd ? "the computation gave no finite number" : m->reason;

	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:s, s:o, s:o, s:i}", "value",
		have ? number(m->value) : json_null(), "unit", bench_json_text(m->unit), "how",
		shunt_provenance_name(odd ? SHUNT_UNAVAILABLE : m->provenance), "source",
		bench_json_text(m->source), "reason", bench_json_text(reason), "bound",
		shunt_bound_name(m->bound), "min", have ? number(m->min) : json_null(), "max",
		have ? number(m->max) : json_null(), "rounds", have ? (int)m->rounds : 0);
}
