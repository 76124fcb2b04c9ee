/* SPDX-License-Identifier: BSD-2-Clause
 * pair: what the driver's files share. Control calls of the two ends may come from two threads:
 * what is not atomic and not of one end alone is guarded by the registry's lock.
 */
#ifndef DRIVERS_PAIR_PAIR_H
#define DRIVERS_PAIR_PAIR_H

#include "drivers/core/chunks.h"
#include "drivers/core/driver.h"
#include "drivers/pair/ring.h"

#define PAIR_CACHE 512u /* chunks that an end keeps at most */

struct pair_end {
	struct shunt_queue q;
	struct pair *pair;
	struct pair_end *peer;
	struct pair_ring ring;          /* what this end receives */
	_Atomic(struct pair_ring *) in; /* &ring once started: the peer may push */
	atomic_bool stopped;            /* takes nothing any more */
	atomic_bool sleeping;           /* wants the event when something is pushed */
	int event;                      /* eventfd */
	bool user;                      /* of the pair's region */
	struct shunt_chunks chunks;
};

struct pair {
	struct pair *next;
	char name[64];
	struct pair_end end[2];
	unsigned opened, closed;     /* ends, ever */
	struct shunt_region *region; /* of both ends, while one uses it */
};

/* registry.c. The free end of the pair of that name, or of a new one. Usage error when both are
 * taken. */
int pair_join(const char *name, struct pair_end **end, struct shunt_err *err);
/* The last end to leave frees the pair and returns every chunk. */
void pair_leave(struct pair_end *end);
/* This end uses the region: -EBUSY where the other one uses another. */
int pair_claim(struct pair_end *end, struct shunt_region *region, struct shunt_err *err);
void pair_unclaim(struct pair_end *end);
/* dev->region: attached, or the other end's, or one that is made with chunks for both rings. */
int pair_need_region(struct pair_end *end, struct shunt_dev *dev, struct shunt_err *err);

/* rx.c, tx.c, bufs.c: bursts */
int pair_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
int pair_rx_arm(struct shunt_queue *q);
int pair_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
void pair_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n);
unsigned pair_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);

#endif
