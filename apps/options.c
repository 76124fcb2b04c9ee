/* SPDX-License-Identifier: BSD-2-Clause
 * What verbs share in reading their command line: the loop, one spec, limits, numbers.
 */
#include "apps/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 0, or -EINVAL where the text is none of what the option takes. */
static int set(const struct app_option *o, const char *text)
{
	uint64_t n;
	int rc = 0;

	switch (o->kind) {
	case APP_FLAG:
		*(bool *)o->to = true;
		return 0;
	case APP_TEXT:
		*(const char **)o->to = text;
		return 0;
	case APP_U32:
		rc = app_number(text, (uint64_t)o->min, (uint64_t)o->max, &n);
		if (!rc)
			*(uint32_t *)o->to = (uint32_t)n;
		return rc;
	case APP_U64:
		return app_number(text, (uint64_t)o->min, (uint64_t)o->max, o->to);
	case APP_REAL:
		return app_real(text, o->min, o->max, o->to);
	default:
		return o->read(o->to, text);
	}
}

int app_options(const struct app_verb *verb, int argc, char **argv,
	const struct app_option *options, bool mixed)
{
	struct option longs[APP_OPTIONS_MAX + 1] = {{0}};
	char shorts[APP_OPTIONS_MAX + 3] = "+:", *end = shorts + 2;
	int c, i;

	for (i = 0; options[i].name; i++) {
		longs[i] = (struct option){options[i].name, options[i].kind != APP_FLAG, NULL, 256};
		if (options[i].letter)
			*end++ = (char)options[i].letter;
	}
	optind = 0; /* from the start: a verb may read its words in two parts */
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts + mixed, longs, &i)) != -1) {
		if (c == '?' || c == ':')
			return app_usage(verb, "option '%.60s' %s", argv[optind - 1],
				c == '?' ? "does not exist" : "takes a value");
		for (i = c == 256 ? i : 0; c != 256 && options[i].letter != c; i++)
			;
		if (set(&options[i], optarg))
			return app_usage(verb, "--%s takes %s, not '%.40s'", options[i].name,
				options[i].takes, optarg);
	}
	return 0;
}

int app_one_spec(const struct app_verb *verb, int argc, char **argv, const char **spec)
{
	if (optind + 1 != argc)
		return app_usage(verb,
			optind == argc ? "which device? give a spec" : "one device spec, not %d",
			argc - optind);
	*spec = argv[optind];
	return 0;
}

int app_real(const char *text, double min, double max, double *value)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || !isfinite(v))
		return -EINVAL;
	if (*end) {
		const char *suffix = strchr("kMG", *end);
		if (!suffix || end[1])
			return -EINVAL;
		v *= *suffix == 'k' ? 1e3 : *suffix == 'M' ? 1e6 : 1e9;
	}
	if (v < min || v > max)
		return -EINVAL;
	*value = v;
	return 0;
}

int app_number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	double v;

	if (app_real(text, (double)min, (double)max, &v) || v != floor(v))
		return -EINVAL;
	*value = (uint64_t)v;
	return 0;
}
