/* SPDX-License-Identifier: BSD-2-Clause
 * The two devices of a forwarder, and the region that both are attached to where possible.
 */
#include "bench/loops/forward.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICE_RING 4096u /* what a device's own ring may hold beyond its depth */
#define IN_FLIGHT   4096u /* transmit ring, caches, bursts in hand */
#define CARD_QUEUES 16    /* the most that a card under one of our drivers has */
#define TAGS        22u   /* an Ethernet header and two VLAN tags */
#define HEADROOM    256u  /* the most that a driver needs before a frame */

/* A card under one of our drivers: it writes up to 2 KiB, and only a larger chunk leaves headroom
 * for the other side. */
static bool is_card(const struct shunt_info *info)
{
	return !strcmp(info->scheme, "pci");
}

/* A card has no queues until it is started; then as many as requested, or one per CPU. */
static uint32_t queues_of(const struct shunt_info *info)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (info->queues)
		return info->queues;
	return cpus < 1 ? 1 : cpus > CARD_QUEUES ? CARD_QUEUES : (uint32_t)cpus;
}

static uint32_t chunks_for(const struct shunt_info *info)
{
	uint32_t depth = 1;

	while (depth < info->depth)
		depth *= 2;
	return queues_of(info) * (depth + IN_FLIGHT + (is_card(info) ? 0 : DEVICE_RING));
}

static int make_region(struct bench_forward *f, struct shunt_err *err)
{
	struct shunt_region_opts opts = {.chunk = SHUNT_CHUNK};

	for (unsigned i = 0; i < 2; i++) {
		struct shunt_info info;
		shunt_get_info(f->dev[i], &info);
		opts.chunks += chunks_for(&info);
		/* The interface may belong to a NIC, whose zero-copy mode needs as much. */
		if (is_card(&info) || info.ifname[0] || info.mtu + TAGS + HEADROOM > SHUNT_CHUNK)
			opts.chunk = 2 * SHUNT_CHUNK;
	}
	return shunt_region_create(&f->region, &opts, err);
}

/* One region for both. Where that fails each creates its own, and f->apart holds the reason. */
static void share(struct bench_forward *f)
{
	struct shunt_region_info info;
	struct shunt_err err = {.code = 0};
	int rc = make_region(f, &err);

	for (unsigned i = 0; !rc && i < 2; i++) {
		rc = shunt_attach(f->dev[i], f->region, &err);
		if (rc && i)
			shunt_detach(f->dev[0], f->region, NULL);
	}
	if (rc) {
		snprintf(f->apart, sizeof f->apart, "%s", err.what);
		shunt_region_destroy(f->region, NULL);
		f->region = NULL;
		return;
	}
	shunt_region_info(f->region, &info);
	f->region_id = info.id;
}

/* Refuses two devices that can't forward to each other. */
static int check(struct bench_forward *f, struct shunt_err *err)
{
	static const char *const wait[] = {"spin", "poll", "adaptive"};
	struct shunt_info at[2];

	for (unsigned i = 0; i < 2; i++)
		shunt_get_info(f->dev[i], &at[i]);
	if (at[0].ifindex && at[0].ifindex == at[1].ifindex && at[0].netns == at[1].netns)
		return shunt_fail_usage(err, -EINVAL, "name two interfaces",
			"both devices are %s: it would receive its own frames", at[0].ifname);
	f->sleeps = at[0].wait != SHUNT_WAIT_SPIN;
	for (unsigned i = 0; !f->one_way && i < 2; i++)
		if (at[i].wait != SHUNT_WAIT_SPIN)
			return shunt_fail_usage(err, -EINVAL, "leave it out, or forward --one-way",
				"wait=%s: while one side blocks, packets of the other would wait",
				wait[at[i].wait]);
	return 0;
}

int bench_forward_open(
	struct bench_forward *f, const char *from, const char *to, struct shunt_err *err)
{
	int rc = shunt_open(&f->dev[0], from, f->one_way ? SHUNT_RX : SHUNT_RXTX, err);

	if (!rc)
		rc = shunt_open(&f->dev[1], to, f->one_way ? SHUNT_TX : SHUNT_RXTX, err);
	if (!rc)
		rc = check(f, err);
	if (!rc)
		share(f);
	/* The sending side first: it must be ready for the first packet. */
	for (unsigned i = 2; !rc && i--;)
		rc = shunt_start(f->dev[i], err);
	return rc;
}

int bench_forward_close(struct bench_forward *f, struct shunt_err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < 2; i++) {
		int closed = shunt_close(f->dev[i], rc ? NULL : err);
		if (!closed)
			f->dev[i] = NULL;
		rc = rc ? rc : closed;
	}
	if (!rc && f->region) {
		rc = shunt_region_destroy(f->region, err);
		f->region = rc ? f->region : NULL;
	}
	return rc;
}
