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

#define LOOKS 16u

/* Buffers that the entry at `at` says are used: 0 while it is not. Both its bits have the value of
 * the lap, which begins with 1 (2.8.1). In order, one entry stands for all up to its id (2.8.7). */
static uint32_t used_at(const struct vring *v, uint32_t at)
{
	/* Acquire: see packed_look(). */
	uint64_t word = le64toh(__atomic_load_n(&v->packed[at & v->mask].word, __ATOMIC_ACQUIRE));
	uint64_t lap = at & vring_size(v) ? 0 : PACKED_BITS(PACKED_BOTH);

	if ((word & PACKED_BITS(PACKED_BOTH)) != lap)
		return 0;
	return v->in_order ? (((uint32_t)(uint16_t)(word >> 32) - at) & v->mask) + 1 : 1;
}

uint32_t packed_look(const struct vring *v)
{
	/* Acquire: orders the counters and the words before seen is read once more: what was
	 * received and made available again meanwhile reads as anything. */
	for (unsigned i = 0; i < LOOKS; i++) {
		uint32_t seen = __atomic_load_n(&v->seen, __ATOMIC_ACQUIRE);
		uint32_t out = __atomic_load_n(&v->next, __ATOMIC_ACQUIRE) - seen;
		uint32_t n = v->in_order ? __atomic_load_n(&v->batch, __ATOMIC_ACQUIRE) - seen : 0;
		for (uint32_t more = 1; more && n < out; n += more)
			more = used_at(v, seen + n);
		if (__atomic_load_n(&v->seen, __ATOMIC_RELAXED) == seen)
			return n <= out ? n : 0;
	}
	return 0;
}
