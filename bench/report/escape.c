/* SPDX-License-Identifier: BSD-2-Clause
 * Escaping: text from a document must not end an attribute, an element or a comment.
 */
#include "bench/report/escape.h"
#include "core/text.h"

#include <string.h>

void shunt_html_text(FILE *out, const char *text)
{
	static const char special[] = "<>&\"'";
	static const char *const entity[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
	size_t n;

	for (uint32_t c; (c = shunt_text_next(text, &n)) && n; text += n) {
		const char *at = c < 0x80 ? strchr(special, (int)c) : NULL;
		if (at)
			fputs(entity[at - special], out);
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
