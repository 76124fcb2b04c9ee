/* SPDX-License-Identifier: BSD-2-Clause
 * Bar charts. Each bar takes a row of text (name to the left, value to the right) and a row of
 * colour under it, which leaves the whole width to the colour at any width of the page.
 */
#include "bench/report/svg.h"
#include "bench/report/escape.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

enum { HEAD = 24, TEXT = 16, BAR = 16, GAP = 14, ROW = TEXT + BAR + GAP, AXIS = 44 };

static const char *const colours[SHUNT_SVG_SERIES] = {"#0072B2", "#E69F00", "#999999", "#009E73"};

double shunt_svg_step(double value)
{
	static const double round[] = {1, 2, 2.5, 5, 10};
	double unit;

	if (!(value > 0) || !isfinite(value))
		return 1;
	unit = pow(10, floor(log10(value / 5)));
	for (size_t i = 0; i < sizeof round / sizeof *round; i++)
		if (round[i] * unit >= value / 5 * (1 - 1e-9))
			return round[i] * unit;
	return 10 * unit;
}

static double sum(const struct shunt_svg_bar *bar)
{
	double total = 0;

	for (size_t i = 0; i < SHUNT_SVG_SERIES; i++)
		if (bar->parts[i] > 0 && isfinite(bar->parts[i]))
			total += bar->parts[i];
	return total;
}

static bool has_line(const struct shunt_svg_chart *chart)
{
	return chart->line > 0 && isfinite(chart->line);
}

static double largest(const struct shunt_svg_chart *chart)
{
	double most = has_line(chart) ? chart->line : 0;

	for (size_t i = 0; i < chart->n; i++) {
		most = fmax(most, sum(&chart->bars[i]));
		if (chart->bars[i].range && isfinite(chart->bars[i].most))
			most = fmax(most, chart->bars[i].most);
	}
	return most;
}

/* Series 1 and 2 are also hatched, so that they differ without colour. */
static void patterns(FILE *out, const struct shunt_svg_chart *chart)
{
	fputs("<defs>", out);
	for (size_t i = 1; i < chart->n_series && i < SHUNT_SVG_SERIES; i++)
		fprintf(out,
			"<pattern id=\"%s-p%zu\" width=\"6\" height=\"6\" "
			"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(%d)\">"
			"<rect class=\"s%zu\" width=\"6\" height=\"6\" fill=\"%s\"/>"
			"<path class=\"hatch\" d=\"M0 0V6\" stroke=\"#fff\" "
			"stroke-width=\"%d\"/></pattern>",
			chart->id, i, i == 1 ? 45 : -45, i, colours[i], i == 1 ? 2 : 5);
	fputs("</defs>\n", out);
}

static void fill(FILE *out, const struct shunt_svg_chart *chart, size_t series)
{
	if (series)
		fprintf(out, " class=\"part\" fill=\"url(#%s-p%zu)\"", chart->id, series);
	else
		fprintf(out, " class=\"part s0\" fill=\"%s\"", colours[0]);
	fprintf(out, " stroke=\"%s\"", colours[series]);
}

static void legend(FILE *out, const struct shunt_svg_chart *chart)
{
	for (size_t i = 0; i < chart->n_series; i++) {
		double x = 100.0 * (double)i / (double)chart->n_series;

		fprintf(out,
			"<svg x=\"%.3f%%\" overflow=\"visible\"><rect x=\"1\" y=\"3\" "
			"width=\"14\" height=\"12\"",
			x);
		fill(out, chart, i);
		fputs("/><text x=\"20\" y=\"14\">", out);
		shunt_html_text(out, chart->series[i]);
		fputs("</text></svg>\n", out);
	}
}

static void whisker(FILE *out, double from, double to, double y)
{
	static const char line[] = "<line class=\"whisker\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%g\" "
				   "y2=\"%g\" stroke=\"currentColor\" stroke-width=\"1.5\"/>";

	fprintf(out, line, from, to, y + BAR / 2.0, y + BAR / 2.0);
	fprintf(out, line, from, from, y + 3, y + BAR - 3.0);
	fprintf(out, line, to, to, y + 3, y + BAR - 3.0);
}

/* Last, over the lines: a page may give it a halo. */
static void draw_text(FILE *out, const struct shunt_svg_bar *bar, double y)
{
	fprintf(out, "<text class=\"name\" x=\"0\" y=\"%g\">", y + 11);
	shunt_html_text(out, bar->name);
	fprintf(out, "</text><text class=\"value\" x=\"100%%\" y=\"%g\" text-anchor=\"end\">",
		y + 11);
	shunt_html_text(out, bar->value ? bar->value : "");
	fputs("</text>\n", out);
}

