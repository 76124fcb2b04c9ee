/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/table.h"
#include "core/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct shunt_column columns[] = {{"path", SHUNT_LEFT}, {"ns", SHUNT_RIGHT},
	{"empty", SHUNT_RIGHT}, {"full core", SHUNT_LEFT}};

static char *print(unsigned wide, const char *const (*rows)[4], size_t n)
{
	struct shunt_table *table = shunt_table_new(columns, 4);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < n; i++)
		cr_assert_eq(shunt_table_add(table, rows[i]), 0);
	shunt_table_print(table, out, wide, false);
	fclose(out);
	shunt_table_free(table);
	return text;
}

Test(table, aligns_by_width_not_bytes)
{
	static const char *const rows[][4] = {
		{"caf\xc3\xa9", "1", NULL, "app"}, {"\xe6\xbc\xa2\xe5\xad\x97", "12", NULL, ""}};
	char *text = print(100, rows, 2);

	cr_assert_str_eq(text, "path  ns  full core\n"
			       "caf\xc3\xa9   1  app\n"
			       "\xe6\xbc\xa2\xe5\xad\x97  12\n");
	free(text);
}

Test(table, continues_below_and_cuts_no_number)
{
	static const char *const rows[][4] = {
		{"a-path-with-a-long-name", "123,456,789", "1", "softirq"}};
	char *text = print(26, rows, 1);

	cr_assert_str_eq(text, "path                    ns\n"
			       "a-path-with..  123,456,789\n"
			       "path           empty\n"
			       "a-path-with..      1\n"
			       "path           full core\n"
			       "a-path-with..  softirq\n");
	free(text);
}

Test(table, never_wider_than_asked)
{
	static const char *const rows[][4] = {
		{"a-path-with-a-long-name", "123,456", "1.00", "softirq"},
		{"b", "[12]>=1", "-", ""}};

	for (unsigned wide = 20; wide < 60; wide++) {
		char *text = print(wide, rows, 2), *rest = text;

		cr_assert(
			strstr(text, "123,456") && strstr(text, "[12]>=1") && strstr(text, "1.00"));
		for (char *line; (line = strsep(&rest, "\n")) && rest;) {
			cr_assert_leq(shunt_text_width(line), wide, "%u: '%s'", wide, line);
			cr_assert(!*line || line[strlen(line) - 1] != ' ', "'%s' ends in a space",
				line);
		}
		free(text);
	}
}

Test(table, foreign_text_cannot_steer_the_terminal)
{
	static const char *const rows[][4] = {
		{"\033[2J\r\n\x80\xc2\x9b", "1", NULL, "\xe2\x80\xae"}};
	char *text = print(100, rows, 1);

	cr_assert(strstr(text, "?[2J????"));
	cr_assert_eq(strpbrk(text, "\033\r\x80\x9b\xae"), NULL);
	free(text);
}

Test(text, widths)
{
	cr_assert_eq(shunt_text_width("e\xcc\x81"), 1);            /* combining accent */
	cr_assert_eq(shunt_text_width("\xf0\x9f\x90\x9f"), 2);     /* emoji */
	cr_assert_eq(shunt_text_width("\xc3(\xff"), 3);            /* not UTF-8 */
	cr_assert_eq(shunt_text_width("\xc0\x80\xed\xa0\x80"), 5); /* overlong, surrogate */
	cr_assert_eq(shunt_text_width("\xe2\x82"), 2);             /* cut short */
	cr_assert_eq(
		shunt_text_prefix("a\xe6\xbc\xa2", 2), 1); /* half of a wide one does not fit */
}

Test(text, wraps_at_words_and_splits_what_fits_no_line)
{
	char *text = NULL, longest[400];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(shunt_text_wrap(out, "[1] ", "one two  three", 12), 2);
	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = 0;
	cr_assert_eq(shunt_text_wrap(out, "", longest, 100), 4);
	cr_assert_eq(shunt_text_wrap(out, "", "", 100), 1);
	fclose(out);
	cr_assert_eq(strncmp(text, "[1] one two\n    three\nxxx", 25), 0, "%s", text);
	cr_assert_eq(size, 22 + 399 + 4 + 1);
	free(text);
}
