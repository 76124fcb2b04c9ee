/* SPDX-License-Identifier: BSD-2-Clause
 * What was measured and how, for the HTML report: traffic, generator, passes, self-tests with both
 * counts, the paths and their modes, and the machine.
 */
#include "bench/report/escape.h"
#include "bench/report/page.h"

#include <stdlib.h>
#include <string.h>

static void fact(FILE *out, const char *name, char *text)
{
	fprintf(out, "<div><dt>%s</dt>", name);
	bench_page_say(out, "dd", text);
	fputs("</div>\n", out);
}

static void metric_fact(FILE *out, const char *name, const json_t *metric, int decimals)
{
	char number[BENCH_NUMBER], *provenance = bench_page_provenance(metric, 1, decimals);

	bench_write_metric(number, metric, 1, decimals);
	fact(out, name,
		bench_have(metric) ? bench_say("%s %s (%s)", number, bench_text(metric, "unit"),
					     provenance ? provenance : "")
				   : bench_say("%s", provenance ? provenance : ""));
	free(provenance);
}

static char *core_name(double core)
{
	return core < 0 ? bench_say("any core") : bench_say("core %.0f", core);
}

static void cores_fact(FILE *out, const json_t *root)
{
	char *app = core_name(bench_number(root, "workload.cores.app"));
	char *generator = core_name(bench_number(root, "workload.cores.generator"));

	fact(out, "cores",
		bench_say("application on %s, generator on %s", app ? app : "?",
			generator ? generator : "?"));
	free(app);
	free(generator);
}

static char *say_command(const json_t *root)
{
	char *text = bench_say("%s", "");
	const json_t *word;
	size_t i;

	json_array_foreach (bench_at(root, "command"), i, word) {
		char *more =
			text ? bench_say("%s%s%s", text, i ? " " : "", bench_text(word, "")) : NULL;

		free(text);
		text = more;
	}
	return text;
}

static void traffic(FILE *out, const json_t *root)
{
	const json_t *load = bench_at(root, "workload"), *capture = bench_at(load, "traffic");
	const json_t *generator = bench_at(root, "generator"), *note, *card;
	char frames[BENCH_NUMBER];
	size_t i;

	fputs("<dl>\n", out);
	fact(out, "command", say_command(root));
	fact(out, "traffic", bench_say_workload(root));
	json_array_foreach (bench_at(root, "cards"), i, card)
		fact(out, "card", bench_say_card(card));
	if (json_is_object(capture))
		fact(out, "capture",
			bench_say("%s: %.0f frames, %.0f bytes; %.0f of the frames can't be sent",
				bench_text(capture, "file"), bench_number(capture, "frames"),
				bench_number(capture, "bytes"),
				bench_number(capture, "unsendable")));
	bench_write_number(frames, bench_number(load, "frames_per_pass"), 0);
	fact(out, "frames per pass", bench_say("%s", frames));
	fact(out, "merging (GRO)",
		bench_say("%s", bench_true(load, "merge")
					? "on: the kernel may deliver fewer, larger packets"
				: json_array_size(bench_at(root, "cards"))
					? "the NIC's default, which does not merge these UDP frames"
					: "off: nothing was merged"));
	cores_fact(out, root);
	fact(out, "generator",
		bench_say("%s, batches of %.0f", bench_text(generator, "spec"),
			bench_number(generator, "batch")));
	metric_fact(out, "requested rate", bench_at(generator, "asked_pps"), 0);
	metric_fact(out, "sent", bench_at(generator, "sent_pps"), 0);
	metric_fact(out, "worst lateness", bench_at(generator, "max_late_ns"), 0);
	metric_fact(out, "generator CPU", bench_at(generator, "cpu_ns_per_packet"), 0);
	json_array_foreach (bench_at(generator, "notes"), i, note)
		fact(out, "note", bench_say("%s", bench_text(note, "")));
	fputs("</dl>\n", out);
}

static void selftests(FILE *out, const json_t *root)
{
	static const char *const counts[] = {
		"sent", "expected", "got", "negative_sent", "negative_got"};
	const json_t *test;
	size_t i;

	bench_page_say(out, "p", bench_say_selftests(root));
	bench_page_say(out, "p", bench_say_tracing(root));
	if (!json_array_size(bench_at(root, "selftest")))
		return;
	bench_page_table(out,
		"Self-tests: what each probe counted of frames that were sent, and of "
		"frames that were dropped before it, which must be 0.",
		"path|probe|counts|#sent|#expected|#counted|#dropped|#of these counted|result");
	json_array_foreach (bench_at(root, "selftest"), i, test) {
		bool passed = bench_true(test, "passed");

		fputs("<tr>", out);
		shunt_html_element(out, "th scope=\"row\"", bench_text(test, "path"));
		shunt_html_element(out, "td class=\"word\"", bench_text(test, "probe"));
		shunt_html_element(out, "td class=\"word\"", bench_text(test, "counts"));
		for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
			const json_t *n = bench_at(test, counts[k]);
			if (json_is_integer(n))
				fprintf(out, "<td>%lld</td>", (long long)json_integer_value(n));
			else
				fputs("<td>\xe2\x80\x93</td>", out);
		}
		bench_page_say(out, passed ? "td class=\"word\"" : "td class=\"word bad\"",
			bench_say("%s%s%s", passed ? "passed" : "not passed",
				*bench_text(test, "reason") ? ": " : "",
				bench_text(test, "reason")));
		fputs("</tr>\n", out);
	}
	bench_page_table_end(out);
}

