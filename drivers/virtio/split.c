/* SPDX-License-Identifier: BSD-2-Clause
 * Split virtqueues: where the parts lie in memory.
 */
#include "drivers/virtio/split.h"

#include <string.h>

#define LINE     64u
#define UP(n, a) (((n) + (a)-1) / (a) * (a))

struct vring_layout split_layout(uint16_t size)
{
	struct vring_layout l = {.desc = 0};

	l.driver = UP(size * sizeof(struct split_desc), LINE);
	l.device = l.driver + UP(sizeof(struct split_avail) + (size + 1u) * sizeof(uint16_t), LINE);
	l.bytes = l.device + UP(sizeof(struct split_used) + size * sizeof(struct split_elem) +
					     sizeof(uint16_t),
				     LINE);
	return l;
}

void split_place(struct vring *v, void *base)
{
	struct vring_layout l = split_layout((uint16_t)vring_size(v));

	memset(base, 0, l.bytes);
	v->desc = (void *)((uint8_t *)base + l.desc);
	v->avail = (void *)((uint8_t *)base + l.driver);
	v->used = (void *)((uint8_t *)base + l.device);
	split_disarm(v);
}

/* Descriptors in turn, so that in_order holds. */
void split_chain(struct vring *v, uint64_t out, uint32_t out_len, uint64_t in, uint32_t in_len)
{
	uint32_t first = v->next * 2 & v->mask, second = (first + 1) & v->mask;

	v->desc[first] = (struct split_desc){.addr = htole64(out),
		.len = htole32(out_len),
		.flags = htole16(VRING_NEXT),
		.next = htole16((uint16_t)second)};
	v->desc[second] = (struct split_desc){
		.addr = htole64(in), .len = htole32(in_len), .flags = htole16(VRING_WRITE)};
	v->avail->ring[v->next & v->mask] = htole16((uint16_t)first);
	v->next++;
	split_publish(v);
}

bool split_chain_done(struct vring *v)
{
	if (!split_waiting(v))
		return false;
	v->seen++;
	return true;
}

#define LOOKS 16u

uint32_t split_look(const struct vring *v)
{
	/* Acquire: orders both counters, the device's index, and seen once more; an index that is
	 * newer than seen would count what was received in between. */
	for (unsigned i = 0; i < LOOKS; i++) {
		uint32_t seen = __atomic_load_n(&v->seen, __ATOMIC_ACQUIRE);
		uint32_t out = __atomic_load_n(&v->next, __ATOMIC_ACQUIRE) - seen;
		uint16_t ready = le16toh(__atomic_load_n(&v->used->idx, __ATOMIC_ACQUIRE));
		uint32_t n = (uint16_t)(ready - seen);
		if (__atomic_load_n(&v->seen, __ATOMIC_RELAXED) == seen)
			return n <= out ? n : 0;
	}
	return 0;
}
