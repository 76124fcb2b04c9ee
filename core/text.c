/* SPDX-License-Identifier: BSD-2-Clause
 * UTF-8 (RFC 3629) decoding, widths after Unicode's East Asian Width (UAX #11), wrapping.
 * wcwidth() is not used: in the C locale it knows ASCII only. Pure functions, any thread.
 */
#include "core/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

uint32_t shunt_text_next(const char *text, size_t *bytes)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const uint8_t *s = (const uint8_t *)text;
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 0;
	uint32_t c;

	*bytes = s[0] != 0;
	if (n == 1)
		return s[0];
	if (n == 0 || s[0] > 0xf4)
		return UINT32_MAX;
	c = s[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80) /* also the terminating zero */
			return UINT32_MAX;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return UINT32_MAX;
	*bytes = n;
	return c;
}

struct range {
	uint32_t first, last;
};

static bool within(uint32_t c, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

static unsigned width(uint32_t c)
{
	static const struct range none[] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd},
		{0x610, 0x61a}, {0x64b, 0x65f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
		{0x200b, 0x200f}, {0x2060, 0x2064}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
		{0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};
	static const struct range two[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},
		{0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60},
		{0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
		{0x20000, 0x3fffd}};

	if (c < 0x300 || c == UINT32_MAX)
		return 1;
	if (within(c, none, sizeof none / sizeof *none))
		return 0;
	return within(c, two, sizeof two / sizeof *two) ? 2 : 1;
}

static unsigned span_width(const char *text, size_t bytes)
{
	const char *end = text + bytes;
	unsigned columns = 0;
	size_t n;

	for (uint32_t c; text < end && (c = shunt_text_next(text, &n)) && n; text += n)
		columns += width(c);
	return columns;
}

unsigned shunt_text_width(const char *text)
{
	return span_width(text, strlen(text));
}

size_t shunt_text_prefix(const char *text, unsigned columns)
{
	size_t at = 0, n;

	for (uint32_t c; (c = shunt_text_next(text + at, &n)) && n; at += n) {
		if (width(c) > columns)
			break;
		columns -= width(c);
	}
	return at;
}

char *shunt_text_clean(const char *text)
{
	char *clean = malloc(strlen(text) + 1), *to = clean;
	size_t n;

	if (!clean)
		return NULL;
	for (uint32_t c; (c = shunt_text_next(text, &n)) && n; text += n) {
		bool harmful = c < 0x20 || (c >= 0x7f && c < 0xa0) || c == UINT32_MAX ||
			       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);

		if (harmful) {
			*to++ = '?';
			continue;
		}
		memcpy(to, text, n);
		to += n;
	}
	*to = 0;
	return clean;
}

void shunt_text_number(char *out, size_t size, double value, int decimals)
{
	char plain[48], grouped[64];
	const char *p = plain;
	size_t n = 0;

	if (!(fabs(value) < 1e18)) { /* no measurement is that large: keep it short */
		snprintf(out, size, "%.3g", value);
		return;
	}
	snprintf(plain, sizeof plain, "%.*f", decimals < 9 ? decimals : 9, value);
	if (*p == '-' && !strpbrk(p, "123456789")) /* negative zero */
		p++;
	if (*p == '-')
		grouped[n++] = *p++;
	for (size_t digits = strspn(p, "0123456789"); digits; digits--) {
		grouped[n++] = *p++;
		if (digits % 3 == 1 && digits > 1)
			grouped[n++] = ',';
	}
	snprintf(out, size, "%.*s%s", (int)n, grouped, p);
}

unsigned shunt_text_wrap(FILE *out, const char *first, const char *text, unsigned columns)
{
	unsigned indent = shunt_text_width(first), at = indent, lines = 1;

	if (columns < indent + 8) /* too narrow: long lines rather than an endless loop */
		columns = indent + 8;
	fputs(first, out);
	while (*(text += strspn(text, " "))) {
		size_t bytes = strcspn(text, " "), fits;
		unsigned gap = at > indent;

		if (gap && at + gap + span_width(text, bytes) > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			lines++;
			at = indent;
			gap = 0;
		}
		fits = shunt_text_prefix(text, columns - at - gap);
		if (bytes > fits) /* longer than a line */
			bytes = fits;
		fprintf(out, "%s%.*s", gap ? " " : "", (int)bytes, text);
		at += gap + span_width(text, bytes);
		text += bytes;
	}
	fputc('\n', out);
	return lines;
}
