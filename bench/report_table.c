/* SPDX-License-Identifier: BSD-2-Clause
 * The report as text: CPU a packet at the same pace first, then the rate, then what each packet
 * took. Every figure that is not there has a numbered reason under the tables.
 */
#include "bench/report.h"
#include "bench/report_doc.h"
#include "core/table.h"
#include "core/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOTES 24

/* Reasons, each once, in the order of their first use. */
struct notes {
	const char *text[NOTES];
	unsigned n, left_out;
};

struct page {
	FILE *out;
	const json_t *root;
	unsigned columns;
	bool colour;
	struct notes notes;
	int err;
};

static unsigned note_number(struct notes *notes, const char *reason)
{
	for (unsigned i = 0; i < notes->n; i++)
		if (!strcmp(notes->text[i], reason))
			return i + 1;
	if (notes->n == NOTES) {
		notes->left_out++;
		return 0;
	}
	notes->text[notes->n] = reason;
	return ++notes->n;
}

/* The note goes before the number, so that digits stay under each other. */
static void cell(struct page *page, char *out, const json_t *figure, double scale, int decimals)
{
	const char *reason = bench_reason(figure);
	char number[BENCH_NUMBER];

	bench_write_figure(number, figure, scale, decimals);
	if (*reason)
		snprintf(out, BENCH_NUMBER, "[%u]%.40s", note_number(&page->notes, reason), number);
	else
		snprintf(out, BENCH_NUMBER, "%s", number);
}

static void percent(char *out, double share)
{
	if (share < 0)
		snprintf(out, BENCH_NUMBER, "-");
	else if (share > 0 && share < 0.0001)
		snprintf(out, BENCH_NUMBER, "<0.01 %%");
	else
		snprintf(out, BENCH_NUMBER, "%.*f %%",
			share == 0     ? 0
			: share < 0.01 ? 2
				       : 1,
			share * 100);
}

/* Rows of the paths that were measured, the ceiling last. */
static void each_path(struct page *page, struct shunt_table *table,
	void (*row)(struct page *, struct shunt_table *, const json_t *, const char *))
{
	const json_t *path, *ceiling = bench_at(page->root, "ceiling");
	char name[128];
	size_t i;

	json_array_foreach (bench_at(page->root, "paths"), i, path)
		if (bench_ok(path))
			row(page, table, path, bench_text(path, "name"));
	if (!bench_ok(ceiling))
		return;
	snprintf(name, sizeof name, "(%.100s)", bench_text(ceiling, "name"));
	row(page, table, ceiling, name);
}

static void add(struct page *page, struct shunt_table *table, const char *const *cells)
{
	if (shunt_table_add(table, cells))
		page->err = -ENOMEM;
}

static void cpu_row(
	struct page *page, struct shunt_table *table, const json_t *path, const char *name)
{
	char text[6][BENCH_NUMBER];

	cell(page, text[0], bench_at(path, "cpu_ns_per_packet.app"), 1, 0);
	cell(page, text[1], bench_at(path, "cpu_ns_per_packet.softirq"), 1, 0);
	cell(page, text[2], bench_at(path, "cpu_ns_per_packet.total"), 1, 0);
	bench_write_range(text[3], bench_at(path, "cpu_ns_per_packet.total"), 1, 0);
	cell(page, text[4], bench_at(path, "cpu_busy_ns_per_packet"), 1, 0);
	percent(text[5], bench_lost_share(path, "paced"));
	add(page, table,
		(const char *[]){name, bench_text(path, "wait"), text[0], text[1], text[2], text[3],
			text[4], text[5]});
}

static void rate_row(
	struct page *page, struct shunt_table *table, const json_t *path, const char *name)
{
	const char *bottleneck = bench_text(path, "bottleneck");
	const json_t *rate = bench_at(path, "delivered_pps"),
		     *ceiling = bench_at(page->root, "ceiling");
	double top = bench_ok(ceiling) ? bench_number(ceiling, "delivered_pps.value") : 0;
	char text[4][BENCH_NUMBER], reading[80];

