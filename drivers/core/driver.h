/* SPDX-License-Identifier: BSD-2-Clause
 * What core gives to drivers. What it asks of them: contract.h.
 */
#ifndef DRIVERS_CORE_DRIVER_H
#define DRIVERS_CORE_DRIVER_H

#include "drivers/core/contract.h"

#include <pthread.h>

#define SHUNT_QUEUES  64u
#define SHUNT_POLL_MS 100 /* the longest that a burst sleeps */

struct shunt_region;
struct shunt_region_opts;

struct shunt_dev {
	const struct shunt_driver *drv;
	struct shunt_spec spec;
	enum shunt_dir dir;
	enum { SHUNT_OPENED, SHUNT_STARTED, SHUNT_STOPPED } state;
	uint32_t depth; /* depth=N, or the default */
	int fd;         /* fd=N, -1 if not given: a kernel object that another process made */
	int netns;      /* netns=PATH opened, -1 for the caller's own */
	struct shunt_info info;
	unsigned nqueues;
	struct shunt_queue *queue[SHUNT_QUEUES];
	pthread_mutex_t say;         /* guards info.gone, facts and notes */
	struct shunt_region *region; /* the one that it uses; NULL: none, or memory that it lends */
	bool attached;               /* by the application; otherwise start made it */
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
bool shunt_is_gone(struct shunt_dev *dev);
/* What became of an interface that stopped answering: -ENODEV when it is gone, -ENETDOWN when it is
 * down, 0 when it is up. Calls the kernel: not for the loop's fast path. */
int shunt_link_state(const struct shunt_dev *dev);
void shunt_add_loss(
	struct shunt_ledger *ledger, const char *name, uint64_t count, const char *what);
/* alloc, tx, pace: the sender for drivers that have no flood of their own. */
int shunt_flood_by_tx(struct shunt_queue *q, const struct shunt_flood *flood,
	struct shunt_flood_result *result, struct shunt_err *err);

/* attach.c. The region that was attached, or one that is made now, as start needs it; with the fact
 * huge_pages, and in info.memory where it is made. */
int shunt_region_need(
	struct shunt_dev *dev, const struct shunt_region_opts *opts, struct shunt_err *err);
/* Use a region that another device of the driver brought (pair). */
void shunt_region_join(struct shunt_dev *dev, struct shunt_region *region);
/* Undo need and join, after a start that failed: an attached region stays. */
void shunt_region_undo(struct shunt_dev *dev);
/* Core's, at close: the last device discards a region that a device made. */
void shunt_region_leave(struct shunt_dev *dev);

/* A word that one thread writes and any may read: no lock prefix, and no more is promised than that
 * each value is whole. */
#define SHUNT_SET(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELAXED)
#define SHUNT_GET(word)        __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define SHUNT_ADD(word, n)     SHUNT_SET(word, (word) + (n))

/* Counters: one writer, any reader. */
#define SHUNT_COUNT(q, field, add)                                                                 \
	__atomic_store_n(&(q)->stats.field, (q)->stats.field + (add), __ATOMIC_RELAXED)

/* Bursts that every queue may start with: a driver replaces those that it has. */
/* stop's: the queue takes, or receives, nothing from now on. Control thread, beside its bursts. */
void shunt_queue_end_rx(struct shunt_queue *q);
void shunt_queue_end_tx(struct shunt_queue *q);
int shunt_no_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
int shunt_no_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
void shunt_no_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n);
unsigned shunt_no_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
void shunt_queue_init(struct shunt_queue *q, struct shunt_dev *dev, unsigned index);

#endif
