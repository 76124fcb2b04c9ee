/* SPDX-License-Identifier: BSD-2-Clause
 * Text for a terminal: the width of UTF-8, wrapping, and replacing control characters. Independent
 * of the locale. Pure functions, any thread.
 */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Next code point and its length in bytes. Bytes that are not UTF-8 give UINT32_MAX, one by one.
 * The terminating zero gives 0 and a length of 0. */
uint32_t shunt_text_next(const char *text, size_t *bytes);

/* Columns on a terminal: combining marks take none, CJK and emoji two. */
unsigned shunt_text_width(const char *text);

/* Bytes of the longest prefix of at most this many columns. */
size_t shunt_text_prefix(const char *text, unsigned columns);

/* A copy (free it) in which control characters and bytes that are not UTF-8 are replaced by '?', so
 * that it cannot control the terminal. NULL when out of memory. */
char *shunt_text_clean(const char *text);

/* 1234567.8 as "1,234,568"; beyond 10^18 as "1.23e+20". */
void shunt_text_number(char *out, size_t size, double value, int decimals);

/* Paragraph: `first`, then the words of text, broken at `columns`; later lines start with as many
 * spaces as first is wide. A word that fits no line is split. Returns lines printed. */
unsigned shunt_text_wrap(FILE *out, const char *first, const char *text, unsigned columns);

#endif
