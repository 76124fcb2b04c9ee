/* SPDX-License-Identifier: BSD-2-Clause
 * Errors: a code, what happened, what to do about it.
 * Control calls return 0 or -errno and take an optional struct shunt_err * last. Bursts never
 * touch it. Any thread; a struct shunt_err belongs to its caller.
 */
#ifndef SHUNT_ERR_H
#define SHUNT_ERR_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHUNT_API __attribute__((visibility("default")))

/* The kind decides the exit status of a command: usage 2, run time 1. */
enum shunt_err_kind { SHUNT_ERR_RUN, SHUNT_ERR_USAGE };

struct shunt_err {
	int code; /* -errno, 0 when nothing was reported */
	enum shunt_err_kind kind;
	char what[256];   /* what failed and why, one line, no full stop */
	char remedy[256]; /* what the user can do, one line; "" if there is nothing to say */
};

/* Fill *err (NULL is fine) and return code, so that a caller can `return shunt_fail(...)`.
 * code is a negative errno; remedy may be NULL. An error that is already set is replaced. */
SHUNT_API int shunt_fail(struct shunt_err *err, int code, const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The same for a mistake in what the user asked for (spec, option, file): exit status 2. */
SHUNT_API int shunt_fail_usage(struct shunt_err *err, int code, const char *remedy, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

#ifdef __cplusplus
}
#endif
#endif
