/* SPDX-License-Identifier: BSD-2-Clause
 * Transmit, the same for both chips: packets become descriptors, with one tail write per burst and
 * a write-back every INTEL_BATCH descriptors. One body with a constant bool, instantiated below.
 * 82574 7.2.4 (transmit ring); 82576 has the same.
 */
#include "drivers/core/burst.h"
#include "drivers/intel/intel.h"

#include <string.h>

#define STUCK (1u << 12) /* transmits without room before the link is checked */

/* Only the last descriptor of a batch asks for a write-back, and only it is read. A batch
 * begins at a multiple of its size, so that it never straddles the end of the ring. */
static void intel_tx_reap(struct intel_queue *iq)
{
	struct intel_ring *r = &iq->tx;

	while (intel_ring_used(r) >= INTEL_BATCH &&
		intel_ring_word(r, r->next + INTEL_BATCH - 1) & TXD_DD) {
		memcpy(shunt_chunks_give(&iq->chunks, INTEL_BATCH), r->slot + (r->next & r->mask),
			INTEL_BATCH * sizeof *r->slot);
		r->next += INTEL_BATCH;
	}
}

/* A packet that can't just be put into the ring: 1 when it was copied into a chunk of ours, 0 when
 * there is none, -1 when it is too short or too long and is given up. */
SHUNT_NOINLINE int intel_tx_copy(struct intel_queue *iq, struct shunt_pkt *p, uint64_t *offset)
{
	bool ours = p->region == iq->region;

	if (ours || p->len < INTEL_TX_MIN || p->len > INTEL_FRAME) {
		SHUNT_COUNT(&iq->q, tx_errors, 1);
		if (ours)
			intel_bufs_release(&iq->q, p, 1);
		else
			p->flags |= SHUNT_PKT_KEPT;
		return -1;
	}
	if (!shunt_chunks_get(&iq->chunks, offset))
		return 0;
	memcpy(iq->base + *offset, p->data, p->len);
	shunt_tx_copied(&iq->q, p);
	iq->q.out++; /* the burst takes it off again: the copy was never the application's */
	return 1;
}

/* Every INTEL_BATCH-th descriptor of the ring asks for its write-back: those from r->tail to end.
 */
SHUNT_INLINE void intel_tx_request_write_backs(struct intel_ring *r, uint32_t end)
{
	for (uint32_t last = r->tail | (INTEL_BATCH - 1); last - r->tail < end - r->tail;
		last += INTEL_BATCH)
		r->desc[last & r->mask].word |= TXD_RS;
}

/* Fills the ring; returns how many packets were taken. */
SHUNT_INLINE unsigned intel_tx_put(struct intel_queue *iq, struct shunt_pkt *pkts, unsigned n,
	uint64_t *bytes, const bool phys)
{
	struct intel_ring *r = &iq->tx;
	struct intel_desc *desc = r->desc;
	uint64_t *slot = r->slot;
	uint32_t mask = r->mask, at = r->tail, chunk = iq->chunk;
	uint64_t iova = iq->iova, tx_word = iq->tx_word, tx_len = iq->tx_len, sum = 0;
	uint8_t *base = iq->base;
	const uint32_t ours = shunt_in_region(iq->region);
	const uint64_t *pages = iq->pages;
	struct shunt_pkt *p = pkts, *end = pkts + n;

	for (; p != end; p++) {
		uint64_t offset = (uint64_t)((uint8_t *)p->data - base);
		uint32_t len = p->len, in = offset & (chunk - 1);

		if (SHUNT_UNLIKELY(shunt_pkt_where(p) != ours ||
				   len - INTEL_TX_MIN > INTEL_FRAME - INTEL_TX_MIN ||
				   in + len > chunk || (phys && offset >= iq->len))) {
			int rc = p->flags & SHUNT_PKT_MORE ? 0 : intel_tx_copy(iq, p, &offset);
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
	intel_tx_request_write_backs(r, at);
	iq->q.out -= at - r->tail;
	r->tail = at;
	*bytes = sum;
	return (unsigned)(p - pkts);
}

SHUNT_INLINE int intel_tx_body(
	struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, const bool phys)
{
	struct intel_queue *iq = (struct intel_queue *)q;
	struct intel_ring *r = &iq->tx;
	uint32_t before = r->tail;
	uint64_t bytes = 0;

	if (q->error)
		return q->error;
	intel_tx_reap(iq);
	uint32_t room = intel_ring_free(r);
	unsigned taken = intel_tx_put(iq, pkts, n < room ? n : room, &bytes, phys);
	if (r->tail != before)
		intel_ring_push(r);
	unsigned done = (unsigned)shunt_tx_done(q, pkts, taken, n, bytes);
	if (SHUNT_UNLIKELY(done < n)) {
		if (!done && ++iq->stuck == STUCK && intel_link_check(iq))
			return q->error;
	} else {
		iq->stuck = 0;
	}
	if (SHUNT_UNLIKELY(!(q->stats.tx_bursts % PCI_BLIND)) && done && q->rx == shunt_no_rx)
		intel_link_check(iq);
	return (int)done;
}

static int intel_tx_iommu(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return intel_tx_body(q, pkts, n, false);
}

static int intel_tx_phys(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return intel_tx_body(q, pkts, n, true);
}

/* Until the device has sent all, at most INTEL_QUIET_MS: what is left then is lost, and counted. */
void intel_tx_flush(struct intel *n)
{
	for (unsigned i = 0; i < n->nqueues; i++) {
		struct intel_queue *iq = &n->queue[i];
		uint32_t block = n->chip->tx_regs + i * n->chip->stride;
		uint32_t tail = iq->tx.tail & iq->tx.mask;
		if (intel_wait(n, block + Q_HEAD, 0xffff, tail, INTEL_QUIET_MS))
			SHUNT_COUNT(&iq->q, tx_errors,
				(tail - intel_read(n, block + Q_HEAD)) & iq->tx.mask);
	}
	intel_set(n, R_TCTL, TCTL_EN, 0);
}

void intel_tx_choose(struct intel_queue *iq)
{
	iq->q.tx = iq->pages ? intel_tx_phys : intel_tx_iommu;
}
