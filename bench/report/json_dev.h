/* SPDX-License-Identifier: BSD-2-Clause
 * What a device says of itself, as JSON: the same form in every document that a verb prints.
 * Pure functions, any thread; the caller owns what is returned.
 */
#ifndef BENCH_REPORT_JSON_DEV_H
#define BENCH_REPORT_JSON_DEV_H

#include "tracing/tracer.h"
#include <jansson.h>
#include <shunt/shunt.h>

json_t *bench_json_facts(const struct shunt_info *info); /* object: key, value */
json_t *bench_json_notes(const struct shunt_info *info); /* array of sentences */
/* driver, mode, facts, notes, memory, gone */
json_t *bench_json_info(const struct shunt_info *info);
/* received, received_source, delivered, loss by name, unaccounted */
json_t *bench_json_ledger(const struct shunt_ledger *ledger);

/* What a tracer was attached to: level, means, probes of o. */
void bench_json_probes(
	json_t *o, enum shunt_trace_level level, const struct shunt_probe_info *probes, unsigned n);

#endif
