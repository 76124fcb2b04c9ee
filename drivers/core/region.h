/* SPDX-License-Identifier: BSD-2-Clause
 * Regions as drivers see them: the chunk pool that devices of one region share, and the table
 * that turns an offset in the region into a device address.
 */
#ifndef DRIVERS_CORE_REGION_H
#define DRIVERS_CORE_REGION_H

#include <pthread.h>
#include <shunt/mem.h>
#include <stdatomic.h>

struct shunt_region {
	struct shunt_region_info info; /* free is computed on demand */
	atomic_uint attached;          /* devices that use it */
	bool own;                      /* a device made it: the last one that leaves discards it */
	atomic_flag lock; /* guards top and stack: taken a few times per hundred packets */
	uint32_t top;     /* chunks in the pool */
	uint64_t *stack;  /* their offsets */
	uint64_t *pages;  /* device address of each page; NULL: address = offset (AF_XDP, copies) */
	bool physical;    /* pages are physical addresses, in no order */
	pthread_mutex_t mapping; /* guards pages and physical while devices start */
};

/* Up to n chunks, as offsets into the region. Any thread; a queue keeps a cache of its own so
 * that the lock is taken once per many bursts (chunks.h). */
unsigned shunt_pool_get(struct shunt_region *region, uint64_t *offsets, unsigned n);
void shunt_pool_put(struct shunt_region *region, const uint64_t *offsets, unsigned n);

/* A device lends memory of its own: no chunks, no pool, base is unmapped by the lender. */
int shunt_region_lend(
	struct shunt_region **region, void *base, size_t len, size_t page, struct shunt_err *err);
/* Give a lent region a pool of chunks, each of so many bytes: for a driver that cuts its memory
 * itself. -ENOMEM. */
int shunt_region_cut(struct shunt_region *region, uint32_t chunk, struct shunt_err *err);
/* Destroy a region that nobody uses any more, wherever its chunks were: in a ring of a device that
 * is closed, or in a cache that is gone. */
void shunt_region_discard(struct shunt_region *region);

/* Device address of an offset: a page-table lookup, which an IOMMU makes linear. */
static inline uint64_t shunt_region_addr(const struct shunt_region *region, uint64_t offset)
{
	if (!region->pages)
		return offset;
	return region->pages[offset / region->info.page] + offset % region->info.page;
}

#endif
