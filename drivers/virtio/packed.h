/* SPDX-License-Identifier: BSD-2-Clause
 * Packed virtqueues, driver side (virtio 1.2, 2.8). One ring that both sides write: a descriptor is
 * available when its AVAIL bit is the lap's and its USED bit is not, used when both are. Laps count
 * from one, and their parity is the wrap counter. Same verbs as split.h.
 * The event index is not used here: a device may go on past the place where it asked to be told
 * without asking anew (QEMU 10.0 does, after back-pressure), and would then sleep beside a full
 * ring.
 */
#ifndef DRIVERS_VIRTIO_PACKED_H
#define DRIVERS_VIRTIO_PACKED_H

#include "drivers/virtio/vring.h"

#define PACKED_AVAIL 0x0080u
#define PACKED_USED  0x8000u
#define PACKED_BOTH  (PACKED_AVAIL | PACKED_USED)

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

VRING_INLINE bool packed_odd_lap(const struct vring *v, uint32_t counter)
{
	return (counter >> v->shift) & 1;
}

/* Flags of a descriptor that is made available at counter: the wrap counter is 1 on even laps. */
VRING_INLINE uint16_t packed_avail_bits(const struct vring *v, uint32_t counter)
{
	return packed_odd_lap(v, counter) ? PACKED_USED : PACKED_AVAIL;
}

/* 2.8.21.1. Release at each descriptor: orders its other fields and the buffer before the
 * flags; pairs with the device, which reads the flags first. */
VRING_INLINE void packed_add(struct vring *v, uint64_t chunk, uint64_t addr, uint32_t len,
	uint16_t flags, const bool in_order)
{
	struct packed_desc *d = &v->packed[v->next & v->mask];
	uint32_t id = vring_take_id(v, in_order);

	v->chunk[id] = chunk;
	d->addr = htole64(addr);
	d->len = htole32(len);
	d->id = htole16((uint16_t)id);
	mmio_wmb();
	__atomic_store_n(
		&d->flags, htole16(flags | packed_avail_bits(v, v->next)), __ATOMIC_RELAXED);
	v->next++;
}

/* The flags published each one as it was added. */
VRING_INLINE void packed_publish(struct vring *v)
{
	(void)v;
}

/* 2.8.21.2, 2.8.14. Full: orders the descriptors before the read of what the device asked for;
 * pairs with the device, which asks and then looks at the descriptors again. */
VRING_INLINE bool packed_kick_wanted(struct vring *v)
{
	vring_mb(v);
	return le16toh(__atomic_load_n(&v->device->flags, __ATOMIC_RELAXED)) !=
	       PACKED_EVENT_DISABLE;
}

/* Is the next one used? A packed ring has no count: 0 or 1. */
VRING_INLINE uint32_t packed_waiting(struct vring *v)
{
	uint16_t want = packed_odd_lap(v, v->seen) ? 0 : PACKED_BOTH, flags;

	if (v->in_order && v->batch != v->seen)
		return 1; /* inside of a batch, whose one entry was read */
	flags = le16toh(__atomic_load_n(&v->packed[v->seen & v->mask].flags, __ATOMIC_RELAXED));
	if ((flags & PACKED_BOTH) != want || v->next == v->seen)
		return 0;
	/* Acquire: orders the flags before id, length and buffer; pairs with the device's write of
	 * the flags, its last. */
	mmio_rmb();
	return 1;
}

/* 2.8.22; only when packed_waiting() said that there is one. As split_used(). */
VRING_INLINE uint64_t packed_used(struct vring *v, uint32_t *len, const bool in_order)
{
	uint32_t id = v->seen & v->mask;
	const volatile struct packed_desc *d = &v->packed[id];

	if (in_order) {
		if (v->batch == v->seen && !vring_batch(v, le16toh(d->id), le32toh(d->len)))
			return VRING_NONE;
		*len = v->seen + 1 == v->batch ? v->batch_len : UINT32_MAX;
	} else {
		id = le16toh(d->id);
		*len = le32toh(d->len);
	}
	uint64_t chunk = vring_give_id(v, id, in_order);
	if (__builtin_expect(chunk == VRING_NONE, 0))
		v->broken = "a buffer id that it was not given";
	else
		v->seen++;
	return chunk;
}

VRING_INLINE void packed_disarm(struct vring *v)
{
	v->driver->flags = htole16(PACKED_EVENT_DISABLE);
}

/* As split_arm(). */
VRING_INLINE bool packed_arm(struct vring *v)
{
	__atomic_store_n(&v->driver->flags, htole16(PACKED_EVENT_ENABLE), __ATOMIC_RELAXED);
	/* Full: orders the wish before the look; pairs with the device, which writes a used
	 * descriptor and then reads the wish. */
	vring_mb(v);
	return packed_waiting(v) > 0;
}

#endif
