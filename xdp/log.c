/* SPDX-License-Identifier: BSD-2-Clause
 * The bridge from libbpf's print function, which is one a process.
 */
#include "xdp/log.h"

#include <bpf/libbpf.h>
#include <shunt/log.h>
#include <stdio.h>
#include <string.h>

static int print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char text[512];
	enum shunt_log_level to = level == LIBBPF_WARN   ? SHUNT_LOG_WARN
				  : level == LIBBPF_INFO ? SHUNT_LOG_INFO
							 : SHUNT_LOG_DEBUG;
	int n = vsnprintf(text, sizeof text, fmt, ap);

	/* A message of the log is a line without its end; libbpf's verifier dumps have many. */
	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		if (*line)
			shunt_log(to, "libbpf", "%s", line);
	}
	return n;
}

void shunt_bpf_log(void)
{
	libbpf_set_print(print);
}
