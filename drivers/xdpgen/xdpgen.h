/* SPDX-License-Identifier: BSD-2-Clause
 * xdpgen: what the driver's files share.
 */
#ifndef DRIVERS_XDPGEN_XDPGEN_H
#define DRIVERS_XDPGEN_XDPGEN_H

#include "drivers/core/driver.h"
#include "xdp/xdpgen.h"

/* What the interface's driver says about XDP frames that it was given, ethtool -S. */
struct xdpgen_counters {
	bool known;             /* false: this driver does not count them */
	uint64_t taken, errors; /* a frame that found no receiver at all is in neither */
};

struct xdpgen_queue {
	struct shunt_queue q;
	struct shunt_livegen gen;
	struct shunt_region *region; /* lent: the mapped slots */
	uint32_t *free;              /* indices of slots that nobody holds */
	uint32_t nfree;
	int sock;            /* belongs to the interface's namespace, for ioctls from any other */
	uint64_t checked_ns; /* when the link was looked at last */
	uint64_t offered;    /* frames that the program redirected since last was read */
	struct xdpgen_counters last;
};

int xdpgen_read_counters(struct xdpgen_queue *lq, struct xdpgen_counters *counters);

struct xdpgen_settled {
	uint64_t offered, refused; /* since the last call; refused is counted in tx_errors, too */
	bool known, nobody;        /* nobody: not one was taken, nor refused: no receiver */
	bool shared;               /* somebody else sends such frames, too */
};
/* Close the account of what was offered since the last call. */
int xdpgen_settle(struct xdpgen_queue *lq, struct xdpgen_settled *settled);

/* Sticky -ENODEV or -ENETDOWN when the interface went; looks at most ten times a second. */
int xdpgen_check_link(struct xdpgen_queue *lq);

int xdpgen_flood(struct shunt_queue *q, const struct shunt_flood *flood,
	struct shunt_flood_result *result, struct shunt_err *err);

#endif
