/* SPDX-License-Identifier: BSD-2-Clause
 * Devices as JSON: info and ledger.
 */
#include "bench/report/json_dev.h"

#include "bench/report/json.h"

json_t *bench_json_facts(const struct shunt_info *info)
{
	json_t *facts = json_object();

	for (unsigned i = 0; i < info->nfacts; i++)
		json_object_set_new(
			facts, info->facts[i].key, bench_json_text(info->facts[i].value));
	return facts;
}

json_t *bench_json_notes(const struct shunt_info *info)
{
	json_t *notes = json_array();

	for (unsigned i = 0; i < info->nnotes; i++)
		json_array_append_new(notes, bench_json_text(info->notes[i]));
	return notes;
}

json_t *bench_json_info(const struct shunt_info *info)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:I, s:o}", "driver", info->driver, "mode",
		bench_json_text(info->mode), "facts", bench_json_facts(info), "notes",
		bench_json_notes(info), "memory", (json_int_t)info->memory, "gone",
		bench_json_text(info->gone));
}

json_t *bench_json_ledger(const struct shunt_ledger *l)
{
	json_t *loss = json_object();

	for (unsigned i = 0; i < l->losses; i++)
		json_object_set_new(
			loss, l->loss[i].name, json_integer((json_int_t)l->loss[i].count));
	return json_pack("{s:I, s:s, s:I, s:o, s:I}", "received", (json_int_t)l->received,
		"received_source", l->received_source ? l->received_source : "", "delivered",
		(json_int_t)l->delivered, "loss", loss, "unaccounted", (json_int_t)l->unaccounted);
}

void bench_json_probes(
	json_t *o, enum shunt_trace_level level, const struct shunt_probe_info *probes, unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++) {
		const struct shunt_probe_info *p = &probes[i];
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:b, s:I, s:o}", "name", p->name, "counts",
				      p->counts, "attached", p->attached, "hits",
				      (json_int_t)p->hits, "reason", bench_json_text(p->reason)));
	}
	json_object_set_new(o, "level", json_string(shunt_trace_level_name(level)));
	json_object_set_new(o, "means", json_string(shunt_trace_level_means(level)));
	json_object_set_new(o, "probes", list);
}
