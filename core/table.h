/* SPDX-License-Identifier: BSD-2-Clause
 * Aligned text tables. A table that is too wide continues in a second block below the first, which
 * repeats the first column: no column is left out and no number truncated. Only the first column
 * may be truncated, with "..". A table belongs to one thread.
 */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum shunt_align { SHUNT_LEFT, SHUNT_RIGHT };

struct shunt_column {
	const char *head;
	enum shunt_align align; /* right for numbers */
};

struct shunt_table;

/* columns must outlive the table. NULL when out of memory. */
struct shunt_table *shunt_table_new(const struct shunt_column *columns, size_t n);
void shunt_table_free(struct shunt_table *table);

/* One cell per column, copied; NULL is an empty cell. -ENOMEM. */
int shunt_table_add(struct shunt_table *table, const char *const *cells);

/* A column whose cells are all empty is not printed. Returns lines printed. */
unsigned shunt_table_print(
	const struct shunt_table *table, FILE *out, unsigned columns, bool colour);

/* Columns of the terminal that out is, at most 100; 100 if it is none. */
unsigned shunt_table_columns(FILE *out);

#define SHUNT_BOLD   "\033[1m"
#define SHUNT_YELLOW "\033[33m"
#define SHUNT_PLAIN  "\033[0m"

#endif
