/* SPDX-License-Identifier: BSD-2-Clause
 * Elements that the sections of the HTML report share. Errors are the stream's.
 */
#include "bench/report/page.h"
#include "bench/report/escape.h"

#include <stdlib.h>
#include <string.h>

void bench_page_say(FILE *out, const char *tag, char *text)
{
	if (text)
		shunt_html_element(out, tag, text);
	free(text);
}

void bench_page_open_table(FILE *out, const char *class, const char *label, const char *caption)
{
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\"", out);
	shunt_html_attr(out, "aria-label", label);
	fprintf(out, "><table class=\"%s\">\n", class);
	shunt_html_element(out, "caption", caption);
}

void bench_page_table(FILE *out, const char *caption, const char *heads)
{
	bench_page_open_table(out, "", caption, caption);
	fputs("<thead><tr>", out);
	while (*heads) {
		size_t n = strcspn(heads, "|");
		bool number = *heads == '#';

		fprintf(out, "<th scope=\"col\"%s>%.*s</th>", number ? "" : " class=\"word\"",
			(int)(n - number), heads + number);
		heads += n + (heads[n] == '|');
	}
	fputs("</tr></thead>\n<tbody>\n", out);
}

void bench_page_table_end(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

const char *bench_page_provenance_name(const json_t *metric)
{
	if (!bench_have(metric))
		return "unavailable";
	return bench_is(metric, "measured") ? "measured" : "derived";
}

void bench_page_metric(char out[BENCH_NUMBER], const json_t *metric, double scale, int decimals)
{
	char number[BENCH_NUMBER];

	bench_write_metric(number, metric, scale, decimals);
	if (!bench_have(metric))
		snprintf(out, BENCH_NUMBER, "\xe2\x80\x93");
	else if (!strncmp(number, ">=", 2))
		snprintf(out, BENCH_NUMBER, "\xe2\x89\xa5%.40s", number + 2);
	else if (!strncmp(number, "<=", 2))
		snprintf(out, BENCH_NUMBER, "\xe2\x89\xa4%.40s", number + 2);
	else
		snprintf(out, BENCH_NUMBER, "%s", number);
}

char *bench_page_provenance(const json_t *metric, double scale, int decimals)
{
	const char *reason = bench_reason(metric);
	char range[BENCH_NUMBER];

	if (!bench_have(metric))
		return bench_say("unavailable: %s", reason);
	bench_write_range(range, metric, scale, decimals);
	return bench_say("%s: %s%s%s%s%.0f%s%s%s", bench_page_provenance_name(metric),
		bench_text(metric, "source"), *range ? "; " : "", range, *range ? " over " : "; ",
		bench_number(metric, "rounds"),
		bench_number(metric, "rounds") == 1 ? " round" : " rounds",
		bench_is(metric, "lower")   ? "; at least, because "
		: bench_is(metric, "upper") ? "; at most, because "
					    : "",
		reason);
}
