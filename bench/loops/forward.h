/* SPDX-License-Identifier: BSD-2-Clause
 * The forwarder: what one device receives the other sends, as ixy's does. Descriptors change hands
 * where both devices are attached to one region; otherwise the sending driver copies, and says so.
 * What it does not take in a bounded number of tries is dropped and counted, so that
 * received = forwarded + named losses, each side counted by its own driver.
 * Everything runs on the calling thread, which owns all queues.
 */
#ifndef BENCH_LOOPS_FORWARD_H
#define BENCH_LOOPS_FORWARD_H

#include <shunt/shunt.h>
#include <stdbool.h>

/* One direction: what its loop counts. */
struct bench_way {
	uint64_t received;
	uint64_t tx_full;  /* not taken in all tries */
	uint64_t tx_gone;  /* the sending side had failed */
	uint64_t unfit;    /* cut short, in pieces, or seen leaving: not a whole frame that came */
	uint64_t shutdown; /* came when the sending side was stopped already */
	uint64_t kept;     /* lay in memory that the sending side can't reach */
};

struct bench_forward {
	bool one_way; /* dev[0] to dev[1] only */
	bool touch;   /* load and store a byte of each packet, as whoever uses it would */
	bool swap;    /* source and destination address change places */
	unsigned burst;
	uint64_t packets;          /* both ways together; 0 = no limit */
	uint64_t duration_ns;      /* 0 = until *stop */
	const volatile bool *stop; /* NULL or ends the run */
	void (*tick)(void *ctx, uint64_t now, const struct bench_way *way); /* once a second */
	void *ctx;

	struct shunt_dev *dev[2];
	struct shunt_region *region; /* of both, or NULL */
	uint16_t region_id;          /* 0: none */
	char apart[300];             /* why the two have no region in common; "" where they have */

	/* Results. */
	struct bench_way way[2]; /* [0]: dev[0] to dev[1] */
	uint64_t elapsed_ns, cpu_ns;
	int error;       /* what ended it early, or 0 */
	unsigned failed; /* index of the device that it came from */
	bool file_ended; /* a capture file came to its end, which is no fault */
};

/* Open, give both one region where they take it, start. Close it also after an error. */
int bench_forward_open(
	struct bench_forward *f, const char *from, const char *to, struct shunt_err *err);
void bench_forward_run(struct bench_forward *f);
/* Stop both; what is queued in dev[0] is still forwarded, what is queued in dev[1] then is lost as
 * `shutdown`. */
void bench_forward_stop(struct bench_forward *f);
/* One burst of at most `most`, all the way. Returns how many were received. */
unsigned bench_forward_burst(struct bench_forward *f, struct bench_way *way,
	struct shunt_queue *from, struct shunt_queue *to, unsigned most);
/* The books of a direction, after bench_forward_stop: received is the one driver's own count,
 * delivered the other's. */
void bench_forward_ledger(const struct bench_forward *f, unsigned way, struct shunt_ledger *ledger);
/* -EBUSY when a packet was not given back, which is a fault of this file. */
int bench_forward_close(struct bench_forward *f, struct shunt_err *err);

#endif
