/* SPDX-License-Identifier: BSD-2-Clause
 * A comparison on network cards: frames are sent through one card and arrive, over a wire, at the
 * kernel's card and at those of `pci:` paths. The kernel's card, and the sender's where that is the
 * kernel's, too, move into the lab's namespaces, so that nobody else speaks on them; they come back
 * at the end, and by themselves when this process is killed. Only what the user named is touched.
 */
#ifndef BENCH_LAB_WIRE_H
#define BENCH_LAB_WIRE_H

#include "bench/compare/pass.h"
#include "bench/compare/paths.h"
#include "bench/lab/lab.h"

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
int bench_wire_check(struct bench_wire *wire, const char *nic, const char *via,
	const struct bench_paths *paths, struct shunt_err *err);
/* Move the cards and wait for their links. After an error, too, call bench_wire_close. */
int bench_wire_open(struct bench_wire *wire, const char *via, const struct bench_lab *lab,
	struct shunt_err *err);
/* Back to where they were, up if they were up. */
int bench_wire_close(struct bench_wire *wire, struct shunt_err *err);

/* Of a started device: wait until its interface, if it has one, has a link. Some cards are reset
 * when an XDP program comes or goes. -ENETDOWN after ten seconds. */
int bench_wire_ready(const struct shunt_dev *dev, struct shunt_err *err);

/* What the kernel's card has counted so far: false where it can't be read. */
bool bench_wire_count(const struct bench_wire *wire, struct bench_card_counts *counts);

bool bench_is_pci(const char *spec);
/* The address in a `pci:` spec, long form. */
int bench_pci_address(const char *spec, char *buf, size_t size);

#endif
