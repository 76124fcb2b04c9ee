/* SPDX-License-Identifier: BSD-2-Clause
 * What the parts of a comparison share: warnings, the stop flag, the namespace of a path's spec,
 * one pass.
 */
#include "bench/compare/run.h"

#include "drivers/core/spec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void bench_warn(struct bench_run *run, const char *fmt, ...)
{
	va_list ap;

	if (run->warnings == sizeof run->warning / sizeof *run->warning)
		return;
	va_start(ap, fmt);
	vsnprintf(run->warning[run->warnings++], sizeof run->warning[0], fmt, ap);
	va_end(ap);
}

bool bench_stopped(const struct bench_run *run)
{
	return run->opts.stop && *run->opts.stop;
}

int bench_interrupted(const struct bench_run *run, struct shunt_err *err)
{
	return bench_stopped(run) ? shunt_fail(err, -EINTR, NULL, "interrupted") : 0;
}

void bench_place(const struct bench_run *run, const struct bench_path *path, char *buf, size_t size)
{
	if (run->opts.iface || bench_path_is_pci(path))
		snprintf(buf, size, "%s", path->spec);
	else
		shunt_spec_add(buf, size, path->spec, "netns", run->lab.near_path);
}

int bench_one_pass(struct bench_run *run, struct bench_run_path *p, enum bench_pass_kind kind,
	uint64_t frames, double pps, struct bench_result *res, struct shunt_err *err)
{
	struct shunt_flood flood = {.nframes = 0};
	struct bench_pass pass = {.spec = p->spec,
		.kind = kind,
		.sender = run->sender,
		.flood = &flood,
		.cores = run->cores,
		.stop = run->opts.stop,
		.watch = &run->watch,
		.duration_ns = (uint64_t)(run->opts.seconds * 1e9)};

	if (run->sender) {
		int rc = bench_workload_begin(&run->work, &flood, frames, pps, err);
		if (rc)
			return rc;
		pass.frames = run->work.capture
				      ? run->work.capture_frames - run->work.capture_unsendable
				      : frames;
		if (pps > 0 && flood.stamp && kind != BENCH_COST && kind != BENCH_COUNT)
			pass.latency = p->latency;
	}
	struct bench_card_counts before, *card = &res->card;
	bool known = run->opts.nic && bench_wire_count(&run->wire, &before);
	int rc = bench_pass_run(&pass, res, err);
	if (known && !rc && !bench_path_is_pci(&p->path) && bench_wire_count(&run->wire, card)) {
		res->card_known = true;
		card->packets -= before.packets;
		card->missed -= before.missed;
		card->bad -= before.bad;
	}
	bench_workload_end(&flood);
	return rc;
}
