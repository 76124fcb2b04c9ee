/* SPDX-License-Identifier: BSD-2-Clause
 * Errors: fill the caller's struct and return the code.
 */
#include <shunt/err.h>
#include <stdio.h>

static int fill(struct shunt_err *err, enum shunt_err_kind kind, int code, const char *remedy,
	const char *fmt, va_list ap)
{
	if (!err)
		return code;
	err->code = code;
	err->kind = kind;
	vsnprintf(err->what, sizeof err->what, fmt, ap);
	snprintf(err->remedy, sizeof err->remedy, "%s", remedy ? remedy : "");
	return code;
}

int shunt_fail(struct shunt_err *err, int code, const char *remedy, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, SHUNT_ERR_RUN, code, remedy, fmt, ap);
	va_end(ap);
	return code;
}

int shunt_fail_usage(struct shunt_err *err, int code, const char *remedy, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, SHUNT_ERR_USAGE, code, remedy, fmt, ap);
	va_end(ap);
	return code;
}
