/* SPDX-License-Identifier: BSD-2-Clause
 * shunt rx: receive on one device, rates once per second, the ledger at the end.
 */
#include "apps/rx.h"

#include "apps/options.h"
#include "apps/verbs.h"
#include "bench/loops/receiver.h"
#include "bench/loops/watch.h"
#include "core/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char app_rx_usage[] =
	"SPEC [OPTION...]\n"
	"  Receives until interrupted. Prints rates once per second, and at the end what was "
	"received,\n"
	"  delivered and lost, by cause.\n"
	"  --packets N   stop after N packets\n"
	"  --seconds S   stop after S seconds\n"
	"  --trace       count system calls, copies, softirq time and context switches\n"
	"  --pcap FILE   write the packets to a capture file, nanosecond pcap\n"
	"  --json        one JSON document at the end, nothing else on stdout";

struct options {
	const char *spec, *pcap;
	uint64_t packets;
	double seconds;
	bool trace, json;
};

static int read_options(struct options *o, int argc, char **argv)
{
	const struct app_verb *self = app_verb("rx");
	const struct app_option options[] = {APP_LIMITS(o), {"trace", APP_FLAG, &o->trace},
		{"pcap", APP_TEXT, &o->pcap}, {"json", APP_FLAG, &o->json}, {0}};
	int rc = app_options(self, argc, argv, options, true);

	return rc ? rc : app_one_spec(self, argc, argv, &o->spec);
}

struct rates {
	uint64_t then, packets;
	bool quiet;
};

static void tick(void *ctx, uint64_t now, uint64_t delivered)
{
	struct rates *r = ctx;
	double s = (double)(now - r->then) / 1e9;

	if (!r->quiet && s > 0) {
		printf("%12.0f packets/s %14" PRIu64 " packets\n",
			(double)(delivered - r->packets) / s, delivered);
		fflush(stdout);
	}
	r->then = now;
	r->packets = delivered;
}

static int open_writer(const struct options *o, struct shunt_dev **writer, struct shunt_err *err)
{
	char spec[300];

	if (!o->pcap)
		return 0;
	snprintf(spec, sizeof spec, "pcap:%s", o->pcap);
	int rc = shunt_open(writer, spec, SHUNT_TX, err);
	return rc ? rc : shunt_start(*writer, err);
}

/* Receive, stop, drain, read the ledger. The tracer is attached until the last burst. */
static int receive(const struct options *o, struct bench_receiver *rx, struct rx_run *run,
	struct shunt_err *err)
{
	struct bench_watch *watch = NULL;
	struct rates rates = {.then = 0, .quiet = o->json};
	int rc = o->trace ? bench_watch_dev(&watch, SHUNT_TRACE_ALL, rx->dev, 0, err) : 0;

	if (!rc && watch)
		rc = bench_watch_start(watch, err);
	if (!rc) {
		rates.then = shunt_now();
		rx->tick = tick;
		rx->ctx = &rates;
		bench_receive(rx);
		shunt_stop(rx->dev, NULL);
		bench_drain(rx);
		run->elapsed_ns = rx->elapsed_ns;
		run->cpu_ns = rx->cpu_ns;
		run->busy_ns = rx->busy_ns;
		run->written = rx->written;
		if (watch)
			rc = bench_watch_stop(watch, &run->trace, err);
	}
	bench_watch_close(watch);
	shunt_get_stats(rx->dev, &run->stats);
	shunt_get_info(rx->dev, &run->info);
	if (!rc)
		rc = shunt_get_ledger(rx->dev, &run->ledger, err);
	if (!rc && rx->error) {
		struct shunt_info info = run->info;
		if (rx->writer_failed)
			shunt_get_info(rx->out->dev, &info);
		rc = shunt_fail(
			err, rx->error, NULL, "%s", *info.gone ? info.gone : strerror(-rx->error));
	}
	return rc;
}

/* Stopping flushes the file: write errors show only now. */
static void close_writer(struct shunt_dev *writer, struct shunt_err *err, int *rc)
{
	struct shunt_queue *q = shunt_get_queue(writer, 0);
	struct shunt_info info;

	shunt_stop(writer, NULL);
	shunt_get_info(writer, &info);
	if (!*rc && q && q->error)
		*rc = shunt_fail(err, q->error, NULL, "%s", info.gone);
}

static int run_rx(const struct options *o, struct rx_run *run, struct shunt_err *err)
{
	struct bench_receiver rx = {.packets = o->packets,
		.stop = &app_stop,
		.duration_ns = (uint64_t)(o->seconds * 1e9)};
	struct shunt_dev *writer = NULL;
	bool ran = false;
	int rc = shunt_open(&rx.dev, o->spec, SHUNT_RX, err);

	run->pcap = o->pcap;
	if (!rc)
		rc = open_writer(o, &writer, err);
	if (!rc)
		rc = shunt_start(rx.dev, err);
	if (!rc) {
		rx.out = writer ? shunt_get_queue(writer, 0) : NULL;
		rc = receive(o, &rx, run, err);
		ran = true;
	}
	if (writer)
		close_writer(writer, rc ? NULL : err, &rc);
	shunt_close(writer, NULL);
	shunt_close(rx.dev, NULL);
	if (rc)
		run->failed = *err;
	return ran ? 0 : rc;
}

int app_rx(int argc, char **argv)
{
	struct options o = {.spec = NULL};
	struct rx_run *run = calloc(1, sizeof *run);
	struct shunt_err err = {.code = 0};
	int rc = read_options(&o, argc, argv);

	if (rc || !run) {
		free(run);
		return rc ? rc : 1;
	}
	app_catch_signals();
	rc = run_rx(&o, run, &err);
	int status = run->failed.code ? app_fail(&run->failed) : 0;
	if (!rc && o.json) {
		if (app_print_json(rx_json(run)))
			status = 1;
	} else if (!rc) {
		rx_text(stdout, run);
	}
	if (!rc && run->ledger.unaccounted && !status) {
		fprintf(stderr,
			"shunt rx: the ledger does not add up: %" PRId64
			" packets unaccounted for\n",
			run->ledger.unaccounted);
		status = 1;
	}
	free(run);
	return fflush(stdout) ? 1 : status;
}
