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

int shunt_pair_join(const char *name, struct pair_end **end, struct shunt_err *err)
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
		while (ring->slots && shunt_pair_ring_pop(ring, &pkt, 1))
			shunt_pool_put(p->region, &pkt.cookie, 1);
		free(ring->slots);
		if (p->end[i].event >= 0)
			close(p->end[i].event);
	}
	if (p->region)
		atomic_fetch_sub(&p->region->attached, 1);
	if (p->own)
		shunt_region_destroy(p->region, NULL);
	free(p);
}

void shunt_pair_leave(struct pair_end *end)
{
	struct pair *p = end->pair;
	struct pair **at;

	pthread_mutex_lock(&lock);
	/* A single end that nobody joined goes at once. */
	bool last = ++p->closed == p->opened;
	if (last) {
		for (at = &pairs; *at != p; at = &(*at)->next)
			;
		*at = p->next;
	}
	pthread_mutex_unlock(&lock);
	if (last)
		free_pair(p);
}

int shunt_pair_attach(struct pair_end *end, struct shunt_region *region, struct shunt_err *err)
{
	struct pair *p = end->pair;
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (region->info.lent)
		rc = shunt_fail(err, -ENOTSUP, NULL, "pair: a lent region has no chunks");
	else if (p->region && p->region != region)
		rc = shunt_fail(err, -EBUSY, "both ends use one region", "pair:%s has region %u",
			p->name, p->region->info.id);
	else if (!p->region)
		atomic_fetch_add(&region->attached, 1);
	if (!rc)
		p->region = region;
	pthread_mutex_unlock(&lock);
	return rc;
}

int shunt_pair_detach(struct pair_end *end, struct shunt_region *region, struct shunt_err *err)
{
	struct pair *p = end->pair;
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (p->region != region || p->own)
		rc = shunt_fail(err, -EINVAL, NULL, "pair:%s: region %u is not attached", p->name,
			region->info.id);
	else if (p->started)
		rc = shunt_fail(err, -EBUSY, "close both ends", "pair:%s is running", p->name);
	if (!rc) {
		atomic_fetch_sub(&region->attached, 1);
		p->region = NULL;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

int shunt_pair_need_region(struct pair_end *end, uint32_t room, struct shunt_err *err)
{
	struct pair *p = end->pair;
	/* Two full rings, two caches, and what the applications hold. */
	const struct shunt_region_opts opts = {.chunks = 2 * room + 4 * PAIR_CACHE};
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!p->region) {
		rc = shunt_region_create(&p->region, &opts, err);
		p->own = !rc;
		if (!rc)
			atomic_fetch_add(&p->region->attached, 1);
	}
	p->started += !rc;
	pthread_mutex_unlock(&lock);
	return rc;
}
