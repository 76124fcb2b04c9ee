/* SPDX-License-Identifier: BSD-2-Clause
 * A capture file as a source of frames. libpcap's buffer holds one frame at a time, so the frames
 * of one call are copied into an arena.
 */
#include "bench/traffic/source.h"

#include "drivers/pcap/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GAP_NS 1000000000u
#define ARENA  (4 * CAPTURE_FRAME_MAX)

struct source {
	struct shunt_source source;
	struct capture_file file;
	double speed;
	uint64_t last_ns; /* of the previous frame, on the file's clock */
	double due_ns;
	struct shunt_err err;
	int rc;
	uint8_t arena[];
};

static void follow_clock(struct source *s, uint64_t ts_ns)
{
	if (s->file.frames > 1 && ts_ns > s->last_ns) {
		uint64_t gap = ts_ns - s->last_ns;
		s->due_ns += (double)(gap < GAP_NS ? gap : GAP_NS) / s->speed;
	}
	s->last_ns = ts_ns;
}

static int next(struct shunt_source *source, struct shunt_frame *frames, unsigned n)
{
	struct source *s = (struct source *)source;
	struct capture_frame f;
	size_t used = 0;
	unsigned got = 0;

	while (!s->rc && got < n && used + CAPTURE_FRAME_MAX <= ARENA) {
		int rc = capture_file_next(&s->file, &f, &s->err);
		if (rc <= 0) {
			s->rc = rc ? rc : -ENODATA;
			break;
		}
		follow_clock(s, f.ts_ns);
		memcpy(s->arena + used, f.data, f.len);
		frames[got++] = (struct shunt_frame){
			.data = s->arena + used, .len = f.len, .due_ns = (uint64_t)s->due_ns};
		used += f.len;
	}
	/* The frames before a damaged one first. */
	return got ? (int)got : s->rc == -ENODATA ? 0 : s->rc;
}

int bench_source_open(
	struct shunt_source **out, const char *path, double speed, struct shunt_err *err)
{
	struct source *s;

	*out = NULL;
	if (!(speed > 0))
		return shunt_fail_usage(
			err, -EINVAL, NULL, "a speed is a factor above 0, not %g", speed);
	s = malloc(sizeof *s + ARENA);
	if (!s)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	memset(s, 0, sizeof *s);
	s->source.next = next;
	s->speed = speed;
	int rc = capture_file_open(&s->file, path, false, err);
	if (rc) {
		free(s);
		return rc;
	}
	*out = &s->source;
	return 0;
}

int bench_source_error(const struct shunt_source *source, struct shunt_err *err)
{
	const struct source *s = (const struct source *)source;

	if (!s->rc || s->rc == -ENODATA)
		return 0;
	if (err)
		*err = s->err;
	return s->rc;
}

void bench_source_close(struct shunt_source *source)
{
	struct source *s = (struct source *)source;

	if (!s)
		return;
	capture_file_close(&s->file);
	free(s);
}
