/* SPDX-License-Identifier: BSD-2-Clause
 * The library's log callback. Set it before use: there is no lock.
 */
#include <shunt/log.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static shunt_log_fn *callback;
static void *callback_ctx;
static enum shunt_log_level threshold = SHUNT_LOG_WARN;

void shunt_log_set(shunt_log_fn *fn, void *ctx, enum shunt_log_level most)
{
	callback = fn;
	callback_ctx = ctx;
	threshold = most;
}

void shunt_vlog(enum shunt_log_level level, const char *domain, const char *fmt, va_list ap)
{
	char text[512];

	if (!callback || level > threshold)
		return;
	vsnprintf(text, sizeof text, fmt, ap);
	text[strcspn(text, "\n")] = 0;
	callback(callback_ctx, level, domain, text);
}

void shunt_log(enum shunt_log_level level, const char *domain, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	shunt_vlog(level, domain, fmt, ap);
	va_end(ap);
}
