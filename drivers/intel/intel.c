/* SPDX-License-Identifier: BSD-2-Clause
 * 82576 and 82574 as NICs of pci: (drivers/pci/nic.h). What differs is in igb.c and e1000e.c.
 * Teardown: receive off, what is on its way arrives; transmit rings empty; DMA ended; reset. pci:
 * turns bus mastering off after that, and unmaps last.
 */
#include "drivers/intel/intel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAR_LEN 0x20000u /* both chips: 128 KiB of registers */
#define ALIGN   128u     /* of a ring: both data sheets */

_Static_assert(INTEL_TX_RING <= PCI_TX_MOST, "as struct shunt_driver says of the memory");
_Static_assert(INTEL_RING_MIN * sizeof(struct intel_desc) % ALIGN == 0, "rings are aligned");

static uint32_t ring_size(uint32_t depth)
{
	uint32_t n = INTEL_RING_MIN;

	while (n < depth && n < INTEL_RING_MAX)
		n *= 2;
	return n;
}

static int read_options(struct intel *n, struct pci_port *port, struct shunt_err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned most = n->chip->queues;

	if (port->want > most)
		return shunt_fail_usage(err, -EINVAL, NULL, "queues=%u: %s has %u, as any %s",
			port->want, n->addr, most, n->chip->name);
	n->nqueues = port->want ? port->want : cpus < (long)most ? (unsigned)cpus : most;
	n->promisc = port->promisc;
	n->sleeps = n->dev->info.wait;
	n->intx = port->phys;
	n->rx = pci_can(n->dev, SHUNT_RX);
	n->tx = pci_can(n->dev, SHUNT_TX);
	n->rx_size = n->rx ? ring_size(n->dev->depth) : 0;
	n->tx_size = n->tx ? INTEL_TX_RING : 0;
	n->link_ms = INTEL_LINK_MS;
	return 0;
}

static int map_registers(struct intel *n, struct pci_dev *pci, struct shunt_err *err)
{
	int rc = pci_bar_map(pci, 0, err);

	if (rc)
		return rc;
	if (pci->bar[0].len < BAR_LEN)
		return shunt_fail(err, -ENOTSUP, NULL, "BAR 0 of %s has %zu bytes, not %u", n->addr,
			pci->bar[0].len, BAR_LEN);
	n->bar = pci->bar[0].base;
	uint32_t low = intel_read(n, R_RAL(0)), high = intel_read(n, R_RAH(0));
	memcpy(n->mac, &low, 4);
	memcpy(n->mac + 4, &high, 2);
	return 0;
}

static int intel_open(struct shunt_dev *dev, const struct intel_chip *chip, struct shunt_err *err)
{
	struct pci_port *port = pci_port(dev);
	struct intel *n = calloc(1, sizeof *n);

	if (!n)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	n->chip = chip;
	n->dev = dev;
	n->addr = port->info.addr;
	int rc = read_options(n, port, err);
	if (!rc)
		rc = map_registers(n, port->pci, err);
	if (rc) {
		free(n);
		return rc;
	}
	port->priv = n;
	port->rx_ring = n->rx_size;
	port->tx_ring = n->tx_size;
	dev->nqueues = n->nqueues;
	dev->info.mtu = 1500;
	dev->info.max_frame = INTEL_FRAME;
	return 0;
}

static int igb_open(struct shunt_dev *dev, struct shunt_err *err)
{
	return intel_open(dev, &intel_82576, err);
}

static int e1000e_open(struct shunt_dev *dev, struct shunt_err *err)
{
	return intel_open(dev, &intel_82574, err);
}

static void describe(struct intel *n)
{
	static const unsigned speed[] = {10, 100, 1000, 1000};

	shunt_fact(n->dev, "mac", "%02x:%02x:%02x:%02x:%02x:%02x", n->mac[0], n->mac[1], n->mac[2],
		n->mac[3], n->mac[4], n->mac[5]);
	shunt_fact(n->dev, "link", "%u Mb/s", speed[STATUS_SPEED(intel_read(n, R_STATUS))]);
	n->dev->info.memory += intel_rings_size(n);
}

static int intel_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pci_port *port = pci_port(dev);
	struct intel *n = port->priv;
	int rc = pci_mem_alloc(port->pci, &n->rings, intel_rings_size(n), err);

	if (!rc)
		rc = intel_queues_init(n, port, n->rings.base, n->rings.iova, err);
	if (!rc && n->sleeps)
		rc = pci_irq_open(port->pci, n->nqueues, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < n->nqueues; i++)
		pci_sleep_init(&n->queue[i].sleep, dev, i);
	pci_bus_master(port->pci, true);
	rc = n->chip->init(n, err);
	if (!rc)
		rc = intel_go(n, err);
	if (rc)
		return rc;
	describe(n);
	return 0;
}

static void intel_stop(struct shunt_dev *dev)
{
	struct intel *n = pci_port(dev)->priv;

	if (!shunt_is_gone(dev) && !(intel_read(n, R_STATUS) & STATUS_LU))
		shunt_note(dev, PCI_LINK_LOST, n->addr);
	intel_halt(n);
	shunt_fact(dev, "sent_by_device", "%llu", (unsigned long long)n->counts.sent);
	shunt_fact(dev, "waited_for_descriptor", "%llu", (unsigned long long)n->counts.no_room);
}

/* After a start that failed the device may be in any state: pci: has turned bus mastering off. */
static void intel_close(struct shunt_dev *dev)
{
	struct pci_port *port = pci_port(dev);
	struct intel *n = port->priv;

	if (dev->state == SHUNT_OPENED)
		intel_reset(n, NULL);
	intel_queues_done(n);
	pci_mem_free(port->pci, &n->rings);
	free(n);
	port->priv = NULL;
}

static void idle(struct shunt_queue *q)
{
	intel_link_check((struct intel_queue *)q);
}

static const struct pci_id igb_ids[] = {{0x8086, 0x10c9}, {0, 0}};
static const struct pci_id e1000e_ids[] = {{0x8086, 0x10d3}, {0, 0}};

#define NIC(name_, ids_, open_)                                                                    \
	{                                                                                          \
		.name = name_, .ids = ids_, .open = open_, .start = intel_start,                   \
		.stop = intel_stop, .close = intel_close, .ledger = intel_ledger,                  \
		.arm = intel_rx_arm, .idle = idle,                                                 \
	}
extern const struct pci_nic pci_nic_igb, pci_nic_e1000e;
const struct pci_nic pci_nic_igb = NIC("igb", igb_ids, igb_open);
const struct pci_nic pci_nic_e1000e = NIC("e1000e", e1000e_ids, e1000e_open);
