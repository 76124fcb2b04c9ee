/* SPDX-License-Identifier: BSD-2-Clause
 * Receive (virtio 1.2, 5.1.6.3, 5.1.6.4). One body with constant bools, instantiated below; no
 * system call while it spins. Errors are sticky and seen only by who finds the ring empty. What a
 * frame's length and number of buffers say is the device's word, and is bounded first.
 */
#include "drivers/core/probe.h"
#include "drivers/virtio/net.h"

#include <errno.h>
#include <string.h>

static __attribute__((noinline)) void give_up(struct net_queue *nq)
{
	nq->refill = UINT32_MAX;
	shunt_gone(&nq->q, -ENODEV, "%s broke the protocol of its receive queue %u: %s",
		nq->q.dev->spec.target, nq->rx.number, nq->rx.ring.broken);
}

VRING_INLINE void refill(
	struct net_queue *nq, const bool packed, const bool in_order, const bool phys)
{
	struct vring *v = &nq->rx.ring;
	uint32_t room = vring_room(v);
	uint32_t n = pci_stack_have(&nq->stack, room < SHUNT_BURST_MAX ? room : SHUNT_BURST_MAX);
	const uint64_t *chunks = nq->stack.chunk + (nq->stack.n -= n);
	const uint64_t iova = nq->iova + PCI_HEAD;
	const uint64_t *const pages = nq->pages;
	const uint32_t len = nq->room + NET_HDR;
	struct vring w = *v;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t addr =
			phys ? pci_phys_addr(pages, chunks[i]) + PCI_HEAD : iova + chunks[i];
		if (packed)
			packed_add(&w, chunks[i], addr, len, VRING_WRITE, in_order);
		else
			split_add(&w, chunks[i], addr, len, VRING_WRITE, in_order);
	}
	vring_save(v, &w);
	if (!n)
		return;
	if (!packed)
		split_publish(v);
	if (packed ? packed_kick_wanted(v) : split_kick_wanted(v))
		net_ring(&nq->rx);
}

/* Off the fast path: whichever layout it is. VRING_NONE when nothing waits, or it is rubbish. */
static uint64_t take_one(struct net_queue *nq, uint32_t *len)
{
	struct vring *v = &nq->rx.ring;
	const bool in_order = v->in_order;

	if (nq->net->packed)
		return vring_out(v) ? packed_used(v, len, in_order) : VRING_NONE;
	return split_waiting(v) ? split_used(v, len, in_order) : VRING_NONE;
}

static inline void to_stack(struct net_queue *nq, uint64_t chunk)
{
	pci_stack_room(&nq->stack, 1);
	nq->stack.chunk[nq->stack.n++] = chunk;
}

VRING_INLINE void fill(struct shunt_pkt *p, uint8_t *base, uint64_t tail, uint64_t chunk,
	uint32_t head, uint32_t len)
{
	*p = (struct shunt_pkt){
		.data = base + chunk + head, .len = len, .wire_len = len, .cookie = chunk};
	memcpy(&p->region, &tail, sizeof tail);
}

/* Another buffer of the held frame, without a header. False: the device lied about their number. */
static bool next_part(struct net_queue *nq, struct shunt_pkt *p, bool drop)
{
	uint32_t len = 0;
	uint64_t chunk = take_one(nq, &len);

	if (chunk == VRING_NONE) {
		if (!nq->rx.ring.broken)
			nq->rx.ring.broken = "a frame in more buffers than it has used";
		return false;
	}
	if (len > nq->room + NET_HDR)
		len = nq->room + NET_HDR;
	if (drop)
		to_stack(nq, chunk);
	else
		fill(p, nq->base, nq->tail, chunk, PCI_HEAD, len);
	nq->parts++;
	return true;
}

/* The held frame into a burst that has room for `room` more of the `most` that was asked for.
 * Returns the descriptors used: 0 when it was dropped, or waits for the next burst (it is held
 * still). */
static __attribute__((noinline)) unsigned merged(
	struct net_queue *nq, struct shunt_pkt *pkts, unsigned room, unsigned most)
{
	unsigned n = nq->held.buffers;
	bool drop = n > most;

	if (n > room && !drop)
		return 0;
	if (drop)
		to_stack(nq, nq->held.chunk);
	else
		fill(pkts, nq->base, nq->tail, nq->held.chunk, NET_DATA, nq->held.len);
	nq->held.buffers = 0;
	for (unsigned i = 1; i < n; i++) {
		if (!next_part(nq, pkts + i, drop)) {
			/* What came before is given back: half a frame is none. */
			for (unsigned j = 0; !drop && j < i; j++)
				to_stack(nq, pkts[j].cookie);
			nq->rubbish++;
			return 0;
		}
		if (!drop)
			pkts[i - 1].flags |= SHUNT_PKT_MORE;
	}
	nq->too_long += drop;
	return drop ? 0 : n;
}