static void draw_bar(FILE *out, const struct shunt_svg_chart *chart,
	const struct shunt_svg_bar *bar, double y, double end)
{
	double x = 0;

	fputs("<g>", out);
	if (bar->detail)
		shunt_html_element(out, "title", bar->detail);
	fprintf(out,
		"<rect class=\"track\" x=\"0\" y=\"%g\" width=\"100%%\" height=\"%d\" "
		"fill=\"currentColor\" fill-opacity=\".06\"/>",
		y + TEXT, BAR);
	for (size_t i = 0; i < chart->n_series; i++) {
		double width = bar->parts[i] / end * 100;

		if (!(width > 0) || !isfinite(width))
			continue;
		fprintf(out, "<rect x=\"%.3f%%\" y=\"%g\" width=\"%.3f%%\" height=\"%d\"", x,
			y + TEXT, width, BAR);
		fill(out, chart, i);
		fputs("/>\n", out);
		x += width;
	}
	if (bar->range && bar->least < bar->most && isfinite(bar->least) && isfinite(bar->most))
		whisker(out, bar->least / end * 100, bar->most / end * 100, y + TEXT);
	fputs("</g>\n", out);
}

/* As many as the step of an axis needs. */
static int decimals(double step)
{
	int n = 0;

	while (n < 6 && fabs(step * pow(10, n) - nearbyint(step * pow(10, n))) > 1e-6)
		n++;
	return n;
}

static void axis(FILE *out, const struct shunt_svg_chart *chart, double top, double y, double step,
	double end)
{
	int last = (int)lround(end / step);

	for (int i = 0; i <= last; i++) {
		const char *anchor = i == 0 ? "start" : i == last ? "end" : "middle";
		double x = 100.0 * i / last;
		char number[32];

		shunt_text_number(number, sizeof number, i * step, decimals(step));
		fprintf(out,
			"<line class=\"axis\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%g\" y2=\"%g\" "
			"stroke=\"currentColor\" stroke-opacity=\".25\"/>",
			x, x, top, y + 4);
		fprintf(out,
			"<text class=\"axis\" x=\"%.3f%%\" y=\"%g\" text-anchor=\"%s\">%s</text>\n",
			x, y + 17, anchor, number);
	}
	fprintf(out, "<text class=\"axis\" x=\"50%%\" y=\"%g\" text-anchor=\"middle\">", y + 34);
	shunt_html_text(out, chart->unit);
	fputs("</text>\n", out);
}

/* Across the colour of each bar, but not through the text between them. */
static void reference(
	FILE *out, const struct shunt_svg_chart *chart, double top, double first, double end)
{
	double x = chart->line / end * 100;

	for (size_t i = 0; i < chart->n; i++) {
		double y = first + ROW * (double)i + TEXT;

		fprintf(out,
			"<line class=\"line\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%g\" y2=\"%g\" "
			"stroke=\"#D55E00\" stroke-width=\"2.5\" stroke-dasharray=\"5 3\"/>",
			x, x, y - 4, y + BAR + 4);
	}
	fprintf(out, "<text class=\"line-name\" x=\"%.3f%%\" y=\"%g\" text-anchor=\"%s\">", x,
		top - 8, x > 50 ? "end" : "start");
	shunt_html_text(out, chart->line_name ? chart->line_name : "");
	fputs("</text>\n", out);
}

void shunt_svg_bars(FILE *out, const struct shunt_svg_chart *chart)
{
	double most = largest(chart), step = shunt_svg_step(most);
	double end = fmax(step, ceil(most / step - 1e-9) * step);
	double top = (chart->n_series > 1 ? HEAD : 4) + (has_line(chart) ? HEAD : 0);
	double bottom = top + ROW * (double)chart->n;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" "
		"aria-labelledby=\"%s-t\" width=\"100%%\" height=\"%g\" font-size=\"13\" "
		"fill=\"currentColor\">\n<title id=\"%s-t\">",
		chart->id, bottom + AXIS, chart->id);
	shunt_html_text(out, chart->title);
	fputs("</title>\n", out);
	patterns(out, chart);
	if (chart->n_series > 1)
		legend(out, chart);
	axis(out, chart, top, bottom, step, end);
	for (size_t i = 0; i < chart->n; i++)
		draw_bar(out, chart, &chart->bars[i], top + 4 + ROW * (double)i, end);
	if (has_line(chart))
		reference(out, chart, top, top + 4, end);
	for (size_t i = 0; i < chart->n; i++)
		draw_text(out, &chart->bars[i], top + 4 + ROW * (double)i);
	fputs("</svg>\n", out);
}
