/* SPDX-License-Identifier: BSD-2-Clause
 * The links of the calling thread's network namespace, as they are now.
 */
#ifndef CORE_LINK_LIST_H
#define CORE_LINK_LIST_H

#include <shunt/err.h>
#include <stdbool.h>
#include <stdint.h>

struct shunt_link {
	unsigned index;
	char name[32];
	char driver[32]; /* "" where the device does not tell */
	char bus[32];    /* where it sits: a PCI address; "" where there is no such thing */
	bool up, carrier;
	bool enslaved; /* to a bridge or bond */
	uint32_t mtu, rx_queues, tx_queues;
	const char *xdp; /* how a program is attached: native, skb, hardware, several; NULL: none */
	uint32_t xdp_prog_id; /* of the only or the first program */
	/* The device's own counters, if_link.h's words for them: packets that it handed over, and
	 * those that it had to drop for want of room, or found damaged. */
	uint64_t rx_packets, rx_missed, rx_errors;
};

/* Fills up to most, in the order of their indices; returns how many there are, or -errno. No
 * permission is needed. */
int shunt_link_list(struct shunt_link *links, unsigned most, struct shunt_err *err);

#endif
