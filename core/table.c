/* SPDX-License-Identifier: BSD-2-Clause
 * Tables: cells are stored as text, column widths are computed when the table is printed.
 */
#include "core/table.h"
#include "core/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define GAP       2u
#define NARROWEST 20u /* narrower is not readable */

struct shunt_table {
	const struct shunt_column *columns;
	size_t n, rows;
	char **cells; /* rows * n */
};

struct shunt_table *shunt_table_new(const struct shunt_column *columns, size_t n)
{
	struct shunt_table *table = calloc(1, sizeof *table);

	if (!table)
		return NULL;
	table->columns = columns;
	table->n = n;
	return table;
}

void shunt_table_free(struct shunt_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->rows * table->n; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table);
}

int shunt_table_add(struct shunt_table *table, const char *const *cells)
{
	char **more = realloc(table->cells, (table->rows + 1) * table->n * sizeof *table->cells),
	     **row;

	if (!more)
		return -ENOMEM;
	table->cells = more;
	row = more + table->rows * table->n;
	for (size_t i = 0; i < table->n; i++) {
		row[i] = shunt_text_clean(cells[i] ? cells[i] : "");
		if (!row[i]) {
			while (i)
				free(row[--i]);
			return -ENOMEM;
		}
	}
	table->rows++;
	return 0;
}

static unsigned max(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* Width of a column, 0 when all its cells are empty. */
static unsigned column_width(const struct shunt_table *table, size_t column)
{
	unsigned widest = 0;

	for (size_t row = 0; row < table->rows; row++)
		widest = max(widest, shunt_text_width(table->cells[row * table->n + column]));
	return widest || column == 0 ? max(widest, shunt_text_width(table->columns[column].head))
				     : 0;
}

/* One block: the first column and columns [from, to). row -1 is the header. */
static void print_row(const struct shunt_table *table, FILE *out, const unsigned *widths,
	size_t from, size_t to, long row)
{
	unsigned pending = 0; /* spaces before the next cell, so that no line ends in one */

	for (size_t i = 0; i < to; i = i ? i + 1 : from) {
		const char *text =
			row < 0 ? table->columns[i].head : table->cells[(size_t)row * table->n + i];
		unsigned width = shunt_text_width(text), room;
		bool cut = width > widths[i];

		if (!widths[i])
			continue;
		room = cut ? widths[i] - 2 : widths[i];
		width = cut ? room : width;
		if (table->columns[i].align == SHUNT_RIGHT)
			pending += widths[i] - width;
		if (*text)
			fprintf(out, "%*s%.*s%s", (int)pending, "",
				(int)shunt_text_prefix(text, room), text, cut ? ".." : "");
		pending = *text ? 0 : pending + width;
		if (table->columns[i].align == SHUNT_LEFT)
			pending += widths[i] - width - (cut ? 2 : 0);
		pending += GAP;
	}
	fputc('\n', out);
}

unsigned shunt_table_print(
	const struct shunt_table *table, FILE *out, unsigned columns, bool colour)
{
	unsigned *widths = calloc(table->n, sizeof *widths), lines = 0, widest = 0;

	if (!widths)
		return 0;
	columns = max(columns, NARROWEST);
	for (size_t i = 0; i < table->n; i++) {
		widths[i] = column_width(table, i);
		if (i)
			widest = max(widest, widths[i]);
	}
	if (widths[0] + GAP + widest > columns) /* at least 6, to tell names apart */
		widths[0] = columns > widest + GAP + 6 ? columns - widest - GAP : 6;
	for (size_t from = 1, to; from < table->n || from == 1; from = to) {
		unsigned used = widths[0];

		for (to = from; to < table->n; to++) {
			unsigned more = widths[to] ? widths[to] + GAP : 0;

			if (to > from && used + more > columns)
				break;
			used += more;
		}
		fputs(colour ? SHUNT_BOLD : "", out);
		print_row(table, out, widths, from, to, -1);
		fputs(colour ? SHUNT_PLAIN : "", out);
		for (size_t row = 0; row < table->rows; row++)
			print_row(table, out, widths, from, to, (long)row);
		lines += 1 + (unsigned)table->rows;
		if (to == from)
			break;
	}
	free(widths);
	return lines;
}

unsigned shunt_table_columns(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col || size.ws_col > 100)
		return 100;
	return size.ws_col;
}
