/* SPDX-License-Identifier: BSD-2-Clause
 * A queue's memory: its two rings.
 */
#include "drivers/virtio/virtio.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

int virtio_ring_init(struct virtio_ring *ring, const struct virtio_net *net, uint16_t size)
{
	int rc = vring_init(&ring->vring, size, net->in_order, net->event);

	if (rc)
		return rc;
	ring->vring.platform = net->v.features & VIRTIO_F_ORDER_PLATFORM;
	if (net->packed)
		packed_place(&ring->vring, ring->mem.base);
	else
		split_place(&ring->vring, ring->mem.base);
	return 0;
}

int virtio_ring_enable(struct virtio_ring *ring, struct virtio_net *net, uint16_t number,
	uint16_t size, uint16_t vector, struct shunt_err *err)
{
	struct vring_layout l = net->packed ? packed_layout(size) : split_layout(size);
	int rc = pci_mem_alloc(net->v.pci, &ring->mem, l.bytes, err);

	if (rc)
		return rc;
	ring->number = number;
	if (virtio_ring_init(ring, net, size))
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	struct virtio_place place = {.queue = number,
		.size = size,
		.vector = vector,
		.desc = ring->mem.iova + l.desc,
		.driver = ring->mem.iova + l.driver,
		.device = ring->mem.iova + l.device};
	return virtio_pci_queue_enable(&net->v, &place, &ring->doorbell, err);
}

void virtio_ring_free(struct virtio_ring *ring, struct pci_dev *pci)
{
	pci_mem_free(pci, &ring->mem);
	vring_free(&ring->vring);
}

int virtio_queue_init(struct virtio_queue *vq, struct shunt_dev *dev, const struct virtio_net *net,
	unsigned index)
{
	const struct pci_port *port = pci_port(dev);
	const struct shunt_region_info *info = &dev->region->info;

	shunt_queue_init(&vq->q, dev, index);
	vq->net = net;
	vq->base = info->base;
	vq->region = info->id;
	vq->iova = port->iova;
	vq->pages = port->pages;
	vq->len = info->len;
	vq->mask = info->chunk - 1;
	struct shunt_pkt p = {.region = info->id, .queue = (uint16_t)index};
	static_assert(offsetof(struct shunt_pkt, vlan_tci) - offsetof(struct shunt_pkt, region) ==
			      sizeof vq->tail,
		"region, queue, hash");
	memcpy(&vq->tail, &p.region, sizeof vq->tail);
	vq->room = info->chunk - VIRTIO_NET_DATA;
	vq->longest = dev->info.max_frame < vq->room ? dev->info.max_frame : vq->room;
	vq->mergeable = net->v.features & VIRTIO_NET_F_MRG_RXBUF;
	vq->sleep.fd = -1;
	return shunt_chunks_init(&vq->chunks, dev->region, PCI_CACHE - SHUNT_BURST_MAX, 0);
}

void virtio_queue_choose(struct virtio_queue *vq)
{
	vq->q.release = virtio_bufs_release;
	if (pci_can(vq->q.dev, SHUNT_RX)) {
		virtio_rx_choose(vq);
		virtio_bufs_choose(vq);
	}
	if (pci_can(vq->q.dev, SHUNT_TX)) {
		virtio_tx_choose(vq);
		vq->q.alloc = virtio_bufs_alloc;
	}
}