static __attribute__((noinline)) void hold(
	struct net_queue *nq, uint64_t chunk, uint32_t len, uint16_t buffers)
{
	nq->held.chunk = chunk;
	nq->held.len = len;
	nq->held.buffers = buffers;
}

static __attribute__((noinline)) void drop_rubbish(struct net_queue *nq, uint64_t chunk)
{
	nq->rubbish++;
	to_stack(nq, chunk);
}

/* Takes used buffers until n descriptors are filled, or a frame of several waits in held. */
VRING_INLINE unsigned take(struct net_queue *nq, struct shunt_pkt *pkts, unsigned n,
	uint64_t *bytes, const bool packed, const bool in_order)
{
	uint32_t left = packed ? vring_out(&nq->rx.ring) : split_waiting(&nq->rx.ring);
	const uint64_t tail = nq->tail;
	const uint32_t room = nq->room;
	const bool mergeable = nq->mergeable;
	uint8_t *const base = nq->base;
	struct vring w = nq->rx.ring;
	struct shunt_pkt *p = pkts;
	uint64_t sum = 0;

	for (left = left < n ? left : n; left; left--) {
		uint32_t len = 0;
		uint64_t chunk =
			packed ? packed_used(&w, &len, in_order) : split_used(&w, &len, in_order);
		if (__builtin_expect(chunk == VRING_NONE, 0))
			break;
		if (in_order && len == UINT32_MAX)
			len = room + NET_HDR;
		uint16_t buffers = htole16(1);
		if (mergeable)
			buffers =
				*(const volatile uint16_t *)(base + chunk + PCI_HEAD + NET_BUFFERS);
		len -= NET_HDR;
		if (__builtin_expect(len - 1 >= room || !buffers, 0)) {
			drop_rubbish(nq, chunk);
			continue;
		}
		if (__builtin_expect(buffers != htole16(1), 0)) {
			hold(nq, chunk, len, le16toh(buffers));
			break;
		}
		fill(p++, base, tail, chunk, NET_DATA, len);
		sum += len;
	}
	vring_save(&nq->rx.ring, &w);
	*bytes += sum;
	return (unsigned)(p - pkts);
}

/* As take, with frames of several buffers in between. Counts frames, not descriptors. */
VRING_INLINE unsigned take_all(struct net_queue *nq, struct shunt_pkt *pkts, unsigned n,
	uint64_t *bytes, unsigned *frames, const bool packed, const bool in_order)
{
	unsigned got = 0;

	if (!nq->held.buffers)
		got = *frames = take(nq, pkts, n, bytes, packed, in_order);
	while (__builtin_expect(nq->held.buffers, 0)) {
		unsigned k = merged(nq, pkts + got, n - got, n);
		for (unsigned i = 0; i < k; i++)
			*bytes += pkts[got + i].len;
		*frames += k > 0;
		got += k;
		if (nq->held.buffers || nq->rx.ring.broken)
			break;
		k = take(nq, pkts + got, n - got, bytes, packed, in_order);
		*frames += k;
		got += k;
	}
	return got;
}

VRING_INLINE int rx_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n,
	const bool packed, const bool in_order, const bool phys)
{
	struct net_queue *nq = (struct net_queue *)q;
	struct vring *v = &nq->rx.ring;
	uint32_t before = v->seen;
	uint64_t bytes = 0;
	unsigned frames = 0;

	if (vring_room(v) >= nq->refill)
		refill(nq, packed, in_order, phys);
	unsigned got = take_all(nq, pkts, n, &bytes, &frames, packed, in_order);
	if (__builtin_expect(v->broken && !q->error, 0))
		give_up(nq);
	nq->taken += v->seen - before;
	if (!got) {
		SHUNT_COUNT(q, rx_empty, 1);
		SHUNT_PROBE_RX(q, 0);
		if (__builtin_expect(++nq->idle == NET_IDLE, 0))
			net_check_link(nq);
		return q->error;
	}
	nq->idle = 0;
	q->out += got;
	SHUNT_COUNT(q, rx_packets, frames);
	SHUNT_COUNT(q, rx_bytes, bytes);
	SHUNT_COUNT(q, rx_bursts, 1);
	SHUNT_PROBE_RX(q, got);
	return (int)got;
}

