/* SPDX-License-Identifier: BSD-2-Clause
 * A virtio-net device of one queue over a region: the driver's structures, and the device's side of
 * its rings (virtio.h), in plain memory.
 */
#ifndef TESTS_DRIVERS_MODEL_VIRTIO_DEV_H
#define TESTS_DRIVERS_MODEL_VIRTIO_DEV_H

#include "drivers/virtio/virtio.h"
#include "tests/drivers/model/virtio.h"

#include <stdlib.h>

#define VMODEL_SIZE 512u
#define VMODEL_IOVA UINT64_C(0x40000000)

struct vmodel {
	struct shunt_dev dev;
	struct pci_port port;
	struct virtio_net net;
	struct vdev rx, tx;
	uint16_t bell;
};

static inline int vmodel_ring(struct vmodel *b, struct virtio_ring *ring)
{
	ring->mem.len =
		b->net.packed ? packed_layout(VMODEL_SIZE).bytes : split_layout(VMODEL_SIZE).bytes;
	ring->mem.base = aligned_alloc(64, ring->mem.len);
	ring->doorbell = (volatile uint8_t *)&b->bell;
	return ring->mem.base ? virtio_ring_init(ring, &b->net, VMODEL_SIZE) : -1;
}

static inline int vmodel_make(struct vmodel *b, struct shunt_region *region, bool packed)
{
	struct virtio_queue *vq = aligned_alloc(64, sizeof *vq);

	if (!vq)
		return -1;
	b->dev.region = region;
	memset(vq, 0, sizeof *vq);
	b->dev.dir = SHUNT_RXTX;
	b->dev.nqueues = 1;
	b->dev.spec.target = "model";
	b->dev.info.max_frame = 1522;
	b->dev.priv = &b->port;
	b->port.iova = VMODEL_IOVA;
	b->net.packed = packed;
	b->net.v.features = VIRTIO_NET_F_MRG_RXBUF;
	b->net.queue = vq;
	if (vmodel_ring(b, &vq->rx) || vmodel_ring(b, &vq->tx) ||
		virtio_queue_init(vq, &b->dev, &b->net, 0))
		return -1;
	virtio_queue_choose(vq);
	virtio_bufs_fill(vq);
	b->rx = vdev_of(&vq->rx.vring, packed);
	b->tx = vdev_of(&vq->tx.vring, packed);
	return 0;
}

/* Every chunk goes back to the region. */
static inline void vmodel_free(struct vmodel *b)
{
	struct virtio_queue *vq = b->net.queue;

	virtio_bufs_return(vq);
	free(vq->rx.mem.base);
	free(vq->tx.mem.base);
	vring_free(&vq->rx.vring);
	vring_free(&vq->tx.vring);
	free(vq);
}

static inline uint8_t *vmodel_at(const struct vmodel *b, uint64_t addr)
{
	return (uint8_t *)b->dev.region->info.base + (addr - VMODEL_IOVA);
}

/* n frames of 60 bytes arrive, as far as there are buffers. */
static inline void vmodel_deliver(struct vmodel *b, unsigned n)
{
	struct vbuf v;

	for (unsigned i = 0; i < n && vdev_take(&b->rx, &v); i++) {
		uint8_t *to = vmodel_at(b, v.addr);
		memset(to, 0, VIRTIO_NET_HDR);
		to[VIRTIO_NET_BUFFERS] = 1;
		vdev_use(&b->rx, v.id, 60 + VIRTIO_NET_HDR);
	}
}

/* All that is in the transmit ring is sent. */
static inline void vmodel_send(struct vmodel *b)
{
	struct vbuf v;

	while (vdev_take(&b->tx, &v))
		vdev_use(&b->tx, v.id, 0);
}

#endif
