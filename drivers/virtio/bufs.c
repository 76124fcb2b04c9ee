/* SPDX-License-Identifier: BSD-2-Clause
 * Chunks, between the pool, the queue's cache, the application and the rings: alloc, release,
 * refill of the receive ring, and return of everything when the device has been reset.
 */
#include "drivers/virtio/virtio.h"

/* Buffers to send from; what a refill needs stays when the queue receives, too. */
unsigned virtio_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct shunt_chunks *c = &((struct virtio_queue *)q)->chunks;
	uint32_t keep = q->rx == shunt_no_rx ? 0 : SHUNT_BURST_MAX;

	n = shunt_chunks_lend_but(c, q, pkts, n, VIRTIO_NET_DATA, keep);
	q->out += n;
	return n;
}

void virtio_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	q->out -= n;
	shunt_chunks_return(&((struct virtio_queue *)q)->chunks, pkts, n);
}

SHUNT_INLINE unsigned virtio_bufs_add(
	struct virtio_queue *vq, const bool packed, const bool in_order, const bool phys)
{
	struct vring *v = &vq->rx.vring;
	uint32_t room = vring_room(v);
	uint32_t n =
		shunt_chunks_have(&vq->chunks, room < SHUNT_BURST_MAX ? room : SHUNT_BURST_MAX);
	const uint64_t *chunks = shunt_chunks_take(&vq->chunks, n);
	const uint64_t iova = vq->iova + PCI_HEAD;
	const uint64_t *const pages = vq->pages;
	const uint32_t len = vq->room + VIRTIO_NET_HDR;
	struct vring w = *v;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t addr =
			phys ? pci_phys_addr(pages, chunks[i]) + PCI_HEAD : iova + chunks[i];
		if (packed)
			packed_add(&w, chunks[i], addr, len, VRING_WRITE, in_order);
		else
			split_add(&w, chunks[i], addr, len, VRING_WRITE, in_order);
	}
	vring_save_added(v, &w);
	if (!n)
		return 0;
	if (!packed)
		split_publish(v);
	if (packed ? packed_kick_wanted(v) : split_kick_wanted(v))
		virtio_notify(&vq->rx);
	return n;
}

#define REFILL(name, packed, in_order)                                                             \
	static unsigned name(struct virtio_queue *vq)                                              \
	{                                                                                          \
		return virtio_bufs_add(vq, packed, in_order, false);                               \
	}                                                                                          \
	static unsigned name##_phys(struct virtio_queue *vq)                                       \
	{                                                                                          \
		return virtio_bufs_add(vq, packed, in_order, true);                                \
	}
REFILL(virtio_bufs_split, false, false)
REFILL(virtio_bufs_split_in_order, false, true)
REFILL(virtio_bufs_packed, true, false)
REFILL(virtio_bufs_packed_in_order, true, true)

void virtio_bufs_fill(struct virtio_queue *vq)
{
	while (vring_room(&vq->rx.vring) && vq->refill(vq))
		;
}

static void virtio_bufs_return_ring(struct vring *v, struct shunt_region *region)
{
	for (; v->chunk && v->seen != v->next; v->seen++)
		shunt_pool_put(region, &v->chunk[v->ids[v->seen & v->mask]], 1);
}

void virtio_bufs_return(struct virtio_queue *vq)
{
	virtio_bufs_return_ring(&vq->rx.vring, vq->chunks.region);
	virtio_bufs_return_ring(&vq->tx.vring, vq->chunks.region);
	if (vq->held.buffers)
		shunt_pool_put(vq->chunks.region, &vq->held.chunk, 1);
	vq->held.buffers = 0;
	shunt_chunks_drain(&vq->chunks);
}

void virtio_bufs_choose(struct virtio_queue *vq)
{
	static unsigned (*const refills[2][2][2])(struct virtio_queue *) = {
		{{virtio_bufs_split, virtio_bufs_split_in_order},
			{virtio_bufs_packed, virtio_bufs_packed_in_order}},
		{{virtio_bufs_split_phys, virtio_bufs_split_in_order_phys},
			{virtio_bufs_packed_phys, virtio_bufs_packed_in_order_phys}},
	};

	vq->refill = refills[vq->pages != NULL][vq->net->packed][vq->rx.vring.in_order];
}
