/* SPDX-License-Identifier: BSD-2-Clause
 * Transmit (virtio 1.2, 5.1.6.2). A frame is one descriptor: its 12-byte header is put right before
 * it, into the head-room that every chunk has. The doorbell costs most, so it is rung once a burst,
 * and not while the device says that it looks by itself.
 */
#include "core/clock.h"
#include "drivers/core/probe.h"
#include "drivers/virtio/net.h"

#include <errno.h>
#include <string.h>

#define REAP     32u /* sent buffers that may lie about before they are taken back */
#define FLUSH_NS (SHUNT_POLL_MS * UINT64_C(1000000))

static __attribute__((noinline)) void give_up(struct net_queue *nq)
{
	shunt_gone(&nq->q, -ENODEV, "%s broke the protocol of its transmit queue %u: %s",
		nq->q.dev->spec.target, nq->tx.number, nq->tx.ring.broken);
}

/* Sent chunks come back to the stack. */
VRING_INLINE void reap(struct net_queue *nq, const bool packed, const bool in_order)
{
	struct vring *v = &nq->tx.ring;
	uint32_t left = packed ? vring_out(v) : split_waiting(v);

	if (left > SHUNT_BURST_MAX)
		left = SHUNT_BURST_MAX;
	pci_stack_room(&nq->stack, left);
	uint64_t *const from = nq->stack.chunk + nq->stack.n, *to = from;
	struct vring w = *v;
	uint32_t len;
	while (left--) {
		uint64_t chunk =
			packed ? packed_used(&w, &len, in_order) : split_used(&w, &len, in_order);
		if (__builtin_expect(chunk == VRING_NONE, 0))
			break;
		*to++ = chunk;
	}
	nq->stack.n += (uint32_t)(to - from);
	vring_save(v, &w);
	if (__builtin_expect(v->broken != NULL, 0))
		give_up(nq);
}

/* A frame that can't go as it lies: from a region out of reach, or without room for the header. The
 * offset of its copy, or VRING_NONE with *drop where it can't be sent at all, and without where
 * there is no chunk now. */
static __attribute__((noinline)) uint64_t odd(struct net_queue *nq, struct shunt_pkt *p, bool *drop)
{
	bool ours = p->region == nq->region;
	uint64_t at = ours ? (uint64_t)((uint8_t *)p->data - nq->base) : 0;

	*drop = !p->len || p->len > nq->longest || (ours && at >= nq->len) ||
		(ours && (at & nq->mask) + p->len > nq->mask + 1);
	if (*drop)
		return VRING_NONE;
	if (ours) {
		at = (at & ~nq->mask) + NET_DATA;
	} else {
		if (!pci_stack_have(&nq->stack, 1))
			return VRING_NONE;
		at = nq->stack.chunk[--nq->stack.n] + NET_DATA;
	}
	memmove(nq->base + at, p->data, p->len);
	SHUNT_COUNT(&nq->q, user_copies, 1);
	SHUNT_COUNT(&nq->q, user_copied_bytes, p->len);
	return at;
}

static __attribute__((noinline)) void drop_frame(struct net_queue *nq, struct shunt_pkt *p)
{
	SHUNT_COUNT(&nq->q, tx_errors, 1);
	if (p->region == nq->region)
		nq->q.release(&nq->q, p, 1);
	else
		p->flags |= SHUNT_PKT_KEPT;
}

/* odd, its counters, and who owns what then. The offset of what goes into the ring; VRING_NONE when
 * there is none, and *stop when nothing more can be taken now. */
static __attribute__((noinline)) uint64_t put_odd(
	struct net_queue *nq, struct shunt_pkt *p, bool *stop)
{
	bool drop;
	uint64_t at = odd(nq, p, &drop);

	*stop = at == VRING_NONE && !drop;
	if (drop) {
		drop_frame(nq, p);
	} else if (p->region != nq->region && !*stop) {
		p->flags |= SHUNT_PKT_KEPT;
		nq->q.out++; /* the caller takes one off for each that goes */
	}
	return at;
}

/* The frames that lie as they should: ours, fitting, with room for the header before them. */
VRING_INLINE unsigned put(struct net_queue *nq, struct shunt_pkt *pkts, unsigned n, uint64_t *bytes,
	const bool packed, const bool in_order, const bool phys)
{
	uint8_t *const base = nq->base;
	const uint64_t *const pages = nq->pages;
	const uint64_t iova = nq->iova - NET_HDR, mask = nq->mask;
	const uint32_t longest = nq->longest;
	const uint16_t region = nq->region;
	struct vring w = nq->tx.ring;
	struct shunt_pkt *p = pkts, *const end = pkts + (n < vring_room(&w) ? n : vring_room(&w));
	uint64_t sum = 0;

	for (; p < end; p++) {
		uint64_t at = (uint64_t)((uint8_t *)p->data - base), in = at & mask;
		uint32_t len = p->len;
		/* Not above longest, so that the last one can't wrap: room for the header before
		 * it, and for all of it in the chunk. */
		if (__builtin_expect(p->region != region || len - 1 >= longest ||
					     in - NET_HDR > mask + 1 - NET_HDR - len ||
					     (phys && at >= nq->len),
			    0)) {
			bool stop;
			at = put_odd(nq, p, &stop);
			if (stop)
				break;
			if (at == VRING_NONE)
				continue;
		}
		memset(base + at - NET_HDR, 0, NET_HDR);
		sum += len;
		uint64_t addr = phys ? pci_phys_addr(pages, at) - NET_HDR : iova + at;
		if (packed)
			packed_add(&w, at & ~mask, addr, len + NET_HDR, 0, in_order);
		else
			split_add(&w, at & ~mask, addr, len + NET_HDR, 0, in_order);
	}
	nq->q.out -= w.next - nq->tx.ring.next;
	vring_save(&nq->tx.ring, &w);
	*bytes += sum;
	return (unsigned)(p - pkts);
}

