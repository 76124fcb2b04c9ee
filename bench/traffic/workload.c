/* SPDX-License-Identifier: BSD-2-Clause
 * Workloads: frame templates, or a capture that each pass reads from its start.
 */
#include "bench/traffic/workload.h"

#include "bench/traffic/frames.h"
#include "bench/traffic/source.h"

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

static int open_source(
	const struct bench_workload *w, struct shunt_source **s, struct shunt_err *err)
{
	return bench_source_open(s, w->capture, w->speed > 0 ? w->speed : 1, err);
}

int bench_workload_capture(struct bench_workload *w, const char *file, double speed,
	uint32_t max_frame, struct shunt_err *err)
{
	struct shunt_frame frames[SHUNT_BURST];
	struct shunt_source *source;
	int n;

	*w = (struct bench_workload){.capture = file, .speed = speed};
	int rc = open_source(w, &source, err);
	if (rc)
		return rc;
	while ((n = source->next(source, frames, SHUNT_BURST)) > 0)
		for (int i = 0; i < n; i++) {
			w->capture_frames++;
			w->capture_bytes += frames[i].len;
			w->capture_unsendable += frames[i].len > max_frame;
		}
	if (n < 0) {
		rc = bench_source_error(source, err);
		if (err)
			err->kind = SHUNT_ERR_USAGE; /* the file was the user's choice */
	}
	bench_source_close(source);
	if (!rc && w->capture_frames == w->capture_unsendable)
		rc = shunt_fail_usage(
			err, -EINVAL, NULL, "%.180s: holds no frame that can be sent", file);
	return rc;
}

int bench_workload_begin(struct bench_workload *w, struct shunt_flood *flood, uint64_t frames,
	double pps, struct shunt_err *err)
{
	*flood = (struct shunt_flood){.pps = pps, .timed = w->speed > 0};
	if (w->capture)
		return open_source(w, &flood->source, err);
	flood->frames = w->frames;
	flood->nframes = w->nframes;
	flood->packets = frames;
	flood->stamp = true;
	return 0;
}

void bench_workload_end(struct shunt_flood *flood)
{
	bench_source_close(flood->source);
	flood->source = NULL;
}
