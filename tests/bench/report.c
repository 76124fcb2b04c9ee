/* SPDX-License-Identifier: BSD-2-Clause
 * Reports of tests/data/compare-sample.json, whole and spoiled.
 */
#include "bench/report/report.h"
#include "bench/report/doc.h"
#include "core/text.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static json_t *sample(void)
{
	const char *folder = getenv("SHUNT_DATA");
	char name[512];
	json_t *root;

	snprintf(name, sizeof name, "%s/compare-sample.json", folder ? folder : "tests/data");
	root = json_load_file(name, 0, NULL);
	cr_assert(root, "cannot load %s", name);
	return root;
}

static char *table(const json_t *root, unsigned columns)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(bench_report_table(out, root, columns, false), 0);
	fclose(out);
	return text;
}

Test(report, table_fits)
{
	json_t *root = sample();

	for (unsigned columns = 40; columns <= 100; columns++) {
		char *text = table(root, columns), *rest = text;
		unsigned lines = 0;

		for (char *line; (line = strsep(&rest, "\n")) && rest; lines++)
			cr_assert_leq(shunt_text_width(line), columns, "%u: '%s'", columns, line);
		cr_assert(columns < 100 || lines <= 54, "%u lines", lines);
		free(text);
	}
	json_decref(root);
}

Test(report, table_shows_the_document)
{
	static const char *const wanted[] = {"xdp-native", "100,000 packets/s", "28.2 %", "~5,790",
		"[2]>=1.000", "[2] skb mode may copy",
		"xdp-busy is unavailable: SO_INCOMING_NAPI_ID",
		"less CPU per packet than packet-ring by a factor of 1.24",
		"generator: not a capacity", "warning: no huge pages", "8 of 9 probes",
		"null system call 1,104 ns", "[1]-",
		"depth: packet-recv, packet-mmsg: 8192 frames, SO_RCVBUF 37748736; packet-ring: "};
	json_t *root = sample();
	char *text = table(root, 100);

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		cr_assert(strstr(text, wanted[i]), "no '%s' in\n%s", wanted[i], text);
	cr_assert_eq(strchr(text, '\033'), NULL);
	free(text);
	json_decref(root);
}

Test(report, no_path_was_measured)
{
	json_t *root = sample(), *paths = json_object_get(root, "paths");
	char *text;

	while (json_array_size(paths) > 1)
		json_array_remove(paths, 0); /* leaves xdp-busy */
	json_object_set_new(root, "ceiling", json_null());
	text = table(root, 100);
	cr_assert(strstr(text, "No path was measured.") && !strstr(text, "Mpackets/s"), "%s", text);
	cr_assert(strstr(text, "xdp-busy is unavailable: SO_INCOMING_NAPI_ID"));
	free(text);
	json_decref(root);
}

/* Every metric of a row comes from its own key: change one, and the table changes. */
Test(report, table_follows_each_metric)
{
	static const char *const keys[] = {"cpu_ns_per_packet.app", "cpu_ns_per_packet.softirq",
		"cpu_ns_per_packet.total", "cpu_busy_ns_per_packet", "delivered_pps",
		"syscalls_per_packet", "copies_per_packet", "hidden_copies_per_packet",
		"user_copies_per_packet", "wasted_copies", "copied_bytes_per_packet",
		"context_switches_per_packet", "latency_ns.p50", "latency_ns.p99",
		"tracer_slowdown"};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		json_t *root = sample(), *path = json_array_get(json_object_get(root, "paths"), 0);
		char *text, *was = table(root, 100);

		json_object_set_new(
			(json_t *)bench_at(path, keys[i]), "value", json_integer(765432000));
		text = table(root, 100);
		cr_assert_str_neq(text, was, "%s", keys[i]);
		cr_assert(strstr(text, "765") && !strstr(was, "765"), "%s", keys[i]);
		free(text);
		free(was);
		json_decref(root);
	}
}

static char *html(const json_t *root)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(bench_report_html(out, root), 0);
	fclose(out);
	return text;
}

/* The page without the embedded document, which every change shows in. */
static char *page(const json_t *root)
{
	char *text = html(root), *document = strstr(text, "<pre id=\"shunt-compare\">");

	cr_assert(document);
	*document = 0;
	return text;
}

