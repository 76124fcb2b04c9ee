/* SPDX-License-Identifier: BSD-2-Clause
 * pair: what the driver's files share. Control calls of the two ends may come from two threads:
 * what is not atomic and not of one end alone is guarded by the registry's lock.
 */
#ifndef DRIVERS_PAIR_PAIR_H
#define DRIVERS_PAIR_PAIR_H

#include "drivers/core/driver.h"
#include "drivers/core/region.h"
#include "drivers/pair/ring.h"

#define PAIR_CACHE 512u

struct pair_end {
	struct shunt_queue q;
	struct pair *pair;
	struct pair_end *peer;
	struct pair_ring ring;          /* what this end receives */
	_Atomic(struct pair_ring *) in; /* &ring once started: the peer may push */
	atomic_bool stopped;            /* takes nothing any more */
	atomic_bool sleeping;           /* wants the event when something is pushed */
	int event;                      /* eventfd */
	uint64_t *cache; /* chunks of the region: the pool's lock is taken once in many bursts */
	unsigned cached;
};

struct pair {
	struct pair *next;
	char name[64];
	struct pair_end end[2];
	unsigned opened, closed; /* ends, ever */
	unsigned started;
	struct shunt_region *region;
	bool own; /* the region was made by the pair */
};

/* The free end of the pair of that name, or of a new one. Usage error when both are taken. */
int shunt_pair_join(const char *name, struct pair_end **end, struct shunt_err *err);
/* The last end to leave frees the pair and gives back every chunk. */
void shunt_pair_leave(struct pair_end *end);

int shunt_pair_attach(struct pair_end *end, struct shunt_region *region, struct shunt_err *err);
int shunt_pair_detach(struct pair_end *end, struct shunt_region *region, struct shunt_err *err);
/* The region that was attached, or one that is made now, with chunks enough for both rings. */
int shunt_pair_need_region(struct pair_end *end, uint32_t room, struct shunt_err *err);

#endif
