/* SPDX-License-Identifier: BSD-2-Clause
 * shunt gen: send synthetic frames, or those of a capture file, to any device that can transmit.
 */
#include "apps/options.h"
#include "apps/verbs.h"
#include "bench/report/json.h"
#include "bench/report/json_dev.h"
#include "bench/traffic/frames.h"
#include "bench/traffic/source.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

const char app_gen_usage[] = "SPEC [OPTION...]\n"
			     "  Sends UDP frames to a benchmark address (198.18.0.0/15), each with "
			     "a sequence number and "
			     "a time\n"
			     "  stamp, until interrupted. Reports at the end what was sent.\n"
			     "  --size N      bytes per frame, without FCS, 60 to 1514 (60)\n"
			     "  --rate R      packets per second, or max (max)\n"
			     "  --packets N   stop after N packets\n"
			     "  --seconds S   stop after S seconds\n"
			     "  --flows N     flows, by source port (1)\n"
			     "  --pcap FILE   send the frames of a capture file once instead\n"
			     "  --speed xN    with --pcap: N times the timing of the capture\n"
			     "  --json        one JSON document at the end, nothing else on stdout";

struct options {
	const char *spec, *pcap;
	uint64_t packets;
	uint32_t size, flows; /* 0: not given */
	double rate, seconds, speed;
	bool json, paced;
};

static int read_rate(void *to, const char *text)
{
	struct options *o = to;

	o->paced = true;
	return strcmp(text, "max") ? app_real(text, 0.01, 1e9, &o->rate) : 0;
}

static int read_speed(void *to, const char *text)
{
	return app_real(text + (*text == 'x'), 1e-3, 1e6, to);
}

static int read_options(struct options *o, int argc, char **argv)
{
	const struct app_verb *self = app_verb("gen");
	const struct app_option options[] = {APP_LIMITS(o),
		{"size", APP_U32, &o->size, BENCH_FRAME_MIN, BENCH_FRAME_MAX, "60 to 1514 bytes"},
		{"flows", APP_U32, &o->flows, 1, 4096, "1 to 4096"},
		{"rate", APP_CALL, o, .read = read_rate,
			.takes = "max, or 0.01 to 1G packets per second"},
		{"speed", APP_CALL, &o->speed, .read = read_speed, .takes = "x0.001 to x1M"},
		{"pcap", APP_TEXT, &o->pcap}, {"json", APP_FLAG, &o->json}, {0}};
	int rc = app_options(self, argc, argv, options, true);

	if (!rc)
		rc = app_one_spec(self, argc, argv, &o->spec);
	if (rc)
		return rc;
	if (o->pcap && (o->size || o->flows))
		return app_usage(self, "--pcap has its own sizes and flows");
	if (o->speed > 0 && !o->pcap)
		return app_usage(self, "--speed needs --pcap: synthetic frames have no timing");
	if (o->speed > 0 && o->paced)
		return app_usage(self, "--rate or --speed, not both");
	o->size = o->size ? o->size : BENCH_FRAME_MIN;
	o->flows = o->flows ? o->flows : 1;
	return 0;
}

static int open_source(const struct options *o, struct shunt_flood *flood, struct shunt_err *err)
{
	flood->timed = o->speed > 0;
	return bench_source_open(&flood->source, o->pcap, o->speed > 0 ? o->speed : 1, err);
}

static int close_source(struct shunt_flood *flood, int rc, struct shunt_err *err)
{
	/* The error of the capture file, if that ended the run. */
	if (flood->source && rc && rc != -EINTR && bench_source_error(flood->source, err))
		rc = err->code;
	bench_source_close(flood->source);
	flood->source = NULL;
	return rc;
}

/* A flood ends on a signal, so the time limit is SIGALRM. */
static void limit_time(const struct options *o)
{
	/* Where rate and time give the number of packets, only a rate that cannot be met needs it.
	 */
	double s = o->rate > 0 && !o->packets ? o->seconds * 1.05 + 0.1 : o->seconds;
	struct itimerval t = {
		.it_value = {.tv_sec = (time_t)s, .tv_usec = (suseconds_t)(fmod(s, 1) * 1e6)}};

	if (o->seconds > 0)
		setitimer(ITIMER_REAL, &t, NULL);
}

