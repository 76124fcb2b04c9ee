/* SPDX-License-Identifier: BSD-2-Clause
 * Counters of a queue, and the loss ledger of a device.
 * A queue's counters are written by the queue's thread with relaxed atomic stores, and may be
 * read by any thread at any time.
 */
#ifndef SHUNT_STATS_H
#define SHUNT_STATS_H

#include <shunt/err.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shunt_qstats {
	uint64_t rx_packets, rx_bytes; /* handed to the application */
	uint64_t rx_bursts;            /* shunt_rx calls that brought something */
	uint64_t rx_empty;             /* shunt_rx calls that brought nothing */
	uint64_t tx_packets, tx_bytes; /* taken from the application */
	uint64_t tx_bursts;
	uint64_t tx_short;    /* shunt_tx calls that took fewer than they were offered */
	uint64_t tx_errors;   /* frames that were taken and then refused by the device */
	uint64_t user_copies; /* packets that the driver itself copied (a region out of reach) */
	uint64_t user_copied_bytes;
	uint64_t syscalls; /* system calls that the driver made in bursts: its own count */
};

#define SHUNT_LEDGER_MAX 16

/* One named class of loss. name is a short snake_case identifier, the same on every driver that
 * has the class: device_drop, ring_full, fill_empty, socket_full, no_socket, filter, shutdown. */
struct shunt_loss {
	const char *name;
	const char *what; /* one sentence for people: who lost it, where the count was read */
	uint64_t count;
};

/* received = delivered + every loss + unaccounted. received is counted by somebody else than
 * whoever counts delivered (kernel, BPF program), so that unaccounted can be wrong: it must be 0
 * once a device is stopped, and it is negative when more came out than went in. */
struct shunt_ledger {
	uint64_t received;
	const char *received_source; /* who counted it */
	uint64_t delivered;
	struct shunt_loss loss[SHUNT_LEDGER_MAX];
	unsigned losses;
	int64_t unaccounted;
};

#ifdef __cplusplus
}
#endif
#endif
