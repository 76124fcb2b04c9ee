/* SPDX-License-Identifier: BSD-2-Clause
 * Receive, the same for both chips: descriptors that were written back become packets, and the ring
 * is refilled a batch at a time with one tail write (bufs.c). One body with constant bools,
 * instantiated below. With traffic it makes no system call. Errors are sticky, and reported once
 * the ring drains: what came before can still be received.
 */
#include "drivers/core/burst.h"
#include "drivers/intel/intel.h"

/* No end of packet, an error, or an impossible length: the chunk is used again at once. What
 * follows a descriptor without an end belongs to the same frame, up to and with the one that has
 * it: its last bytes are no frame. Returns where the next one begins. */
SHUNT_NOINLINE uint32_t intel_rx_drop(struct intel_queue *iq, uint32_t at, uint32_t end)
{
	const struct intel_ring *r = &iq->rx;

	for (; at != end; at++) {
		uint64_t word = intel_ring_word(r, at);
		if (!(word & RXD_DD))
			break;
		if (!iq->in_frame)
			SHUNT_ADD(iq->bad_descriptor, 1);
		shunt_chunks_put(&iq->chunks, r->slot[at & r->mask]);
		iq->in_frame = !(word & RXD_EOP);
		if (!iq->in_frame)
			return at + 1;
	}
	return at;
}

/* Locals, because a store to a packet might change the queue, for all that the compiler knows. */
SHUNT_INLINE unsigned intel_rx_take(struct intel_queue *iq, struct shunt_pkt *pkts, unsigned n,
	uint64_t *bytes, const bool hash)
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

	if (SHUNT_UNLIKELY(iq->in_frame))
		at = intel_rx_drop(iq, at, end);
	while (at != end) {
		uint32_t i = at & mask;
		uint64_t word = intel_desc_word(&desc[i]), chunk = slot[i];
		uint32_t len;

		if (!(word & RXD_DD))
			break;
		len = intel_desc_length(&desc[i]);
		if (SHUNT_UNLIKELY((word & (RXD_EOP | RXD_ERRORS)) != RXD_EOP ||
				   len - INTEL_RX_MIN > most)) {
			at = intel_rx_drop(iq, at, end);
			if (iq->in_frame)
				break;
			continue;
		}
		at++;
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
	SHUNT_SET(r->next, at);
	return (unsigned)(p - pkts);
}

/* Nothing there: sleep, if that was asked for, and read the link now and then. */
SHUNT_NOINLINE bool intel_rx_empty(struct intel_queue *iq, bool sleeps)
{
	if (sleeps && !iq->q.error && !__atomic_load_n(&iq->stopped, __ATOMIC_RELAXED) &&
		pci_sleep(&iq->sleep, &iq->q)) {
		if (!intel_rx_waiting(iq))
			intel_link_check(iq);
		return true;
	}
	if (++iq->idle == PCI_IDLE)
		intel_link_check(iq);
	return false;
}

SHUNT_INLINE int intel_rx_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n,
	const bool hash, const bool sleeps)
{
	struct intel_queue *iq = (struct intel_queue *)q;
	uint64_t bytes = 0;

	if (intel_ring_free(&iq->rx) >= iq->refill)
		intel_bufs_refill(iq);
	unsigned got = intel_rx_take(iq, pkts, n, &bytes, hash);
	if (SHUNT_UNLIKELY(!got)) {
		if (intel_rx_empty(iq, sleeps))
			got = intel_rx_take(iq, pkts, n, &bytes, hash);
		if (!got)
			return shunt_rx_none(q, q->error);
	}
	iq->idle = 0;
	if (sleeps)
		iq->sleep.empty = 0;
	return shunt_rx_done(q, got, bytes);
}

#define RX(name, hash, sleeps)                                                                     \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return intel_rx_body(q, pkts, n, hash, sleeps);                                    \
	}
RX(intel_rx_spin, false, false)
RX(intel_rx_spin_hash, true, false)
RX(intel_rx_sleep, false, true)
RX(intel_rx_sleep_hash, true, true)

uint32_t intel_rx_waiting(const struct intel_queue *iq)
{
	const struct intel_ring *r = &iq->rx;
	uint32_t n = 0;

	if (!r->desc)
		return 0;
	/* Tail after next: the ring's thread may be moving both. */
	uint32_t next = __atomic_load_n(&r->next, __ATOMIC_ACQUIRE);
	uint32_t used = SHUNT_GET(r->tail) - next;
	while (n < used && n <= r->mask && intel_ring_word(r, next + n) & RXD_DD)
		n++;
	return n;
}

/* ICR (82574 10.2.4.1): a cause is cleared by writing it, and the line is released with the last.
 */
static void arm_intx(struct intel *n)
{
	intel_write(n, R_ICR, ~0u);
	intel_write(n, R_IMS, CAUSE_RX);
}

int intel_rx_arm(struct shunt_queue *q)
{
	const struct intel_queue *iq = (const struct intel_queue *)q;
	struct intel *n = pci_port(q->dev)->priv;

	if (n->intx)
		arm_intx(n);
	else
		n->chip->arm(n, iq->id);
	return intel_rx_waiting(iq) > 0;
}

void intel_rx_choose(struct intel_queue *iq, bool hash, bool sleeps)
{
	iq->q.rx = sleeps ? (hash ? intel_rx_sleep_hash : intel_rx_sleep)
			  : (hash ? intel_rx_spin_hash : intel_rx_spin);
}
