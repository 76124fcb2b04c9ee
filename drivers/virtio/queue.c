/* SPDX-License-Identifier: BSD-2-Clause
 * A queue's memory: its two rings, and what they hold at the end.
 */
#include "drivers/virtio/net.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

int net_vq_init(struct net_vq *vq, const struct net *net, uint16_t size)
{
	int rc = vring_init(&vq->ring, size, net->in_order, net->event);

	if (rc)
		return rc;
	vq->ring.platform = net->v.features & VIRTIO_F_ORDER_PLATFORM;
	if (net->packed)
		packed_place(&vq->ring, vq->mem.base);
	else
		split_place(&vq->ring, vq->mem.base);
	return 0;
}

int net_vq_enable(struct net_vq *vq, struct net *net, uint16_t number, uint16_t size,
	uint16_t vector, struct shunt_err *err)
{
	struct vring_layout l = net->packed ? packed_layout(size) : split_layout(size);
	int rc = pci_mem_alloc(net->v.pci, &vq->mem, l.bytes, err);

	if (rc)
		return rc;
	vq->number = number;
	if (net_vq_init(vq, net, size))
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	struct virtio_place place = {.queue = number,
		.size = size,
		.vector = vector,
		.desc = vq->mem.iova + l.desc,
		.driver = vq->mem.iova + l.driver,
		.device = vq->mem.iova + l.device};
	return virtio_queue_enable(&net->v, &place, &vq->doorbell, err);
}

void net_vq_free(struct net_vq *vq, struct pci_dev *pci)
{
	pci_mem_free(pci, &vq->mem);
	vring_free(&vq->ring);
}

void net_queue_init(
	struct net_queue *nq, struct shunt_dev *dev, const struct net *net, unsigned index)
{
	const struct pci_port *port = pci_port(dev);
	const struct shunt_region_info *info = &port->region->info;

	shunt_queue_init(&nq->q, dev, index);
	nq->net = net;
	nq->base = info->base;
	nq->region = info->id;
	nq->iova = port->iova;
	nq->pages = port->pages;
	nq->len = info->len;
	nq->mask = info->chunk - 1;
	struct shunt_pkt p = {.region = info->id, .queue = (uint16_t)index};
	static_assert(sizeof p - offsetof(struct shunt_pkt, region) == sizeof nq->tail, "tail");
	memcpy(&nq->tail, &p.region, sizeof nq->tail);
	nq->room = info->chunk - NET_DATA;
	nq->longest = dev->info.max_frame < nq->room ? dev->info.max_frame : nq->room;
	nq->mergeable = net->v.features & NET_F_MRG_RXBUF;
	nq->stack.region = port->region;
	nq->sleep.fd = -1;
}

static void drain_ring(struct vring *v, struct shunt_region *region)
{
	for (; v->chunk && v->seen != v->next; v->seen++)
		shunt_pool_put(region, &v->chunk[v->ids[v->seen & v->mask]], 1);
}

void net_queue_drain(struct net_queue *nq)
{
	drain_ring(&nq->rx.ring, nq->stack.region);
	drain_ring(&nq->tx.ring, nq->stack.region);
	if (nq->held.buffers)
		shunt_pool_put(nq->stack.region, &nq->held.chunk, 1);
	nq->held.buffers = 0;
	pci_stack_drain(&nq->stack);
}
