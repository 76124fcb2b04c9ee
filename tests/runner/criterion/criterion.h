/* SPDX-License-Identifier: BSD-2-Clause
 * The part of Criterion that these tests use, for sanitized builds. Criterion itself does not start
 * under ThreadSanitizer (it wants memory at addresses that TSan keeps), and a test that leaks
 * passes under it. Here a test is a plain fork whose exit status counts, a sanitizer's included.
 * Speaks TAP.
 */
#ifndef TESTS_PLAIN_CRITERION_H
#define TESTS_PLAIN_CRITERION_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plain_opts {
	void (*init)(void), (*fini)(void);
	bool disabled;
	double timeout; /* seconds; 0 = no limit */
	int signal, exit_code;
	const char *description;
};

struct plain_test {
	const char *suite, *name;
	void (*run)(void);
	struct plain_opts opts;
	struct plain_test *next;
};

void plain_add(struct plain_test *test);
void plain_check(bool ok, bool fatal, const char *what, const char *file, int line, const char *fmt,
	...) __attribute__((format(printf, 6, 7)));
void plain_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#define Test(s, n, ...)                                                                            \
	static void s##_##n##_run(void);                                                           \
	__attribute__((constructor)) static void s##_##n##_add(void)                               \
	{                                                                                          \
		static struct plain_test t = {#s, #n, s##_##n##_run, {__VA_ARGS__}, NULL};         \
		plain_add(&t);                                                                     \
	}                                                                                          \
	static void s##_##n##_run(void)

#define plain_must(c, ...)   plain_check(c, true, #c, __FILE__, __LINE__, " " __VA_ARGS__)
#define plain_should(c, ...) plain_check(c, false, #c, __FILE__, __LINE__, " " __VA_ARGS__)
#define plain_streq(a, b)    (!strcmp(a, b))
#define plain_near(a, b, e)  (fabs((double)(a) - (double)(b)) <= (double)(e))

#define cr_skip_test(...)                plain_skip(" " __VA_ARGS__)
#define cr_skip(...)                     plain_skip(" " __VA_ARGS__)
#define cr_fatal(...)                    plain_must(false, __VA_ARGS__)
#define cr_assert_fail(...)              plain_must(false, __VA_ARGS__)
#define cr_fail(...)                     plain_should(false, __VA_ARGS__)
#define cr_assert(c, ...)                plain_must((bool)(c), __VA_ARGS__)
#define cr_assert_not(c, ...)            plain_must(!(c), __VA_ARGS__)
#define cr_assert_eq(a, b, ...)          plain_must((a) == (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...)         plain_must((a) != (b), __VA_ARGS__)
#define cr_assert_lt(a, b, ...)          plain_must((a) < (b), __VA_ARGS__)
#define cr_assert_leq(a, b, ...)         plain_must((a) <= (b), __VA_ARGS__)
#define cr_assert_gt(a, b, ...)          plain_must((a) > (b), __VA_ARGS__)
#define cr_assert_geq(a, b, ...)         plain_must((a) >= (b), __VA_ARGS__)
#define cr_assert_null(p, ...)           plain_must((p) == NULL, __VA_ARGS__)
#define cr_assert_not_null(p, ...)       plain_must((p) != NULL, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)      plain_must(plain_streq(a, b), __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)     plain_must(!plain_streq(a, b), __VA_ARGS__)
#define cr_assert_str_empty(a, ...)      plain_must(!*(a), __VA_ARGS__)
#define cr_assert_str_not_empty(a, ...)  plain_must(*(a), __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...)   plain_must(!memcmp(a, b, n), __VA_ARGS__)
#define cr_assert_arr_neq(a, b, n, ...)  plain_must(memcmp(a, b, n), __VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...) plain_must(plain_near(a, b, e), __VA_ARGS__)
#define cr_expect(c, ...)                plain_should((bool)(c), __VA_ARGS__)
#define cr_expect_eq(a, b, ...)          plain_should((a) == (b), __VA_ARGS__)
#define cr_expect_neq(a, b, ...)         plain_should((a) != (b), __VA_ARGS__)
#define cr_expect_lt(a, b, ...)          plain_should((a) < (b), __VA_ARGS__)
#define cr_expect_leq(a, b, ...)         plain_should((a) <= (b), __VA_ARGS__)
#define cr_expect_gt(a, b, ...)          plain_should((a) > (b), __VA_ARGS__)
#define cr_expect_geq(a, b, ...)         plain_should((a) >= (b), __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)      plain_should(plain_streq(a, b), __VA_ARGS__)
#define cr_expect_float_eq(a, b, e, ...) plain_should(plain_near(a, b, e), __VA_ARGS__)
#define cr_log_info(...)                 fprintf(stderr, __VA_ARGS__)
#define cr_log_warn(...)                 fprintf(stderr, __VA_ARGS__)
#define cr_log_error(...)                fprintf(stderr, __VA_ARGS__)

#endif
