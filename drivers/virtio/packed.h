/* SPDX-License-Identifier: BSD-2-Clause
 * Packed virtqueues, driver side (virtio 1.2, 2.8). One ring that both sides write: a descriptor is
 * available when its AVAIL bit is the lap's and its USED bit is not, used when both are. The wrap
 * counters of 2.8.1 are kept as the bits that they stand for: avail_bits, used_bits. Same verbs as
 * split.h. The event index is not used here: a device may pass the index at which it asked to be
 * notified without asking anew (QEMU 10.0 does, after back-pressure), and would then sleep with a
 * full ring.
 */
#ifndef DRIVERS_VIRTIO_PACKED_H
#define DRIVERS_VIRTIO_PACKED_H

#include "drivers/virtio/vring.h"

#define PACKED_AVAIL       0x0080u
#define PACKED_USED        0x8000u
#define PACKED_BOTH        (PACKED_AVAIL | PACKED_USED)
#define PACKED_BITS(flags) ((uint64_t)(flags) << 48) /* their place in a descriptor's word */

/* struct packed_event.flags, 2.8.10 */
#define PACKED_EVENT_ENABLE  0u
#define PACKED_EVENT_DISABLE 1u

/* packed.c */
struct vring_layout packed_layout(uint16_t size);
void packed_place(struct vring *v, void *base);
/* For the control queue, one at a time: a chain of what the device reads and what it writes. done
 * says whether it was used, and takes it back. */
void packed_chain(struct vring *v, uint64_t out, uint32_t out_len, uint64_t in, uint32_t in_len);
bool packed_chain_done(struct vring *v);
/* As split_look(). */
uint32_t packed_look(const struct vring *v);

/* One slot further: at the end of a lap the bits of the next one change. */
SHUNT_INLINE void packed_next(struct vring *v)
{
	if (SHUNT_BRANCH(!(++v->next & v->mask)))
		v->avail_bits ^= PACKED_BITS(PACKED_BOTH);
}

SHUNT_INLINE void packed_see(struct vring *v)
{
	if (SHUNT_BRANCH(!(++v->seen & v->mask)))
		v->used_bits ^= PACKED_BITS(PACKED_BOTH);
}

SHUNT_INLINE uint64_t packed_word(uint32_t len, uint32_t id, uint64_t bits)
{
	return htole64(len | (uint64_t)id << 32 | bits);
}

/* 2.8.21.1. Release at each descriptor: orders its address and the buffer before the word with the
 * flags; pairs with the device, which reads the flags first. */
SHUNT_INLINE void packed_add(struct vring *v, uint64_t chunk, uint64_t addr, uint32_t len,
	uint16_t flags, const bool in_order)
{
	struct packed_desc *d = &v->packed[v->next & v->mask];
	uint32_t id = vring_take_id(v, chunk, in_order);

	d->addr = htole64(addr);
	mmio_wmb();
	__atomic_store_n(&d->word, packed_word(len, id, PACKED_BITS(flags) | v->avail_bits),
		__ATOMIC_RELAXED);
	packed_next(v);
}

/* The flags published each one as it was added. */
SHUNT_INLINE void packed_publish(struct vring *v)
{
	(void)v;
}

/* 2.8.21.2, 2.8.14. Full: orders the descriptors before the read of the device's event flags;
 * pairs with the device, which sets them and then reads the descriptors again. */
SHUNT_INLINE bool packed_kick_wanted(struct vring *v)
{
	vring_mb(v);
	return le16toh(__atomic_load_n(&v->device->flags, __ATOMIC_RELAXED)) !=
	       PACKED_EVENT_DISABLE;
}

/* Is the next one used? A packed ring has no count: 0 or 1. */
SHUNT_INLINE uint32_t packed_waiting(const struct vring *v)
{
	if (v->in_order && v->batch != v->seen)
		return 1; /* inside of a batch, whose one entry was read */
	uint64_t word = __atomic_load_n(&v->packed[v->seen & v->mask].word, __ATOMIC_RELAXED);
	if (!vring_out(v) || (le64toh(word) ^ v->used_bits) & PACKED_BITS(PACKED_BOTH))
		return 0;
	/* Acquire: orders the flags before id, length and buffer; pairs with the device's write of
	 * the flags, its last. */
	mmio_rmb();
	return 1;
}

/* Take back the next buffer (2.8.22); only when one is out. False when it is not used yet; and as
 * split_used(), with v->broken, when it is impossible. */
SHUNT_INLINE bool packed_used(struct vring *v, uint64_t *chunk, uint32_t *len, const bool in_order)
{
	uint32_t id = v->seen & v->mask;

	if (!in_order || v->batch == v->seen) {
		/* Length and id come with the flags, so they are no older. Acquire: orders them
		 * before the buffer; pairs with the device's write of the flags, its last. */
		uint64_t word = le64toh(__atomic_load_n(&v->packed[id].word, __ATOMIC_RELAXED));
		if ((word ^ v->used_bits) & PACKED_BITS(PACKED_BOTH))
			return false;
		mmio_rmb();
		*len = (uint32_t)word;
		if (!in_order)
			id = (uint16_t)(word >> 32);
		else if (!vring_batch(v, (uint16_t)(word >> 32), *len))
			return false;
	}
	if (in_order)
		*len = v->seen + 1 == v->batch ? v->batch_len : UINT32_MAX;
	if (!vring_give_id(v, id, chunk, in_order)) {
		v->broken = "a buffer id that it was not given";
		return false;
	}
	packed_see(v);
	return true;
}

SHUNT_INLINE void packed_disarm(struct vring *v)
{
	v->driver->flags = htole16(PACKED_EVENT_DISABLE);
}

/* As split_arm(). */
SHUNT_INLINE bool packed_arm(struct vring *v)
{
	__atomic_store_n(&v->driver->flags, htole16(PACKED_EVENT_ENABLE), __ATOMIC_RELAXED);
	/* Full: orders our event flags before the read of the ring; pairs with the device, which
	 * writes a used descriptor and then reads the flags. */
	vring_mb(v);
	return packed_waiting(v) > 0;
}

#endif
