/* SPDX-License-Identifier: BSD-2-Clause
 * A verb's command line. Mistakes are printed: what is wrong, and where help is.
 */
#ifndef APPS_OPTIONS_H
#define APPS_OPTIONS_H

#include "apps/app.h"

#include <getopt.h>

/* Give each option to take(), which reads optarg and says what it takes, if not that, or NULL.
 * Operands start at optind then. Exit status. */
int app_options(const struct app_verb *verb, int argc, char **argv, const struct option *longs,
	const char *(*take)(void *ctx, int c), void *ctx);
/* The only operand. Exit status. */
int app_one_spec(const struct app_verb *verb, int argc, char **argv, const char **spec);

/* Options 'n', packets, and 's', seconds; others are left alone. As take(). */
const char *app_limit(int c, uint64_t *packets, double *seconds);

/* Numbers with an optional k, M or G (10^3, ...): -EINVAL for anything else. */
int app_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);
int app_real(const char *text, double min, double max, double *value);

#endif
