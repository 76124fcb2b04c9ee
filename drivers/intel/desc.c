/* SPDX-License-Identifier: BSD-2-Clause
 * Descriptor rings out of line: making them, filling, reaping, and giving everything back.
 * 82574 7.1.8 (receive ring), 7.2.4 (transmit ring); 82576 has the same.
 */
#include "drivers/intel/desc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int intel_ring_init(struct intel_ring *r, struct intel_desc *desc, uint32_t size, uint32_t start)
{
	r->slot = calloc(size, sizeof *r->slot);
	r->desc = desc;
	r->mask = size - 1;
	r->next = r->tail = start;
	return r->slot ? 0 : -ENOMEM;
}

void intel_ring_done(struct intel_ring *r)
{
	free(r->slot);
	r->slot = NULL;
	r->desc = NULL;
	r->next = r->tail = 0;
}

static inline void fill(
	struct intel_ring *r, const uint64_t *chunk, uint32_t n, uint64_t to, const uint64_t *pages)
{
	for (uint32_t at = r->tail, end = at + n; at != end; at++) {
		uint32_t i = at & r->mask;
		r->slot[i] = *chunk;
		r->desc[i].addr = to + (pages ? pci_phys_addr(pages, *chunk) : *chunk);
		chunk++;
		r->desc[i].word = 0; /* DD of the last round goes */
	}
	r->tail += n;
}

unsigned intel_refill(struct intel_queue *iq)
{
	struct intel_ring *r = &iq->rx;
	uint32_t want = intel_ring_free(r);

	if (__atomic_load_n(&iq->stopped, __ATOMIC_RELAXED))
		return 0;
	if (want > SHUNT_BURST_MAX)
		want = SHUNT_BURST_MAX;
	uint32_t n = pci_stack_have(&iq->stack, want);
	if (!n)
		return 0;
	const uint64_t *chunk = iq->stack.chunk + (iq->stack.n -= n);
	if (iq->pages)
		fill(r, chunk, n, iq->head, iq->pages);
	else
		fill(r, chunk, n, iq->iova + iq->head, NULL);
	intel_ring_push(r);
	return n;
}

/* Only the last descriptor of a batch asks for a write-back, and only it is looked at. A batch
 * begins at a multiple of its size, so that it never straddles the end of the ring. */
void intel_reap(struct intel_queue *iq)
{
	struct intel_ring *r = &iq->tx;
	struct pci_stack *s = &iq->stack;

	while (intel_ring_used(r) >= INTEL_BATCH &&
		intel_ring_word(r, r->next + INTEL_BATCH - 1) & TXD_DD) {
		pci_stack_room(s, INTEL_BATCH);
		memcpy(s->chunk + s->n, r->slot + (r->next & r->mask),
			INTEL_BATCH * sizeof *r->slot);
		s->n += INTEL_BATCH;
		r->next += INTEL_BATCH;
	}
}

uint32_t intel_waiting(const struct intel_queue *iq)
{
	const struct intel_ring *r = &iq->rx;
	uint32_t n = 0;

	if (!r->desc)
		return 0;
	while (n < intel_ring_used(r) && intel_ring_word(r, r->next + n) & RXD_DD)
		n++;
	return n;
}

static void return_ring(struct intel_ring *r, struct shunt_region *region)
{
	while (r->slot && r->next != r->tail)
		shunt_pool_put(region, &r->slot[r->next++ & r->mask], 1);
}

void intel_return_chunks(struct intel_queue *iq)
{
	return_ring(&iq->rx, iq->stack.region);
	return_ring(&iq->tx, iq->stack.region);
	if (iq->stack.region)
		pci_stack_drain(&iq->stack);
}
