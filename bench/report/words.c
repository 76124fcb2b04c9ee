/* SPDX-License-Identifier: BSD-2-Clause
 * A compare document in sentences, each made from its values.
 */
#include "bench/report/doc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *bench_say(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	return text;
}

static const char *plural(double n)
{
	return n == 1 ? "" : "s";
}

char *bench_say_pace(const json_t *root)
{
	char pps[BENCH_NUMBER];

	if (!json_is_number(bench_at(root, "workload.paced_pps")))
		return bench_say("at the traffic's own pace");
	bench_write_number(pps, bench_number(root, "workload.paced_pps"), 0);
	return bench_say("at %s packets/s", pps);
}

static void say_traffic(char *out, size_t size, const json_t *load)
{
	double flows = bench_number(load, "flows");
	char frames[BENCH_NUMBER];

	if (!strcmp(bench_text(load, "kind"), "capture")) {
		bench_write_number(frames, bench_number(load, "traffic.frames"), 0);
		snprintf(
			out, size, "%s frames of %.300s", frames, bench_text(load, "traffic.file"));
	} else if (!strcmp(bench_text(load, "kind"), "interface")) {
		snprintf(out, size, "the traffic of the interface");
	} else {
		snprintf(out, size, "%.0f-byte frames, %.0f flow%s", bench_number(load, "size"),
			flows, plural(flows));
	}
}

char *bench_say_workload(const json_t *root)
{
	const json_t *load = bench_at(root, "workload");
	double rounds = bench_number(load, "rounds");
	const char *to = bench_text(load, "destination");
	char traffic[400];

	say_traffic(traffic, sizeof traffic, load);
	return bench_say("%s%s%s; generator %s; %.0f x %g s, seed %.0f", traffic,
		*to ? ", to " : "", to, bench_text(root, "generator.name"), rounds,
		bench_number(load, "seconds"), bench_number(root, "seed"));
}

char *bench_say_card(const json_t *card)
{
	const char *role = bench_text(card, "role"), *name = bench_text(card, "name");
	const char *address = bench_text(card, "address");
	bool named = strcmp(name, address) != 0;

	return bench_say("%s: %s%s%s, driver %s, %04x:%04x",
		!strcmp(role, "kernel")   ? "packet-* and xdp-* paths"
		: !strcmp(role, "bypass") ? "pci: path"
					  : "generator",
		name, named ? " at " : "", named ? address : "", bench_text(card, "driver"),
		(unsigned)bench_number(card, "vendor"), (unsigned)bench_number(card, "device"));
}

char *bench_say_machine(const json_t *root)
{
	const json_t *env = bench_at(root, "environment");
	double cores = bench_number(env, "cores");
	const char *host = bench_text(env, "virtual");
	char call[BENCH_NUMBER];

	bench_write_metric(call, bench_at(env, "null_syscall_ns"), 1, 0);
	return bench_say("%s, %s, %.0f core%s, %s%s; null system call %s ns",
		bench_text(env, "kernel"), bench_text(env, "cpu"), cores, plural(cores),
		*host ? "" : "bare metal", host, call);
}

static char *say_factor(const json_t *gain, const char *factor, const char *range)
{
	bool cpu = !strcmp(bench_text(gain, "metric"), "cpu_ns_per_packet");
	bool better = bench_number(gain, "factor.value") >= 1;
	const char *less = cpu ? "less" : "fewer";

	return bench_say("%s %s %s %s than %s by a factor of %s%s%s%s, both with wait=%s: %s",
		bench_text(gain, "bypass"), cpu ? "takes" : "delivers",
		better == cpu ? less : "more", cpu ? "CPU per packet" : "packets",
		bench_text(gain, "kernel"), factor, *range ? " (" : "", range, *range ? ")" : "",
		bench_text(gain, "wait"), bench_text(gain, "verdict"));
}

char *bench_say_gain(const json_t *gain)
{
	const json_t *metric = bench_at(gain, "factor");
	double value = bench_number(metric, "value");
	char factor[BENCH_NUMBER], range[BENCH_NUMBER];

	if (!bench_have(metric) || value <= 0)
		return bench_say("%s and %s, %s: %s; %s", bench_text(gain, "bypass"),
			bench_text(gain, "kernel"),
			strcmp(bench_text(gain, "metric"), "delivered_pps") ? "CPU per packet"
									    : "rate",
			bench_text(gain, "verdict"), bench_reason(metric));
	bench_write_number(factor, value >= 1 ? value : 1 / value, 2);
	bench_write_range(range, metric, 1, 2);
	return say_factor(gain, factor, value >= 1 ? range : "");
}