static void on_alarm(int sig)
{
	(void)sig;
	app_stop = true;
}

static int send_all(const struct options *o, struct shunt_dev *dev, struct shunt_flood_result *r,
	struct shunt_err *err)
{
	struct shunt_frame *frames = NULL;
	struct shunt_flood flood = {.packets = o->packets, .pps = o->rate, .stop = &app_stop};
	int rc;

	if (o->pcap) {
		rc = open_source(o, &flood, err);
	} else {
		rc = bench_frames_make(&frames, o->size, o->flows, err);
		flood.frames = frames;
		flood.nframes = o->flows;
		flood.stamp = true;
		/* Rate and time give the number of packets: exact, unlike an alarm. */
		if (!o->packets && o->rate > 0 && o->seconds > 0)
			flood.packets = (uint64_t)ceil(o->rate * o->seconds);
	}
	if (!rc) {
		limit_time(o);
		rc = shunt_flood(shunt_get_queue(dev, 0), &flood, r, err);
	}
	rc = close_source(&flood, rc, err);
	free(frames);
	if (!rc && o->pcap && !r->sent && !r->refused && !r->unsendable)
		return shunt_fail_usage(
			err, -EINVAL, NULL, "%.180s: there is no frame in it", o->pcap);
	return rc == -EINTR ? 0 : rc;
}

static void print_text(const struct shunt_flood_result *r, const struct shunt_info *info)
{
	double s = (double)r->elapsed_ns / 1e9;

	app_print_info(stdout, info);
	printf("sent %" PRIu64 " frames, %" PRIu64 " bytes in %.3f s (%.0f frames/s", r->sent,
		r->sent_bytes, s, r->sent_pps);
	if (r->asked_pps > 0)
		printf(", asked for %.0f", r->asked_pps);
	printf(")\nrefused %" PRIu64 ", unsendable %" PRIu64 "\nbatch %u", r->refused,
		r->unsendable, r->batch);
	if (r->max_late_ns)
		printf(", worst lateness %.1f us", (double)r->max_late_ns / 1e3);
	if (r->sent)
		printf(", %.0f ns of CPU per frame", (double)r->cpu_ns / (double)r->sent);
	printf("\n");
}

static json_t *to_json(const struct shunt_flood_result *r, const struct shunt_info *info,
	const struct shunt_err *err)
{
	return json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:f, s:f, s:o, s:o, "
			 "s:o, s:o}",
		"schema", "shunt-gen/1", "spec", bench_json_text(info->spec), "sent",
		(json_int_t)r->sent, "sent_bytes", (json_int_t)r->sent_bytes, "refused",
		(json_int_t)r->refused, "unsendable", (json_int_t)r->unsendable, "elapsed_ns",
		(json_int_t)r->elapsed_ns, "cpu_ns", (json_int_t)r->cpu_ns, "max_late_ns",
		(json_int_t)r->max_late_ns, "batch", (int)r->batch, "asked_pps", r->asked_pps,
		"sent_pps", r->sent_pps, "mode", bench_json_text(info->mode), "facts",
		bench_json_facts(info), "notes", bench_json_notes(info), "error",
		err->code ? bench_json_text(err->what) : json_null());
}

int app_gen(int argc, char **argv)
{
	struct options o = {.json = false};
	struct shunt_flood_result r = {.sent = 0};
	struct shunt_err err = {.code = 0};
	struct shunt_info info;
	struct shunt_dev *dev;
	int rc = read_options(&o, argc, argv), status = 0;

	if (rc)
		return rc;
	if (shunt_open(&dev, o.spec, SHUNT_TX, &err))
		return app_fail(&err);
	app_catch_signals();
	signal(SIGALRM, on_alarm);
	rc = shunt_start(dev, &err);
	if (!rc) {
		rc = send_all(&o, dev, &r, &err);
		shunt_stop(dev, NULL);
		shunt_get_info(dev, &info);
		if (!rc)
			err.code = 0;
		if (o.json)
			status = app_print_json(to_json(&r, &info, &err));
		else if (!rc || r.sent)
			print_text(&r, &info);
	}
	shunt_close(dev, NULL);
	return rc ? app_fail(&err) : status;
}
