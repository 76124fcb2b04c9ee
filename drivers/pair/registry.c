/* SPDX-License-Identifier: BSD-2-Clause
 * Pairs by name, in this process. A pair lives from the first open to the second close; then its
 * name is free again.
 */
#include "drivers/pair/pair.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair *pairs;

static struct pair *make(const char *name)
{
	struct pair *p = aligned_alloc(64, (sizeof *p + 63) / 64 * 64);

	if (!p)
		return NULL;
	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "%s", name);
	for (unsigned i = 0; i < 2; i++) {
		p->end[i].pair = p;
		p->end[i].peer = &p->end[!i];
		p->end[i].event = -1;
		atomic_init(&p->end[i].in, NULL);
		atomic_init(&p->end[i].stopped, false);
		atomic_init(&p->end[i].sleeping, false);
	}
	p->next = pairs;
	pairs = p;
	return p;
}

int pair_join(const char *name, struct pair_end **end, struct shunt_err *err)
{
	struct pair *p;
	int rc = 0;

	if (!*name || strlen(name) >= sizeof p->name)
		return shunt_fail_usage(err, -EINVAL, NULL,
			"pair: a name of 1 to %zu characters is needed", sizeof p->name - 1);
	pthread_mutex_lock(&lock);
	for (p = pairs; p && strcmp(p->name, name); p = p->next)
		;
	if (!p)
		p = make(name);
	if (!p)
		rc = shunt_fail(err, -ENOMEM, NULL, "out of memory");
	else if (p->opened == 2)
		rc = shunt_fail_usage(err, -EBUSY, "close both first, or take another name",
			"pair:%s has no free end", name);
	else
		*end = &p->end[p->opened++];
	pthread_mutex_unlock(&lock);
	return rc;
}

static void free_pair(struct pair *p)
{
	struct shunt_pkt pkt;

	for (unsigned i = 0; i < 2; i++) {
		struct pair_ring *ring = &p->end[i].ring;
		while (ring->slots && pair_ring_pop(ring, &pkt, 1))
			shunt_pool_put(p->region, &pkt.cookie, 1);
		free(ring->slots);
		if (p->end[i].event >= 0)
			close(p->end[i].event);
	}
	free(p);
}

/* The pair knows its region for as long as an end uses it; afterwards it may be destroyed. */
static void forget_region(struct pair_end *end)
{
	end->user = false;
	if (!end->peer->user)
		end->pair->region = NULL;
}

void pair_leave(struct pair_end *end)
{
	struct pair *p = end->pair;
	struct pair **at;

	pthread_mutex_lock(&lock);
	/* A single end that no other joined is freed at once. */
	bool last = ++p->closed == p->opened;
	if (last) {
		for (at = &pairs; *at != p; at = &(*at)->next)
			;
		*at = p->next;
	} else {
		forget_region(end);
	}
	pthread_mutex_unlock(&lock);
	if (last)
		free_pair(p);
}

static int claim(struct pair_end *end, struct shunt_region *region, struct shunt_err *err)
{
	struct pair *p = end->pair;

	if (p->region && p->region != region)
		return shunt_fail(err, -EBUSY, "both ends use one region", "pair:%s has region %u",
			p->name, p->region->info.id);
	p->region = region;
	end->user = true;
	return 0;
}

int pair_claim(struct pair_end *end, struct shunt_region *region, struct shunt_err *err)
{
	pthread_mutex_lock(&lock);
	int rc = claim(end, region, err);
	pthread_mutex_unlock(&lock);
	return rc;
}

void pair_unclaim(struct pair_end *end)
{
	pthread_mutex_lock(&lock);
	forget_region(end);
	pthread_mutex_unlock(&lock);
}

int pair_need_region(struct pair_end *end, struct shunt_dev *dev, struct shunt_err *err)
{
	/* Two full rings, two caches, and what the applications hold. */
	const struct shunt_region_opts opts = {.chunks = 2 * dev->depth + 4 * PAIR_CACHE};

	pthread_mutex_lock(&lock);
	if (!dev->region && end->pair->region)
		shunt_region_join(dev, end->pair->region);
	int rc = shunt_region_need(dev, &opts, err);
	if (!rc)
		rc = claim(end, dev->region, err);
	pthread_mutex_unlock(&lock);
	return rc;
}
