/* SPDX-License-Identifier: BSD-2-Clause
 * The contract of a PCI NIC, and what pci: devices share. nic.c is the driver `pci:`; it finds the
 * function, looks its ids up in a table of NICs, claims it, and makes or maps the region. Calls
 * come in this order: open, start, stop, close; after a start that failed, close. dev->priv is a
 * pci_port.
 */
#ifndef DRIVERS_PCI_NIC_H
#define DRIVERS_PCI_NIC_H

#include "drivers/core/chunks.h"
#include "drivers/core/driver.h"
#include "drivers/pci/pci.h"

#define PCI_HEAD    64u   /* room before a received frame: another NIC's header fits there */
#define PCI_TX_MOST 512u  /* descriptors of a transmit ring: igb and e1000e; virtio has less */
#define PCI_CACHE   1024u /* chunks in a queue's cache at most */
#define PCI_RESERVE                                                                                \
	512u /* chunks per queue that applications may hold without starving the ring              \
	      */

/* Register reads are expensive: a queue checks the link after so many empty receives (or transmits
 * that took nothing), and one that never receives after so many transmits. */
#define PCI_IDLE  (1u << 20)
#define PCI_BLIND (1u << 10)

struct pci_id {
	uint16_t vendor, device;
};

struct pci_port;

struct pci_nic {
	const char *name;         /* "igb" */
	const struct pci_id *ids; /* ends with vendor 0 */
	bool has_rings;           /* it takes the key ring=split|packed */
	/* The function is claimed and reset, bus mastering is off, BARs are not mapped. Map them,
	 * allocate port->priv, read limits and MAC; set dev->nqueues (from port->want),
	 * port->rx_ring and tx_ring (descriptors per queue, from dev->depth), dev->info.mtu,
	 * max_frame. Frees what it made when it fails. */
	int (*open)(struct shunt_dev *dev, struct shunt_err *err);
	/* dev->region is there and mapped: device address = offset in it + port->iova. Rings,
	 * queues, interrupts when info.wait is not spin, bus mastering, link. Fills dev->queue. */
	int (*start)(struct shunt_dev *dev, struct shunt_err *err);
	/* No more arrivals, no more transmit; what the device has written can still be received.
	 * The device may not touch memory afterwards. Reads the last counters. */
	void (*stop)(struct shunt_dev *dev);
	/* After open succeeded, whether start did or not. Chunks that the rings hold go back to the
	 * pool of dev->region. The device is stopped. Free rings and port->priv. */
	void (*close)(struct shunt_dev *dev);
	int (*ledger)(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err);
	/* info.wait is not spin: ask for an interrupt at the next packet of this queue; 1 when
	 * packets are there already. With port->phys the line must be released first: it is INTx.
	 */
	int (*arm)(struct shunt_queue *q);
	/* The queue's thread, when it slept in vain: are link and card there? Sticky error. */
	void (*idle)(struct shunt_queue *q);
	uint32_t (*queue_id)(const struct shunt_queue *q); /* optional: the device's number */
};

struct pci_port {
	struct pci_info info;
	const struct pci_nic *nic;
	struct pci_dev *pci;   /* NULL until start */
	uint64_t iova;         /* of offset 0 of dev->region */
	const uint64_t *pages; /* dma=phys: pci_phys_addr() in its place; NULL otherwise */
	bool phys;             /* dma=phys */
	bool promisc;
	unsigned want; /* queues=N; 0 for all that the NIC has */
	enum { PCI_RING_AUTO, PCI_RING_SPLIT, PCI_RING_PACKED } ring;
	uint32_t rx_ring, tx_ring; /* descriptors per queue; 0 for a direction that is not used */
	bool opened;               /* nic->open succeeded */
	void *priv;                /* the NIC's */
};

/* Messages of all NICs; the address goes in. */
#define PCI_REQUESTED                                                                              \
	"the kernel requests the release of %s: it is being removed, or unbound from vfio-pci"
#define PCI_LINK_LOST                                                                              \
	"the link of %s was down at the end: what was sent last may not be on the wire"

static inline struct pci_port *pci_port(const struct shunt_dev *dev)
{
	return dev->priv;
}

static inline bool pci_can(const struct shunt_dev *dev, enum shunt_dir dir)
{
	return ((unsigned)dev->dir & (unsigned)dir) != 0;
}

/* How an empty receive waits. One per queue; fd is the eventfd of its vector, or /dev/uioN, -1 with
 * wait=spin.
 * wait=poll sleeps at once, wait=adaptive after so many empty bursts in a row (as ixy switches). */
#define PCI_ADAPTIVE_EMPTY 4096u
struct pci_sleep {
	int fd;
	uint32_t width; /* bytes that a read takes */
	uint32_t empty, limit;
};
void pci_sleep_init(struct pci_sleep *s, const struct shunt_dev *dev, unsigned vector);
/* Call after an empty burst with wait=poll or adaptive: arms, sleeps up to SHUNT_POLL_MS, and
 * returns true when it makes sense to look again. */
bool pci_sleep(struct pci_sleep *s, struct shunt_queue *q);
/* The NIC's arm, and INTx unmasked behind it. */
int pci_arm(struct shunt_queue *q);

#endif