/* How often digits appear in a text, commas between them ignored. */
static unsigned digits(const char *text, const char *wanted)
{
	unsigned n = 0;
	size_t at = 0;

	for (; *text; text++) {
		if (*text == ',')
			continue;
		at = *text == wanted[at] ? at + 1 : *text == *wanted;
		if (!wanted[at]) {
			n++;
			at = 0;
		}
	}
	return n;
}

Test(report, page_follows_each_metric)
{
	static const char *const keys[] = {"cpu_ns_per_packet.app", "cpu_ns_per_packet.softirq",
		"cpu_ns_per_packet.total", "cpu_busy_ns_per_packet", "delivered_pps",
		"busy_share.app", "busy_share.generator", "busy_share.softirq",
		"syscalls_per_packet", "copies_per_packet", "hidden_copies_per_packet",
		"user_copies_per_packet", "wasted_copies", "copied_bytes_per_packet",
		"context_switches_per_packet", "latency_ns.p50", "latency_ns.p99",
		"latency_ns.p999", "latency_ns.max", "tracer_slowdown"};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		json_t *root = sample(), *path = json_array_get(json_object_get(root, "paths"), 0);
		json_t *metric = (json_t *)bench_at(path, keys[i]);
		char *text, *was = page(root);

		json_object_set_new(metric, "value", json_integer(765432000));
		json_object_set_new(metric, "source", json_string("a <new> probe"));
		text = page(root);
		cr_assert_gt(digits(text, "765"), digits(was, "765"), "%s", keys[i]);
		cr_assert(strstr(text, ">a &lt;new&gt; probe<"), "%s: source is not visible",
			keys[i]);
		free(text);
		free(was);
		json_decref(root);
	}
}

Test(report, page_shows_the_document)
{
	static const char *const wanted[] = {
		"less CPU per packet than packet-ring by a factor of 1.24", "Warning",
		"no huge pages are free", "8 of 9 probes", "<caption>Self-tests",
		"SO_INCOMING_NAPI_ID stays 0", "veth has no zero-copy",
		"takes 1,104 ns on this host, kvm",
		"The rates of xdp-native and xdp-poll are those of the generator",
		"xdp-skb and xdp-native busy-poll",
		"Only packet-recv and packet-mmsg ran at the limit", "addressed to another host",
		"role=\"img\"", "prefers-color-scheme:dark"};
	json_t *root = sample();
	char *text = page(root);

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		cr_assert(strstr(text, wanted[i]), "no '%s'", wanted[i]);
	cr_assert(!strstr(text, "src=") && !strstr(text, "href=\"h") && !strstr(text, "url(h") &&
			  !strstr(text, "@import"),
		"it would fetch something");
	cr_assert(!strstr(text, "<script"));
	free(text);
	json_decref(root);
}

/* The page names the cards at its top and beside the traffic. */
Test(report, cards_are_named)
{
	json_t *root = sample();
	const char *line = "packet-* and xdp-* paths: eth1 at 0000:00:06.0, driver igb, 8086:10c9";
	char *text;

	json_array_append_new(json_object_get(root, "cards"),
		json_pack("{s:s, s:s, s:s, s:s, s:i, s:i}", "role", "kernel", "name", "eth1",
			"driver", "igb", "address", "0000:00:06.0", "vendor", 0x8086, "device",
			0x10c9));
	text = page(root);
	cr_assert(strstr(text, line));
	cr_assert(strstr(text, "crossed a wire") && !strstr(text, "veth pair"));
	cr_assert(!strstr(text, "nothing was merged"));
	free(text);
	text = table(root, 120);
	cr_assert(strstr(text, line));
	free(text);
	json_decref(root);
}

/* The last section says only what the document supports. */
Test(report, words_follow_the_document)
{
	json_t *root = sample(), *path;
	char *text;
	size_t i;

	json_object_set_new(json_object_get(root, "workload"), "kind", json_string("interface"));
	json_object_set_new(json_object_get(root, "workload"), "destination", json_string(""));
	json_object_set_new(json_object_get(root, "environment"), "virtual", json_string(""));
	json_object_set_new(
		(json_t *)bench_at(root, "environment.null_syscall_ns"), "value", json_integer(70));
	json_object_set_new(json_object_get(root, "generator"), "name", json_string("none"));
	json_array_foreach (json_object_get(root, "paths"), i, path) {
		json_object_set_new(path, "wait", json_string("poll"));
		json_object_set_new(path, "bottleneck", json_string("pace"));
		json_object_set_new(path, "capacity", json_false());
	}
	text = page(root);
	cr_assert(!strstr(text, "veth has no zero-copy"));
	cr_assert(!strstr(text, "busy-poll:") && !strstr(text, "are those of the generator:"));
	cr_assert(!strstr(text, "were addressed to") && !strstr(text, "ran at the limit"));
	cr_assert(strstr(text, "takes 70 ns on this host, bare metal"));
	cr_assert(strstr(text, "that of an existing interface"));
	free(text);
	json_decref(root);
}