	cell(page, text[0], rate, 1e-6, 3);
	bench_write_range(text[1], rate, 1e-6, 3);
	snprintf(text[2], sizeof text[2], "%s", "");
	if (top > 0 && bench_have(rate))
		snprintf(text[2], sizeof text[2], "%.0f %%",
			100 * bench_number(rate, "value") / top);
	percent(text[3], bench_lost_share(path, "rate"));
	snprintf(reading, sizeof reading, "%s%s", bottleneck,
		path == ceiling                ? ": the ceiling"
		: bench_true(path, "capacity") ? ""
					       : ": not a capacity");
	add(page, table, (const char *[]){name, text[0], text[1], text[2], text[3], reading});
}

static void packet_row(
	struct page *page, struct shunt_table *table, const json_t *path, const char *name)
{
	static const struct {
		const char *key;
		double scale;
		int decimals;
		bool only_if_any; /* a column of nothing but 0 is left out */
	} cells[] = {{"syscalls_per_packet", 1, 3, false}, {"copies_per_packet", 1, 3, false},
		{"hidden_copies_per_packet", 1, 3, false}, {"user_copies_per_packet", 1, 3, true},
		{"wasted_copies", 1, 0, true}, {"copied_bytes_per_packet", 1, 1, false},
		{"context_switches_per_packet", 1, 3, false}, {"latency_ns.p50", 1e-3, 1, false},
		{"latency_ns.p99", 1e-3, 1, false}, {"tracer_slowdown", 1, 2, false}};
	enum { N = sizeof cells / sizeof *cells };
	char text[N][BENCH_NUMBER];
	const char *row[N + 1] = {name};

	for (size_t i = 0; i < N; i++) {
		const json_t *figure = bench_at(path, cells[i].key);

		row[i + 1] = "";
		if (cells[i].only_if_any && bench_number(figure, "value") == 0)
			continue;
		cell(page, text[i], figure, cells[i].scale, cells[i].decimals);
		row[i + 1] = text[i];
	}
	add(page, table, row);
}

static void heading(struct page *page, const char *text)
{
	fprintf(page->out, "\n%s", page->colour ? SHUNT_BOLD : "");
	shunt_text_wrap(page->out, "", text, page->columns);
	fputs(page->colour ? SHUNT_PLAIN : "", page->out);
}

/* Takes text over and frees it. */
static void paragraph(struct page *page, const char *first, char *text)
{
	char *clean = text ? shunt_text_clean(text) : NULL;

	if (clean)
		shunt_text_wrap(page->out, first, clean, page->columns);
	else
		page->err = -ENOMEM;
	free(clean);
	free(text);
}

static void section(struct page *page, char *title, const struct shunt_column *columns, size_t n,
	void (*row)(struct page *, struct shunt_table *, const json_t *, const char *))
{
	struct shunt_table *table = shunt_table_new(columns, n);

	if (!table || !title) {
		page->err = -ENOMEM;
	} else {
		heading(page, title);
		each_path(page, table, row);
		shunt_table_print(table, page->out, page->columns, false);
	}
	shunt_table_free(table);
	free(title);
}

static bool any_spins(const json_t *root)
{
	const json_t *path;
	size_t i;

	json_array_foreach (bench_at(root, "paths"), i, path)
		if (bench_ok(path) && !strcmp(bench_text(path, "wait"), "spin"))
			return true;
	return false;
}

