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
	char driver[32]; /* "" if not reported */
	char bus[32];    /* address on its bus, such as a PCI address; "" if none */
	bool up, carrier;
	bool enslaved; /* to a bridge or bond */
	uint32_t mtu, rx_queues, tx_queues;
	const char *xdp; /* mode of the XDP program: native, skb, hardware, several; NULL: none */
	uint32_t xdp_prog_id; /* of the only or the first program */
	/* The device's counters, named as in if_link.h: packets received, dropped for want of
	 * buffers (rx_missed_errors and rx_fifo_errors), and received with an error. */
	uint64_t rx_packets, rx_missed, rx_errors;
};

/* Fills at most `most`, in the order of their indices; returns the number of links, or -errno.
 * Needs no privileges. */
int shunt_link_list(struct shunt_link *links, unsigned most, struct shunt_err *err);

#endif
