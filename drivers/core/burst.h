/* SPDX-License-Identifier: BSD-2-Clause
 * How every burst ends: counters, and the probe. The queue's thread.
 */
#ifndef DRIVERS_CORE_BURST_H
#define DRIVERS_CORE_BURST_H

#include "core/compiler.h"
#include "drivers/core/driver.h"
#include "drivers/core/probe.h"
#include "drivers/core/region.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* got packets, more than 0, are the application's from now on. Returns got. */
SHUNT_INLINE int shunt_rx_done(struct shunt_queue *q, unsigned got, uint64_t bytes)
{
	q->out += got;
	SHUNT_COUNT(q, rx_packets, got);
	SHUNT_COUNT(q, rx_bytes, bytes);
	SHUNT_COUNT(q, rx_bursts, 1);
	SHUNT_PROBE_RX(q, got);
	return (int)got;
}

/* Nothing was received. Returns rc: 0 or the error that ends it. */
SHUNT_INLINE int shunt_rx_none(struct shunt_queue *q, int rc)
{
	SHUNT_COUNT(q, rx_empty, 1);
	SHUNT_PROBE_RX(q, 0);
	return rc;
}

/* pieces.c. tx took the first `taken` of n and stopped there: at a frame of several pieces, which
 * is sent now, with what follows; or for want of room. Returns how many are taken in all. */
int shunt_tx_rest(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned taken, unsigned n);

/* The upper half of a packet's flags and its region, in one word: equal to shunt_in_region() where
 * it is a frame of one piece in that region, so that a burst finds both by one comparison. */
SHUNT_INLINE uint32_t shunt_pkt_where(const struct shunt_pkt *p)
{
	uint32_t where;

	static_assert(offsetof(struct shunt_pkt, region) == offsetof(struct shunt_pkt, flags) + 4 &&
			      __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
		"upper half of flags, then region");
	memcpy(&where, (const uint8_t *)&p->flags + 2, sizeof where);
	return where;
}

SHUNT_INLINE uint32_t shunt_in_region(uint16_t region)
{
	return (uint32_t)region << 16;
}

/* The first `taken` of n packets were taken; q->out is the driver's to lower, since a copied packet
 * stays with the application. A driver stops at a packet with SHUNT_PKT_MORE: it is sent here.
 * Returns what tx does. */
SHUNT_INLINE int shunt_tx_done(
	struct shunt_queue *q, struct shunt_pkt *pkts, unsigned taken, unsigned n, uint64_t bytes)
{
	SHUNT_COUNT(q, tx_packets, taken);
	SHUNT_COUNT(q, tx_bytes, bytes);
	SHUNT_COUNT(q, tx_bursts, taken > 0);
	if (SHUNT_UNLIKELY(taken < n))
		taken = (unsigned)shunt_tx_rest(q, pkts, taken, n);
	SHUNT_PROBE_TX(q, taken);
	return (int)taken;
}

/* A packet of a region that the device is not attached to was copied: it stays with the caller. */
SHUNT_INLINE void shunt_tx_copied(struct shunt_queue *q, struct shunt_pkt *p)
{
	p->flags |= SHUNT_PKT_KEPT;
	SHUNT_COUNT(q, user_copies, 1);
	SHUNT_COUNT(q, user_copied_bytes, p->len);
}

#endif
