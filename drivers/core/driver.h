/* SPDX-License-Identifier: BSD-2-Clause
 * The contract of a driver: a const table of control calls, and queues whose first member is
 * struct shunt_queue. Control calls are never reached from a burst. A driver is one folder and
 * one line in table.c; it acts only when it is called, and prints nothing.
 */
#ifndef DRIVERS_CORE_DRIVER_H
#define DRIVERS_CORE_DRIVER_H

#include "drivers/core/spec.h"
#include <shunt/dev.h>
#include <shunt/flood.h>
#include <shunt/trace.h>

#define SHUNT_QUEUES  64u
#define SHUNT_POLL_MS 100 /* the longest that a burst sleeps */

struct shunt_driver {
	const char *name, *scheme;
	const char *summary; /* one line for `shunt devices` */
	const char *example; /* a spec that works in the lab */
	unsigned dirs;       /* enum shunt_dir bits that it can do */
	bool is_netdev;      /* target is a network interface: core resolves it before open */
	const struct shunt_key *keys;
	uint64_t memory; /* bytes a queue takes with the default room */

	/* Can this machine do it at all? 0 or -errno with the reason and the remedy. */
	int (*usable)(struct shunt_err *err);
	/* Read the spec, claim nothing yet. Sets dev->priv and dev->nqueues. Called, like start,
	 * with the thread inside the device's network namespace. */
	int (*open)(struct shunt_dev *dev, struct shunt_err *err);
	int (*attach)(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err);
	int (*detach)(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err);
	/* Claim and configure; fills dev->queue[0..nqueues). On failure everything is undone. */
	int (*start)(struct shunt_dev *dev, struct shunt_err *err);
	/* Stop arrivals; what is queued can still be received. Reads the last counters. */
	void (*stop)(struct shunt_dev *dev);
	/* Free everything, also after a start that failed or never came. No packet is out. */
	void (*close)(struct shunt_dev *dev);
	/* Fill received, received_source and the losses; core sums delivered and unaccounted. */
	int (*ledger)(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err);
	void (*identity)(
		const struct shunt_queue *q, struct shunt_identity *id); /* kind, fd, queue */
	/* Optional. */
	int (*queue_fd)(struct shunt_queue *q);
	int (*arm)(struct shunt_queue *q);
	int (*flood)(struct shunt_queue *q, const struct shunt_flood *flood,
		struct shunt_flood_result *result, struct shunt_err *err);
};

struct shunt_dev {
	const struct shunt_driver *drv;
	struct shunt_spec spec;
	enum shunt_dir dir;
	enum { SHUNT_OPENED, SHUNT_STARTED, SHUNT_STOPPED } state;
	bool poll;      /* wait=poll */
	uint32_t depth; /* depth=N */
	int fd;         /* fd=N, -1 if not given: a kernel object made by somebody else */
	int netns;      /* netns=PATH opened, -1 for the caller's own */
	struct shunt_info info;
	unsigned nqueues;
	struct shunt_queue *queue[SHUNT_QUEUES];
	void *priv;
};

extern const struct shunt_key shunt_common_keys[];

/* Table walk; NULL past the end. */
const struct shunt_driver *shunt_driver_table(unsigned index);

/* Facts and notes for shunt_info; too many or too long ones are cut, never overflow. A fact that
 * is there already gets the new value. */
void shunt_fact(struct shunt_dev *dev, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void shunt_note(struct shunt_dev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Make q's error sticky, say why once in info.gone, and return the error. Queue's thread. */
int shunt_gone(struct shunt_queue *q, int error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* What became of an interface that stopped answering: -ENODEV when it is gone, -ENETDOWN when it is
 * down, 0 when it is up. Calls the kernel: not for the loop's fast path. */
int shunt_link_state(const struct shunt_dev *dev);
void shunt_add_loss(
	struct shunt_ledger *ledger, const char *name, uint64_t count, const char *what);
/* alloc, tx, pace: the sender for drivers that have no flood of their own. */
int shunt_flood_by_tx(struct shunt_queue *q, const struct shunt_flood *flood,
	struct shunt_flood_result *result, struct shunt_err *err);

/* Counters: one writer, any reader. */
#define SHUNT_COUNT(q, field, add)                                                                 \
	__atomic_store_n(&(q)->stats.field, (q)->stats.field + (add), __ATOMIC_RELAXED)

/* Bursts that every queue may start with: a driver replaces those that it has. */
int shunt_no_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
int shunt_no_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
void shunt_no_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n);
unsigned shunt_no_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
void shunt_queue_init(struct shunt_queue *q, struct shunt_dev *dev, unsigned index);

#endif
