/* SPDX-License-Identifier: BSD-2-Clause
 * What verbs share in reading their command line: the loop, one spec, limits, numbers.
 */
#include "apps/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int app_options(const struct app_verb *verb, int argc, char **argv, const struct option *longs,
	const char *(*take)(void *ctx, int c), void *ctx)
{
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return app_usage(verb, "option '%.60s' %s", argv[optind - 1],
				c == '?' ? "does not exist" : "takes a value");
		const char *wrong = take(ctx, c);
		if (wrong)
			return app_usage(verb, "%s, not '%.40s'", wrong, optarg);
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

const char *app_limit(int c, uint64_t *packets, double *seconds)
{
	if (c == 'n' && app_number(optarg, 1, 1ull << 50, packets))
		return "--packets takes a number from 1";
	if (c == 's' && app_real(optarg, 0.001, 1e7, seconds))
		return "--seconds takes a number from 0.001";
	return NULL;
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
