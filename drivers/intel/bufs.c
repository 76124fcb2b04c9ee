/* SPDX-License-Identifier: BSD-2-Clause
 * Chunks, between the pool, the queue's cache, the application and the rings: alloc, release,
 * refill of the receive ring, and return of everything when the device has been reset. 82574 7.1.8
 * (receive ring); 82576 has the same.
 */
#include "drivers/intel/desc.h"

unsigned intel_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	n = shunt_chunks_lend(&((struct intel_queue *)q)->chunks, q, pkts, n, PCI_HEAD);
	q->out += n;
	return n;
}

void intel_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	q->out -= n;
	shunt_chunks_return(&((struct intel_queue *)q)->chunks, pkts, n);
}

static inline void intel_bufs_add(
	struct intel_ring *r, const uint64_t *chunk, uint32_t n, uint64_t to, const uint64_t *pages)
{
	for (uint32_t at = r->tail, end = at + n; at != end; at++) {
		uint32_t i = at & r->mask;
		r->slot[i] = *chunk;
		r->desc[i].addr = to + (pages ? pci_phys_addr(pages, *chunk) : *chunk);
		chunk++;
		r->desc[i].word = 0; /* clears DD of the last lap */
	}
	SHUNT_ADD(r->tail, n);
}

unsigned intel_bufs_refill(struct intel_queue *iq)
{
	struct intel_ring *r = &iq->rx;
	uint32_t want = intel_ring_free(r);

	if (__atomic_load_n(&iq->stopped, __ATOMIC_RELAXED))
		return 0;
	if (want > SHUNT_BURST_MAX)
		want = SHUNT_BURST_MAX;
	uint32_t n = shunt_chunks_have(&iq->chunks, want);
	if (!n)
		return 0;
	const uint64_t *chunk = shunt_chunks_take(&iq->chunks, n);
	if (iq->pages)
		intel_bufs_add(r, chunk, n, iq->head, iq->pages);
	else
		intel_bufs_add(r, chunk, n, iq->iova + iq->head, NULL);
	intel_ring_push(r);
	return n;
}

void intel_bufs_fill(struct intel_queue *iq)
{
	while (intel_ring_free(&iq->rx) && intel_bufs_refill(iq))
		;
}

static void intel_bufs_return_ring(struct intel_ring *r, struct shunt_region *region)
{
	while (r->slot && r->next != r->tail)
		shunt_pool_put(region, &r->slot[r->next++ & r->mask], 1);
}

void intel_bufs_return(struct intel_queue *iq)
{
	intel_bufs_return_ring(&iq->rx, iq->chunks.region);
	intel_bufs_return_ring(&iq->tx, iq->chunks.region);
	shunt_chunks_drain(&iq->chunks);
}
