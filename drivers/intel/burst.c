/* SPDX-License-Identifier: BSD-2-Clause
 * Bursts, the same for both chips. Receive: written-back descriptors become packets, and the ring
 * is filled up from the queue's stack, a batch at a time with one tail write. Transmit: packets
 * become descriptors, one tail write a burst, a write-back every INTEL_BATCH descriptors.
 * One receive body with constant bools, instantiated below. With traffic it makes no system call.
 * Errors are sticky, and seen only by who finds the ring empty: what came before can be received.
 */
#include "drivers/core/probe.h"
#include "drivers/intel/desc.h"
#include "drivers/intel/regs.h"

#include <errno.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define APART  static __attribute__((noinline))
#define IDLE   (1u << 20) /* empty receives before the link is looked at */
#define STUCK  (1u << 12) /* transmits without room before it is */
#define BLIND  (1u << 10) /* transmit bursts of a queue that never receives, before it is */

/* One register read, and whether the kernel wants the card back. All ones: nobody answers. */
APART int look_at_link(struct intel_queue *iq)
{
	const struct pci_port *port = pci_port(iq->q.dev);

	iq->idle = iq->stuck = 0;
	if (iq->q.error || __atomic_load_n(&iq->stopped, __ATOMIC_RELAXED))
		return iq->q.error;
	uint32_t status = mmio_read32(iq->status);
	if (status == UINT32_MAX)
		return shunt_gone(&iq->q, -ENODEV, "%s is gone: its registers read all ones",
			port->info.addr);
	if (!(status & STATUS_LU))
		return shunt_gone(&iq->q, -ENETDOWN,
			"the link of %s went down: open it again when it is up", port->info.addr);
	if (pci_requested(port->pci))
		return shunt_gone(&iq->q, -ENODEV, PCI_REQUESTED, port->info.addr);
	return 0;
}

/* No end of packet, an error, or a length that can't be: the chunk is used again at once. */
APART void throw_away(struct intel_queue *iq, uint64_t chunk)
{
	__atomic_store_n(&iq->rubbish, iq->rubbish + 1, __ATOMIC_RELAXED);
	pci_stack_room(&iq->stack, 1);
	iq->stack.chunk[iq->stack.n++] = chunk;
}

/* Locals, because a store to a packet might change the queue, for all that the compiler knows. */
INLINE unsigned take(struct intel_queue *iq, struct shunt_pkt *pkts, unsigned n, uint64_t *bytes,
	const bool hash)
{
	struct intel_ring *r = &iq->rx;
	const struct intel_desc *desc = r->desc;
	const uint64_t *slot = r->slot;
	uint32_t used = intel_ring_used(r), mask = r->mask;
	uint32_t at = r->next, end = at + (n < used ? n : used);
	uint8_t *data = iq->base + iq->head;
	uint32_t most = iq->buffer - INTEL_RX_MIN;
	uint16_t region = iq->region, index = iq->q.index;
	struct shunt_pkt *p = pkts;

	for (; at != end; at++) {
		uint32_t i = at & mask;
		uint64_t word = intel_desc_word(&desc[i]), chunk = slot[i];
		uint32_t len;

		if (!(word & RXD_DD))
			break;
		len = intel_desc_length(&desc[i]);
		if (__builtin_expect(
			    (word & (RXD_EOP | RXD_ERRORS)) != RXD_EOP || len - INTEL_RX_MIN > most,
			    0)) {
			throw_away(iq, chunk);
			continue;
		}
		*bytes += len;
		*p = (struct shunt_pkt){.data = data + chunk,
			.len = len,
			.wire_len = len,
			.cookie = chunk,
			.region = region,
			.queue = index};
		if (hash && RXD_RSS_TYPE(desc[i].addr)) {
			p->hash = RXD_HASH(desc[i].addr);
			p->flags = SHUNT_PKT_HASH;
		}
		p++;
	}
	r->next = at;
	return (unsigned)(p - pkts);
}

