/* SPDX-License-Identifier: BSD-2-Clause
 * Packed virtqueues: where the parts lie in memory.
 */
#include "drivers/virtio/packed.h"

#include <string.h>

#define LINE 64u

struct vring_layout packed_layout(uint16_t size)
{
	size_t ring = ((size_t)size * sizeof(struct packed_desc) + LINE - 1) / LINE * LINE;

	return (struct vring_layout){
		.desc = 0, .driver = ring, .device = ring + LINE, .bytes = ring + 2 * LINE};
}

void packed_place(struct vring *v, void *base)
{
	struct vring_layout l = packed_layout((uint16_t)vring_size(v));

	memset(base, 0, l.bytes);
	v->packed = (void *)((uint8_t *)base + l.desc);
	v->driver = (void *)((uint8_t *)base + l.driver);
	v->device = (void *)((uint8_t *)base + l.device);
	v->avail_bits = PACKED_BITS(PACKED_AVAIL); /* both wrap counters begin at 1 (2.8.1) */
	v->used_bits = PACKED_BITS(PACKED_BOTH);
	packed_disarm(v);
}

/* The first descriptor's flags come last (2.8.6, 2.8.21.1): the device stops at it until then. Both
 * slots may lie on different laps. */
void packed_chain(struct vring *v, uint64_t out, uint32_t out_len, uint64_t in, uint32_t in_len)
{
	uint32_t first = v->next & v->mask;
	struct packed_desc *a = &v->packed[first];
	uint64_t word = packed_word(out_len, first, PACKED_BITS(VRING_NEXT) | v->avail_bits);

	packed_next(v);
	v->packed[v->next & v->mask] = (struct packed_desc){.addr = htole64(in),
		.word = packed_word(in_len, first, PACKED_BITS(VRING_WRITE) | v->avail_bits)};
	packed_next(v);
	a->addr = htole64(out);
	mmio_wmb(); /* release: orders the chain before the flags that show it; pairs with the
		       device */
	__atomic_store_n(&a->word, word, __ATOMIC_RELAXED);
}

bool packed_chain_done(struct vring *v)
{
	if (!packed_waiting(v))
		return false;
	packed_see(v);
	packed_see(v);
	v->batch = v->seen;
	return true;
}
