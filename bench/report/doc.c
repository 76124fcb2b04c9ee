/* SPDX-License-Identifier: BSD-2-Clause
 * Reading a compare document and formatting its numbers. Pure functions.
 */
#include "bench/report/doc.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool bench_doc_valid(const json_t *root)
{
	return !strcmp(bench_text(root, "schema"), "shunt-compare/1") &&
	       json_is_array(bench_at(root, "paths"));
}

const json_t *bench_at(const json_t *doc, const char *path)
{
	while (doc && *path) {
		size_t n = strcspn(path, ".");
		char key[64];

		snprintf(key, sizeof key, "%.*s", (int)n, path);
		doc = json_object_get(doc, key);
		path += n + (path[n] == '.');
	}
	return doc;
}

const char *bench_text(const json_t *doc, const char *path)
{
	const char *text = json_string_value(bench_at(doc, path));

	return text ? text : "";
}

double bench_number(const json_t *doc, const char *path)
{
	return json_number_value(bench_at(doc, path));
}

bool bench_true(const json_t *doc, const char *path)
{
	return json_is_true(bench_at(doc, path));
}

bool bench_have(const json_t *metric)
{
	return json_is_number(bench_at(metric, "value"));
}

bool bench_is(const json_t *metric, const char *provenance_or_bound)
{
	return !strcmp(bench_text(metric, "how"), provenance_or_bound) ||
	       !strcmp(bench_text(metric, "bound"), provenance_or_bound);
}

const char *bench_reason(const json_t *metric)
{
	const char *reason = bench_text(metric, "reason");

	return *reason || bench_have(metric) ? reason : "not in the document";
}

void bench_write_number(char out[BENCH_NUMBER], double value, int decimals)
{
	shunt_text_number(out, BENCH_NUMBER, value, decimals);
}

void bench_write_metric(char out[BENCH_NUMBER], const json_t *metric, double scale, int decimals)
{
	char number[BENCH_NUMBER];

	if (!bench_have(metric)) {
		snprintf(out, BENCH_NUMBER, "-");
		return;
	}
	bench_write_number(number, bench_number(metric, "value") * scale, decimals);
	snprintf(out, BENCH_NUMBER, "%s%.44s",
		bench_is(metric, "lower")     ? ">="
		: bench_is(metric, "upper")   ? "<="
		: bench_is(metric, "derived") ? "~"
					      : "",
		number);
}

void bench_write_range(char out[BENCH_NUMBER], const json_t *metric, double scale, int decimals)
{
	char least[BENCH_NUMBER], most[BENCH_NUMBER];

	*out = 0;
	if (!bench_have(metric) || bench_number(metric, "rounds") < 2)
		return;
	bench_write_number(least, bench_number(metric, "min") * scale, decimals);
	bench_write_number(most, bench_number(metric, "max") * scale, decimals);
	snprintf(out, BENCH_NUMBER, "%.22s..%.22s", least, most);
}

double bench_lost_share(const json_t *path, const char *kind)
{
	bool rate = !strcmp(kind, "rate");
	double sent = 0, delivered = 0;
	const json_t *pass;
	size_t i;

	json_array_foreach (bench_at(path, "rounds"), i, pass) {
		if (!strcmp(bench_text(pass, "pass"), "rate") != rate)
			continue;
		sent += bench_number(pass, "sent");
		delivered += bench_number(pass, "delivered");
	}
	return sent > 0 ? (sent - delivered) / sent : NAN;
}

bool bench_ok(const json_t *path)
{
	return !strcmp(bench_text(path, "status"), "ok");
}
