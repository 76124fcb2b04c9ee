/* SPDX-License-Identifier: BSD-2-Clause
 * Receive (virtio 1.2, 5.1.6.3, 5.1.6.4). One body with constant bools, instantiated below; no
 * system call while it spins. Errors are sticky, and reported once the ring drains. A frame's
 * length and number of buffers come from the device, and are bounded first.
 */
#include "drivers/core/burst.h"
#include "drivers/virtio/virtio.h"

#include <errno.h>
#include <string.h>

SHUNT_NOINLINE void virtio_rx_broken(struct virtio_queue *vq)
{
	SHUNT_SET(vq->low, 0);
	shunt_gone(&vq->q, -ENODEV, "%s broke the protocol of its receive queue %u: %s",
		vq->q.dev->spec.target, vq->rx.number, vq->rx.vring.broken);
}

/* Off the fast path: whichever layout it is. False when nothing waits, or the entry is impossible.
 */
static bool virtio_rx_take_one(struct virtio_queue *vq, uint64_t *chunk, uint32_t *len)
{
	struct vring *v = &vq->rx.vring, w = *v;
	const bool in_order = v->in_order;
	bool got = vq->net->packed ? vring_out(&w) && packed_used(&w, chunk, len, in_order)
				   : split_waiting(&w) && split_used(&w, chunk, len, in_order);

	vring_save_seen(v, &w);
	return got;
}

SHUNT_INLINE void virtio_rx_fill(struct shunt_pkt *p, uint8_t *base, uint64_t tail, uint64_t chunk,
	uint32_t head, uint32_t len)
{
	*p = (struct shunt_pkt){
		.data = base + chunk + head, .len = len, .wire_len = len, .cookie = chunk};
	memcpy(&p->region, &tail, sizeof tail);
}

/* Another buffer of the held frame, without a header. False: there are fewer than the device said.
 */
static bool virtio_rx_next_part(struct virtio_queue *vq, struct shunt_pkt *p, bool drop)
{
	uint32_t len = 0;
	uint64_t chunk;

	if (!virtio_rx_take_one(vq, &chunk, &len)) {
		if (!vq->rx.vring.broken)
			SHUNT_SET(vq->rx.vring.broken, "a frame in more buffers than it has used");
		return false;
	}
	if (len > vq->room + VIRTIO_NET_HDR)
		len = vq->room + VIRTIO_NET_HDR;
	if (drop)
		shunt_chunks_put(&vq->chunks, chunk);
	else
		virtio_rx_fill(p, vq->base, vq->tail, chunk, PCI_HEAD, len);
	SHUNT_ADD(vq->parts, 1);
	return true;
}

/* The held frame into a burst that has room for `room` more of the `most` that was asked for.
 * Returns the descriptors used: 0 when it was dropped, or waits for the next burst (it is held
 * still). */
SHUNT_NOINLINE unsigned virtio_rx_merge(
	struct virtio_queue *vq, struct shunt_pkt *pkts, unsigned room, unsigned most)
{
	unsigned n = vq->held.buffers;
	bool drop = n > most;

	if (n > room && !drop)
		return 0;
	if (drop)
		shunt_chunks_put(&vq->chunks, vq->held.chunk);
	else
		virtio_rx_fill(
			pkts, vq->base, vq->tail, vq->held.chunk, VIRTIO_NET_DATA, vq->held.len);
	SHUNT_SET(vq->held.buffers, 0);
	for (unsigned i = 1; i < n; i++) {
		if (!virtio_rx_next_part(vq, pkts + i, drop)) {
			/* What came before is dropped, too: half a frame is none. */
			for (unsigned j = 0; !drop && j < i; j++)
				shunt_chunks_put(&vq->chunks, pkts[j].cookie);
			SHUNT_ADD(vq->bad_descriptor, 1);
			return 0;
		}
		if (!drop)
			pkts[i - 1].flags |= SHUNT_PKT_MORE;
	}
	SHUNT_ADD(vq->too_long, drop);
	return drop ? 0 : n;
}

