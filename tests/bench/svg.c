/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/report/svg.h"
#include "bench/report/escape.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *draw(const struct shunt_svg_chart *chart)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	shunt_svg_bars(out, chart);
	fclose(out);
	return text;
}

static unsigned occurrences(const char *text, const char *of)
{
	unsigned n = 0;

	for (; (text = strstr(text, of)); text += strlen(of))
		n++;
	return n;
}

Test(svg, lengths_are_shares_of_the_axis)
{
	struct shunt_svg_bar bars[] = {{"one", "80", NULL, {60, 20}, true, 70, 90},
		{"two", "100", NULL, {100}, false, 0, 0}};
	struct shunt_svg_chart chart = {.id = "c",
		.title = "T",
		.unit = "ns",
		.series = {"a", "b"},
		.n_series = 2,
		.bars = bars,
		.n = 2,
		.line = 50,
		.line_name = "half"};
	char *text = draw(&chart);

	/* The axis ends at 100. */
	cr_assert(strstr(text, "<rect x=\"0.000%\" y=\"68\" width=\"60.000%\""), "%s", text);
	cr_assert(strstr(text, "<rect x=\"60.000%\" y=\"68\" width=\"20.000%\""), "%s", text);
	cr_assert(strstr(text, "width=\"100.000%\""));
	cr_assert(strstr(text, "x1=\"70.000%\" x2=\"90.000%\""), "whisker");
	cr_assert_eq(occurrences(text, "x1=\"50.000%\" x2=\"50.000%\""), 2, "a line at each bar");
	cr_assert_eq(
		occurrences(text, "class=\"whisker\""), 3, "only the bar with a range has one");
	cr_assert_eq(occurrences(text, "<svg"), occurrences(text, "</svg>"));
	free(text);
}

Test(svg, foreign_text_is_escaped)
{
	struct shunt_svg_bar bar = {"<b>&\"'", "\x1b\xff", "</title><script>", {1}, false, 0, 0};
	struct shunt_svg_chart chart = {.id = "c",
		.title = "<i>",
		.unit = "<u>",
		.series = {"<s>"},
		.n_series = 1,
		.bars = &bar,
		.n = 1,
		.line = 1,
		.line_name = "<l>"};
	char *text = draw(&chart);

	cr_assert(strstr(text, "&lt;b&gt;&amp;&quot;&#39;"));
	cr_assert(strstr(text, "&lt;/title&gt;&lt;script&gt;"));
	cr_assert_eq(strpbrk(text, "\x1b\xff"), NULL);
	cr_assert(!strstr(text, "<i>") && !strstr(text, "<u>") && !strstr(text, "<l>"));
	free(text);
}

Test(svg, odd_numbers_draw_nothing)
{
	struct shunt_svg_bar bars[] = {{"nan", "", NULL, {NAN, INFINITY, -5}, true, NAN, INFINITY},
		{"none", NULL, NULL, {0}, true, 0, 0}};
	struct shunt_svg_chart chart = {.id = "c",
		.title = "T",
		.unit = "ns",
		.series = {"a", "b", "c"},
		.n_series = 3,
		.bars = bars,
		.n = 2};
	char *text = draw(&chart);

	cr_assert(
		!strstr(text, "nan%") && !strstr(text, "inf") && !strstr(text, "=\"-"), "%s", text);
	cr_assert_eq(occurrences(text, "class=\"whisker\""), 0);
	free(text);
	chart.n = 0;
	chart.line = INFINITY;
	text = draw(&chart);
	cr_assert(!strstr(text, "nan") && !strstr(text, "inf"));
	free(text);
}

Test(svg, steps)
{
	static const double cases[][2] = {{100, 20}, {12000, 2500}, {1, 0.2}, {1.02, 0.25},
		{3.3, 1}, {5, 1}, {50000, 10000}, {0, 1}, {-3, 1}, {INFINITY, 1}, {NAN, 1}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_assert_float_eq(
			shunt_svg_step(cases[i][0]), cases[i][1], 1e-9, "%g", cases[i][0]);
}
