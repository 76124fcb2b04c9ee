/* SPDX-License-Identifier: BSD-2-Clause
 * The JSON form of what core/ measures. docs/schema/compare.schema.json is its specification.
 * Any thread; the caller owns what is returned.
 */
#ifndef BENCH_REPORT_JSON_H
#define BENCH_REPORT_JSON_H

#include "core/metric.h"

#include <jansson.h>

/* NULL when out of memory. A value that is no finite number becomes unavailable, with the reason.
 * Text that is not UTF-8 has its odd bytes replaced by '?'. */
json_t *bench_json_metric(const struct shunt_metric *f);

/* A string from bytes that may not be UTF-8 (file names, interface names). */
json_t *bench_json_text(const char *text);

#endif
