/* SPDX-License-Identifier: BSD-2-Clause
 * bench/instructions runs this under callgrind: frames are sent first and wait in the path, then
 * one function receives them all, so that bursts are full and the count repeats.
 * Usage: loop SPEC FRAMES [BURST]; prints what it received.
 */
#include "bench/frames.h"
#include "bench/lab.h"

#include <shunt/shunt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__ /* it clones nothing, and does not know the word */
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

/* What callgrind counts: the least that any receiver does. Not inlined, so that it has a name. */
KEPT unsigned measured_loop(struct shunt_queue *q, unsigned frames, unsigned burst);

unsigned measured_loop(struct shunt_queue *q, unsigned frames, unsigned burst)
{
	struct shunt_pkt pkts[SHUNT_BURST_MAX];
	unsigned got = 0;

	while (got < frames) {
		int n = shunt_rx(q, pkts, burst);
		if (n <= 0)
			break;
		shunt_release(q, pkts, (unsigned)n);
		got += (unsigned)n;
	}
	return got;
}

static int fail(const struct shunt_err *err)
{
	fprintf(stderr, "loop: %s%s%s\n", err->what, *err->remedy ? ": " : "", err->remedy);
	return 1;
}

static int send_frames(const struct bench_lab *lab, unsigned n, struct shunt_err *err)
{
	struct shunt_flood flood = {.packets = n, .nframes = 1, .pps = 100000};
	struct shunt_flood_result result;
	struct shunt_frame *frames;
	struct shunt_dev *dev = NULL;
	char spec[96];
	int rc = bench_frames_make(&frames, BENCH_FRAME_MIN, 1, err);

	snprintf(spec, sizeof spec, "packet:" BENCH_FAR "?mode=recv&netns=%s", lab->far_path);
	if (!rc)
		rc = shunt_open(&dev, spec, SHUNT_TX, err);
	if (!rc)
		rc = shunt_start(dev, err);
	flood.frames = frames;
	if (!rc)
		rc = shunt_flood(shunt_get_queue(dev, 0), &flood, &result, err);
	shunt_close(dev, NULL);
	free(frames);
	return rc;
}

int main(int argc, char **argv)
{
	struct shunt_err err = {.code = 0};
	struct bench_lab lab;
	struct shunt_dev *dev;
	char spec[256];
	unsigned frames = argc > 2 ? (unsigned)atoi(argv[2]) : 4096;
	unsigned burst = argc > 3 ? (unsigned)atoi(argv[3]) : SHUNT_BURST;

	if (argc < 2 || !burst || burst > SHUNT_BURST_MAX)
		return fprintf(stderr, "usage: loop SPEC FRAMES [BURST]\n"), 2;
	if (bench_lab_open(&lab, NULL, &err))
		return fail(&err);
	snprintf(spec, sizeof spec, "%s%cnetns=%s", argv[1], strchr(argv[1], '?') ? '&' : '?',
		lab.near_path);
	if (shunt_open(&dev, spec, SHUNT_RX, &err) || shunt_start(dev, &err))
		return fail(&err);
	if (shunt_queue_fd(shunt_get_queue(dev, 0)) >= 0 && send_frames(&lab, frames, &err))
		return fail(&err);
	usleep(50000); /* a ring's last block is retired after a millisecond */
	unsigned got = measured_loop(shunt_get_queue(dev, 0), frames, burst);
	printf("%u\n", got);
	shunt_close(dev, NULL);
	bench_lab_close(&lab);
	return got == frames ? 0 : 1;
}