/* wait=poll and adaptive: an empty burst sleeps on the vector, and looks once more. */
VRING_INLINE int rx_wait_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n,
	const bool packed, const bool in_order, const bool phys)
{
	struct net_queue *nq = (struct net_queue *)q;
	int got = rx_body(q, pkts, n, packed, in_order, phys);

	if (__builtin_expect(got > 0, 1)) {
		nq->sleep.empty = 0;
		return got;
	}
	if (got < 0 || nq->stopped || !pci_sleep(&nq->sleep, q))
		return got;
	if (packed)
		packed_disarm(&nq->rx.ring);
	else
		split_disarm(&nq->rx.ring);
	got = rx_body(q, pkts, n, packed, in_order, phys);
	if (!got)
		net_check_link(nq);
	return got ? got : q->error;
}

#define RX(name, body, packed, in_order)                                                           \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return body(q, pkts, n, packed, in_order, false);                                  \
	}                                                                                          \
	static int name##_phys(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)          \
	{                                                                                          \
		return body(q, pkts, n, packed, in_order, true);                                   \
	}
RX(rx_split, rx_body, false, false)
RX(rx_split_in_order, rx_body, false, true)
RX(rx_packed, rx_body, true, false)
RX(rx_packed_in_order, rx_body, true, true)
RX(rx_split_wait, rx_wait_body, false, false)
RX(rx_split_in_order_wait, rx_wait_body, false, true)
RX(rx_packed_wait, rx_wait_body, true, false)
RX(rx_packed_in_order_wait, rx_wait_body, true, true)

/* Indexed by dma=phys, wait, packed, in_order. */
static int (*const bursts[2][2][2][2])(struct shunt_queue *, struct shunt_pkt *, unsigned) = {
	{
		{{rx_split, rx_split_in_order}, {rx_packed, rx_packed_in_order}},
		{{rx_split_wait, rx_split_in_order_wait},
			{rx_packed_wait, rx_packed_in_order_wait}},
	},
	{
		{{rx_split_phys, rx_split_in_order_phys},
			{rx_packed_phys, rx_packed_in_order_phys}},
		{{rx_split_wait_phys, rx_split_in_order_wait_phys},
			{rx_packed_wait_phys, rx_packed_in_order_wait_phys}},
	},
};

static void release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	struct net_queue *nq = (struct net_queue *)q;

	pci_stack_room(&nq->stack, n);
	uint64_t *to = nq->stack.chunk + nq->stack.n;
	for (unsigned i = 0; i < n; i++)
		to[i] = pkts[i].cookie;
	nq->stack.n += n;
	q->out -= n;
}

uint32_t net_rx_waiting(struct net_queue *nq)
{
	struct vring *v = &nq->rx.ring;
	uint32_t n = 0;

	if (v->broken)
		return 0;
	if (!nq->net->packed)
		return split_waiting(v);
	while (n < vring_out(v) && packed_is_used(v, n))
		n++;
	return n;
}

int net_arm(struct shunt_queue *q)
{
	struct net_queue *nq = (struct net_queue *)q;

	if (nq->stopped)
		return 1;   /* nothing will be raised any more */
	if (nq->net->v.isr) /* 4.1.4.5: reading it lets INTx go */
		mmio_read8(nq->net->v.isr);
	return nq->net->packed ? packed_arm(&nq->rx.ring) : split_arm(&nq->rx.ring);
}

void net_rx_fill(struct net_queue *nq)
{
	const bool in_order = nq->rx.ring.in_order, phys = nq->pages;
	uint32_t room;

	do {
		room = vring_room(&nq->rx.ring);
		if (nq->net->packed)
			refill(nq, true, in_order, phys);
		else
			refill(nq, false, in_order, phys);
	} while (vring_room(&nq->rx.ring) && vring_room(&nq->rx.ring) < room);
}

void net_rx_choose(struct net_queue *nq)
{
	const struct shunt_dev *dev = nq->q.dev;
	uint32_t size = vring_size(&nq->rx.ring);

	nq->q.release = release;
	nq->refill = UINT32_MAX;
	if (!pci_can(dev, SHUNT_RX))
		return;
	nq->refill = size / 4 < NET_REFILL ? (size / 4 ? size / 4 : 1) : NET_REFILL;
	nq->q.rx = bursts[nq->pages != NULL][pci_port(dev)->wait != PCI_SPIN][nq->net->packed]
			 [nq->rx.ring.in_order];
}
