/* SPDX-License-Identifier: BSD-2-Clause
 * shunt help, shunt version: both succeed.
 */
#include "apps/app.h"
#include "apps/verbs.h"

#include <stdio.h>
#include <string.h>

const char app_help_usage[] = "[VERB]\n  Describes shunt, or one verb.";
const char app_version_usage[] = "\n  Prints the version and which optional parts were built.";

int app_help_verb(int argc, char **argv)
{
	if (argc > 1) {
		const struct app_verb *verb = app_verb(argv[1]);
		if (!verb) {
			fprintf(stderr, "shunt: there is no verb '%.60s': see `shunt help`\n",
				argv[1]);
			return 2;
		}
		app_help(verb);
		return 0;
	}
	printf("usage: shunt VERB [OPTION...] [ARGUMENT...]\n\n");
	for (const struct app_verb *v = app_verbs; v->name; v++)
		printf("  %-9s %s\n", v->name, v->summary);
	printf("\n`shunt help VERB` describes one. A device spec is "
	       "scheme:target?key=value&key=value;\n"
	       "`shunt devices -v` lists the schemes and their keys.\n");
	return 0;
}

int app_version(int argc, char **argv)
{
	struct shunt_driver_info info;
	struct shunt_err err;

	(void)argc, (void)argv;
	printf("shunt %s\n", SHUNT_VERSION);
	printf("drivers:");
	for (unsigned i = 0; !shunt_driver_at(i, &info, &err); i++)
		printf(" %s", info.name);
#ifdef HAVE_TRACING
	printf("\ntracing: yes");
#else
	printf("\ntracing: no");
#endif
#ifdef HAVE_SDT
	printf("\nUSDT probes: yes\n");
#else
	printf("\nUSDT probes: no\n");
#endif
	return 0;
}
