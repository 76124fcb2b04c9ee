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
	bool up, carrier;
	uint32_t mtu, rx_queues, tx_queues;
	const char *xdp; /* how a program is attached: native, skb, hardware, several; NULL: none */
	uint32_t xdp_prog_id; /* of the only or the first program */
};

/* Fills up to most, in the order of their indices; returns how many there are, or -errno. No
 * permission is needed. */
int shunt_link_list(struct shunt_link *links, unsigned most, struct shunt_err *err);

#endif
