/* SPDX-License-Identifier: BSD-2-Clause
 * What the metrics of this document mean on this machine, and what they do not. Each sentence is
 * printed only where the document supports it, and takes its numbers from there.
 */
#include "bench/report/escape.h"
#include "bench/report/page.h"

#include <stdlib.h>
#include <string.h>

typedef bool path_test(const json_t *path);

/* "a, b and c": the measured paths that are wanted; NULL when none is. */
static char *names(const json_t *root, path_test *wanted)
{
	const json_t *paths = bench_at(root, "paths"), *path;
	size_t total = 0, seen = 0, i;
	char *text = NULL;

	json_array_foreach (paths, i, path)
		total += bench_ok(path) && wanted(path);
	json_array_foreach (paths, i, path) {
		char *more;

		if (!bench_ok(path) || !wanted(path))
			continue;
		seen++;
		more = bench_say("%s%s%s", text ? text : "",
			seen == 1       ? ""
			: seen == total ? " and "
					: ", ",
			bench_text(path, "name"));
		free(text);
		text = more;
	}
	return text;
}

static bool is_busy_polling(const json_t *path)
{
	return !strcmp(bench_text(path, "wait"), "spin");
}

static bool is_bound_by_generator(const json_t *path)
{
	return !strcmp(bench_text(path, "bottleneck"), "generator");
}

static bool is_bound_by_app(const json_t *path)
{
	return bench_true(path, "capacity");
}

static bool is_copying_bypass(const json_t *path)
{
	return !strcmp(bench_text(path, "family"), "bypass") &&
	       bench_number(path, "copies_per_packet.value") > 0.5;
}

static bool is_losing_at_pace(const json_t *path)
{
	return bench_lost_share(path, "paced") > 0;
}

/* A sentence about the wanted paths, when there are any: before, their names, after. */
static void say_of(
	FILE *out, const json_t *root, path_test *wanted, const char *before, const char *after)
{
	char *who = names(root, wanted);

	if (who)
		bench_page_say(out, "p", bench_say("%s%s%s", before, who, after));
	free(who);
}

static void wire(FILE *out, const json_t *root)
{
	if (json_array_size(bench_at(root, "cards")))
		fputs("<p>The frames crossed a wire between the network cards named above, each "
		      "with its own kernel driver or with one of this program. While one path is "
		      "measured the other cards drop its frames, which are addressed to no host "
		      "here. The cost of an emulated card says nothing about a real one.</p>\n",
			out);
	else if (strcmp(bench_text(root, "workload.kind"), "interface"))
		fputs("<p>The frames crossed a veth pair between two network namespaces of this "
		      "machine. No network card, no DMA and no device interrupt took part, and "
		      "veth has no zero-copy: these metrics compare paths through this kernel, and "
		      "say nothing about the gain of bypass on a card.</p>\n",
			out);
	else
		fputs("<p>The traffic was that of an existing interface: no two passes saw the "
		      "same frames, "
		      "so differences between paths are also differences of traffic.</p>\n",
			out);
	say_of(out, root, is_copying_bypass, "A zero-copy path would not copy the payload; ",
		" did, so their cost includes a copy, as that of the kernel's paths does.");
}

/* The path with the most system calls per packet. */
static const json_t *chattiest(const json_t *root)
{
	const json_t *path, *most = NULL;
	size_t i;

	json_array_foreach (bench_at(root, "paths"), i, path)
		if (bench_ok(path) && bench_number(path, "syscalls_per_packet.value") >
					      bench_number(most, "syscalls_per_packet.value"))
			most = path;
	return most;
}

static void calls(FILE *out, const json_t *root)
{
	const json_t *null = bench_at(root, "environment.null_syscall_ns"), *path = chattiest(root);
	const char *host = bench_text(root, "environment.virtual");
	char price[BENCH_NUMBER], each[BENCH_NUMBER], share[BENCH_NUMBER], total[BENCH_NUMBER];
	double n = bench_number(path, "syscalls_per_packet.value"),
	       ns = bench_number(null, "value");

	if (!bench_have(null) || !path)
		return;
	bench_write_number(price, ns, 0);
	bench_write_number(each, n, 2);
	bench_write_number(share, n * ns, 0);
	bench_write_number(total, bench_number(path, "cpu_ns_per_packet.total.value"), 0);
	bench_page_say(out, "p",
		bench_say("A null system call takes %s ns on this host, %s. %s makes %s calls per "
			  "packet, so entering the kernel alone is about %s of its %s ns. Where a "
			  "call is %s, paths with many calls compare %s against those with few.",
			price, *host ? host : "bare metal", bench_text(path, "name"), each, share,
			total,
			ns > 300 ? "cheaper, as on most bare metal (50 to 300 ns)"
				 : "more expensive, as in a virtual machine",
			ns > 300 ? "better" : "worse"));
}

static void cores(FILE *out, const json_t *root)
{
	if (json_array_size(bench_at(root, "cards")))
		fputs("<p>The generator has a card of its own. Interrupts of the kernel's card run "
		      "on the cores of their affinity masks: their softirq counts as the path's, "
		      "on every core.</p>\n",
			out);
	else if (!strcmp(bench_text(root, "generator.name"), "xdpgen"))
		bench_page_say(out, "p",
			bench_say("The generator passes its frames directly to the receiving "
				  "device, so the receiver's softirq runs in the generator's "
				  "context, on the generator's core%s. Its time counts as softirq "
				  "of the path, not as the generator's; but the two share that "
				  "core, and the faster the path, the sooner the core is "
				  "saturated.",
				bench_number(root, "workload.cores.generator") < 0
					? ", wherever that was"
					: ""));
	else if (!strcmp(bench_text(root, "generator.name"), "packet"))
		fputs("<p>The generator sent through a packet socket, as an ordinary application "
		      "would: its socket buffers are copied once more where a native XDP program "
		      "receives them.</p>\n",
			out);
	say_of(out, root, is_bound_by_generator, "The rates of ",
		" are those of the generator: the capacity of these paths is higher, but unknown.");
	say_of(out, root, is_bound_by_app, "Only ", " ran at the limit of the application.");
	say_of(out, root, is_busy_polling, "",
		" busy-poll: each uses a full core at any rate, which the metric without empty "
		"polls excludes.");
}

static void limits(FILE *out, const json_t *root)
{
	const char *to = bench_text(root, "workload.destination"),
		   *gap = bench_text(root, "environment.trace_level_gap");

	if (*to)
		bench_page_say(out, "p",
			bench_say("The frames were addressed to %s. A UDP or TCP socket behind "
				  "that stack costs more than any path here.",
				to));
	say_of(out, root, is_losing_at_pace, "",
		" lost packets also in paced passes; metrics per packet count those that were "
		"delivered.");
	if (*gap)
		bench_page_say(out, "p",
			bench_say("This machine's tracing level, %s, can't see %s.",
				bench_text(root, "environment.trace_level"), gap));
	if (bench_number(root, "workload.rounds") < 3)
		bench_page_say(out, "p",
			bench_say("With %.0f round(s) the ranges say little about the variance.",
				bench_number(root, "workload.rounds")));
}

void bench_page_means(FILE *out, const json_t *root)
{
	wire(out, root);
	calls(out, root);
	cores(out, root);
	limits(out, root);
}
