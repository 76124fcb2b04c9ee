/* SPDX-License-Identifier: BSD-2-Clause
 * The contract of a driver: a const table of control calls, and queues whose first member is
 * struct shunt_queue with its bursts. A driver is one folder and one line in table.c; it acts only
 * when it is called, starts no thread, and prints nothing.
 *
 * Threads. Two roles, which may be one thread. The *control thread* makes the calls of this table
 * for a device; a program that has several serialises them. A *queue's thread* makes the bursts,
 * arm and flood of that queue; queues of a device may have a thread each. info.gone, facts and
 * notes have a lock (dev->say), since queues and stop write them. Devices share nothing but
 * a region's pool, which has a lock, and a pair's ends, which have one, too.
 * Network namespace. open and start run inside the device's; every other call in the caller's.
 * Errors. A control call that fails has undone what it did, and says why in err.
 */
#ifndef DRIVERS_CORE_CONTRACT_H
#define DRIVERS_CORE_CONTRACT_H

#include "drivers/core/spec.h"
#include <shunt/dev.h>
#include <shunt/flood.h>
#include <shunt/trace.h>

struct shunt_driver {
	const char *name, *scheme;
	const char *summary; /* one line for `shunt devices` */
	const char *example; /* a spec that works in the lab */
	unsigned dirs;       /* enum shunt_dir bits that it can do */
	bool is_netdev;      /* target is a network interface: core resolves it before open */
	bool takes_region;   /* shunt_attach() makes sense */
	const struct shunt_key *keys;
	uint32_t depth;  /* the default of depth= (dev.h says what decides it) */
	uint64_t memory; /* bytes that a receiving queue takes with that depth */

	/* Can this machine do it at all? 0 or -errno with the reason and the remedy. Any thread;
	 * changes nothing. */
	int (*usable)(struct shunt_err *err);

	/* Control thread; nothing runs beside it: the device is not known to others yet.
	 * Afterwards the spec is read and checked as far as possible, dev->priv is set, and
	 * dev->nqueues where it is known before start (pci: is told by the card, at start). Nothing
	 * is claimed, no traffic is taken; pair: has one end of its pair, pcap: the file that it
	 * reads. */
	int (*open)(struct shunt_dev *dev, struct shunt_err *err);

	/* Control thread, before start. Optional: refuse a region that core has found fit (not
	 * lent, no other there), or make it known to others. Afterwards dev->region is set; core
	 * counts it in region->attached until detach or close. */
	int (*attach)(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err);
	/* The reverse, before start or after a start that failed. Optional. */
	int (*detach)(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err);

	/* Control thread; no burst, since there is no queue yet. Claims, configures, fills
	 * dev->queue[0..nqueues). Frames may arrive before it returns: going live is its last step.
	 * On failure everything is undone, and start may be called again.
	 * Afterwards dev->region is set where the device uses one (not pcap, xdpgen, and packet:
	 * where a ring receives only). */
	int (*start)(struct shunt_dev *dev, struct shunt_err *err);

	/* Control thread, once, after start. Afterwards nothing more arrives and tx takes nothing;
	 * what was received before can still be fetched by rx until close, and is released; the
	 * last counters of kernel or device are read. What tx took has been sent, or is counted in
	 * tx_errors: the wait for it is bounded (100 ms without progress).
	 * Beside it, on a queue's thread: rx and release, so that a receiver need not be halted.
	 * They see flags and q->rx by relaxed loads; stop touches nothing that they own: not the
	 * cache of chunks, not the receive ring. The transmit side rests: no tx or alloc runs from
	 * before stop on (alloc and release of one queue have one thread anyway), and afterwards tx
	 * returns 0, as shunt_queue_end_tx() makes it. What was sent keeps its chunks until close.
	 * Any thread: info, counters. Not the ledger: that is the control thread's, too. */
	void (*stop)(struct shunt_dev *dev);

	/* Control thread; nothing beside it, and no packet is out (core checks). After open,
	 * whether start and stop came or not. Frees everything but what core keeps: dev, netns,
	 * region. */
	void (*close)(struct shunt_dev *dev);

	/* Control thread, from start to close; bursts may run beside it, so that it writes nothing
	 * that is theirs, and reads only words that they write whole (SHUNT_SET). Fills received,
	 * received_source and the losses; core adds delivered and unaccounted. Before stop it is a
	 * look at moving numbers, each one whole; after stop it is exact, and changes only when rx
	 * fetches what was left. packet: must not read the kernel's counts before stop, since
	 * reading clears them: its received is its own count until then. xdp and virtio count what
	 * waits in the ring, beside rx: a few packets late, or twice; igb and e1000e from stop on,
	 * since a refill writes the descriptors that say so. */
	int (*ledger)(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err);

	/* Any thread, from start to close. Kind, fd and queue; core fills the rest. Optional: with
	 * none, nothing in the kernel belongs to the device. */
	void (*identity)(const struct shunt_queue *q, struct shunt_identity *id);

	/* Any thread, from start to close. A descriptor, the device's own: not to be read or
	 * closed. -ENOTSUP where there is none. Optional. */
	int (*queue_fd)(struct shunt_queue *q);

	/* The queue's thread, before it sleeps on queue_fd. 1: packets wait, don't sleep. 0: what
	 * comes from now on makes the descriptor readable, and nothing that came before does: a
	 * descriptor that was raised is read first. Optional: 0, the descriptor is level-triggered.
	 */
	int (*arm)(struct shunt_queue *q);

	/* The queue's thread, after shunt_wait slept in vain: look whether the link is there, and
	 * make the error sticky. Optional. */
	void (*idle)(struct shunt_queue *q);

	/* The queue's thread, instead of alloc and tx in a loop; until done, *stop, or an error.
	 * Afterwards the result holds, also when it failed; no packet is out. Optional. */
	int (*flood)(struct shunt_queue *q, const struct shunt_flood *flood,
		struct shunt_flood_result *result, struct shunt_err *err);
};

/* Bursts, in struct shunt_queue: the queue's thread alone, from start to close, one at a time. They
 * take no lock that another queue holds for long, allocate nothing, and sleep at most
 * SHUNT_POLL_MS, and never where q->waits. A device that lacks one has shunt_no_*() there.
 *
 * rx: up to n packets, which are out until release, or until tx or shunt_move() takes them. 0:
 * nothing there. An error is sticky, and reported once the ring drains: what came before it is
 * received first.
 *
 * tx: takes the first k of n and returns k. Of those, a packet of dev->region is the device's from
 * now on, and its chunk returns to cache or pool; any other is copied, marked SHUNT_PKT_KEPT and
 * stays with the caller. One that the device can never send is taken and counted in tx_errors.
 * Also reaps: tx of 0 packets does only that. A driver stops at a packet with SHUNT_PKT_MORE and
 * returns shunt_tx_done(), which sends frames of several pieces by the queue's own alloc and tx.
 *
 * release: packets that are out, in any order; of any device on dev->region that were moved here.
 *
 * alloc: up to n empty packets, which are out. 0 when all chunks are in flight. */

#endif
