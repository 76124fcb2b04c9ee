/* SPDX-License-Identifier: BSD-2-Clause
 * virtio-net as a NIC of pci: (virtio 1.2, 3.1.1 and 5.1.5 in order). Offloads are not negotiated:
 * a frame arrives with its checksum done and no longer than the MTU allows.
 */
#include "drivers/virtio/virtio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TX_RING 256u

static const struct pci_id ids[] = {
	{0x1af4, 0x1041}, /* 4.1.2: 0x1040 + the type, 1 */
	{0x1af4, 0x1000}, /* transitional, when it can be modern */
	{0, 0},
};

static uint16_t pow2_below(uint32_t n)
{
	return n ? (uint16_t)(1u << (31 - __builtin_clz(n))) : 0;
}

/* The whole depth if the device's ring is that large: a power of two, at most the device's. */
static uint16_t ring_size(struct virtio_pci *v, uint16_t queue, uint32_t wish)
{
	uint32_t most = virtio_pci_queue_max(v, queue);
	uint32_t up = wish > 1 ? 1u << (32 - __builtin_clz(wish - 1)) : 1;

	most = most < VRING_MAX ? most : VRING_MAX;
	return pow2_below(up < most ? up : most);
}

static uint64_t wanted(const struct pci_port *port)
{
	uint64_t f = VIRTIO_NET_F_MTU | VIRTIO_NET_F_MAC | VIRTIO_NET_F_MRG_RXBUF |
		     VIRTIO_NET_F_STATUS | VIRTIO_NET_F_CTRL_VQ | VIRTIO_NET_F_CTRL_RX |
		     VIRTIO_NET_F_MQ | VIRTIO_F_EVENT_IDX | VIRTIO_F_IN_ORDER |
		     VIRTIO_F_ORDER_PLATFORM;

	return port->ring == PCI_RING_SPLIT ? f : f | VIRTIO_F_RING_PACKED;
}

static void read_config(struct shunt_dev *dev, struct virtio_net *net)
{
	uint16_t pairs = 1, mtu = 1500;

	if (net->v.features & VIRTIO_NET_F_MAC)
		virtio_pci_config(&net->v, VIRTIO_NET_CONFIG_MAC, net->mac, sizeof net->mac);
	if (net->v.features & VIRTIO_NET_F_MQ && net->v.features & VIRTIO_NET_F_CTRL_VQ)
		virtio_pci_config(&net->v, VIRTIO_NET_CONFIG_PAIRS, &pairs, sizeof pairs);
	if (net->v.features & VIRTIO_NET_F_MTU)
		virtio_pci_config(&net->v, VIRTIO_NET_CONFIG_MTU, &mtu, sizeof mtu);
	net->pairs_max = le16toh(pairs);
	dev->info.mtu = le16toh(mtu);
	dev->info.max_frame = dev->info.mtu + 14 + 2 * 4; /* two VLAN tags */
}

static int choose_queues(struct shunt_dev *dev, struct virtio_net *net, struct shunt_err *err)
{
	struct pci_port *port = pci_port(dev);
	unsigned most = net->pairs_max < SHUNT_QUEUES ? net->pairs_max : SHUNT_QUEUES;

	if (!most || port->want > most)
		return shunt_fail_usage(err, -EINVAL, NULL, "queues=%u: %s has %u", port->want,
			port->info.addr, most);
	dev->nqueues = port->want ? port->want : most;
	port->rx_ring = ring_size(&net->v, 0, dev->depth);
	port->tx_ring = ring_size(&net->v, 1, TX_RING);
	if (port->rx_ring < 2 || port->tx_ring < 2)
		return shunt_fail(
			err, -EPROTO, NULL, "%s has no receive or transmit queue", port->info.addr);
	return 0;
}

