/* SPDX-License-Identifier: BSD-2-Clause
 * Workloads: templates, or a capture read from its start in each pass.
 */
#include "bench/traffic/workload.h"

#include "bench/traffic/frames.h"
#ifdef HAVE_PCAP
#include "bench/traffic/source.h"
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int bench_workload_synthetic(
	struct bench_workload *w, uint32_t size, uint32_t flows, struct shunt_err *err)
{
	memset(w, 0, sizeof *w);
	int rc = bench_frames_make(&w->frames, size, flows, err);
	w->nframes = rc ? 0 : flows;
	w->size = size;
	w->flows = flows;
	return rc;
}

void bench_workload_free(struct bench_workload *w)
{
	free(w->frames);
	w->frames = NULL;
}

#ifdef HAVE_PCAP
int bench_workload_capture(struct bench_workload *w, const char *file, double speed,
	uint32_t max_frame, struct shunt_err *err)
{
	struct shunt_frame frames[SHUNT_BURST];
	struct shunt_source *source;
	int n;

	memset(w, 0, sizeof *w);
	w->capture = file;
	w->speed = speed;
	int rc = shunt_pcap_source_open(&source, file, speed > 0 ? speed : 1, err);
	if (rc)
		return rc;
	while ((n = source->next(source, frames, SHUNT_BURST)) > 0)
		for (int i = 0; i < n; i++) {
			w->capture_frames++;
			w->capture_bytes += frames[i].len;
			w->capture_unsendable += frames[i].len > max_frame;
		}
	if (n < 0) {
		rc = shunt_pcap_source_error(source, err);
		if (err)
			err->kind = SHUNT_ERR_USAGE; /* a damaged file is no workload */
	}
	shunt_pcap_source_close(source);
	if (!rc && w->capture_frames == w->capture_unsendable)
		rc = shunt_fail_usage(
			err, -EINVAL, NULL, "%.180s: holds no frame that can be sent", file);
	return rc;
}

int bench_workload_begin(struct bench_workload *w, struct shunt_flood *flood, uint64_t frames,
	double pps, struct shunt_err *err)
{
	memset(flood, 0, sizeof *flood);
	flood->pps = pps;
	if (!w->capture) {
		flood->frames = w->frames;
		flood->nframes = w->nframes;
		flood->packets = frames;
		flood->stamp = true;
		return 0;
	}
	flood->timed = w->speed > 0;
	return shunt_pcap_source_open(&flood->source, w->capture, w->speed > 0 ? w->speed : 1, err);
}

void bench_workload_end(struct bench_workload *w, struct shunt_flood *flood)
{
	if (w->capture && flood->source)
		shunt_pcap_source_close(flood->source);
	flood->source = NULL;
}
#else
int bench_workload_capture(struct bench_workload *w, const char *file, double speed,
	uint32_t max_frame, struct shunt_err *err)
{
	(void)w, (void)speed, (void)max_frame;
	return shunt_fail(err, -ENOTSUP, "build with libpcap: scripts/setup",
		"%.180s: this shunt was built without capture files", file);
}

int bench_workload_begin(struct bench_workload *w, struct shunt_flood *flood, uint64_t frames,
	double pps, struct shunt_err *err)
{
	(void)err;
	*flood = (struct shunt_flood){.frames = w->frames,
		.nframes = w->nframes,
		.packets = frames,
		.pps = pps,
		.stamp = true};
	return 0;
}

void bench_workload_end(struct bench_workload *w, struct shunt_flood *flood)
{
	(void)w, (void)flood;
}
#endif