static void print_sections(struct page *page)
{
	static const struct shunt_column cpu[] = {{"path", SHUNT_LEFT}, {"wait", SHUNT_LEFT},
		{"app", SHUNT_RIGHT}, {"softirq", SHUNT_RIGHT}, {"total", SHUNT_RIGHT},
		{"range", SHUNT_RIGHT}, {"busy", SHUNT_RIGHT}, {"lost", SHUNT_RIGHT}};
	static const struct shunt_column rate[] = {{"path", SHUNT_LEFT},
		{"Mpackets/s", SHUNT_RIGHT}, {"range", SHUNT_RIGHT}, {"of ceiling", SHUNT_RIGHT},
		{"lost", SHUNT_RIGHT}, {"bottleneck", SHUNT_LEFT}};
	static const struct shunt_column packet[] = {{"path", SHUNT_LEFT},
		{"syscalls", SHUNT_RIGHT}, {"copies", SHUNT_RIGHT}, {"hidden", SHUNT_RIGHT},
		{"user", SHUNT_RIGHT}, {"wasted", SHUNT_RIGHT}, {"bytes", SHUNT_RIGHT},
		{"switches", SHUNT_RIGHT}, {"p50 us", SHUNT_RIGHT}, {"p99 us", SHUNT_RIGHT},
		{"slowdown", SHUNT_RIGHT}};
	const json_t *rate_asked = bench_at(page->root, "workload.rate");
	char *pace = bench_say_pace(page->root),
	     number[BENCH_NUMBER] = "as fast as the generator can";

	if (json_is_number(rate_asked)) {
		bench_write_number(number, json_number_value(rate_asked), 0);
		strcat(number, " packets/s asked");
	}
	section(page,
		bench_say("CPU, ns a packet, %s%s", pace ? pace : "?",
			any_spins(page->root)
				? " (a path that spins takes a whole core: compare busy)"
				: ""),
		cpu, sizeof cpu / sizeof *cpu, cpu_row);
	section(page, bench_say("Rate, %s, nothing traced", number), rate,
		sizeof rate / sizeof *rate, rate_row);
	section(page, bench_say("Per packet, %s", pace ? pace : "?"), packet,
		sizeof packet / sizeof *packet, packet_row);
	free(pace);
}

static void print_absent(struct page *page)
{
	const json_t *path;
	size_t i;

	json_array_foreach (bench_at(page->root, "paths"), i, path)
		if (!bench_ok(path))
			paragraph(page, "",
				bench_say("%s is %s: %s", bench_text(path, "name"),
					bench_text(path, "status"), bench_text(path, "reason")));
}

static void print_notes(struct page *page)
{
	char first[24];

	fputc('\n', page->out);
	paragraph(page, "",
		bench_say("Figures are medians, range is least..most of the rounds. ~ derived from "
			  "other "
			  "counts, >= at least, [n] see below. busy leaves out empty polls, hidden "
			  "copies "
			  "are made by the device, slowdown is CPU with all probes over few."));
	for (unsigned i = 0; i < page->notes.n; i++) {
		snprintf(first, sizeof first, "[%u] ", i + 1);
		paragraph(page, first, bench_say("%s", page->notes.text[i]));
	}
	if (page->notes.left_out)
		paragraph(page, "", bench_say("[0] %u more, in the JSON", page->notes.left_out));
}

static void print_findings(struct page *page)
{
	const json_t *item;
	size_t i;

	fputc('\n', page->out);
	json_array_foreach (bench_at(page->root, "gain"), i, item)
		paragraph(page, "gain: ", bench_say_gain(item));
	json_array_foreach (bench_at(page->root, "warnings"), i, item) {
		fputs(page->colour ? SHUNT_YELLOW : "", page->out);
		paragraph(page, "warning: ", bench_say("%s", bench_text(item, "")));
		fputs(page->colour ? SHUNT_PLAIN : "", page->out);
	}
	paragraph(page, "self-test: ", bench_say_selftests(page->root));
}

int bench_report_table(FILE *out, const json_t *root, unsigned columns, bool colour)
{
	struct page page = {.out = out, .root = root, .columns = columns, .colour = colour};

	if (!bench_doc_valid(root))
		return -EINVAL;
	paragraph(&page, "", bench_say_workload(root));
	paragraph(&page, "", bench_say_machine(root));
	print_sections(&page);
	print_notes(&page);
	print_absent(&page);
	print_findings(&page);
	if (fflush(out) || ferror(out))
		return -EIO;
	return page.err;
}
