/* SPDX-License-Identifier: BSD-2-Clause
 * pci: `pci:0000:01:00.0`, a NIC that is unbound from the kernel's driver and driven from user
 * space through VFIO, or without an IOMMU where dma=phys says so. What is the same for all NICs:
 * finding, claiming, the region and its mapping, and the order of tear-down (queues, then reset and
 * bus mastering, then unmapping).
 */
#include "drivers/pci/nic.h"

#include <errno.h>
#include <shunt/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DANGER                                                                                     \
	"a wrong DMA address overwrites any memory; after kill -9 the card is stopped, and reset " \
	"when next opened"

extern const struct pci_nic pci_nic_virtio;
extern const struct pci_nic pci_nic_igb;
extern const struct pci_nic pci_nic_e1000e;

static const struct pci_nic *const nics[] = {
#ifdef NIC_VIRTIO
	&pci_nic_virtio,
#endif
#ifdef NIC_IGB
	&pci_nic_igb,
#endif
#ifdef NIC_E1000E
	&pci_nic_e1000e,
#endif
	NULL,
};

static const struct shunt_key keys[] = {
	{"wait", SHUNT_KEY_CHOICE, "spin|poll|adaptive", 0, 0},
	{"queues", SHUNT_KEY_TEXT, "all, or a number", 0, 0},
	{"dma", SHUNT_KEY_CHOICE, "iommu|phys", 0, 0},
	{"promisc", SHUNT_KEY_CHOICE, "on|off", 0, 0},
	{"ring", SHUNT_KEY_CHOICE, "auto|split|packed", 0, 0},
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

/* A card fills its ring in turn, so all of its buffers pass through the caches: 2 MiB with this
 * depth. Linux's igb has 256 descriptors by default (IGB_DEFAULT_RXD), DPDK's examples have 1024
 * (RX_DESC_DEFAULT in l2fwd and l3fwd). */
#define DEPTH 1024u

/* What make_region() asks for, with the largest transmit ring, and 16 bytes per descriptor. */
#define MEMORY                                                                                     \
	((uint64_t)(DEPTH + PCI_TX_MOST + PCI_RESERVE + PCI_CACHE) * SHUNT_CHUNK +                 \
		(DEPTH + PCI_TX_MOST) * 16)

static const struct pci_nic *find_nic(const struct pci_info *info)
{
	for (unsigned i = 0; nics[i]; i++)
		for (const struct pci_id *id = nics[i]->ids; id->vendor; id++)
			if (id->vendor == info->vendor && id->device == info->device)
				return nics[i];
	return NULL;
}

static void list_nics(char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = 0;
	for (unsigned i = 0; nics[i]; i++)
		for (const struct pci_id *id = nics[i]->ids; id->vendor && used < size; id++)
			used += (size_t)snprintf(buf + used, size - used, "%s%s %04x:%04x",
				used ? ", " : "", nics[i]->name, id->vendor, id->device);
}

static int read_keys(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pci_port *port = dev->priv;
	const struct shunt_spec *s = &dev->spec;
	const char *queues = shunt_spec_get(s, "queues", "all");
	char *end;

	port->promisc = shunt_spec_is(s, "promisc", "on", true);
	port->ring = shunt_spec_is(s, "ring", "split", false)    ? PCI_RING_SPLIT
		     : shunt_spec_is(s, "ring", "packed", false) ? PCI_RING_PACKED
								 : PCI_RING_AUTO;
	if (port->ring != PCI_RING_AUTO && !port->nic->has_rings)
		return shunt_fail_usage(err, -EINVAL, "leave ring= out",
			"pci: %s has one kind of ring", port->nic->name);
	if (dev->fd >= 0)
		return shunt_fail_usage(err, -ENOTSUP,
			port->phys ? NULL : "give this process /dev/vfio/GROUP",
			"pci: cannot use fd=%d: %s", dev->fd,
			port->phys ? "dma=phys takes more than one descriptor"
				   : "a VFIO device needs its container, too");
	if (!strcmp(queues, "all")) {
		port->want = dev->info.queues = port->phys && dev->info.wait; /* one interrupt */
		return 0;
	}
	unsigned long n = strtoul(queues, &end, 10);
	if (*queues < '0' || *queues > '9' || *end || !n || n > SHUNT_QUEUES)
		return shunt_fail_usage(err, -EINVAL, NULL,
			"queues=%.60s: it takes all, or a number from 1 to %u", queues,
			SHUNT_QUEUES);
	if (n > 1 && port->phys && dev->info.wait)
		return shunt_fail_usage(err, -EINVAL, "queues=1, or wait=spin",
			"queues=%lu: with dma=phys a card has one interrupt to wait for", n);
	port->want = dev->info.queues = (unsigned)n;
	return 0;
}

static int find_port(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pci_port *port = dev->priv;
	char known[160];
	int rc = pci_find(&port->info, dev->spec.target, err);

	if (rc)
		return rc;
	port->nic = find_nic(&port->info);
	list_nics(known, sizeof known);
	if (!port->nic)
		return shunt_fail_usage(err, -ENOTSUP, NULL,
			"pci: has no driver for %04x:%04x of %s; it drives %s", port->info.vendor,
			port->info.device, port->info.addr, known);
	port->phys = shunt_spec_is(&dev->spec, "dma", "phys", false);
	rc = pci_check(&port->info, port->phys, err);
	return rc ? rc : read_keys(dev, err);
}

/* Nothing is claimed before start; the number of queues is known then, too. */
static int pci_nic_open(struct shunt_dev *dev, struct shunt_err *err)
{
	dev->priv = calloc(1, sizeof(struct pci_port));
	if (!dev->priv)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	int rc = find_port(dev, err);
	if (rc) {
		free(dev->priv);
		dev->priv = NULL;
	}
	return rc;
}

/* For each queue: its rings full, the reserve, and its cache full. */
static int make_region(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pci_port *port = dev->priv;
	struct shunt_region_opts opts = {
		.chunks = dev->nqueues * (port->rx_ring + port->tx_ring + PCI_RESERVE + PCI_CACHE),
		.require_huge = port->phys};

	int rc = shunt_region_need(dev, &opts, err);
	if (!rc)
		rc = pci_map_region(port->pci, dev->region, err);
	if (rc)
		return rc;
	port->iova = pci_region_iova(dev->region);
	port->pages = port->phys ? dev->region->pages : NULL;
	return 0;
}

/* Reset and bus mastering off come before the unmapping, in pci_close; the NIC's rings lie in
 * memory that nothing reaches after that, but goes back through pci_mem_free while the device is
 * there. */
static void undo(struct shunt_dev *dev)
{
	struct pci_port *port = dev->priv;

	if (port->pci)
		pci_bus_master(port->pci, false);
	if (port->opened)
		port->nic->close(dev);
	port->opened = false;
	pci_close(port->pci);
	port->pci = NULL;
	shunt_region_undo(dev);
	for (unsigned i = 0; i < dev->nqueues; i++)
		dev->queue[i] = NULL;
}

static void describe(struct shunt_dev *dev)
{
	static const char *const wait[] = {"spin", "poll", "adaptive"};
	const struct pci_port *port = dev->priv;

	shunt_fact(
		dev, "nic", "%s %04x:%04x", port->nic->name, port->info.vendor, port->info.device);
	shunt_fact(dev, "dma", "%s", port->phys ? "phys: no IOMMU" : "iommu");
	if (!port->phys)
		shunt_fact(dev, "iommu_group", "%d", port->info.group);
	shunt_fact(dev, "queues", "%u", dev->nqueues);
	shunt_fact(dev, "wait", "%s", wait[dev->info.wait]);
	shunt_fact(dev, "promisc", "%s", port->promisc ? "on" : "off");
	if (port->rx_ring)
		shunt_fact(dev, "depth", "%u frames per queue: its ring", port->rx_ring);
	if (port->rx_ring && port->rx_ring < dev->depth)
		shunt_note(dev, "depth=%u: a ring of %s holds %u", dev->depth, port->nic->name,
			port->rx_ring);
	snprintf(dev->info.mode, sizeof dev->info.mode, "%s over %s, %u queue(s), RX %u, TX %u, %s",
		port->nic->name, port->phys ? "UIO, no IOMMU" : "VFIO", dev->nqueues, port->rx_ring,
		port->tx_ring, wait[dev->info.wait]);
}

/* Said while it begins, by the log, and in the report. */
static void warn(struct shunt_dev *dev)
{
	const char *addr = pci_port(dev)->info.addr;

	shunt_note(dev, "%s: dma=phys: no IOMMU: " DANGER, addr);
	shunt_log(SHUNT_LOG_WARN, "pci", "%s: dma=phys: no IOMMU: " DANGER, addr);
	if (dev->info.wait && !shunt_spec_get(&dev->spec, "queues", NULL))
		shunt_note(dev, "dma=phys: one queue, as there is one interrupt to wait for");
}

static int pci_nic_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pci_port *port = dev->priv;

	/* Not what an earlier start that failed had to say. */
	dev->info.nfacts = dev->info.nnotes = 0;
	dev->info.memory = 0;
	int rc = pci_open(&port->pci, port->info.addr, port->phys, err);
	if (!rc) {
		rc = port->nic->open(dev, err);
		port->opened = !rc;
	}
	if (!rc)
		rc = make_region(dev, err);
	if (!rc)
		rc = port->nic->start(dev, err);
	if (rc) {
		undo(dev);
		return rc;
	}
	describe(dev);
	if (port->phys)
		warn(dev);
	return 0;
}

