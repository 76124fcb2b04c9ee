/* SPDX-License-Identifier: BSD-2-Clause
 * The report as text: CPU per packet at the same pace first, then the rate, then counts per packet.
 * Every metric that is unavailable or a bound has a numbered reason below the tables.
 */
#include "core/table.h"
#include "bench/report/doc.h"
#include "bench/report/report.h"
#include "bench/report/rows.h"
#include "core/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct page {
	FILE *out;
	unsigned columns;
	bool colour;
	struct bench_rows rows;
};

static void heading(struct page *page, const char *text)
{
	fprintf(page->out, "\n%s", page->colour ? SHUNT_BOLD : "");
	shunt_text_wrap(page->out, "", text, page->columns);
	fputs(page->colour ? SHUNT_PLAIN : "", page->out);
}

/* Frees text. */
static void paragraph(struct page *page, const char *first, char *text)
{
	char *clean = text ? shunt_text_clean(text) : NULL;

	if (clean)
		shunt_text_wrap(page->out, first, clean, page->columns);
	else
		page->rows.err = -ENOMEM;
	free(clean);
	free(text);
}

static void section(struct page *page, char *title, const struct shunt_column *columns, size_t n,
	bench_row *row)
{
	struct shunt_table *table = shunt_table_new(columns, n);

	if (!table || !title) {
		page->rows.err = -ENOMEM;
	} else {
		heading(page, title);
		bench_rows_add(&page->rows, table, row);
		shunt_table_print(table, page->out, page->columns, false);
	}
	shunt_table_free(table);
	free(title);
}

/* Is there a measured path with this wait policy? NULL: with any. */
static bool any_path(const json_t *root, const char *wait)
{
	const json_t *path;
	size_t i;

	json_array_foreach (bench_at(root, "paths"), i, path)
		if (bench_ok(path) && (!wait || !strcmp(bench_text(path, "wait"), wait)))
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
	const json_t *rate_asked = bench_at(page->rows.root, "workload.rate");
	char *pace = bench_say_pace(page->rows.root),
	     number[BENCH_NUMBER] = "as fast as the generator can";

	if (json_is_number(rate_asked)) {
		bench_write_number(number, json_number_value(rate_asked), 0);
		strcat(number, " packets/s requested");
	} else if (!strcmp(bench_text(page->rows.root, "workload.kind"), "interface")) {
		strcpy(number, "that of the traffic");
	}
	section(page,
		bench_say("CPU, ns per packet, %s%s", pace ? pace : "?",
			any_path(page->rows.root, "spin")
				? " (spin uses a full core at any rate: compare busy)"
				: ""),
		cpu, sizeof cpu / sizeof *cpu, bench_row_cpu);
	section(page, bench_say("Rate, %s, without probes", number), rate,
		sizeof rate / sizeof *rate, bench_row_rate);
	section(page, bench_say("Per packet, %s", pace ? pace : "?"), packet,
		sizeof packet / sizeof *packet, bench_row_packet);
	free(pace);
}

static void print_absent(struct page *page)
{
	const json_t *path;
	size_t i;

	json_array_foreach (bench_at(page->rows.root, "paths"), i, path)
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
		bench_say("Metrics are medians, range is least..most of the rounds. ~ derived from "
			  "other counts, >= at least, [n] see below. busy excludes empty polls, "
			  "hidden copies are made by the device, slowdown is CPU with all probes "
			  "over CPU with few."));
	for (unsigned i = 0; i < page->rows.notes.n; i++) {
		snprintf(first, sizeof first, "[%u] ", i + 1);
		paragraph(page, first, bench_say("%s", page->rows.notes.text[i]));
	}
	if (page->rows.notes.left_out)
		paragraph(page, "",
			bench_say("[0] %u more, in the JSON document", page->rows.notes.left_out));
}

static void print_findings(struct page *page)
{
	const json_t *item;
	size_t i;

	fputc('\n', page->out);
	json_array_foreach (bench_at(page->rows.root, "gain"), i, item)
		paragraph(page, "gain: ", bench_say_gain(item));
	json_array_foreach (bench_at(page->rows.root, "warnings"), i, item) {
		fputs(page->colour ? SHUNT_YELLOW : "", page->out);
		paragraph(page, "warning: ", bench_say("%s", bench_text(item, "")));
		fputs(page->colour ? SHUNT_PLAIN : "", page->out);
	}
	char *depths = bench_say_depths(page->rows.root);
	if (!depths || *depths)
		paragraph(page, "depth: ", depths);
	else
		free(depths);
	paragraph(page, "self-test: ", bench_say_selftests(page->rows.root));
	paragraph(page, "tracing: ", bench_say_tracing(page->rows.root));
}

int bench_report_table(FILE *out, const json_t *root, unsigned columns, bool colour)
{
	struct page page = {.out = out, .columns = columns, .colour = colour, .rows.root = root};
	const json_t *card;
	size_t i;

	if (!bench_doc_valid(root))
		return -EINVAL;
	paragraph(&page, "", bench_say_workload(root));
	paragraph(&page, "", bench_say_machine(root));
	json_array_foreach (bench_at(root, "cards"), i, card)
		paragraph(&page, "", bench_say_card(card));
	if (any_path(root, NULL))
		print_sections(&page);
	else
		heading(&page, "No path was measured.");
	print_notes(&page);
	print_absent(&page);
	print_findings(&page);
	if (fflush(out) || ferror(out))
		return -EIO;
	return page.rows.err;
}