static void path_row(FILE *out, const json_t *path)
{
	const json_t *note;
	size_t i;

	fputs("<tr>", out);
	shunt_html_element(out, "th scope=\"row\"", bench_text(path, "name"));
	shunt_html_element(out, "td class=\"word\"", bench_text(path, "family"));
	fputs("<td class=\"word\">", out);
	shunt_html_element(out, "code", bench_text(path, "spec"));
	fprintf(out, "</td><td>%.0f</td>", bench_number(path, "room"));
	shunt_html_element(out, "td class=\"word\"",
		*bench_text(path, "depth") ? bench_text(path, "depth") : "\xe2\x80\x93");
	fprintf(out, "<td class=\"word%s\">", bench_ok(path) ? "" : " bad");
	if (!bench_ok(path))
		bench_page_say(out, "span",
			bench_say("%s: %s. ", bench_text(path, "status"),
				bench_text(path, "reason")));
	else
		shunt_html_text(out, bench_text(path, "mode"));
	json_array_foreach (bench_at(path, "notes"), i, note)
		bench_page_say(out, "span", bench_say("; %s", bench_text(note, "")));
	fputs("</td></tr>\n", out);
}

static void paths(FILE *out, const json_t *root)
{
	const json_t *path;
	size_t i;

	bench_page_table(out, "The paths, and the mode in which each really ran.",
		"path|family|device|#depth requested|depth granted|mode and notes");
	json_array_foreach (bench_at(root, "paths"), i, path)
		path_row(out, path);
	if (json_is_object(bench_at(root, "ceiling")))
		path_row(out, bench_at(root, "ceiling"));
	bench_page_table_end(out);
}

static void machine(FILE *out, const json_t *root)
{
	const json_t *env = bench_at(root, "environment"), *load = bench_at(env, "load");

	fputs("<h3>The machine</h3>\n<dl>\n", out);
	fact(out, "kernel", bench_say("%s", bench_text(env, "kernel")));
	fact(out, "processor",
		bench_say("%s, %.0f cores", bench_text(env, "cpu"), bench_number(env, "cores")));
	fact(out, "virtualization",
		bench_say("%s", *bench_text(env, "virtual") ? bench_text(env, "virtual") : "no"));
	fact(out, "clock source", bench_say("%s", bench_text(env, "clocksource")));
	fact(out, "load",
		bench_say("%.2f, %.2f, %.2f", json_number_value(json_array_get(load, 0)),
			json_number_value(json_array_get(load, 1)),
			json_number_value(json_array_get(load, 2))));
	metric_fact(out, "steal time", bench_at(env, "steal_percent"), 2);
	metric_fact(out, "null system call", bench_at(env, "null_syscall_ns"), 0);
	fact(out, "free huge pages", bench_say("%.0f", bench_number(env, "huge_pages_free")));
	fact(out, "tracing level",
		bench_say("%s%s%s", bench_text(env, "trace_level"),
			*bench_text(env, "trace_level_gap") ? "; it can't see " : "",
			bench_text(env, "trace_level_gap")));
	fputs("</dl>\n", out);
}

/* Does any path have a pass of this kind? */
static bool has_pass(const json_t *root, const char *kind)
{
	const json_t *path, *pass;
	size_t i, k;

	json_array_foreach (bench_at(root, "paths"), i, path)
		json_array_foreach (bench_at(path, "rounds"), k, pass)
			if (!strcmp(bench_text(pass, "pass"), kind))
				return true;
	return false;
}

void bench_page_method(FILE *out, const json_t *root)
{
	char *pace = bench_say_pace(root);
	bool latency_apart = has_pass(root, "pace");

	bench_page_say(out, "p",
		bench_say(
			"Each round takes the paths in a new order (seed %.0f) and runs %s passes "
			"of each: rate, without probes; %scost, %s, with the probes that time "
			"softirq; count, at the same pace, with all probes. A pass sends its "
			"frames, waits until the path has drained and then reads the counters, so "
			"that each metric is per packet delivered in that pass.",
			bench_number(root, "seed"), latency_apart ? "four" : "three",
			latency_apart ? "pace, without probes at a fixed pace, for latency; " : "",
			pace ? pace : "?"));
	free(pace);
	traffic(out, root);
	paths(out, root);
	selftests(out, root);
	bench_page_say(out, "p", bench_say_probe_cost(root));
	machine(out, root);
}
