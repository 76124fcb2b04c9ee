/* SPDX-License-Identifier: BSD-2-Clause
 * A comparison on NICs: one card sends, and over a wire its frames reach the card under a kernel
 * driver and those of `pci:` paths. Cards under kernel drivers move into the lab's namespaces, so
 * that no other program uses them. They return at the end; when this process is killed, the kernel
 * moves them to the initial namespace. Only cards that the user named are touched.
 */
#ifndef BENCH_LAB_WIRE_H
#define BENCH_LAB_WIRE_H

#include "bench/lab/lab.h"

#include <stddef.h>

#define BENCH_LINK_S 10u /* auto-negotiation takes up to 5 s, on some MACs 8 */

/* A card's counters of received frames. */
struct bench_card_counts {
	uint64_t packets, missed, bad;
};

struct bench_wire_nic {
	char name[32];    /* "" where no card moves */
	char driver[32];  /* its kernel driver */
	char address[32]; /* PCI */
	uint16_t vendor, device;
	bool up, moved;
	int ns; /* the lab's, which closes it */
};

struct bench_wire {
	int home;                   /* the namespace that cards return to; -1: not open */
	struct bench_wire_nic nic;  /* the card under test with a kernel driver */
	struct bench_wire_nic from; /* the sender's; without a name for a pci: device */
	char via[352];              /* the sender's spec, with the namespace */
};

/* Checks that all cards exist, are ready and unused. Fills nic and from, changes nothing. Usage
 * errors. */
int bench_wire_check(
	struct bench_wire *wire, const char *nic, const char *via, struct shunt_err *err);
/* Checks that the card of this `pci:` path can receive while via sends. Usage errors. */
int bench_wire_check_pci(const char *spec, const char *via, struct shunt_err *err);
/* Move the cards and wait for their links. Call bench_wire_close also after an error. */
int bench_wire_open(struct bench_wire *wire, const char *via, const struct bench_lab *lab,
	struct shunt_err *err);
/* Return the cards to their namespace, up if they were up. */
int bench_wire_close(struct bench_wire *wire, struct shunt_err *err);

/* The counters of nic; false where they can't be read. */
bool bench_wire_count(const struct bench_wire *wire, struct bench_card_counts *counts);

/* The address in a `pci:` spec, long form; -EINVAL for any other scheme. */
int bench_pci_address(const char *spec, char *buf, size_t size);

#endif
