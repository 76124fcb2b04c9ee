/* SPDX-License-Identifier: BSD-2-Clause
 * A comparison on network cards: frames are sent through one card and arrive, over a wire, at the
 * kernel's card and at those of `pci:` paths. The kernel's card, and the sender's where that is the
 * kernel's, too, move into the lab's namespaces, so that nobody else speaks on them; they come back
 * at the end, and by themselves when this process is killed. Only what the user named is touched.
 */
#ifndef BENCH_LAB_WIRE_H
#define BENCH_LAB_WIRE_H

#include "bench/lab/lab.h"

#include <stddef.h>

#define BENCH_LINK_S 10u /* auto-negotiation takes up to 5 s, a slow MAC 8 */

/* What a card counted of what arrived. */
struct bench_card_counts {
	uint64_t packets, missed, bad;
};

struct bench_wire_nic {
	char name[32];    /* "" where there is none to move */
	char driver[32];  /* the kernel's */
	char address[32]; /* PCI */
	uint16_t vendor, device;
	bool up, moved;
	int ns; /* the lab's: not ours to close */
};

struct bench_wire {
	int home;                   /* the namespace to come back to; -1: this is no wire */
	struct bench_wire_nic nic;  /* the kernel's card under test */
	struct bench_wire_nic from; /* the sender's; unnamed where the sender is a pci: device */
	char via[352];              /* the sender's spec, with the namespace */
};

/* Is all of it there, ready, and free to be taken? Fills nic and from; nothing is touched. Usage
 * errors. */
int bench_wire_check(
	struct bench_wire *wire, const char *nic, const char *via, struct shunt_err *err);
/* Can the card of this `pci:` path be received on while via sends? Usage errors. */
int bench_wire_check_pci(const char *spec, const char *via, struct shunt_err *err);
/* Move the cards and wait for their links. After an error, too, call bench_wire_close. */
int bench_wire_open(struct bench_wire *wire, const char *via, const struct bench_lab *lab,
	struct shunt_err *err);
/* Back to where they were, up if they were up. */
int bench_wire_close(struct bench_wire *wire, struct shunt_err *err);

/* What the kernel's card has counted so far: false where it can't be read. */
bool bench_wire_count(const struct bench_wire *wire, struct bench_card_counts *counts);

/* The address in a `pci:` spec, long form; -EINVAL for any other scheme. */
int bench_pci_address(const char *spec, char *buf, size_t size);

#endif
