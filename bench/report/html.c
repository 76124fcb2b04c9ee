/* SPDX-License-Identifier: BSD-2-Clause
 * The report as one HTML file: no network, no script that runs. The document itself is in it, as
 * element #shunt-compare, so that the page is also the record.
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

static void gains(FILE *out, const json_t *root)
{
	const json_t *items = bench_at(root, "gain"), *item;
	size_t i;

	if (!json_array_size(items)) {
		shunt_html_element(out, "p",
			"None is stated: no bypass path could be compared with a kernel path "
			"that waits the same way, without loss.");
		return;
	}
	fputs("<ul class=\"gains\">\n", out);
	json_array_foreach (items, i, item)
		bench_page_say(out,
			bench_have(bench_at(item, "factor")) ? "li" : "li class=\"none\"",
			bench_say_gain(item));
	fputs("</ul>\n", out);
}

static void warnings(FILE *out, const json_t *root)
{
	const json_t *items = bench_at(root, "warnings"), *item;
	size_t i;

	if (!json_array_size(items))
		return;
	shunt_html_element(out, "h2", "Warnings");
	fputs("<ul class=\"warnings\">\n", out);
	json_array_foreach (items, i, item)
		shunt_html_element(out, "li", bench_text(item, ""));
	fputs("</ul>\n", out);
}

static void open_section(FILE *out, const char *title)
{
	fputs("<section>\n", out);
	shunt_html_element(out, "h2", title);
}

static void body(FILE *out, const json_t *root)
{
	open_section(out, "Gain over the kernel's path");
	gains(out, root);
	warnings(out, root);
	fputs("</section>\n", out);
	open_section(out, "Side by side");
	bench_page_charts(out, root);
	fputs("</section>\n", out);
	open_section(out, "Every figure");
	bench_page_grid(out, root);
	fputs("</section>\n", out);
	open_section(out, "What was measured, and how");
	bench_page_method(out, root);
	fputs("</section>\n", out);
	open_section(out, "What these figures mean, and what they do not");
	bench_page_means(out, root);
	fputs("</section>\n", out);
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