static int handshake(struct shunt_dev *dev, struct virtio_net *net, struct shunt_err *err)
{
	struct pci_port *port = pci_port(dev);
	int rc = virtio_pci_map(&net->v, port->pci, err);

	if (!rc)
		rc = virtio_pci_reset(&net->v, err);
	if (!rc)
		rc = virtio_pci_negotiate(&net->v, wanted(port), err);
	if (rc)
		return rc;
	net->packed = net->v.features & VIRTIO_F_RING_PACKED;
	net->in_order = net->v.features & VIRTIO_F_IN_ORDER;
	net->event = net->v.features & VIRTIO_F_EVENT_IDX;
	if (port->ring == PCI_RING_PACKED && !net->packed)
		return shunt_fail_usage(err, -ENOTSUP, "QEMU: packed=on",
			"ring=packed: %s does not offer it", port->info.addr);
	read_config(dev, net);
	return choose_queues(dev, net, err);
}

static int virtio_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pci_port *port = pci_port(dev);
	struct virtio_net *net = calloc(1, sizeof *net);

	if (!net)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	port->priv = net;
	int rc = handshake(dev, net, err);
	if (rc) {
		free(net);
		port->priv = NULL;
	}
	return rc;
}

/* 3.1.1 step 7: the queues. 5.1.2: receiveq N is 2N, transmitq N is 2N + 1. */
static int enable_pair(
	struct shunt_dev *dev, struct virtio_net *net, unsigned i, struct shunt_err *err)
{
	const struct pci_port *port = pci_port(dev);
	struct virtio_queue *vq = &net->queue[i];
	uint16_t vector = !dev->info.wait || port->phys ? VIRTIO_NO_VECTOR : (uint16_t)i;

	int rc = virtio_queue_init(vq, dev, net, i);
	net->nqueues = i + 1;
	if (rc)
		return shunt_fail(err, rc, NULL, "out of memory");
	rc = virtio_ring_enable(
		&vq->rx, net, (uint16_t)(2 * i), (uint16_t)port->rx_ring, vector, err);
	if (!rc)
		rc = virtio_ring_enable(&vq->tx, net, (uint16_t)(2 * i + 1),
			(uint16_t)port->tx_ring, VIRTIO_NO_VECTOR, err);
	if (rc)
		return rc;
	pci_sleep_init(&vq->sleep, dev, i);
	virtio_queue_choose(vq);
	return 0;
}

static int enable_queues(struct shunt_dev *dev, struct virtio_net *net, struct shunt_err *err)
{
	const struct pci_port *port = pci_port(dev);
	int rc = !dev->info.wait ? 0 : pci_irq_open(port->pci, dev->nqueues, err);

	if (rc)
		return rc;
	net->queue = aligned_alloc(64, dev->nqueues * sizeof *net->queue);
	if (!net->queue)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	memset(net->queue, 0, dev->nqueues * sizeof *net->queue);
	for (unsigned i = 0; !rc && i < dev->nqueues; i++)
		rc = enable_pair(dev, net, i, err);
	return rc ? rc : virtio_control_open(dev, err);
}

static int switch_modes(struct shunt_dev *dev, struct virtio_net *net, struct shunt_err *err)
{
	struct pci_port *port = pci_port(dev);
	int rc = 0;

	if (net->has_ctrl && net->v.features & VIRTIO_NET_F_MQ)
		rc = virtio_control_pairs(net, (uint16_t)dev->nqueues, err);
	if (rc)
		return rc;
	if (net->has_ctrl && net->v.features & VIRTIO_NET_F_CTRL_RX)
		return virtio_control_promisc(net, port->promisc, err);
	shunt_note(
		dev, "promisc: %s has no command for it, and takes what it likes", port->info.addr);
	return 0;
}

