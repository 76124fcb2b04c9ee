/* SPDX-License-Identifier: BSD-2-Clause
 * Transmit (virtio 1.2, 5.1.6.2). A frame is one descriptor: its 12-byte header is put right before
 * it, into the head-room that every chunk has. The doorbell costs most, so it is rung once per
 * burst, and not while the device says that it polls by itself.
 */
#include "core/clock.h"
#include "drivers/core/burst.h"
#include "drivers/virtio/virtio.h"

#include <errno.h>
#include <string.h>

#define REAP     32u /* sent buffers that may wait before they are taken back */
#define FLUSH_NS (SHUNT_POLL_MS * UINT64_C(1000000))

SHUNT_NOINLINE void virtio_tx_broken(struct virtio_queue *vq)
{
	shunt_gone(&vq->q, -ENODEV, "%s broke the protocol of its transmit queue %u: %s",
		vq->q.dev->spec.target, vq->tx.number, vq->tx.vring.broken);
}

/* Sent chunks return to the cache. */
SHUNT_INLINE void virtio_tx_reap(struct virtio_queue *vq, const bool packed, const bool in_order)
{
	struct vring *v = &vq->tx.vring;
	uint32_t left = packed ? vring_out(v) : split_waiting(v);

	if (left > SHUNT_BURST_MAX)
		left = SHUNT_BURST_MAX;
	shunt_chunks_room(&vq->chunks);
	uint64_t *const from = vq->chunks.chunk + vq->chunks.n, *to = from;
	struct vring w = *v;
	uint32_t len;
	while (left--) {
		if (!(packed ? packed_used(&w, to, &len, in_order)
			     : split_used(&w, to, &len, in_order)))
			break;
		to++;
	}
	vq->chunks.n += (uint32_t)(to - from);
	vring_save_seen(v, &w);
	if (SHUNT_UNLIKELY(v->broken != NULL))
		virtio_tx_broken(vq);
}

/* A frame that can't go as it lies: from a region out of reach, or without room for the header. The
 * offset of its copy, or VRING_NONE with *drop where it can't be sent at all, and without where
 * there is no chunk now. */
SHUNT_NOINLINE uint64_t virtio_tx_copy(struct virtio_queue *vq, struct shunt_pkt *p, bool *drop)
{
	bool ours = p->region == vq->region;
	uint64_t at = ours ? (uint64_t)((uint8_t *)p->data - vq->base) : 0;

	*drop = !p->len || p->len > vq->longest || (ours && at >= vq->len) ||
		(ours && (at & vq->mask) + p->len > vq->mask + 1);
	if (*drop)
		return VRING_NONE;
	if (ours) {
		at = (at & ~vq->mask) + VIRTIO_NET_DATA;
	} else {
		if (!shunt_chunks_get(&vq->chunks, &at))
			return VRING_NONE;
		at += VIRTIO_NET_DATA;
	}
	memmove(vq->base + at, p->data, p->len);
	SHUNT_COUNT(&vq->q, user_copies, 1);
	SHUNT_COUNT(&vq->q, user_copied_bytes, p->len);
	return at;
}

SHUNT_NOINLINE void virtio_tx_drop(struct virtio_queue *vq, struct shunt_pkt *p)
{
	SHUNT_COUNT(&vq->q, tx_errors, 1);
	if (p->region == vq->region)
		virtio_bufs_release(&vq->q, p, 1);
	else
		p->flags |= SHUNT_PKT_KEPT;
}

/* The copy, its counters, and who owns what then. The offset of what goes into the ring; VRING_NONE
 * when there is none, and *stop when nothing more can be taken now. */
SHUNT_NOINLINE uint64_t virtio_tx_put_copy(struct virtio_queue *vq, struct shunt_pkt *p, bool *stop)
{
	bool drop;
	uint64_t at = virtio_tx_copy(vq, p, &drop);

	*stop = at == VRING_NONE && !drop;
	if (drop) {
		virtio_tx_drop(vq, p);
	} else if (p->region != vq->region && !*stop) {
		p->flags |= SHUNT_PKT_KEPT;
		vq->q.out++; /* the caller takes one off for each that goes */
	}
	return at;
}

