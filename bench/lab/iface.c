/* SPDX-License-Identifier: BSD-2-Clause
 * Interfaces that must not be used, those with a default route: from /proc/net.
 */
#include "bench/lab/iface.h"

#include <errno.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Iface Destination Gateway Flags RefCnt Use Metric Mask, addresses in hexadecimal. */
static bool is_default4(const char *line, char *ifname)
{
	unsigned long to, mask;

	return sscanf(line, "%31s %lx %*s %*s %*s %*s %*s %lx", ifname, &to, &mask) == 3 && !to &&
	       !mask;
}

/* Destination, prefix length, source, its length, gateway, metric, two counters, flags, interface.
 */
static bool is_default6(const char *line, char *ifname)
{
	char to[33];
	unsigned prefix;

	return sscanf(line, "%32s %x %*s %*s %*s %*s %*s %*s %*s %31s", to, &prefix, ifname) == 3 &&
	       !prefix && strspn(to, "0") == 32 &&
	       strcmp(ifname, "lo"); /* that of lo rejects packets without a route */
}

static bool leads_out(const char *table, bool (*is_default)(const char *, char *), const char *name)
{
	char line[512], ifname[32];
	FILE *f = fopen(table, "re");
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f))
		found = is_default(line, ifname) && !strcmp(ifname, name);
	if (f)
		fclose(f);
	return found;
}

int bench_iface_check(const char *name, struct shunt_err *err)
{
	char real[IF_NAMESIZE];
	unsigned index = if_nametoindex(name);

	if (!index || !if_indextoname(index, real)) /* resolves an alternative name */
		return shunt_fail_usage(err, -ENODEV, "`ip -br link` lists them",
			"there is no interface '%.60s'", name);
	if (leads_out("/proc/thread-self/net/route", is_default4, real) ||
		leads_out("/proc/thread-self/net/ipv6_route", is_default6, real))
		return shunt_fail_usage(err, -EPERM, "name another one",
			"'%.60s' has the default route: a run could disconnect you, so it is never "
			"measured",
			name);
	return 0;
}

bool bench_iface_find(const char *name, struct shunt_link *found)
{
	static _Thread_local struct shunt_link links[256];
	unsigned index = if_nametoindex(name);
	int most = sizeof links / sizeof *links, n = shunt_link_list(links, (unsigned)most, NULL);

	for (int i = 0; index && i < n && i < most; i++)
		if (links[i].index == index) {
			*found = links[i];
			return true;
		}
	return false;
}
