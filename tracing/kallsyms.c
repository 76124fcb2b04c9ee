/* SPDX-License-Identifier: BSD-2-Clause
 * Reads /proc/kallsyms, where vmlinux comes first, sorted by address: a function ends where the
 * next symbol begins. Functions of modules are not searched.
 */
#include "tracing/kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "ffffffff81e95a20 T skb_pp_cow_data\n" */
static bool parse(char *line, uint64_t *at, const char **symbol)
{
	char *end;

	*at = strtoull(line, &end, 16);
	if (end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	*symbol = end + 3;
	end[3 + strcspn(end + 3, "\t\n")] = 0;
	return true;
}

int shunt_kallsyms_find(const char *const *names, struct trace_range *ranges, unsigned n)
{
	FILE *in = fopen("/proc/kallsyms", "re");
	unsigned found = 0, open = 0;
	bool hidden = false;
	const char *symbol;
	char line[1024];
	uint64_t at;

	memset(ranges, 0, n * sizeof *ranges);
	if (!in)
		return -errno;
	while ((found < n || open) && fgets(line, sizeof line, in)) {
		if (!parse(line, &at, &symbol))
			continue;
		for (unsigned i = 0; i < n; i++) {
			if (ranges[i].start && !ranges[i].end && at > ranges[i].start) {
				ranges[i].end = at;
				open--;
			} else if (!ranges[i].start && !strcmp(symbol, names[i])) {
				hidden = hidden || !at;
				ranges[i].start = at;
				found++;
				open += at != 0;
			}
		}
	}
	fclose(in);
	return !found ? -ENOENT : hidden ? -EPERM : 0;
}
