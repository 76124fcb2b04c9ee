/* SPDX-License-Identifier: BSD-2-Clause
 * bench/races/instructions runs this under callgrind: frames are sent first and wait in the path,
 * then one function receives them all, so that bursts are full and the count repeats. With a second
 * spec it forwards them, by the burst that `shunt fwd` runs, touching each as ixy's forwarder does.
 * Usage: loop SPEC FRAMES [BURST [SPEC]]; prints how many it received or forwarded.
 */
#include "bench/lab/lab.h"
#include "bench/loops/forward.h"
#include "bench/traffic/frames.h"
#include "drivers/core/spec.h"

#include <errno.h>
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

KEPT unsigned measured_forward(struct bench_forward *f, unsigned frames);

unsigned measured_forward(struct bench_forward *f, unsigned frames)
{
	struct shunt_queue *from = shunt_get_queue(f->dev[0], 0);
	struct shunt_queue *to = shunt_get_queue(f->dev[1], 0);
	unsigned got = 0, n = 1;

	while (got < frames && n) {
		n = bench_forward_burst(f, &f->way[0], from, to, f->burst);
		got += n;
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

static unsigned receive(
	const struct bench_lab *lab, const char *spec, unsigned frames, unsigned burst)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;
	unsigned got = 0;

	if (shunt_open(&dev, spec, SHUNT_RX, &err) || shunt_start(dev, &err))
		return fail(&err), 0;
	if (shunt_queue_fd(shunt_get_queue(dev, 0)) >= 0 && send_frames(lab, frames, &err))
		return fail(&err), 0;
	usleep(50000); /* a ring's last block is retired after a millisecond */
	got = measured_loop(shunt_get_queue(dev, 0), frames, burst);
	shunt_close(dev, NULL);
	return got;
}

/* The other ends of two pairs, and frames that wait at the first. */
static int fill_pair(struct shunt_dev *far[2], const char *from, const char *to, unsigned frames,
	struct shunt_err *err)
{
	struct shunt_pkt p;
	int rc = 0;

	for (unsigned i = 0; !rc && i < 2; i++) {
		rc = shunt_open(&far[i], i ? to : from, SHUNT_RXTX, err);
		rc = rc ? rc : shunt_start(far[i], err);
	}
	for (; !rc && frames; frames--) {
		struct shunt_queue *q = shunt_get_queue(far[0], 0);
		if (!shunt_alloc(q, &p, 1))
			return shunt_fail(err, -ENOMEM, NULL, "no chunk is left for a frame");
		p.len = BENCH_FRAME_MIN;
		if (shunt_tx(q, &p, 1) != 1)
			return shunt_fail(err, -ENOSPC, NULL, "the pair is full");
	}
	return rc;
}

/* Counts only what was forwarded without a loss and, where the devices share a region, a copy. */
static unsigned forward(const struct bench_lab *lab, const char *from, const char *to,
	unsigned frames, unsigned burst)
{
	struct bench_forward f = {.one_way = true, .touch = true, .burst = burst};
	struct shunt_err err = {.code = 0};
	struct shunt_dev *far[2] = {NULL, NULL};
	struct shunt_ledger books;

	if (bench_forward_open(&f, from, to, &err))
		return fail(&err), 0;
	int rc = strncmp(from, "pair:", 5) ? send_frames(lab, frames, &err)
					   : fill_pair(far, from, to, frames, &err);
	if (rc)
		return fail(&err), 0;
	usleep(50000);
	measured_forward(&f, frames);
	bench_forward_stop(&f);
	bench_forward_ledger(&f, 0, &books);
	if (!f.region || f.way[0].kept || books.unaccounted)
		fprintf(stderr, "loop: %s\n", *f.apart ? f.apart : "packets were copied or lost");
	shunt_close(far[0], NULL);
	shunt_close(far[1], NULL);
	if (bench_forward_close(&f, &err))
		return fail(&err), 0;
	return f.way[0].kept ? 0 : (unsigned)books.delivered;
}

int main(int argc, char **argv)
{
	struct shunt_err err = {.code = 0};
	struct bench_lab lab, second;
	char spec[256], to[256];
	unsigned frames = argc > 2 ? (unsigned)atoi(argv[2]) : 4096;
	unsigned burst = argc > 3 ? (unsigned)atoi(argv[3]) : SHUNT_BURST, got;

	if (argc < 2 || !burst || burst > SHUNT_BURST_MAX)
		return fprintf(stderr, "usage: loop SPEC FRAMES [BURST [SPEC]]\n"), 2;
	if (bench_lab_open(&lab, NULL, &err) || bench_lab_open(&second, NULL, &err))
		return fail(&err);
	shunt_spec_add(spec, sizeof spec, argv[1], "netns", lab.near_path);
	if (argc > 4) {
		shunt_spec_add(to, sizeof to, argv[4], "netns", second.near_path);
		got = forward(&lab, spec, to, frames, burst);
	} else {
		got = receive(&lab, spec, frames, burst);
	}
	printf("%u\n", got);
	bench_lab_close(&second);
	bench_lab_close(&lab);
	return got == frames ? 0 : 1;
}
