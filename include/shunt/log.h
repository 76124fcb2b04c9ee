/* SPDX-License-Identifier: BSD-2-Clause
 * Messages of the library go to one callback of the application; without one they are dropped.
 * Set it before the first device is opened; it may be called on any thread that calls shunt.
 */
#ifndef SHUNT_LOG_H
#define SHUNT_LOG_H

#include <shunt/err.h>

#ifdef __cplusplus
extern "C" {
#endif

enum shunt_log_level { SHUNT_LOG_ERROR, SHUNT_LOG_WARN, SHUNT_LOG_INFO, SHUNT_LOG_DEBUG };

/* domain names the part that speaks ("packet", "af_xdp", "libbpf"); text has no newline. */
typedef void shunt_log_fn(
	void *ctx, enum shunt_log_level level, const char *domain, const char *text);

SHUNT_API void shunt_log_set(shunt_log_fn *fn, void *ctx, enum shunt_log_level most);

/* For the library's own parts. */
SHUNT_API void shunt_log(enum shunt_log_level level, const char *domain, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
SHUNT_API void shunt_vlog(
	enum shunt_log_level level, const char *domain, const char *fmt, va_list ap);

#ifdef __cplusplus
}
#endif
#endif
