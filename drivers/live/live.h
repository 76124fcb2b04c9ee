/* SPDX-License-Identifier: BSD-2-Clause
 * live: what the driver's files share.
 */
#ifndef DRIVERS_LIVE_LIVE_H
#define DRIVERS_LIVE_LIVE_H

#include "drivers/core/driver.h"
#include "xdp/livegen.h"

/* What the interface's driver says about XDP frames that it was given, ethtool -S. */
struct live_counters {
	bool known;             /* false: this driver does not count them */
	uint64_t taken, errors; /* a frame that found no receiver at all is in neither */
};

struct live_queue {
	struct shunt_queue q;
	struct shunt_livegen gen;
	struct shunt_region *region; /* lent: the mapped slots */
	uint32_t *free;              /* indices of slots that nobody holds */
	uint32_t nfree;
	int sock;            /* belongs to the interface's namespace, for ioctls from any other */
	uint64_t checked_ns; /* when the link was looked at last */
	uint64_t offered;    /* frames that the program redirected since last was read */
	struct live_counters last;
};

int shunt_live_read_counters(struct live_queue *lq, struct live_counters *counters);

struct live_settled {
	uint64_t offered, refused; /* since the last call; refused is counted in tx_errors, too */
	bool known, nobody;        /* nobody: not one was taken, nor refused: no receiver */
	bool shared;               /* somebody else sends such frames, too */
};
/* Close the account of what was offered since the last call. */
int shunt_live_settle(struct live_queue *lq, struct live_settled *settled);

/* Sticky -ENODEV or -ENETDOWN when the interface went; looks at most ten times a second. */
int shunt_live_check_link(struct live_queue *lq);

int shunt_live_flood(struct shunt_queue *q, const struct shunt_flood *flood,
	struct shunt_flood_result *result, struct shunt_err *err);

#endif