SHUNT_NOINLINE void virtio_rx_hold(
	struct virtio_queue *vq, uint64_t chunk, uint32_t len, uint16_t buffers)
{
	vq->held.chunk = chunk;
	vq->held.len = len;
	SHUNT_SET(vq->held.buffers, buffers);
}

SHUNT_NOINLINE void virtio_rx_drop(struct virtio_queue *vq, uint64_t chunk)
{
	SHUNT_ADD(vq->bad_descriptor, 1);
	shunt_chunks_put(&vq->chunks, chunk);
}

/* Takes used buffers until n descriptors are filled, or a frame of several waits in held. */
SHUNT_INLINE unsigned virtio_rx_take(struct virtio_queue *vq, struct shunt_pkt *pkts, unsigned n,
	uint64_t *bytes, const bool packed, const bool in_order)
{
	uint32_t left = packed ? vring_out(&vq->rx.vring) : split_waiting(&vq->rx.vring);
	const uint64_t tail = vq->tail;
	const uint32_t room = vq->room;
	const bool mergeable = vq->mergeable;
	uint8_t *const base = vq->base;
	struct vring w = vq->rx.vring;
	struct shunt_pkt *p = pkts;
	uint64_t sum = 0;

	for (left = left < n ? left : n; left; left--) {
		uint32_t len = 0;
		uint64_t chunk;
		if (!(packed ? packed_used(&w, &chunk, &len, in_order)
			     : split_used(&w, &chunk, &len, in_order)))
			break;
		if (in_order && len == UINT32_MAX)
			len = room + VIRTIO_NET_HDR;
		uint16_t buffers = htole16(1);
		if (mergeable)
			buffers = *(const volatile uint16_t *)(base + chunk + PCI_HEAD +
							       VIRTIO_NET_BUFFERS);
		len -= VIRTIO_NET_HDR;
		if (SHUNT_UNLIKELY(len - 1 >= room || !buffers)) {
			virtio_rx_drop(vq, chunk);
			continue;
		}
		if (SHUNT_UNLIKELY(buffers != htole16(1))) {
			virtio_rx_hold(vq, chunk, len, le16toh(buffers));
			break;
		}
		virtio_rx_fill(p++, base, tail, chunk, VIRTIO_NET_DATA, len);
		sum += len;
	}
	vring_save_seen(&vq->rx.vring, &w);
	*bytes += sum;
	return (unsigned)(p - pkts);
}

/* As take, with frames of several buffers in between. Counts frames, not descriptors. */
SHUNT_INLINE unsigned virtio_rx_take_all(struct virtio_queue *vq, struct shunt_pkt *pkts,
	unsigned n, uint64_t *bytes, unsigned *frames, const bool packed, const bool in_order)
{
	unsigned got = 0;

	if (!vq->held.buffers)
		got = *frames = virtio_rx_take(vq, pkts, n, bytes, packed, in_order);
	while (SHUNT_UNLIKELY(vq->held.buffers)) {
		unsigned k = virtio_rx_merge(vq, pkts + got, n - got, n);
		for (unsigned i = 0; i < k; i++)
			*bytes += pkts[got + i].len;
		*frames += k > 0;
		got += k;
		if (vq->held.buffers || vq->rx.vring.broken)
			break;
		k = virtio_rx_take(vq, pkts + got, n - got, bytes, packed, in_order);
		*frames += k;
		got += k;
	}
	return got;
}

SHUNT_INLINE int virtio_rx_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n,
	const bool packed, const bool in_order)
{
	struct virtio_queue *vq = (struct virtio_queue *)q;
	struct vring *v = &vq->rx.vring;
	uint32_t before = v->seen;
	uint64_t bytes = 0;
	unsigned frames = 0;

	if (vring_out(v) < SHUNT_GET(vq->low))
		vq->refill(vq);
	unsigned got = virtio_rx_take_all(vq, pkts, n, &bytes, &frames, packed, in_order);
	if (SHUNT_UNLIKELY(v->broken && !q->error))
		virtio_rx_broken(vq);
	SHUNT_ADD(vq->taken, v->seen - before);
	if (!got) {
		if (SHUNT_UNLIKELY(++vq->idle == PCI_IDLE))
			virtio_link_check(vq);
		return shunt_rx_none(q, q->error);
	}
	vq->idle = 0;
	q->out += got - frames; /* one in several descriptors counts once */
	shunt_rx_done(q, frames, bytes);
	return (int)got;
}

