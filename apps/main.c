/* SPDX-License-Identifier: BSD-2-Clause
 * The verb table.
 */
#include "apps/app.h"
#include "apps/verbs.h"

#include <stdio.h>
#include <string.h>

const struct app_verb app_verbs[] = {
	{"compare", app_compare, "the cost per packet of kernel and bypass paths, side by side",
		app_compare_usage},
	{"rx", app_rx, "receive on one device: rates, ledger, trace, capture file", app_rx_usage},
	{"gen", app_gen, "send synthetic frames, or those of a capture file", app_gen_usage},
	{"fwd", app_fwd, "forward between two devices, without a copy where they can share memory",
		app_fwd_usage},
	{"lab", app_lab, "a shell or a command at near0, one end of a private veth pair",
		app_lab_usage},
	{"lab-exec", app_lab_exec, "the same at far0, from inside a lab", app_lab_exec_usage},
	{"devices", app_devices, "drivers, usable here or why not, and interfaces",
		app_devices_usage},
	{"doctor", app_doctor, "what this machine supports, with remedies for the rest",
		app_doctor_usage},
	{"help", app_help_verb, "what shunt and its verbs do", app_help_usage},
	{"version", app_version, "version and optional parts", app_version_usage},
	{NULL, NULL, NULL, NULL},
};

/* libbpf's warnings are left out: they are about attempts that may fail. */
static void warn(void *ctx, enum shunt_log_level level, const char *domain, const char *text)
{
	(void)ctx;
	(void)level;
	if (strcmp(domain, "libbpf"))
		fprintf(stderr, "shunt: warning: %s\n", text);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "help";

	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	if (!strcmp(name, "--version") || !strcmp(name, "-V"))
		name = "version";
	shunt_log_set(warn, NULL, SHUNT_LOG_WARN);
	const struct app_verb *verb = app_verb(name);
	if (!verb) {
		fprintf(stderr, "shunt: there is no verb '%.60s': see `shunt help`\n", name);
		return 2;
	}
	for (int i = 2; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			app_help(verb);
			return 0;
		}
	if (argc < 2) {
		argv[0] = "help";
		return verb->run(1, argv);
	}
	return verb->run(argc - 1, argv + 1);
}
