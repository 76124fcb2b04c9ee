/* SPDX-License-Identifier: BSD-2-Clause
 * xdpgen: what the driver's files share.
 */
#ifndef DRIVERS_XDPGEN_XDPGEN_H
#define DRIVERS_XDPGEN_XDPGEN_H

#include "drivers/core/chunks.h"
#include "drivers/core/driver.h"
#include "xdp/xdpgen.h"

#include <net/if.h>

/* What the interface's driver says about XDP frames that it was given, ethtool -S. */
struct xdpgen_counters {
	bool known;             /* false: this driver does not count them */
	uint64_t taken, errors; /* a frame that found no receiver at all is in neither */
};

struct xdpgen_queue {
	struct shunt_queue q;
	struct shunt_xdpgen gen;
	struct shunt_chunks chunks; /* slots that nobody holds; its region: all of them, lent */
	int sock;            /* belongs to the interface's namespace, for ioctls from any other */
	uint64_t checked_ns; /* when the link was checked last */
	uint64_t offered;    /* frames that the program redirected since last was read */
	struct xdpgen_counters last;
};

struct xdpgen_settled {
	uint64_t refused; /* since the last call; counted in tx_errors, too */
	bool shared;      /* another program sends such frames, too */
};

/* bufs.c: slots, and the region that lends them; fine on a queue without. */
unsigned xdpgen_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
void xdpgen_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n);
int xdpgen_bufs_make(struct shunt_dev *dev, struct xdpgen_queue *xq, struct shunt_err *err);
void xdpgen_bufs_return(struct xdpgen_queue *xq);

int xdpgen_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
int xdpgen_flood(struct shunt_queue *q, const struct shunt_flood *flood,
	struct shunt_flood_result *result, struct shunt_err *err);

/* link.c: sticky -ENODEV or -ENETDOWN when the interface went. Interfaces can be renamed at any
 * time: name asks by index. */
int xdpgen_link_check(struct xdpgen_queue *xq);
int xdpgen_link_name(const struct xdpgen_queue *xq, struct ifreq *ifr);

/* ledger.c: the interface's counters; settle closes the account of what was offered since the last
 * call. */
int xdpgen_ledger_read(struct xdpgen_queue *xq, struct xdpgen_counters *counters);
int xdpgen_ledger_settle(struct xdpgen_queue *xq, struct xdpgen_settled *settled);
int xdpgen_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err);

#endif
