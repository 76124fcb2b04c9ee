/* SPDX-License-Identifier: BSD-2-Clause
 * Charts of horizontal bars as inline SVG. Lengths are percent of the page's width and text keeps
 * its size, so that one chart serves a phone and a wide screen. Series differ by colour (Okabe
 * and Ito) and by pattern, and each bar says its value. Classes s0..s3, axis, whisker, line let a
 * page recolour it. Pure functions; errors are the stream's.
 */
#ifndef BENCH_REPORT_SVG_H
#define BENCH_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SHUNT_SVG_SERIES 4

struct shunt_svg_bar {
	const char *name;
	const char *value;              /* written beside the name, with its mark */
	const char *detail;             /* tooltip */
	double parts[SHUNT_SVG_SERIES]; /* from left to right; what is not above 0 is not drawn */
	bool range;                     /* least and most hold */
	double least, most;
};

struct shunt_svg_chart {
	const char *id; /* unique in the page: [a-z]+ */
	const char *title, *unit;
	const char *series[SHUNT_SVG_SERIES]; /* a legend is drawn for more than one */
	size_t n_series;
	const struct shunt_svg_bar *bars;
	size_t n;
	double line; /* a line across at this value, when above 0 */
	const char *line_name;
};

void shunt_svg_bars(FILE *out, const struct shunt_svg_chart *chart);

/* The least "round" number (1, 2, 2.5, 5 x 10^k) that is at least a fifth of value: the step of
 * an axis. 1 for what is not above 0 or not finite. */
double shunt_svg_step(double value);

#endif
