/* SPDX-License-Identifier: BSD-2-Clause
 * The forwarder: each device sends what the other receives, as in ixy's. Where both devices are
 * attached to one region only descriptors move; otherwise the sending driver copies, and reports
 * it. Packets that it does not take in a bounded number of attempts are dropped and counted, so
 * that received = forwarded + named losses, each side counted by its own driver. Everything runs on
 * the calling thread, which owns all queues.
 */
#ifndef BENCH_LOOPS_FORWARD_H
#define BENCH_LOOPS_FORWARD_H

#include <shunt/shunt.h>
#include <stdbool.h>

/* One direction: what its loop counts, in frames, but for kept. */
struct bench_way {
	uint64_t received;
	uint64_t tx_full;  /* not taken in any attempt */
	uint64_t tx_gone;  /* the sending side had failed */
	uint64_t unfit;    /* truncated, or outgoing: not a whole received frame */
	uint64_t shutdown; /* received after the sending side had stopped */
	uint64_t kept;     /* packets that were copied: in memory that the sending side can't reach */
};

struct bench_forward {
	bool one_way; /* dev[0] to dev[1] only */
	bool touch;   /* load and store a byte of each packet, as an application would */
	bool swap;    /* swap source and destination MAC address */
	unsigned burst;
	uint64_t packets;          /* both directions together; 0 = no limit */
	uint64_t duration_ns;      /* 0 = until *stop */
	const volatile bool *stop; /* ends the run; may be NULL */
	void (*tick)(void *ctx, uint64_t now, const struct bench_way *way); /* once per second */
	void *ctx;

	struct shunt_dev *dev[2];
	struct shunt_region *region; /* that both are attached to, or NULL */
	uint16_t region_id;          /* 0: none */
	bool sleeps;                 /* dev[0] was opened with wait=poll, or adaptive */
	char apart[300];             /* why they have no common region; "" where they have one */

	/* Results. */
	struct bench_way way[2]; /* [0]: dev[0] to dev[1] */
	uint64_t elapsed_ns, cpu_ns;
	int error;       /* what ended it early, or 0 */
	unsigned failed; /* index of the device that failed */
	bool file_ended; /* a capture file ended: no error */
};

/* Open both devices, attach them to one region where both accept it, start them. Call
 * bench_forward_close also after an error. */
int bench_forward_open(
	struct bench_forward *f, const char *from, const char *to, struct shunt_err *err);
void bench_forward_run(struct bench_forward *f);
/* Stop both. Packets queued in dev[0] are still forwarded; those queued in dev[1] are then lost as
 * `shutdown`. */
void bench_forward_stop(struct bench_forward *f);
/* Receive one burst of at most `most` and send it. Returns how many were received. */
unsigned bench_forward_burst(struct bench_forward *f, struct bench_way *way,
	struct shunt_queue *from, struct shunt_queue *to, unsigned most);
/* The ledger of a direction, after bench_forward_stop: one driver counts received, the other
 * delivered. */
void bench_forward_ledger(const struct bench_forward *f, unsigned way, struct shunt_ledger *ledger);
/* -EBUSY when a packet was not released, which would be a bug of the forwarder. */
int bench_forward_close(struct bench_forward *f, struct shunt_err *err);

#endif
