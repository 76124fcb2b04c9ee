/* SPDX-License-Identifier: BSD-2-Clause
 * Text into HTML or SVG. Any thread; errors are the stream's.
 */
#ifndef BENCH_REPORT_ESCAPE_H
#define BENCH_REPORT_ESCAPE_H

#include <stdio.h>

/* Escaped for element content and for attributes in either quotes. Control characters and bytes
 * that are not UTF-8 become '?'. */
void shunt_html_text(FILE *out, const char *text);

/* ` name="text"` */
void shunt_html_attr(FILE *out, const char *name, const char *text);

/* `<tag>text</tag>`; tag may carry attributes. */
void shunt_html_element(FILE *out, const char *tag, const char *text);

#endif