static void pci_nic_stop(struct shunt_dev *dev)
{
	struct pci_port *port = dev->priv;

	port->nic->stop(dev);
	pci_bus_master(port->pci, false);
}

static void pci_nic_close(struct shunt_dev *dev)
{
	struct pci_port *port = dev->priv;

	undo(dev);
	free(port);
}

static int pci_nic_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct pci_port *port = dev->priv;

	if (!port->opened)
		return shunt_fail(err, -ENODATA, NULL, "pci: was not started");
	return port->nic->ledger(dev, ledger, err);
}

static void identity(const struct shunt_queue *q, struct shunt_identity *id)
{
	const struct pci_port *port = q->dev->priv;

	id->kind = SHUNT_KIND_USER; /* kernel bypass: it never sees a packet */
	id->queue = port->nic->queue_id ? port->nic->queue_id(q) : q->index;
}

static int queue_fd(struct shunt_queue *q)
{
	const struct pci_port *port = q->dev->priv;

	return port->pci && q->index < port->pci->nirqs ? port->pci->irq[q->index] : -ENOTSUP;
}

static void idle(struct shunt_queue *q)
{
	pci_port(q->dev)->nic->idle(q);
}

static int arm(struct shunt_queue *q)
{
	return q->dev->info.wait ? pci_arm(q) : 0;
}

static int usable(struct shunt_err *err)
{
	if (access("/dev/vfio/vfio", F_OK))
		return shunt_fail(err, -ENOENT, "modprobe vfio-pci",
			"pci: the kernel has no VFIO: there is no /dev/vfio/vfio");
	if (access("/dev/vfio/vfio", R_OK | W_OK))
		return shunt_fail(err, -errno, "run as root", "pci: cannot use /dev/vfio/vfio: %s",
			strerror(errno));
	return 0;
}

const struct shunt_driver shunt_driver_pci = {
	.name = "pci",
	.scheme = "pci",
	.summary = "user-space NIC driver (kernel bypass): PCI through VFIO",
	.example = "pci:0000:01:00.0",
	.dirs = SHUNT_RXTX,
	.takes_region = true,
	.keys = keys,
	.depth = DEPTH,
	.memory = MEMORY,
	.usable = usable,
	.open = pci_nic_open,
	.start = pci_nic_start,
	.stop = pci_nic_stop,
	.close = pci_nic_close,
	.ledger = pci_nic_ledger,
	.identity = identity,
	.queue_fd = queue_fd,
	.arm = arm,
	.idle = idle,
};
