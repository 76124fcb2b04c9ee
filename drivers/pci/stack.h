/* SPDX-License-Identifier: BSD-2-Clause
 * A queue's own stack of free chunks over the region's pool: the pool's lock is taken once in many
 * bursts. Offsets into the region. The queue's thread only.
 */
#ifndef DRIVERS_PCI_STACK_H
#define DRIVERS_PCI_STACK_H

#include "drivers/core/region.h"
#include <shunt/pkt.h>

#define PCI_STACK 1024u /* a multiple of SHUNT_BURST_MAX */

struct pci_stack {
	uint32_t n;
	struct shunt_region *region;
	uint64_t chunk[PCI_STACK];
};

/* Up to want chunks are on the stack afterwards; returns how many of them, at most want. */
static inline uint32_t pci_stack_have(struct pci_stack *s, uint32_t want)
{
	if (__builtin_expect(s->n < want, 0))
		s->n += shunt_pool_get(s->region, s->chunk + s->n,
			want - s->n > SHUNT_BURST_MAX ? want - s->n : SHUNT_BURST_MAX);
	return s->n < want ? s->n : want;
}

/* Room for n more (n <= SHUNT_BURST_MAX): the surplus goes to the pool. */
static inline void pci_stack_room(struct pci_stack *s, uint32_t n)
{
	if (__builtin_expect(s->n + n > PCI_STACK, 0)) {
		s->n -= PCI_STACK / 2;
		shunt_pool_put(s->region, s->chunk + s->n, PCI_STACK / 2);
	}
}

static inline void pci_stack_drain(struct pci_stack *s)
{
	if (s->n)
		shunt_pool_put(s->region, s->chunk, s->n);
	s->n = 0;
}

#endif