/* Nothing there: sleep, if that was asked for, and look at the link now and then. */
APART bool nothing(struct intel_queue *iq, bool sleeps)
{
	if (sleeps && !iq->q.error && !__atomic_load_n(&iq->stopped, __ATOMIC_RELAXED) &&
		pci_sleep(&iq->sleep, &iq->q)) {
		if (!intel_waiting(iq))
			look_at_link(iq);
		return true;
	}
	if (++iq->idle == IDLE)
		look_at_link(iq);
	return false;
}

INLINE int rx_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, const bool hash,
	const bool sleeps)
{
	struct intel_queue *iq = (struct intel_queue *)q;
	uint64_t bytes = 0;

	if (intel_ring_free(&iq->rx) >= iq->refill)
		intel_refill(iq);
	unsigned got = take(iq, pkts, n, &bytes, hash);
	if (__builtin_expect(!got, 0)) {
		if (nothing(iq, sleeps))
			got = take(iq, pkts, n, &bytes, hash);
		if (!got) {
			SHUNT_COUNT(q, rx_empty, 1);
			SHUNT_PROBE_RX(q, 0);
			return q->error;
		}
	}
	iq->idle = 0;
	if (sleeps)
		iq->sleep.empty = 0;
	q->out += got;
	SHUNT_COUNT(q, rx_packets, got);
	SHUNT_COUNT(q, rx_bytes, bytes);
	SHUNT_COUNT(q, rx_bursts, 1);
	SHUNT_PROBE_RX(q, got);
	return (int)got;
}

#define RX(name, hash, sleeps)                                                                     \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return rx_body(q, pkts, n, hash, sleeps);                                          \
	}
RX(rx_spin, false, false)
RX(rx_spin_hash, true, false)
RX(rx_sleep, false, true)
RX(rx_sleep_hash, true, true)

/* A packet that can't just be put into the ring: 1 when it was copied into a chunk of ours, 0 when
 * there is none, -1 when it is too short or too long and is given up. */
APART int odd(struct intel_queue *iq, struct shunt_pkt *p, uint64_t *offset)
{
	bool ours = p->region == iq->region;

	if (ours || p->len < INTEL_TX_MIN || p->len > INTEL_FRAME) {
		SHUNT_COUNT(&iq->q, tx_errors, 1);
		if (ours)
			iq->q.release(&iq->q, p, 1);
		else
			p->flags |= SHUNT_PKT_KEPT;
		return -1;
	}
	if (!pci_stack_have(&iq->stack, 1))
		return 0;
	*offset = iq->stack.chunk[--iq->stack.n];
	memcpy(iq->base + *offset, p->data, p->len);
	p->flags |= SHUNT_PKT_KEPT;
	SHUNT_COUNT(&iq->q, user_copies, 1);
	SHUNT_COUNT(&iq->q, user_copied_bytes, p->len);
	iq->q.out++; /* the burst takes it off again: the copy was never the application's */
	return 1;
}

/* Every INTEL_BATCH-th descriptor of the ring asks for its write-back: those from r->tail to end.
 */
INLINE void ask_for_write_backs(struct intel_ring *r, uint32_t end)
{
	for (uint32_t last = r->tail | (INTEL_BATCH - 1); last - r->tail < end - r->tail;
		last += INTEL_BATCH)
		r->desc[last & r->mask].word |= TXD_RS;
}

