/* SPDX-License-Identifier: BSD-2-Clause
 * How every burst ends: counters, and the probe. The queue's thread.
 */
#ifndef DRIVERS_CORE_BURST_H
#define DRIVERS_CORE_BURST_H

#include "core/compiler.h"
#include "drivers/core/driver.h"
#include "drivers/core/probe.h"

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

/* The first `taken` of n packets were taken; q->out is the driver's to lower, since a copied packet
 * stays with the application. Returns taken. */
SHUNT_INLINE int shunt_tx_done(struct shunt_queue *q, unsigned taken, unsigned n, uint64_t bytes)
{
	SHUNT_COUNT(q, tx_packets, taken);
	SHUNT_COUNT(q, tx_bytes, bytes);
	SHUNT_COUNT(q, tx_bursts, taken > 0);
	if (SHUNT_UNLIKELY(taken < n))
		SHUNT_COUNT(q, tx_short, 1);
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
