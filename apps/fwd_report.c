/* SPDX-License-Identifier: BSD-2-Clause
 * The report of `shunt fwd`: text, and JSON (shunt-fwd/1).
 */
#include "apps/fwd.h"

#include "apps/app.h"
#include "bench/report/json.h"
#include "bench/report/json_dev.h"

#include <inttypes.h>

static void text_side(FILE *out, const struct fwd_run *run, unsigned i)
{
	const struct fwd_side *s = &run->side[i];

	app_print_info(out, &s->info);
	if (i && run->f.one_way)
		return;
	fprintf(out, "ledger:\n");
	app_print_ledger(out, &s->ledger);
}

static void text_way(FILE *out, const struct fwd_run *run, unsigned i)
{
	const struct fwd_side *s = &run->side[i], *to = &run->side[!i];
	double sec = (double)run->f.elapsed_ns / 1e9;

	fprintf(out, "%s to %s: %" PRIu64 " packets in %.3f s (%.0f packets/s)\n", s->info.spec,
		to->info.spec, s->forward.delivered, sec,
		sec > 0 ? (double)s->forward.delivered / sec : 0);
	app_print_ledger(out, &s->forward);
}

void fwd_text(FILE *out, const struct fwd_run *run)
{
	uint64_t copies = 0, bytes = 0;

	for (unsigned i = 0; i < 2; i++) {
		text_side(out, run, i);
		copies += run->side[i].stats.user_copies;
		bytes += run->side[i].stats.user_copied_bytes;
	}
	text_way(out, run, 0);
	if (!run->f.one_way)
		text_way(out, run, 1);
	fprintf(out, "memory: %s\n", run->memory);
	fprintf(out, "copies in user space: %" PRIu64 ", %" PRIu64 " bytes\n", copies, bytes);
}

static json_t *json_side(const struct fwd_side *s)
{
	const struct shunt_qstats *q = &s->stats;

	return json_pack("{s:o, s:o, s:{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}, s:o}",
		"spec", bench_json_text(s->info.spec), "info", bench_json_info(&s->info),
		"counters", "rx_packets", (json_int_t)q->rx_packets, "rx_bytes",
		(json_int_t)q->rx_bytes, "rx_bursts", (json_int_t)q->rx_bursts, "tx_packets",
		(json_int_t)q->tx_packets, "tx_bytes", (json_int_t)q->tx_bytes, "tx_bursts",
		(json_int_t)q->tx_bursts, "tx_errors", (json_int_t)q->tx_errors, "user_copies",
		(json_int_t)q->user_copies, "user_copied_bytes", (json_int_t)q->user_copied_bytes,
		"syscalls", (json_int_t)q->syscalls, "ledger", bench_json_ledger(&s->ledger));
}

static json_t *json_way(const struct fwd_run *run, unsigned i)
{
	return json_pack("{s:o, s:o, s:o}", "from", bench_json_text(run->side[i].info.spec), "to",
		bench_json_text(run->side[!i].info.spec), "ledger",
		bench_json_ledger(&run->side[i].forward));
}

json_t *fwd_json(const struct fwd_run *run)
{
	json_t *ways = json_array();

	json_array_append_new(ways, json_way(run, 0));
	if (!run->f.one_way)
		json_array_append_new(ways, json_way(run, 1));
	return json_pack("{s:s, s:[o, o], s:o, s:i, s:b, s:b, s:I, s:I, s:b, s:o, s:o}", "schema",
		"shunt-fwd/1", "devices", json_side(&run->side[0]), json_side(&run->side[1]),
		"ways", ways, "burst", (int)run->f.burst, "touch", run->f.touch, "swap",
		run->f.swap, "elapsed_ns", (json_int_t)run->f.elapsed_ns, "cpu_ns",
		(json_int_t)run->f.cpu_ns, "shared_region", run->shared, "memory",
		bench_json_text(run->memory), "error",
		run->failed.code ? bench_json_text(run->failed.what) : json_null());
}
