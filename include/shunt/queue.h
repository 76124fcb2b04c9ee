/* SPDX-License-Identifier: BSD-2-Clause
 * Bursts. Everything here but shunt_queue_stats runs on the one thread that owns the queue, and
 * never blocks longer than 100 ms. Beside it, other threads may read counters, info and ledger, and
 * shunt_stop may run beside shunt_rx and shunt_release (dev.h). rx and tx return the number of
 * packets moved, or a sticky error: -ENETDOWN (the link went down), -ENODEV (the interface is
 * gone); from a capture file, -ENODATA at its end, which is no fault, or -EIO where it is damaged
 * or can't be written. shunt_get_info says more.
 */
#ifndef SHUNT_QUEUE_H
#define SHUNT_QUEUE_H

#include <shunt/pkt.h>
#include <shunt/stats.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shunt_dev;
struct shunt_queue;

/* The part of a queue that the inline calls below need; a driver embeds it as its first member. rx
 * and tx are replaced by shunt_stop, which may run on another thread: they are read as atomics. */
struct shunt_queue {
	int (*rx)(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
	int (*tx)(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
	void (*release)(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n);
	unsigned (*alloc)(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
	struct shunt_qstats stats; /* written by the queue's thread only */
	struct shunt_dev *dev;
	uint32_t out; /* packets that the application holds; queue's thread only */
	int error;    /* sticky, or 0: see above; queue's thread only */
	uint16_t index;
	bool waits; /* the caller waits (shunt_wait, shunt_queue_fd): rx never sleeps */
};

/* In all four, n may be any number. rx, tx and alloc may do fewer than n, and hardly ever more than
 * SHUNT_BURST_MAX at a time; release does all of them. */

/* Receive up to n packets. With wait=spin returns at once; with wait=poll
 * sleeps until there is something, at most 100 ms. It never sleeps on a device that has several
 * queues, where an empty one would make the others wait, nor once the queue's descriptor was asked
 * for: wait by shunt_wait, or in an event loop. Never splits a frame.
 * Thread: queue; beside stop, too. */
static inline int shunt_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return __atomic_load_n(&q->rx, __ATOMIC_RELAXED)(q, pkts, n);
}

/* Transmit: takes the first k packets and returns k; the caller keeps the rest. A taken packet in
 * a region that the device is attached to is the device's from now on. Any other is copied,
 * counted in user_copies and marked SHUNT_PKT_KEPT: the caller still owns it and releases it.
 * A frame of several pieces (SHUNT_PKT_MORE) goes out as one frame, or is refused whole and counted
 * once in tx_errors, where it is too long or its end is not in this burst; never in parts: k counts
 * packets, tx_packets frames. It is gathered in a buffer of the queue's, a copy that is counted.
 * Thread: queue; not beside stop. */
static inline int shunt_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return __atomic_load_n(&q->tx, __ATOMIC_RELAXED)(q, pkts, n);
}

/* Release received or allocated packets, in any order. Thread: queue; beside stop, too. */
static inline void shunt_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	q->release(q, pkts, n);
}

/* Get up to n empty buffers to transmit from; len is set to the room that each has.
 * Thread: queue; not beside stop. */
static inline unsigned shunt_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return q->alloc(q, pkts, n);
}

/* Forward without a copy: n packets of `from`, in a region that both are attached to, change
 * hands. Call it just before shunt_tx on `to`. Thread: queue, of both. */
static inline void shunt_move(struct shunt_queue *from, struct shunt_queue *to, unsigned n)
{
	from->out -= n;
	to->out += n;
}

/* Sleep until one of the queues has packets, or an error to report, at most timeout_ms. 1: receive
 * now; 0: nothing came. -ENOTSUP where one of them has no descriptor (wait=spin on pci:), -EINVAL
 * for none or more than 64, -errno. They may be of several devices.
 * Thread: queue, of all of them; beside stop, too. */
SHUNT_API int shunt_wait(struct shunt_queue *const *queues, unsigned n, int timeout_ms);
/* A descriptor for poll(2) or epoll(7), the queue's own: it becomes readable when rx has something
 * after shunt_arm returned 0. -ENOTSUP where there is none. From now on rx never sleeps. A link
 * that goes down is not always seen there: call shunt_wait with 0 ms now and then.
 * Thread: queue. */
SHUNT_API int shunt_queue_fd(struct shunt_queue *q);
/* Call before sleeping on shunt_queue_fd: 1 means that packets are waiting already, don't sleep.
 * Thread: queue. */
SHUNT_API int shunt_arm(struct shunt_queue *q);
/* A copy of the counters, each of them whole. Thread: any, but not beside close. */
SHUNT_API void shunt_queue_stats(const struct shunt_queue *q, struct shunt_qstats *stats);

#ifdef __cplusplus
}
#endif
#endif