/* The frames that lie as they should: ours, fitting, with room for the header before them. */
SHUNT_INLINE unsigned virtio_tx_put(struct virtio_queue *vq, struct shunt_pkt *pkts, unsigned n,
	uint64_t *bytes, const bool packed, const bool in_order, const bool phys)
{
	uint8_t *const base = vq->base;
	const uint64_t *const pages = vq->pages;
	const uint64_t iova = vq->iova - VIRTIO_NET_HDR, mask = vq->mask;
	const uint32_t longest = vq->longest;
	const uint32_t ours = shunt_in_region(vq->region);
	struct vring w = vq->tx.vring;
	struct shunt_pkt *p = pkts, *const end = pkts + (n < vring_room(&w) ? n : vring_room(&w));
	uint64_t sum = 0;

	for (; p < end; p++) {
		uint64_t at = (uint64_t)((uint8_t *)p->data - base), in = at & mask;
		uint32_t len = p->len;
		/* Not above longest, so that the last one can't wrap: room for the header before
		 * it, and for all of it in the chunk. */
		if (SHUNT_UNLIKELY(shunt_pkt_where(p) != ours || len - 1 >= longest ||
				   in - VIRTIO_NET_HDR > mask + 1 - VIRTIO_NET_HDR - len ||
				   (phys && at >= vq->len))) {
			bool stop;
			if (p->flags & SHUNT_PKT_MORE)
				break;
			at = virtio_tx_put_copy(vq, p, &stop);
			if (stop)
				break;
			if (at == VRING_NONE)
				continue;
		}
		memset(base + at - VIRTIO_NET_HDR, 0, VIRTIO_NET_HDR);
		sum += len;
		uint64_t addr = phys ? pci_phys_addr(pages, at) - VIRTIO_NET_HDR : iova + at;
		if (packed)
			packed_add(&w, at & ~mask, addr, len + VIRTIO_NET_HDR, 0, in_order);
		else
			split_add(&w, at & ~mask, addr, len + VIRTIO_NET_HDR, 0, in_order);
	}
	vq->q.out -= w.next - vq->tx.vring.next;
	vring_save_added(&vq->tx.vring, &w);
	*bytes += sum;
	return (unsigned)(p - pkts);
}

SHUNT_INLINE int virtio_tx_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n,
	const bool packed, const bool in_order, const bool phys)
{
	struct virtio_queue *vq = (struct virtio_queue *)q;
	struct vring *v = &vq->tx.vring;
	uint32_t before = v->next;
	uint64_t bytes = 0;

	if (SHUNT_UNLIKELY(q->error))
		return q->error;
	if (vring_out(v) >= REAP || vring_room(v) < n)
		virtio_tx_reap(vq, packed, in_order);
	unsigned taken = virtio_tx_put(vq, pkts, n, &bytes, packed, in_order, phys);
	if (v->next != before) {
		vq->idle = 0;
		if (!packed)
			split_publish(v);
		if (packed ? packed_kick_wanted(v) : split_kick_wanted(v))
			virtio_notify(&vq->tx);
	} else if (n && SHUNT_UNLIKELY(++vq->idle == PCI_IDLE)) {
		virtio_link_check(vq);
	}
	taken = (unsigned)shunt_tx_done(q, pkts, taken, n, bytes);
	if (SHUNT_UNLIKELY(!(q->stats.tx_bursts % PCI_BLIND)) && taken && q->rx == shunt_no_rx)
		virtio_link_check(vq);
	return taken ? (int)taken : q->error;
}

#define TX(name, packed, in_order)                                                                 \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return virtio_tx_body(q, pkts, n, packed, in_order, false);                        \
	}                                                                                          \
	static int name##_phys(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)          \
	{                                                                                          \
		return virtio_tx_body(q, pkts, n, packed, in_order, true);                         \
	}
TX(virtio_tx_split, false, false)
TX(virtio_tx_split_in_order, false, true)
TX(virtio_tx_packed, true, false)
TX(virtio_tx_packed_in_order, true, true)

static uint32_t virtio_tx_unsent(const struct virtio_queue *vq)
{
	const struct vring *v = &vq->tx.vring;

	return vring_out(v) - (vq->net->packed ? packed_look(v) : split_look(v));
}

/* Until the device has sent all, or took none for 100 ms: what is left then is lost, and counted.
 * Control thread, beside receive: the chunks stay in the ring until close, since the cache is the
 * queue's thread's. */
void virtio_tx_flush(struct virtio_queue *vq)
{
	uint64_t end = shunt_now() + FLUSH_NS;
	uint32_t left;

	shunt_queue_end_tx(&vq->q);
	left = virtio_tx_unsent(vq);
	while (left && !SHUNT_GET(vq->q.error) && !vq->tx.vring.broken && shunt_now() < end) {
		uint32_t now = virtio_tx_unsent(vq);
		if (now != left)
			end = shunt_now() + FLUSH_NS;
		left = now;
	}
	SHUNT_COUNT(&vq->q, tx_errors, left);
}

void virtio_tx_choose(struct virtio_queue *vq)
{
	static int (*const bursts[2][2][2])(struct shunt_queue *, struct shunt_pkt *, unsigned) = {
		{{virtio_tx_split, virtio_tx_split_in_order},
			{virtio_tx_packed, virtio_tx_packed_in_order}},
		{{virtio_tx_split_phys, virtio_tx_split_in_order_phys},
			{virtio_tx_packed_phys, virtio_tx_packed_in_order_phys}},
	};

	vq->q.tx = bursts[vq->pages != NULL][vq->net->packed][vq->tx.vring.in_order];
}
