/* SPDX-License-Identifier: BSD-2-Clause
 * The report as one HTML file: no network access, no script. It contains the document as element
 * #shunt-compare, so that the page is also the record.
 */
#include "bench/report/escape.h"
#include "bench/report/page.h"
#include "bench/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void page_head(FILE *out, const json_t *root)
{
	char *load = bench_say_workload(root), *machine = bench_say_machine(root);
	const json_t *card;
	size_t i;

	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		     "<meta name=\"color-scheme\" content=\"light dark\">\n"
		     "<link rel=\"icon\" href=\"data:,\">\n<title>");
	shunt_html_text(out, "shunt compare: ");
	shunt_html_text(out, load ? load : "");
	fprintf(out,
		"</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n"
		"<h1>What a received packet costs</h1>\n",
		bench_page_style);
	bench_page_say(out, "p", load);
	bench_page_say(out, "p class=\"aside\"", machine);
	json_array_foreach (bench_at(root, "cards"), i, card)
		bench_page_say(out, "p class=\"aside\"", bench_say_card(card));
	bench_page_say(out, "p class=\"aside\"",
		bench_say(
			"shunt %s, %s", bench_text(root, "version"), bench_text(root, "started")));
	fputs("</header>\n<main>\n", out);
}

static void list(FILE *out, const char *class, const json_t *items,
	void (*write)(FILE *out, const json_t *item))
{
	const json_t *item;
	size_t i;

	fprintf(out, "<ul class=\"%s\">\n", class);
	json_array_foreach (items, i, item)
		write(out, item);
	fputs("</ul>\n", out);
}

static void gain(FILE *out, const json_t *item)
{
	bench_page_say(out, bench_have(bench_at(item, "factor")) ? "li" : "li class=\"none\"",
		bench_say_gain(item));
}

static void warning(FILE *out, const json_t *item)
{
	shunt_html_element(out, "li", bench_text(item, ""));
}

static void findings(FILE *out, const json_t *root)
{
	const json_t *gains = bench_at(root, "gain"), *warnings = bench_at(root, "warnings");

	if (json_array_size(gains))
		list(out, "gains", gains, gain);
	else
		shunt_html_element(out, "p",
			"No gain is stated: no bypass path could be compared, without loss, with a "
			"kernel path of the same wait policy.");
	if (!json_array_size(warnings))
		return;
	shunt_html_element(out, "h2", "Warnings");
	list(out, "warnings", warnings, warning);
}

static void body(FILE *out, const json_t *root)
{
	static const struct {
		const char *title;
		void (*write)(FILE *, const json_t *);
	} sections[] = {{"Gain over the kernel's path", findings},
		{"Side by side", bench_page_charts}, {"All metrics", bench_page_grid},
		{"What was measured, and how", bench_page_method},
		{"What these metrics mean, and what they do not", bench_page_means}};

	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		fputs("<section>\n", out);
		shunt_html_element(out, "h2", sections[i].title);
		sections[i].write(out, root);
		fputs("</section>\n", out);
	}
}

int bench_report_html(FILE *out, const json_t *root)
{
	char *json;

	if (!bench_doc_valid(root))
		return -EINVAL;
	json = json_dumps(root, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	if (!json)
		return -ENOMEM;
	page_head(out, root);
	body(out, root);
	fputs("<details>\n<summary>The document (JSON, shunt-compare/1)</summary>\n"
	      "<pre id=\"shunt-compare\">",
		out);
	shunt_html_text(out, json);
	fputs("</pre>\n</details>\n</main>\n</body>\n</html>\n", out);
	free(json);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
