/* SPDX-License-Identifier: BSD-2-Clause
 * How well the xdpgen generator keeps a rate, in a lab: one line per rate. A timed benchmark, not a
 * test: its metrics depend on who else uses the machine. Exit status 1 where a rate of 10 k to
 * 500 k packets/s is missed by more than 1 %, 2 for arguments: it takes none but --help.
 */
#include "bench/lab/lab.h"
#include "bench/traffic/frames.h"
#include "core/netns.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <math.h>
#include <shunt/shunt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOAL 1.0 /* percent */

static const char usage[] = "usage: pace\n"
			    "How well the xdpgen generator keeps a rate, in a lab: one line per "
			    "rate. Exit status 1 where\n"
			    "a rate of 10 k to 500 k packets/s is missed by more than 1 %.\n";

static int fail(const struct shunt_err *err)
{
	fprintf(stderr, "pace: %s%s%s\n", err->what, *err->remedy ? ": " : "", err->remedy);
	return 1;
}

/* A receiver that costs as little as can be, so that the generator is what is measured: frames are
 * dropped by XDP at near0. Returns the link's descriptor. */
static int drop_at_near(const struct bench_lab *lab, struct shunt_err *err)
{
	const struct bpf_insn drop[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = XDP_DROP},
		{.code = BPF_JMP | BPF_EXIT}};
	int prog = bpf_prog_load(BPF_PROG_TYPE_XDP, "drop", "Dual BSD/GPL", drop, 2, NULL);
	int back = shunt_netns_enter(lab->near_ns);
	int link = prog < 0 || back < -1
			   ? -1
			   : bpf_link_create(prog, (int)lab->near_ifindex, BPF_XDP, NULL);
	int rc = link < 0 ? -errno : 0;

	shunt_netns_leave(back);
	if (rc)
		return shunt_fail(err, rc, NULL, "cannot drop at near0: %s", strerror(-rc));
	return link;
}

/* Runs a flood and prints it; *off is how far the rate is off, in percent. */
static int one(struct shunt_queue *q, const struct shunt_frame *frame, double pps, uint64_t n,
	double *off, struct shunt_err *err)
{
	struct shunt_flood flood = {
		.frames = frame, .nframes = 1, .packets = n, .pps = pps, .stamp = true};
	struct shunt_flood_result r;
	int rc = shunt_flood(q, &flood, &r, err);

	*off = pps > 0 ? fabs(r.sent_pps / pps - 1) * 100 : 0;
	printf("%4u B  asked %9.0f  sent %9.0f pps  off %6.3f %%  late %8.1f us  batch %2u  "
	       "cpu %6.1f ns  refused %" PRIu64 "\n",
		frame->len, pps, r.sent_pps, *off, (double)r.max_late_ns / 1e3, r.batch,
		r.sent ? (double)r.cpu_ns / (double)r.sent : 0.0, r.refused);
	return rc;
}

/* Each rate with each size; *worst is the most that a rate of the promise was off. */
static int all(struct shunt_queue *q, double *worst, struct shunt_err *err)
{
	static const double rates[] = {1e3, 1e4, 1e5, 5e5, 1e6, 0};
	static const uint32_t sizes[] = {60, 512, 1514};
	struct shunt_frame *frame;
	double off;
	int rc = 0;

	for (unsigned s = 0; !rc && s < sizeof sizes / sizeof *sizes; s++) {
		rc = bench_frames_make(&frame, sizes[s], 1, err);
		if (rc)
			return rc;
		for (unsigned i = 0; !rc && i < sizeof rates / sizeof *rates; i++) {
			uint64_t n = rates[i] > 0 ? (uint64_t)rates[i] : 5000000;
			rc = one(q, frame, rates[i], n, &off, err);
			if (rates[i] > 9e3 && rates[i] < 6e5 && off > *worst)
				*worst = off;
		}
		free(frame);
	}
	return rc;
}

int main(int argc, char **argv)
{
	struct shunt_err err = {.code = 0};
	struct bench_lab lab;
	struct shunt_dev *dev;
	char spec[128];
	double worst = 0;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return fputs(usage, stdout) < 0;
	if (argc > 1)
		return fprintf(stderr, "pace: takes no argument '%s'; --help\n", argv[1]), 2;
	if (bench_lab_open(&lab, NULL, &err))
		return fail(&err);
	if (drop_at_near(&lab, &err) < 0)
		return fail(&err);
	snprintf(spec, sizeof spec, "xdpgen:" BENCH_FAR "?netns=%s", lab.far_path);
	if (shunt_open(&dev, spec, SHUNT_TX, &err) || shunt_start(dev, &err))
		return fail(&err);
	int rc = all(shunt_get_queue(dev, 0), &worst, &err);
	if (rc)
		fail(&err);
	else
		printf("off by at most %.3f %%, promised at most %.0f %%%s\n", worst, GOAL,
			worst > GOAL ? ": NOT REACHED" : "");
	shunt_close(dev, NULL);
	bench_lab_close(&lab);
	return rc || worst > GOAL;
}
