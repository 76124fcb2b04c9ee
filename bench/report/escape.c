/* SPDX-License-Identifier: BSD-2-Clause
 * Escaping: text from a document must not end an attribute, an element or a comment.
 */
#include "bench/report/escape.h"
#include "core/text.h"

#include <string.h>

void shunt_html_text(FILE *out, const char *text)
{
	size_t n;

	for (uint32_t c; (c = shunt_text_next(text, &n)) && n; text += n) {
		if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '&')
			fputs("&amp;", out);
		else if (c == '"')
			fputs("&quot;", out);
		else if (c == '\'')
			fputs("&#39;", out);
		else if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) ||
			 c == UINT32_MAX)
			fputc('?', out);
		else
			fwrite(text, 1, n, out);
	}
}

void shunt_html_attr(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	shunt_html_text(out, text);
	fputc('"', out);
}

void shunt_html_element(FILE *out, const char *tag, const char *text)
{
	fprintf(out, "<%s>", tag);
	shunt_html_text(out, text);
	fprintf(out, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}
