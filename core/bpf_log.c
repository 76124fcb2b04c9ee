/* SPDX-License-Identifier: BSD-2-Clause
 * libbpf prints messages of several lines (a verifier log); the library's log takes one line per
 * call.
 */
#include "core/bpf_log.h"

#include <bpf/libbpf.h>
#include <shunt/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum shunt_log_level level_of(enum libbpf_print_level level)
{
	switch (level) {
	case LIBBPF_WARN:
		return SHUNT_LOG_WARN;
	case LIBBPF_INFO:
		return SHUNT_LOG_INFO;
	default:
		return SHUNT_LOG_DEBUG;
	}
}

static int print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char *text, *save = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		return 0;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "libbpf: ", 8))
			line += 8;
		shunt_log(level_of(level), "libbpf", "%s", line);
	}
	free(text);
	return 0;
}

void shunt_bpf_log_bridge(void)
{
	libbpf_set_print(print);
}
