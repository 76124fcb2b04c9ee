/* SPDX-License-Identifier: BSD-2-Clause
 * shunt fwd: the ixy forwarder between two devices: rates once per second, the ledgers at the end.
 */
#include "apps/fwd.h"

#include "apps/options.h"
#include "apps/verbs.h"

#include "core/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char app_fwd_usage[] =
	"SPEC SPEC [OPTION...]\n"
	"  Transmits on each device what the other one receives, until interrupted. Prints rates "
	"once per\n"
	"  second, and at the end what was received, forwarded and lost, by cause. Zero-copy where "
	"both\n"
	"  devices can share one region of memory; otherwise it says why not.\n"
	"  --one-way     from the first to the second only\n"
	"  --burst N     packets per burst, 1 to 256 (32)\n"
	"  --touch       load and store a byte of each packet, as an application would\n"
	"  --swap        swap source and destination MAC address\n"
	"  --packets N   stop after N packets in both directions together; those queued are still "
	"sent\n"
	"  --seconds S   stop after S seconds\n"
	"  --json        one JSON document at the end, nothing else on stdout";

struct options {
	const char *spec[2];
	uint64_t burst, packets;
	double seconds;
	bool one_way, touch, swap, json;
};

static int read_options(struct options *o, int argc, char **argv)
{
	const struct app_verb *self = app_verb("fwd");
	const struct app_option options[] = {APP_LIMITS(o), {"one-way", APP_FLAG, &o->one_way},
		{"burst", APP_U64, &o->burst, 1, SHUNT_BURST_MAX, "1 to 256 packets"},
		{"touch", APP_FLAG, &o->touch}, {"swap", APP_FLAG, &o->swap},
		{"json", APP_FLAG, &o->json}, {0}};
	int rc = app_options(self, argc, argv, options, true);

	if (rc)
		return rc;
	if (optind + 2 != argc)
		return app_usage(self, "two device specs are needed, not %d", argc - optind);
	o->spec[0] = argv[optind];
	o->spec[1] = argv[optind + 1];
	return 0;
}

struct rates {
	uint64_t then, packets[2];
	bool quiet, one_way;
};

static void tick(void *ctx, uint64_t now, const struct bench_way *way)
{
	struct rates *r = ctx;
	double s = (double)(now - r->then) / 1e9;

	if (!r->quiet && s > 0) {
		printf("%12.0f packets/s", (double)(way[0].received - r->packets[0]) / s);
		if (!r->one_way)
			printf(" there %12.0f packets/s back",
				(double)(way[1].received - r->packets[1]) / s);
		printf(" %14" PRIu64 " packets\n", way[0].received + way[1].received);
		fflush(stdout);
	}
	r->then = now;
	for (unsigned i = 0; i < 2; i++)
		r->packets[i] = way[i].received;
}

/* Which memory the packets were in. */
static void say_memory(struct fwd_run *run)
{
	const struct bench_forward *f = &run->f;
	uint64_t kept = f->way[0].kept + f->way[1].kept;

	run->shared = f->region && !kept;
	if (!f->region)
		snprintf(run->memory, sizeof run->memory, "each device has its own: %s", f->apart);
	else if (kept)
		snprintf(run->memory, sizeof run->memory,
			"%" PRIu64 " packets lay in memory that the receiving device lends, the "
			"rest in one region",
			kept);
	else
		strcpy(run->memory, "one region for both devices");
}

static int collect(struct fwd_run *run, struct shunt_err *err)
{
	const struct bench_forward *f = &run->f;
	int rc = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct fwd_side *s = &run->side[i];
		shunt_get_stats(f->dev[i], &s->stats);
		shunt_get_info(f->dev[i], &s->info);
		bench_forward_ledger(f, i, &s->forward);
		int failed = shunt_get_ledger(f->dev[i], &s->ledger, rc ? NULL : err);
		rc = rc ? rc : failed;
	}
	say_memory(run);
	if (!rc && f->error) {
		const char *gone = run->side[f->failed].info.gone;
		rc = shunt_fail(err, f->error, NULL, "%s", *gone ? gone : strerror(-f->error));
	}
	return rc;
}

/* 0 when there is something to report, even if the run failed. */
static int run_fwd(const struct options *o, struct fwd_run *run, struct shunt_err *err)
{
	struct rates rates = {.quiet = o->json, .one_way = o->one_way};
	struct bench_forward *f = &run->f;

	*f = (struct bench_forward){.one_way = o->one_way,
		.touch = o->touch,
		.swap = o->swap,
		.burst = (unsigned)o->burst,
		.packets = o->packets,
		.duration_ns = (uint64_t)(o->seconds * 1e9),
		.stop = &app_stop,
		.tick = tick,
		.ctx = &rates};
	int rc = bench_forward_open(f, o->spec[0], o->spec[1], err);
	bool ran = !rc;
	if (!rc) {
		rates.then = shunt_now();
		bench_forward_run(f);
		bench_forward_stop(f);
		rc = collect(run, err);
	}
	int closed = bench_forward_close(f, rc ? NULL : err);
	rc = rc ? rc : closed;
	if (rc)
		run->failed = *err;
	return ran ? 0 : rc;
}

/* Every packet must be accounted for, in each device and between them. */
static int check_ledgers(const struct fwd_run *run, int status)
{
	for (unsigned i = 0; i < 2 && !status; i++) {
		const struct fwd_side *s = &run->side[i];
		int64_t missing =
			s->ledger.unaccounted ? s->ledger.unaccounted : s->forward.unaccounted;
		if (!missing)
			continue;
		fprintf(stderr,
			"shunt fwd: the ledger of %.120s does not add up: %" PRId64
			" packets unaccounted for\n",
			s->info.spec, missing);
		status = 1;
	}
	return status;
}

int app_fwd(int argc, char **argv)
{
	struct options o = {.burst = SHUNT_BURST};
	struct fwd_run *run = calloc(1, sizeof *run);
	struct shunt_err err = {.code = 0};
	int rc = read_options(&o, argc, argv);

	if (rc || !run) {
		free(run);
		return rc ? rc : 1;
	}
	app_catch_signals();
	rc = run_fwd(&o, run, &err);
	int status = run->failed.code ? app_fail(&run->failed) : 0;
	if (!rc && o.json) {
		if (app_print_json(fwd_json(run)))
			status = 1;
	} else if (!rc) {
		fwd_text(stdout, run);
	}
	if (!rc)
		status = check_ledgers(run, status);
	free(run);
	return fflush(stdout) ? 1 : status;
}
