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
	uint64_t rx_bursts;            /* shunt_rx calls that returned packets */
	uint64_t rx_empty;             /* shunt_rx calls that returned none */
	uint64_t tx_packets, tx_bytes; /* taken from the application */
	uint64_t tx_bursts;
	uint64_t tx_short;    /* shunt_tx calls that took fewer than they were offered */
	uint64_t tx_errors;   /* frames that were taken and then refused by the device */
	uint64_t user_copies; /* packets that the driver itself copied (a region it is not attached
				 to) */
	uint64_t user_copied_bytes;
	uint64_t syscalls; /* system calls that the driver made in bursts: its own count */
};

#define SHUNT_LEDGER_MAX 16

/* Classes of loss. A name means the same on every driver that has the class; tests/docs/names.sh
 * holds drivers to this list.
 *   bad_descriptor  the device wrote a length or status that cannot be
 *   bad_frame       damaged, too short or too long: dropped by the card
 *   device_drop     no room in the device's own buffer
 *   fill_empty      no free chunk for the kernel to receive into: the application held too many
 *   filter          addressed to another station
 *   no_socket       arrived on a queue that the device does not cover
 *   ring_full       no free descriptor: the application was too slow
 *   shutdown        received, and not fetched by rx before the end
 *   socket_full     the socket's buffer was full: the application was too slow
 *   too_long        longer than a chunk, or than the chunks of a burst
 *   xdp_drop        dropped by the XDP program, as asked (action=drop) */
struct shunt_loss {
	const char *name;
	const char *what; /* one sentence for people: who lost it, where the count was read */
	uint64_t count;
};

/* received = delivered + every loss + unaccounted. received is counted independently of
 * delivered (by kernel, BPF program or card), so that unaccounted can be wrong: it must be 0 once a
 * device is stopped, and it is negative when more was delivered than received. */
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
