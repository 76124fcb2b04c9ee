/* SPDX-License-Identifier: BSD-2-Clause
 * Command lines of verbs. Errors are printed on stderr, with the help to read.
 */
#ifndef APPS_OPTIONS_H
#define APPS_OPTIONS_H

#include "apps/app.h"

#include <getopt.h>

struct app_option {
	const char *name; /* --name */
	enum {
		APP_FLAG, /* without a value; `to` is what is set, as in the next ones: bool */
		APP_TEXT, /* const char * */
		APP_U32,  /* numbers from min to max */
		APP_U64,
		APP_REAL, /* double */
		APP_CALL, /* read(to, text): 0 or -errno */
	} kind;
	void *to;
	double min, max;
	const char *takes; /* "60 to 1514 bytes", for whoever gives another value */
	int (*read)(void *to, const char *text);
	int letter; /* also -letter, a flag; 0 = none */
};
#define APP_OPTIONS_MAX 24

/* Read the options of a table that ends with a NULL name. Operands start at optind then; options
 * may follow operands only where mixed is set. Exit status. */
int app_options(const struct app_verb *verb, int argc, char **argv,
	const struct app_option *options, bool mixed);
/* The only operand. Exit status. */
int app_one_spec(const struct app_verb *verb, int argc, char **argv, const char **spec);

#define APP_LIMITS(o)                                                                              \
	{"packets", APP_U64, &(o)->packets, 1, 0x1p50, "a number from 1"},                         \
	{                                                                                          \
		"seconds", APP_REAL, &(o)->seconds, 0.001, 1e7, "a number from 0.001"              \
	}

/* Numbers with an optional suffix k, M or G (10^3, ...); -EINVAL for anything else. */
int app_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);
int app_real(const char *text, double min, double max, double *value);

#endif
