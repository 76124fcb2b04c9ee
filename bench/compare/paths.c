/* SPDX-License-Identifier: BSD-2-Clause
 * Named paths, one per line. stamp=none: AF_XDP delivers no timestamps either, and a kernel path
 * that does more work would inflate the gain of the others.
 */
#include "bench/compare/paths.h"

#include "drivers/core/spec.h"
#include <shunt/dev.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *family, *spec, *summary;
	bool dflt, ceiling, busy_poll;
} table[] = {
	{"packet-recv", "kernel", "packet:%s?mode=recv&stamp=none&wait=poll",
		"AF_PACKET socket, one blocking recvmsg per packet", true, false, false},
	{"packet-mmsg", "kernel", "packet:%s?mode=mmsg&stamp=none&wait=poll",
		"AF_PACKET socket, one blocking recvmmsg per burst", true, false, false},
	{"packet-ring", "kernel", "packet:%s?mode=ring&wait=poll",
		"AF_PACKET with a TPACKET_V3 ring, blocks in poll when empty", true, false, false},
	{"packet-spin", "kernel", "packet:%s?mode=ring&wait=spin",
		"packet-ring, busy-polling: the baseline of busy-polling bypass paths", true, false,
		false},
	{"xdp-skb", "bypass", "xdp:%s?attach=skb&mode=copy&wait=spin",
		"AF_XDP with a generic XDP program, busy-polls", true, false, false},
	{"xdp-native", "bypass", "xdp:%s?attach=native&wait=spin",
		"AF_XDP with a native XDP program, busy-polls", true, false, false},
	{"xdp-poll", "bypass", "xdp:%s?attach=native&wait=poll",
		"the same, blocks in poll when empty", true, false, false},
	{"xdp-busy", "bypass", "xdp:%s?attach=native&wait=spin&busy=64",
		"the same, with SO_BUSY_POLL: NAPI runs in the application's thread", true, false,
		true},
	{"xdp-drop", "bypass", "xdp:%s?attach=native&action=drop",
		"a native XDP program that counts and drops: the ceiling", true, true, false},
};
#define NTABLE (sizeof table / sizeof *table)

bool bench_path_is_pci(const struct bench_path *path)
{
	return !strcmp(path->scheme, "pci");
}

/* A malformed spec fails, with the reason, when it is opened. */
static void read_spec(struct bench_path *p)
{
	struct shunt_spec spec;

	if (shunt_spec_parse(&spec, p->spec, NULL))
		return;
	snprintf(p->scheme, sizeof p->scheme, "%s", spec.scheme);
	p->polls = shunt_spec_is(&spec, "wait", "poll", false);
	p->depth = (uint32_t)shunt_spec_number(&spec, "depth", 0);
}

static int add(struct bench_paths *paths, const char *name, const char *family, const char *spec,
	struct shunt_err *err)
{
	if (paths->n == BENCH_PATHS_MAX)
		return shunt_fail_usage(err, -E2BIG, NULL, "more than %d paths", BENCH_PATHS_MAX);
	for (unsigned i = 0; i < paths->n; i++)
		if (!strcmp(paths->path[i].name, name))
			return shunt_fail_usage(
				err, -EINVAL, NULL, "path '%.60s' is named twice", name);
	struct bench_path *p = &paths->path[paths->n++];
	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "%s", name);
	snprintf(p->spec, sizeof p->spec, "%s", spec);
	read_spec(p);
	p->family = family ? family : !strcmp(p->scheme, "packet") ? "kernel" : "bypass";
	return 0;
}

static int add_named(struct bench_paths *paths, size_t i, const char *ifname, struct shunt_err *err)
{
	char spec[256];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(spec, sizeof spec, table[i].spec, ifname);
#pragma GCC diagnostic pop
	int rc = add(paths, table[i].name, table[i].family, spec, err);
	if (rc)
		return rc;
	struct bench_path *p = &paths->path[paths->n - 1];
	p->summary = table[i].summary;
	p->ceiling = table[i].ceiling;
	p->busy_poll = table[i].busy_poll;
	return 0;
}

bool bench_path_at(unsigned i, const char *ifname, struct bench_path *path, bool *dflt)
{
	struct bench_paths one = {.n = 0};

	if (i >= NTABLE || add_named(&one, i, ifname, NULL))
		return false;
	*path = one.path[0];
	*dflt = table[i].dflt;
	return true;
}

static int takes_traffic(const char *family, const char *name, struct shunt_err *err)
{
	if (!strcmp(family, "kernel"))
		return 0;
	return shunt_fail_usage(err, -EPERM, "--take-traffic allows it",
		"path '%.60s' takes the interface's traffic away from the kernel", name);
}

static int add_list(struct bench_paths *paths, const char *list, const char *ifname,
	bool kernel_only, struct shunt_err *err)
{
	char buf[512], known[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < NTABLE; i++)
		used += (size_t)snprintf(
			known + used, sizeof known - used, "%s%s", i ? ", " : "", table[i].name);
	snprintf(buf, sizeof buf, "%s", list);
	for (char *save, *name = strtok_r(buf, ",", &save); name;
		name = strtok_r(NULL, ",", &save)) {
		size_t i = 0;
		while (i < NTABLE && strcmp(table[i].name, name))
			i++;
		if (i == NTABLE)
			return shunt_fail_usage(err, -EINVAL, "other specs: --path SPEC",
				"there is no path '%.40s'; there are %.190s", name, known);
		int rc = kernel_only ? takes_traffic(table[i].family, name, err) : 0;
		if (!rc)
			rc = add_named(paths, i, ifname, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int add_default(
	struct bench_paths *paths, const char *ifname, bool kernel_only, struct shunt_err *err)
{
	for (size_t i = 0; i < NTABLE; i++) {
		if (!table[i].dflt || (kernel_only && strcmp(table[i].family, "kernel")))
			continue;
		int rc = add_named(paths, i, ifname, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Equal terms: the drivers' own defaults differ. */
static int set_depth(struct bench_path *p, uint32_t depth, struct shunt_err *err)
{
	char text[16], spec[sizeof p->spec];
	struct shunt_spec parsed;

	if (shunt_spec_parse(&parsed, p->spec, NULL))
		return 0; /* opening it gives the reason */
	snprintf(text, sizeof text, "%u", depth);
	if (shunt_spec_add(spec, sizeof spec, p->spec, "depth", text))
		return shunt_fail_usage(
			err, -ENAMETOOLONG, NULL, "path '%.60s' is too long", p->name);
	memcpy(p->spec, spec, sizeof spec);
	read_spec(p);
	return 0;
}

int bench_paths_pick(struct bench_paths *paths, const char *list, const char *const *extra,
	unsigned nextra, const char *ifname, uint32_t depth, bool kernel_only,
	struct shunt_err *err)
{
	paths->n = 0;
	int rc = list ? add_list(paths, list, ifname, kernel_only, err)
		      : add_default(paths, ifname, kernel_only, err);
	for (unsigned i = 0; !rc && i < nextra; i++) {
		rc = add(paths, extra[i], NULL, extra[i], err);
		if (!rc && kernel_only)
			rc = takes_traffic(paths->path[paths->n - 1].family, extra[i], err);
	}
	if (!rc && !paths->n)
		rc = shunt_fail_usage(err, -EINVAL, "see --list", "no path was named");
	for (unsigned i = 0; !rc && i < paths->n; i++)
		rc = set_depth(&paths->path[i], depth, err);
	return rc;
}