/* Fills the ring; returns how many packets were taken. */
INLINE unsigned put(struct intel_queue *iq, struct shunt_pkt *pkts, unsigned n, uint64_t *bytes,
	const bool phys)
{
	struct intel_ring *r = &iq->tx;
	struct intel_desc *desc = r->desc;
	uint64_t *slot = r->slot;
	uint32_t mask = r->mask, at = r->tail, chunk = iq->chunk;
	uint64_t iova = iq->iova, tx_word = iq->tx_word, tx_len = iq->tx_len, sum = 0;
	uint8_t *base = iq->base;
	uint16_t region = iq->region;
	const uint64_t *pages = iq->pages;
	struct shunt_pkt *p = pkts, *end = pkts + n;

	for (; p != end; p++) {
		uint64_t offset = (uint64_t)((uint8_t *)p->data - base);
		uint32_t len = p->len, in = offset & (chunk - 1);

		if (__builtin_expect(p->region != region ||
					     len - INTEL_TX_MIN > INTEL_FRAME - INTEL_TX_MIN ||
					     in + len > chunk || (phys && offset >= iq->len),
			    0)) {
			int rc = odd(iq, p, &offset);
			if (!rc)
				break;
			sum += len;
			if (rc < 0)
				continue;
			in = 0;
		} else {
			sum += len;
		}
		uint32_t i = at++ & mask;
		slot[i] = offset - in;
		desc[i].addr = phys ? pci_phys_addr(pages, offset) : iova + offset;
		desc[i].word = tx_word + len * tx_len;
	}
	ask_for_write_backs(r, at);
	iq->q.out -= at - r->tail;
	r->tail = at;
	*bytes = sum;
	return (unsigned)(p - pkts);
}

INLINE int tx_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, const bool phys)
{
	struct intel_queue *iq = (struct intel_queue *)q;
	struct intel_ring *r = &iq->tx;
	uint32_t before = r->tail;
	uint64_t bytes = 0;

	if (q->error)
		return q->error;
	intel_reap(iq);
	uint32_t room = intel_ring_free(r);
	unsigned taken = put(iq, pkts, n < room ? n : room, &bytes, phys);
	if (r->tail != before)
		intel_ring_push(r);
	if (__builtin_expect(taken < n, 0)) {
		SHUNT_COUNT(q, tx_short, 1);
		if (!taken && ++iq->stuck == STUCK && look_at_link(iq))
			return q->error;
	} else {
		iq->stuck = 0;
	}
	SHUNT_COUNT(q, tx_packets, taken);
	SHUNT_COUNT(q, tx_bytes, bytes);
	SHUNT_COUNT(q, tx_bursts, taken > 0);
	SHUNT_PROBE_TX(q, taken);
	if (__builtin_expect(!(q->stats.tx_bursts % BLIND), 0) && taken && q->rx == shunt_no_rx)
		look_at_link(iq);
	return (int)taken;
}

static int tx_burst(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return tx_body(q, pkts, n, false);
}

static int tx_phys(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return tx_body(q, pkts, n, true);
}

static void release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	struct intel_queue *iq = (struct intel_queue *)q;
	struct pci_stack *s = &iq->stack;
	uint64_t mask = ~(uint64_t)(iq->chunk - 1);

	q->out -= n;
	while (n) {
		unsigned some = n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX;
		pci_stack_room(s, some);
		uint64_t *chunk = s->chunk + s->n;
		s->n += some;
		for (n -= some; some; some--)
			*chunk++ = pkts++->cookie & mask;
	}
}

static unsigned alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct intel_queue *iq = (struct intel_queue *)q;

	n = pci_stack_have(&iq->stack, n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX);
	for (unsigned i = 0; i < n; i++) {
		uint64_t chunk = iq->stack.chunk[--iq->stack.n];
		pkts[i] = (struct shunt_pkt){.data = iq->base + chunk + PCI_HEAD,
			.len = iq->chunk - PCI_HEAD,
			.cookie = chunk,
			.region = iq->region,
			.queue = q->index};
	}
	q->out += n;
	return n;
}

void intel_burst_choose(struct intel_queue *iq, enum shunt_dir dir, bool hash, bool sleeps)
{
	iq->q.release = release;
	if (dir & SHUNT_RX)
		iq->q.rx = sleeps ? (hash ? rx_sleep_hash : rx_sleep)
				  : (hash ? rx_spin_hash : rx_spin);
	if (dir & SHUNT_TX) {
		iq->q.tx = iq->pages ? tx_phys : tx_burst;
		iq->q.alloc = alloc;
	}
}