char *bench_say_selftests(const json_t *root)
{
	const json_t *tests = bench_at(root, "selftest"), *test;
	size_t passed = 0, n = json_array_size(tests), i;
	char *text, *more;

	json_array_foreach (tests, i, test)
		passed += bench_true(test, "passed");
	if (!n)
		return bench_say("No probe was tested.");
	text = bench_say("%zu of %zu probes counted as expected, and 0 in their negative control.",
		passed, n);
	json_array_foreach (tests, i, test) {
		if (bench_true(test, "passed") || !text)
			continue;
		more = bench_say("%s Failed: %s on %s: %s.", text, bench_text(test, "probe"),
			bench_text(test, "path"), bench_text(test, "reason"));
		free(text);
		text = more;
	}
	return text;
}

/* Has a path before this one the same depth? Then it was named with that one. */
static bool named_before(const json_t *paths, size_t at)
{
	const char *depth = bench_text(json_array_get(paths, at), "depth");

	while (at--)
		if (!strcmp(bench_text(json_array_get(paths, at), "depth"), depth))
			return true;
	return false;
}

/* Frees text. */
static char *add_depth(char *text, const json_t *paths, size_t at)
{
	const char *depth = bench_text(json_array_get(paths, at), "depth"), *before = "";
	char *more = bench_say("%s%s", text, *text ? "; " : "");

	for (size_t i = at; more && i < json_array_size(paths); i++) {
		const json_t *path = json_array_get(paths, i);
		if (strcmp(bench_text(path, "depth"), depth))
			continue;
		free(text);
		text = more;
		more = bench_say("%s%s%s", text, before, bench_text(path, "name"));
		before = ", ";
	}
	free(text);
	text = more ? bench_say("%s: %s", more, depth) : NULL;
	free(more);
	return text;
}

/* Paths with the same depth share an entry: "a, b: 8192 frames; c: 256 frames". */
char *bench_say_depths(const json_t *root)
{
	const json_t *paths = bench_at(root, "paths");
	char *text = bench_say("%s", "");

	for (size_t i = 0; text && i < json_array_size(paths); i++) {
		const char *depth = bench_text(json_array_get(paths, i), "depth");
		if (*depth && !named_before(paths, i))
			text = add_depth(text, paths, i);
	}
	return text;
}

/* Adds a word to a list of them, once. */
static void add_word(char *list, size_t size, const char *word)
{
	size_t len = strlen(list);

	if (!strstr(list, word))
		snprintf(list + len, size - len, "%s%s", len ? ", " : "", word);
}

char *bench_say_tracing(const json_t *root)
{
	char levels[64] = "", functions[300] = "", level[32];
	const json_t *path, *probe;
	size_t i, k;

	json_array_foreach (bench_at(root, "paths"), i, path) {
		const json_t *trace = bench_at(path, "trace");
		if (!json_is_object(trace))
			continue;
		snprintf(level, sizeof level, "%.4s (%.20s)", bench_text(trace, "level"),
			bench_text(trace, "means"));
		add_word(levels, sizeof levels, level);
		json_array_foreach (bench_at(trace, "probes"), k, probe)
			if (bench_true(probe, "attached") &&
				!strncmp(bench_text(probe, "name"), "f", 1))
				add_word(functions, sizeof functions, bench_text(probe, "name"));
	}
	if (!*levels)
		return bench_say("No pass was traced.");
	return bench_say("Copies were counted at tracing level %s%s%s.", levels,
		*functions ? "; function probes: " : "", functions);
}

static void say_cost(char *out, size_t size, const json_t *metric, const char *passes)
{
	char number[BENCH_NUMBER];

	bench_write_metric(number, metric, 1, 0);
	if (bench_have(metric))
		snprintf(out, size, "%s ns per packet in %s passes", number, passes);
	else
		snprintf(out, size, "an unknown time in %s passes (%.200s)", passes,
			bench_reason(metric));
}

char *bench_say_probe_cost(const json_t *root)
{
	const json_t *cost = bench_at(root, "environment.probe_cost_ns");
	char few[300], all[300];

	say_cost(few, sizeof few, bench_at(cost, "cost"), "cost");
	say_cost(all, sizeof all, bench_at(cost, "count"), "count");
	return bench_say("The probes cost %s and %s; rate passes have none.", few, all);
}
