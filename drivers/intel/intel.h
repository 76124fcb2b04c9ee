/* SPDX-License-Identifier: BSD-2-Clause
 * What igb (82576) and e1000e (82574) share above the rings: the device, its registers, its link
 * and its counters. A chip is a table of constants and the set-up that its data sheet asks for;
 * intel.c makes a NIC of it. Control calls only, one thread at a time.
 */
#ifndef DRIVERS_INTEL_INTEL_H
#define DRIVERS_INTEL_INTEL_H

#include "drivers/intel/desc.h"
#include "drivers/intel/regs.h"

#define INTEL_RESET_MS 100  /* data sheets: at most 1 ms */
#define INTEL_LINK_MS  8000 /* auto-negotiation takes up to 5 s on real wire */
#define INTEL_QUIET_MS 100  /* for a transmit ring, or for DMA, to come to an end */

struct intel;

struct intel_chip {
	const char *name;                  /* "82576" */
	unsigned queues;                   /* that we use at most */
	uint64_t tx_word, tx_len;          /* see struct intel_queue */
	uint32_t rx_regs, tx_regs, stride; /* each queue's block of registers */
	/* Everything between reset and the first descriptor: receive and transmit are still off,
	 * and every queue's ring is known to the device. */
	int (*init)(struct intel *n, struct shunt_err *err);
	void (*mask)(struct intel *n); /* no interrupt any more */
	void (*arm)(struct intel *n, unsigned queue);
	uint64_t (*dropped)(struct intel *n); /* for want of descriptors, since the last call */
};

/* Sums of the device's counters, which are cleared by reading and stick at 2^32 - 1. */
struct intel_counts {
	uint64_t seen;    /* TPR */
	uint64_t good;    /* GPRC */
	uint64_t missed;  /* MPC */
	uint64_t bad;     /* CRC, symbol and length errors */
	uint64_t no_room; /* RNBC: no descriptor at first; not a loss by itself */
	uint64_t dropped;
	uint64_t sent; /* GPTC */
};

struct intel {
	const struct intel_chip *chip;
	struct shunt_dev *dev;
	uint8_t *bar;
	const char *addr;
	unsigned nqueues;
	bool promisc, sleeps;
	bool intx; /* and sleeps on INTx, not MSI-X */
	bool rx, tx;
	uint32_t rx_size, tx_size; /* descriptors per queue; 0 for none */
	uint64_t rx_iova[16], tx_iova[16];
	struct intel_queue *queue; /* nqueues of them */
	struct pci_mem rings;
	uint8_t mac[6];
	uint32_t link_ms;
	struct intel_counts counts;
	/* Tests put a model of the device behind the registers: called after a write and before a
	 * read. NULL with a device. */
	void (*model)(struct intel *n, uint32_t reg, bool write);
};

extern const struct intel_chip intel_82576, intel_82574;

static inline uint32_t intel_read(struct intel *n, uint32_t reg)
{
	if (n->model)
		n->model(n, reg, false);
	return mmio_read32(n->bar + reg);
}

static inline void intel_write(struct intel *n, uint32_t reg, uint32_t value)
{
	mmio_write32(n->bar + reg, value);
	if (n->model)
		n->model(n, reg, true);
}

static inline void intel_set(struct intel *n, uint32_t reg, uint32_t clear, uint32_t set)
{
	intel_write(n, reg, (intel_read(n, reg) & ~clear) | set);
}

/* setup.c. Bounded by time, not by turns: a short sleep takes long in some places. */
void intel_sleep_us(unsigned us);
/* Wait until (reg & mask) == want. -ETIMEDOUT, or -ENODEV when it reads all ones. */
int intel_wait(struct intel *n, uint32_t reg, uint32_t mask, uint32_t want, unsigned ms);
int intel_reset(struct intel *n, struct shunt_err *err);
/* Steps that both data sheets have. */
void intel_address_filters(struct intel *n);
void intel_ring_registers(struct intel *n, uint32_t block, uint64_t iova, uint32_t size);
/* Receive and transmit on, with a full ring; and off, with nothing more under way. */
int intel_go(struct intel *n, struct shunt_err *err);
void intel_halt(struct intel *n);

/* tx.c: the transmitter is off afterwards. */
void intel_tx_flush(struct intel *n);

/* link.c */
int intel_link_up(struct intel *n, struct shunt_err *err);

/* ledger.c */
void intel_ledger_read(struct intel *n);
int intel_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err);

/* queue.c: the part of start that needs no PCI. rings is zeroed memory that the device calls iova;
 * dev->region is there. Undone by intel_queues_done. */
size_t intel_rings_size(const struct intel *n);
int intel_queues_init(struct intel *n, const struct pci_port *port, void *rings, uint64_t iova,
	struct shunt_err *err);
void intel_queues_done(struct intel *n);

#endif