/* Replaces every string by a text that would end an element, an attribute or a script. */
static void make_hostile(json_t *node, const char *text, bool all)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach (node, key, value) {
		bool kept = !strcmp(key, "schema") || (!all && !strcmp(key, "status"));

		if (json_is_string(value) && !kept)
			json_string_set(value, text);
		make_hostile(value, text, all);
	}
	json_array_foreach (node, i, value) {
		if (json_is_string(value))
			json_string_set(value, text);
		make_hostile(value, text, all);
	}
}

Test(report, foreign_text_stays_text)
{
	for (int all = 0; all < 2; all++) { /* without a status of "ok" a path is not shown */
		json_t *root = sample();
		char *text;

		make_hostile(root, "</pre></script><script>alert(\"1\")</script>'\" onload=\"x<!--",
			all);
		text = html(root);
		cr_assert(!strstr(text, "<script") && !strstr(text, "\" onload") &&
			  !strstr(text, "<!--"));
		cr_assert(strstr(text, "&lt;/script&gt;"));
		free(text);
		make_hostile(root, "\033[2J", all);
		text = table(root, 100);
		cr_assert_eq(strchr(text, '\033'), NULL);
		free(text);
		json_decref(root);
	}
}

Test(report, refuses_what_is_no_document)
{
	json_t *other = json_pack("{s:s, s:[]}", "schema", "shunt-compare/2", "paths");

	cr_assert_eq(bench_report_table(stderr, NULL, 100, false), -EINVAL);
	cr_assert_eq(bench_report_table(stderr, other, 100, false), -EINVAL);
	json_object_set_new(other, "schema", json_string("shunt-compare/1"));
	json_object_del(other, "paths");
	cr_assert_eq(bench_report_table(stderr, other, 100, false), -EINVAL);
	cr_assert_eq(bench_report_html(stderr, other), -EINVAL);
	json_decref(other);
}

Test(report, a_full_disk_is_an_error)
{
	FILE *full = fopen("/dev/full", "w");
	json_t *root = sample();

	cr_assert(full);
	cr_assert_eq(bench_report_table(full, root, 100, false), -EIO);
	clearerr(full);
	cr_assert_eq(bench_report_html(full, root), -EIO);
	fclose(full);
	json_decref(root);
}

/* Removes each value in turn; a report must survive every gap. */
static void spoil(json_t *root, json_t *node, unsigned *left)
{
	const char *key;
	json_t *value, *saved;
	void *next;

	json_object_foreach_safe(node, next, key, value)
	{
		if (!*left)
			return;
		saved = json_incref(value);
		json_object_set_new(node, key, json_null());
		if (bench_doc_valid(root)) {
			free(table(root, 80));
			if (*left % 4 == 0) /* it takes ten times as long */
				free(html(root));
			(*left)--;
		}
		json_object_set_new(node, key, saved);
		spoil(root, saved, left);
	}
	for (size_t i = 0; i < json_array_size(node) && i < 2; i++)
		spoil(root, json_array_get(node, i), left);
}

Test(report, gaps_do_not_crash)
{
	json_t *root = sample();
	unsigned left = 600;

	spoil(root, root, &left);
	cr_assert_lt(left, 600 - 200, "only %u gaps were tried", 600 - left);
	json_decref(root);
}

Test(report, numbers)
{
	static const struct {
		double value;
		int decimals;
		const char *text;
	} cases[] = {{0, 0, "0"}, {999, 0, "999"}, {1000, 0, "1,000"},
		{1234567.891, 2, "1,234,567.89"}, {-1234, 0, "-1,234"}, {-0.0001, 2, "0.00"},
		{999999.6, 0, "1,000,000"}, {1e30, 0, "1e+30"}};
	char text[BENCH_NUMBER];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bench_write_number(text, cases[i].value, cases[i].decimals);
		cr_assert_str_eq(text, cases[i].text);
	}
}
