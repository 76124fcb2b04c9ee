/* SPDX-License-Identifier: BSD-2-Clause
 * The charts of the HTML report: one bar per measured path, the ceiling last.
 */
#include "bench/report/escape.h"
#include "bench/report/page.h"
#include "bench/report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BARS 32 /* further paths are in the table only, which the caption says */

struct text {
	char value[2 * BENCH_NUMBER];
	char *detail;
};

struct bars {
	struct shunt_svg_bar bar[BARS];
	struct text text[BARS];
	size_t n, left_out;
};

static double value(const json_t *path, const char *key)
{
	const json_t *metric = bench_at(path, key);

	return bench_have(metric) ? bench_number(metric, "value") : 0;
}

/* One bar of one metric: its value as text, its range as whiskers. */
static void set_metric(struct bars *bars, const json_t *metric, double scale, int decimals)
{
	struct shunt_svg_bar *bar = &bars->bar[bars->n];
	struct text *text = &bars->text[bars->n];

	bench_page_metric(text->value, metric, scale, decimals);
	text->detail = bench_page_provenance(metric, scale, decimals);
	bar->value = bench_have(metric) ? text->value : "unavailable";
	bar->detail = text->detail;
	bar->range = bench_have(metric) && bench_number(metric, "rounds") > 1;
	bar->least = bench_number(metric, "min") * scale;
	bar->most = bench_number(metric, "max") * scale;
	bar->parts[0] = bench_number(metric, "value") * scale;
}

/* Empty polls of a busy-polling application are a part of their own, drawn last, so that the work
 * of two paths compares from the left edge. */
static void fill_cpu(struct bars *bars, const json_t *path)
{
	const json_t *total = bench_at(path, "cpu_ns_per_packet.total");
	double app = value(path, "cpu_ns_per_packet.app"), empty = 0;
	struct shunt_svg_bar *bar = &bars->bar[bars->n];

	set_metric(bars, total, 1, 0);
	if (bench_have(bench_at(path, "cpu_busy_ns_per_packet")))
		empty = fmax(0, app - value(path, "cpu_busy_ns_per_packet"));
	if (empty < 0.01 * app) /* the noise of two medians */
		empty = 0;
	bar->parts[0] = app - empty;
	bar->parts[1] = value(path, "cpu_ns_per_packet.softirq");
	bar->parts[2] = empty;
}

static void fill_rate(struct bars *bars, const json_t *path)
{
	char *text = bars->text[bars->n].value;

	set_metric(bars, bench_at(path, "delivered_pps"), 1e-6, 3);
	if (bench_have(bench_at(path, "delivered_pps")))
		snprintf(text + strlen(text), BENCH_NUMBER, ", %.20s",
			bench_text(path, "bottleneck"));
}

static void fill_copies(struct bars *bars, const json_t *path)
{
	double hidden = value(path, "hidden_copies_per_packet");
	struct shunt_svg_bar *bar = &bars->bar[bars->n];

	set_metric(bars, bench_at(path, "copies_per_packet"), 1, 3);
	bar->parts[0] = fmax(0, bar->parts[0] - hidden);
	bar->parts[1] = hidden;
}

static void fill_syscalls(struct bars *bars, const json_t *path)
{
	set_metric(bars, bench_at(path, "syscalls_per_packet"), 1, 3);
}

static void add_bar(struct bars *bars, const json_t *path, const char *name,
	void (*fill)(struct bars *, const json_t *))
{
	if (!bench_ok(path))
		return;
	if (bars->n == BARS) {
		bars->left_out++;
		return;
	}
	fill(bars, path);
	bars->bar[bars->n].name = name;
	bars->n++;
}

struct chart {
	struct shunt_svg_chart svg;
	void (*fill)(struct bars *, const json_t *path);
	const char *caption;
};

static void draw(FILE *out, const json_t *root, const struct chart *chart)
{
	struct shunt_svg_chart svg = chart->svg;
	struct bars *bars = calloc(1, sizeof *bars);
	const json_t *path;
	char name[128];
	size_t i;

	if (!bars) { /* the table has the numbers */
		shunt_html_element(out, "p", "No memory for a chart.");
		return;
	}
	snprintf(name, sizeof name, "%.100s (ceiling)", bench_text(root, "ceiling.name"));
	json_array_foreach (bench_at(root, "paths"), i, path)
		add_bar(bars, path, bench_text(path, "name"), chart->fill);
	add_bar(bars, bench_at(root, "ceiling"), name, chart->fill);
	svg.bars = bars->bar;
	svg.n = bars->n;
	fputs("<figure>\n", out);
	shunt_html_element(out, "h3", svg.title);
	shunt_svg_bars(out, &svg);
	fputs("<figcaption>", out);
	shunt_html_text(out, chart->caption);
	if (bars->left_out)
		fprintf(out, " %zu more are in the table.", bars->left_out);
	fputs("</figcaption>\n</figure>\n", out);
	for (i = 0; i < bars->n; i++)
		free(bars->text[i].detail);
	free(bars);
}

void bench_page_charts(FILE *out, const json_t *root)
{
	const json_t *ceiling = bench_at(root, "ceiling");
	char *pace = bench_say_pace(root), *title = bench_say("CPU %s", pace ? pace : "");
	double top = bench_ok(ceiling) ? value(ceiling, "delivered_pps") * 1e-6 : 0;
	const struct chart charts[] = {
		{{"cpu", title ? title : "CPU", "ns per packet",
			 {"application", "softirq", "empty polls"}, 3, NULL, 0, 0, NULL},
			fill_cpu,
			"Application without the softirq that ran in its context. Busy-polling "
			"uses a full core at any rate: empty polls are drawn last. Whiskers span "
			"the rounds of the total."},
		{{"rate", "Rate", "million packets/s", {"delivered"}, 1, NULL, 0, top, "ceiling"},
			fill_rate,
			"The bottleneck stands beside each rate. A rate is the capacity of its "
			"path "
			"only where the application is the bottleneck. Whiskers span the rounds."},
		{{"copies", "Copies of the payload", "copies per packet",
			 {"the path's own", "hidden"}, 2, NULL, 0, 0, NULL},
			fill_copies,
			"Hidden copies are made by the device or at the XDP hook, where no "
			"application sees them."},
		{{"calls", "System calls", "calls per packet", {"calls"}, 1, NULL, 0, 0, NULL},
			fill_syscalls, "Of the receiving threads, in the traced passes."},
	};

	fputs("<div class=\"charts\">\n", out);
	for (size_t i = 0; i < sizeof charts / sizeof *charts; i++)
		draw(out, root, &charts[i]);
	fputs("</div>\n", out);
	free(title);
	free(pace);
}
