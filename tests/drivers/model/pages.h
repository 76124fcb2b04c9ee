/* SPDX-License-Identifier: BSD-2-Clause
 * A region as dma=phys finds it: huge pages that lie in memory in another order than in the region,
 * with holes between them. The pool gives chunks of the first and the last page in turn.
 */
#ifndef TESTS_DRIVERS_MODEL_PAGES_H
#define TESTS_DRIVERS_MODEL_PAGES_H

#include "drivers/pci/pci.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct pages {
	uint64_t *addr; /* for struct pci_port */
	unsigned n;
	unsigned seen; /* one bit per page that was used */
};

static inline struct pages pages_of(struct shunt_region *r)
{
	struct pages p = {.n = (unsigned)((r->info.len + PCI_HUGE - 1) / PCI_HUGE)};

	p.addr = malloc(p.n * sizeof *p.addr);
	for (unsigned i = 0; i < p.n; i++)
		p.addr[i] = UINT64_C(0x1200000000) + (p.n - i) * 3 * PCI_HUGE;
	for (uint32_t i = 1; i < r->top / 2; i += 2) {
		uint64_t swap = r->stack[i];
		r->stack[i] = r->stack[r->top - 1 - i];
		r->stack[r->top - 1 - i] = swap;
	}
	return p;
}

/* The offset in the region of what the device was told. */
static inline uint64_t pages_find(struct pages *p, uint64_t addr)
{
	for (unsigned i = 0; i < p->n; i++)
		if (addr - p->addr[i] < PCI_HUGE) {
			p->seen |= 1u << i;
			return i * PCI_HUGE + (addr - p->addr[i]);
		}
	cr_assert_fail("%#llx is no memory of the region", (unsigned long long)addr);
	return 0;
}

#endif