SHUNT_INLINE void virtio_rx_disarm(struct virtio_queue *vq, const bool packed)
{
	if (packed)
		packed_disarm(&vq->rx.vring);
	else
		split_disarm(&vq->rx.vring);
}

/* wait=poll and adaptive: an empty burst sleeps on the vector, and looks once more. Where the
 * caller waits, it armed the ring, and the first burst after that disarms it. */
SHUNT_INLINE int virtio_rx_wait_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n,
	const bool packed, const bool in_order)
{
	struct virtio_queue *vq = (struct virtio_queue *)q;
	int got = virtio_rx_body(q, pkts, n, packed, in_order);

	if (SHUNT_LIKELY(got > 0)) {
		vq->sleep.empty = 0;
		if (q->waits)
			virtio_rx_disarm(vq, packed);
		return got;
	}
	if (got < 0 || SHUNT_GET(vq->stopped) || !pci_sleep(&vq->sleep, q))
		return got;
	virtio_rx_disarm(vq, packed);
	got = virtio_rx_body(q, pkts, n, packed, in_order);
	if (!got)
		virtio_link_check(vq);
	return got ? got : q->error;
}

#define RX(name, body, packed, in_order)                                                           \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return body(q, pkts, n, packed, in_order);                                         \
	}
RX(virtio_rx_split, virtio_rx_body, false, false)
RX(virtio_rx_split_in_order, virtio_rx_body, false, true)
RX(virtio_rx_packed, virtio_rx_body, true, false)
RX(virtio_rx_packed_in_order, virtio_rx_body, true, true)
RX(virtio_rx_split_wait, virtio_rx_wait_body, false, false)
RX(virtio_rx_split_in_order_wait, virtio_rx_wait_body, false, true)
RX(virtio_rx_packed_wait, virtio_rx_wait_body, true, false)
RX(virtio_rx_packed_in_order_wait, virtio_rx_wait_body, true, true)

/* Indexed by wait, packed, in_order. */
static int (*const bursts[2][2][2])(struct shunt_queue *, struct shunt_pkt *, unsigned) = {
	{{virtio_rx_split, virtio_rx_split_in_order},
		{virtio_rx_packed, virtio_rx_packed_in_order}},
	{{virtio_rx_split_wait, virtio_rx_split_in_order_wait},
		{virtio_rx_packed_wait, virtio_rx_packed_in_order_wait}},
};

uint32_t virtio_rx_waiting(const struct virtio_queue *vq)
{
	const struct vring *v = &vq->rx.vring;

	if (SHUNT_GET(v->broken))
		return 0;
	return vq->net->packed ? packed_look(v) : split_look(v);
}

int virtio_rx_arm(struct shunt_queue *q)
{
	struct virtio_queue *vq = (struct virtio_queue *)q;

	if (SHUNT_GET(vq->stopped))
		return 1;   /* nothing will be raised any more */
	if (vq->net->v.isr) /* 4.1.4.5: reading it lets INTx go */
		mmio_read8(vq->net->v.isr);
	return vq->net->packed ? packed_arm(&vq->rx.vring) : split_arm(&vq->rx.vring);
}

void virtio_rx_choose(struct virtio_queue *vq)
{
	uint32_t size = vring_size(&vq->rx.vring);

	vq->low = 1 + size - (size / 4 < VIRTIO_REFILL ? (size / 4 ? size / 4 : 1) : VIRTIO_REFILL);
	vq->q.rx = bursts[vq->q.dev->info.wait != SHUNT_WAIT_SPIN][vq->net->packed]
			 [vq->rx.vring.in_order];
}
