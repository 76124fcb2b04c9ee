/* SPDX-License-Identifier: BSD-2-Clause
 * Devices: open, start, use the queues, stop, close. The library starts no thread. Spec:
 * `scheme:target?key=value&key=value`.
 *
 * Each call says who may make it, and beside what:
 * Thread: control   one thread of the caller's at a time for this device; what runs beside it is
 * said Thread: queue     the one that owns the queue, which may change only while no burst runs
 * Thread: any       at any time that the call is valid
 * Different devices don't know each other: what holds for one says nothing of another, also where
 * both use one region.
 */
#ifndef SHUNT_DEV_H
#define SHUNT_DEV_H

#include <shunt/mem.h>
#include <shunt/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

enum shunt_dir { SHUNT_RX = 1, SHUNT_TX = 2, SHUNT_RXTX = 3 };

/* What a queue does when it finds nothing: return at once, sleep, or sleep after so many empty
 * receives in a row. */
enum shunt_wait { SHUNT_WAIT_SPIN, SHUNT_WAIT_POLL, SHUNT_WAIT_ADAPTIVE };

/* depth=N: how many frames may wait for the application, 64 to 1048576. Without it the driver's
 * own default, shunt_driver_info.depth. It is 8192 where N is a limit: memory that no frame waits
 * in is not touched. It is less where the device uses N buffers in turn, so that all of them pass
 * through the caches even when the application keeps up: xdp 2048, pci 1024. A program that
 * compares drivers gives all of them the same depth=. */

#define SHUNT_FACTS 16
#define SHUNT_NOTES 8

/* What really happened. Facts are key and value (attach=native, mode=copy, huge_pages=no), whose
 * keys are listed in stats.h. Notes are sentences that say why each fall-back was taken. */
struct shunt_info {
	const char *driver, *scheme; /* "af_xdp", "xdp" */
	char spec[256];
	char ifname[32]; /* "" where there is none */
	uint32_t ifindex;
	uint32_t mtu;
	uint32_t max_frame; /* longest frame that tx takes, bytes without FCS; 0 = no limit known */
	uint64_t netns;     /* inode of the network namespace that it lives in */
	uint64_t memory;    /* bytes that it allocated or pinned */
	enum shunt_wait wait;
	uint32_t depth;  /* depth=N, or the default; what was granted is the fact depth */
	uint32_t queues; /* that it has; before start, that it will have at most, 0 = not known */
	char mode[96];   /* a short summary: "TPACKET_V3, 64 blocks of 256 KiB, poll" */
	struct {
		const char *key;
		char value[64];
	} facts[SHUNT_FACTS];
	unsigned nfacts;
	char notes[SHUNT_NOTES][160];
	unsigned nnotes;
	char gone[160]; /* why rx and tx return an error; "" while all is well */
};

/* Open by spec. Usage errors (unknown scheme, key, value) are marked so in err; an unknown key
 * lists the known ones. The device is configured but takes no traffic until shunt_start.
 * Thread: any; the device is the caller's alone until it is handed on. */
SHUNT_API int shunt_open(
	struct shunt_dev **dev, const char *spec, enum shunt_dir dir, struct shunt_err *err);
/* Claim, configure, take traffic. A start that failed has undone what it did, and may be repeated.
 * Thread: control; nothing of this device beside it, since it has no queue yet. */
SHUNT_API int shunt_start(struct shunt_dev *dev, struct shunt_err *err);
/* Of a started device: wait until its interface has carrier; 0 at once where it has no interface.
 * Some cards are reset when an XDP program is attached or detached. -ENETDOWN after so long.
 * Thread: control; beside bursts, info and counters. */
SHUNT_API int shunt_wait_link(const struct shunt_dev *dev, unsigned seconds, struct shunt_err *err);
/* No more packets arrive; those already queued can still be received until shunt_close, so that
 * nothing is lost at the end: receive until 0 after shunt_stop. Final counters are read here.
 * The queues' threads may go on with shunt_rx and shunt_release beside it. Transmit ends first: no
 * shunt_tx or shunt_alloc runs beside it, and afterwards shunt_tx takes nothing and returns 0. What
 * was taken before has been sent, or is counted in tx_errors.
 * Thread: control; beside rx, release, info and counters. */
SHUNT_API int shunt_stop(struct shunt_dev *dev, struct shunt_err *err);
/* -EBUSY while packets are out. Stops first where that was not done.
 * Thread: control; nothing beside it, and afterwards nobody may use the device or its queues. */
SHUNT_API int shunt_close(struct shunt_dev *dev, struct shunt_err *err);

/* 0 before start where the device is told by a card. Thread: any, but not beside start or close. */
SHUNT_API unsigned shunt_nqueues(const struct shunt_dev *dev);
/* NULL when there is no such queue. Valid from shunt_start to shunt_close.
 * Thread: any, but not beside start or close. */
SHUNT_API struct shunt_queue *shunt_get_queue(struct shunt_dev *dev, unsigned index);

/* A copy, from open to close. Thread: any, but not beside start or close. */
SHUNT_API void shunt_get_info(const struct shunt_dev *dev, struct shunt_info *info);
/* The sum over all queues, each counter whole, between start and close.
 * Thread: any, but not beside start or close. */
SHUNT_API void shunt_get_stats(const struct shunt_dev *dev, struct shunt_qstats *sum);
/* Live while started, final once stopped and received to the end (unaccounted is meaningful then).
 * Thread: control; beside the bursts of all queues: it changes nothing that is theirs. */
SHUNT_API int shunt_get_ledger(
	struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err);

struct shunt_driver_info {
	const char *name, *scheme, *summary, *example;
	unsigned dirs;    /* enum shunt_dir bits */
	const char *keys; /* "mode=recv|mmsg|ring, wait=spin|poll, ..." */
	uint32_t depth;   /* the default of depth= */
	uint64_t memory;  /* bytes per receiving queue with that depth */
	int usable;
};

/* Walk the drivers: -ENOENT after the last. usable is 0 or -errno with the reason in err. keys is
 * valid until the thread's next call. Thread: any. */
SHUNT_API int shunt_driver_at(
	unsigned index, struct shunt_driver_info *info, struct shunt_err *err);

#ifdef __cplusplus
}
#endif
#endif