static void describe(struct shunt_dev *dev, const struct virtio_net *net)
{
	const uint8_t *m = net->mac;

	shunt_fact(dev, "ring", "%s", net->packed ? "packed" : "split");
	shunt_fact(dev, "in_order", "%s", net->in_order ? "yes" : "no");
	shunt_fact(dev, "event_idx", "%s", net->event ? "yes" : "no");
	shunt_fact(dev, "mergeable", "%s", net->v.features & VIRTIO_NET_F_MRG_RXBUF ? "yes" : "no");
	shunt_fact(
		dev, "order", "%s", net->v.features & VIRTIO_F_ORDER_PLATFORM ? "platform" : "smp");
	if (net->v.features & VIRTIO_NET_F_MAC)
		shunt_fact(dev, "mac", "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3],
			m[4], m[5]);
	if (dev->dir & SHUNT_RX)
		shunt_note(dev, "virtio-net does not count what it drops for want of buffers: that "
				"is not in the ledger");
}

/* Promiscuous mode is set before the first receive buffer is given, so that no frame passes by the
 * device's default filter. */
static int virtio_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pci_port *port = pci_port(dev);
	struct virtio_net *net = port->priv;

	if (!virtio_link_up(&net->v))
		return shunt_fail(
			err, -ENETDOWN, "connect it", "the link of %s is down", port->info.addr);
	int rc = enable_queues(dev, net, err);
	if (rc)
		return rc;
	pci_bus_master(port->pci, true);
	virtio_pci_driver_ok(&net->v);
	rc = switch_modes(dev, net, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < dev->nqueues; i++) {
		if (pci_can(dev, SHUNT_RX))
			virtio_bufs_fill(&net->queue[i]);
		if (pci_can(dev, SHUNT_RX) && vring_room(&net->queue[i].rx.vring))
			return shunt_fail(err, -ENOMEM, "make the region larger, or depth= smaller",
				"region %u has too few chunks for the %u descriptors of a queue",
				dev->region->info.id, port->rx_ring);
	}
	describe(dev, net);
	return 0;
}

/* Reset ends all that the device does with memory (2.4); the rings stay as it left them, and what
 * it had used by then can be received. */
static void virtio_stop(struct shunt_dev *dev)
{
	struct virtio_net *net = pci_port(dev)->priv;

	if (!shunt_is_gone(dev) && !virtio_link_up(&net->v))
		shunt_note(dev, PCI_LINK_LOST, pci_port(dev)->info.addr);
	for (unsigned i = 0; i < net->nqueues; i++) {
		struct virtio_queue *vq = &net->queue[i];
		if (pci_can(dev, SHUNT_TX))
			virtio_tx_flush(vq);
		SHUNT_SET(vq->low, 0);
		SHUNT_SET(vq->stopped, true);
	}
	if (virtio_pci_reset(&net->v, NULL))
		shunt_note(dev, "%s did not confirm its reset", pci_port(dev)->info.addr);
}

static void virtio_close(struct shunt_dev *dev)
{
	struct pci_port *port = pci_port(dev);
	struct virtio_net *net = port->priv;

	virtio_pci_reset(&net->v, NULL);
	for (unsigned i = 0; i < net->nqueues; i++) {
		struct virtio_queue *vq = &net->queue[i];
		virtio_bufs_return(vq);
		virtio_ring_free(&vq->rx, port->pci);
		virtio_ring_free(&vq->tx, port->pci);
	}
	virtio_ring_free(&net->ctrl, port->pci);
	pci_mem_free(port->pci, &net->ctrl_mem);
	free(net->queue);
	free(net);
	port->priv = NULL;
}

static uint32_t queue_id(const struct shunt_queue *q)
{
	return ((const struct virtio_queue *)q)->rx.number;
}

static void idle(struct shunt_queue *q)
{
	virtio_link_check((struct virtio_queue *)q);
}

const struct pci_nic pci_nic_virtio = {
	.name = "virtio-net",
	.ids = ids,
	.has_rings = true,
	.open = virtio_open,
	.start = virtio_start,
	.stop = virtio_stop,
	.close = virtio_close,
	.ledger = virtio_ledger,
	.arm = virtio_rx_arm,
	.idle = idle,
	.queue_id = queue_id,
};