VRING_INLINE int tx_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n,
	const bool packed, const bool in_order, const bool phys)
{
	struct net_queue *nq = (struct net_queue *)q;
	struct vring *v = &nq->tx.ring;
	uint32_t before = v->next;
	uint64_t bytes = 0;

	if (__builtin_expect(q->error, 0))
		return q->error;
	if (vring_out(v) >= REAP || vring_room(v) < n)
		reap(nq, packed, in_order);
	unsigned taken = put(nq, pkts, n, &bytes, packed, in_order, phys);
	if (v->next != before) {
		nq->idle = 0;
		if (!packed)
			split_publish(v);
		if (packed ? packed_kick_wanted(v) : split_kick_wanted(v))
			net_ring(&nq->tx);
	} else if (n && __builtin_expect(++nq->idle == NET_IDLE, 0)) {
		net_check_link(nq);
	}
	SHUNT_COUNT(q, tx_packets, taken);
	SHUNT_COUNT(q, tx_bytes, bytes);
	SHUNT_COUNT(q, tx_bursts, taken > 0);
	SHUNT_COUNT(q, tx_short, taken < n);
	SHUNT_PROBE_TX(q, taken);
	if (__builtin_expect(!(q->stats.tx_bursts % NET_BLIND), 0) && taken && q->rx == shunt_no_rx)
		net_check_link(nq);
	return taken ? (int)taken : q->error;
}

#define TX(name, packed, in_order)                                                                 \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return tx_body(q, pkts, n, packed, in_order, false);                               \
	}                                                                                          \
	static int name##_phys(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)          \
	{                                                                                          \
		return tx_body(q, pkts, n, packed, in_order, true);                                \
	}
TX(tx_split, false, false)
TX(tx_split_in_order, false, true)
TX(tx_packed, true, false)
TX(tx_packed_in_order, true, true)

/* Buffers to send from; what a refill needs stays when the queue receives, too. */
static unsigned alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct net_queue *nq = (struct net_queue *)q;
	uint32_t keep = q->rx == shunt_no_rx ? 0 : SHUNT_BURST_MAX;
	uint32_t have = pci_stack_have(&nq->stack, keep + n);

	n = have > keep ? have - keep : 0;
	const uint64_t *chunks = nq->stack.chunk + (nq->stack.n -= n);
	uint8_t *const base = nq->base + NET_DATA;
	const uint64_t tail = nq->tail;
	const uint32_t room = nq->room;
	for (unsigned i = 0; i < n; i++) {
		pkts[i] = (struct shunt_pkt){
			.data = base + chunks[i], .len = room, .cookie = chunks[i]};
		memcpy(&pkts[i].region, &tail, sizeof tail);
	}
	q->out += n;
	return n;
}

static void reap_any(struct net_queue *nq)
{
	const bool in_order = nq->tx.ring.in_order;

	if (nq->net->packed)
		reap(nq, true, in_order);
	else
		reap(nq, false, in_order);
}

/* Until the device has sent all, or took none for 100 ms: what is left then is lost, and counted.
 */
void net_tx_flush(struct net_queue *nq)
{
	struct vring *v = &nq->tx.ring;
	uint64_t end = shunt_now() + FLUSH_NS;

	while (vring_out(v) && !nq->q.error && !v->broken && shunt_now() < end) {
		uint32_t before = v->seen;
		reap_any(nq);
		if (v->seen != before)
			end = shunt_now() + FLUSH_NS;
	}
	SHUNT_COUNT(&nq->q, tx_errors, vring_out(v));
	nq->q.tx = shunt_no_tx;
}

void net_tx_choose(struct net_queue *nq)
{
	static int (*const bursts[2][2][2])(struct shunt_queue *, struct shunt_pkt *, unsigned) = {
		{{tx_split, tx_split_in_order}, {tx_packed, tx_packed_in_order}},
		{{tx_split_phys, tx_split_in_order_phys},
			{tx_packed_phys, tx_packed_in_order_phys}},
	};

	if (!pci_can(nq->q.dev, SHUNT_TX))
		return;
	nq->q.alloc = alloc;
	nq->q.tx = bursts[nq->pages != NULL][nq->net->packed][nq->tx.ring.in_order];
}
