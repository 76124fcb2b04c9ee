/* SPDX-License-Identifier: BSD-2-Clause
 * Split virtqueues, driver side (virtio 1.2, 2.7). The driver writes the descriptor table and the
 * available ring, the device the used ring. Same verbs as packed.h.
 */
#ifndef DRIVERS_VIRTIO_SPLIT_H
#define DRIVERS_VIRTIO_SPLIT_H

#include "drivers/virtio/vring.h"

#define SPLIT_NO_INTERRUPT 1u /* avail.flags, 2.7.7 */
#define SPLIT_NO_NOTIFY    1u /* used.flags, 2.7.10 */

/* split.c: alignment of 2.7 (16, 2, 4), rounded up so that no two writers share a cache line. */
struct vring_layout split_layout(uint16_t size);
void split_place(struct vring *v, void *base);
/* For the control queue, one at a time: a chain of what the device reads and what it writes. done
 * says whether it was used, and takes it back. */
void split_chain(struct vring *v, uint64_t out, uint32_t out_len, uint64_t in, uint32_t in_len);
bool split_chain_done(struct vring *v);
/* How many used buffers wait, for a thread other than the ring's: writes nothing. Exact while the
 * ring's thread rests, otherwise a few late, and 0 where it is too fast to be read. */
uint32_t split_look(const struct vring *v);

SHUNT_INLINE uint16_t *split_used_event(const struct vring *v)
{
	return &v->avail->ring[vring_size(v)];
}

SHUNT_INLINE uint16_t split_avail_event(const struct vring *v)
{
	/* Relaxed: the fence in kick_wanted orders it. */
	return le16toh(
		__atomic_load_n((const uint16_t *)&v->used->ring[vring_size(v)], __ATOMIC_RELAXED));
}

/* 2.7.13.1 and .2: a free id, its descriptor, its place in the available ring. There must be a free
 * one. flags never change for a ring of one direction, but the device reads them each time. */
SHUNT_INLINE void split_add(struct vring *v, uint64_t chunk, uint64_t addr, uint32_t len,
	uint16_t flags, const bool in_order)
{
	uint32_t id = vring_take_id(v, chunk, in_order);
	struct split_desc *d = &v->desc[id];

	d->addr = htole64(addr);
	d->word = htole64(len | (uint64_t)flags << 32);
	v->avail->ring[v->next & v->mask] = htole16((uint16_t)id);
	v->next++;
}

/* 2.7.13.3. Release: orders descriptors, ring entries and buffers before the index; pairs with the
 * device, which reads the index first. */
SHUNT_INLINE void split_publish(struct vring *v)
{
	mmio_wmb();
	__atomic_store_n(&v->avail->idx, htole16((uint16_t)v->next), __ATOMIC_RELAXED);
}

/* 2.7.13.4.1, 2.7.10. Full: orders our index before the read of the device's flags or event
 * index; pairs with the device, which sets those and then reads our index again. */
SHUNT_INLINE bool split_kick_wanted(struct vring *v)
{
	uint16_t old = v->kicked;

	vring_mb(v);
	v->kicked = (uint16_t)v->next;
	if (v->event)
		return vring_passed(split_avail_event(v), (uint16_t)v->next, old);
	return !(le16toh(__atomic_load_n(&v->used->flags, __ATOMIC_RELAXED)) & SPLIT_NO_NOTIFY);
}

/* How many used buffers wait, as of now. An index that ran past what is out is the device's fault.
 */
SHUNT_INLINE uint32_t split_waiting(struct vring *v)
{
	uint16_t ready = le16toh(__atomic_load_n(&v->used->idx, __ATOMIC_RELAXED));
	/* Acquire: orders the index before the entries and buffers that it covers; pairs with the
	 * device's write of the index, its last. */
	mmio_rmb();
	uint32_t n = (uint16_t)(ready - v->seen);
	if (SHUNT_UNLIKELY(n > vring_out(v))) {
		__atomic_store_n(
			&v->broken, "a used index beyond what it was given", __ATOMIC_RELAXED);
		return 0;
	}
	return n;
}

/* Take back the next used buffer (2.7.14); only when split_waiting() said that there is one. False
 * when the entry is impossible: v->broken says why. */
SHUNT_INLINE bool split_used(struct vring *v, uint64_t *chunk, uint32_t *len, const bool in_order)
{
	uint32_t id = v->seen & v->mask;
	const volatile struct split_elem *e = &v->used->ring[id];

	if (in_order) {
		if (v->batch == v->seen && !vring_batch(v, le32toh(e->id), le32toh(e->len)))
			return false;
		*len = v->seen + 1 == v->batch ? v->batch_len : UINT32_MAX;
	} else {
		id = le32toh(e->id);
		*len = le32toh(e->len);
	}
	if (!vring_give_id(v, id, chunk, in_order)) {
		v->broken = "a descriptor id that it was not given";
		return false;
	}
	v->seen++;
	return true;
}

SHUNT_INLINE void split_disarm(struct vring *v)
{
	if (v->event)
		*split_used_event(v) = htole16((uint16_t)(v->seen - 1));
	else
		v->avail->flags = htole16(SPLIT_NO_INTERRUPT);
}

/* Ask for an interrupt at the next used buffer; true when there is one already. */
SHUNT_INLINE bool split_arm(struct vring *v)
{
	if (v->event)
		__atomic_store_n(split_used_event(v), htole16((uint16_t)v->seen), __ATOMIC_RELAXED);
	else
		__atomic_store_n(&v->avail->flags, 0, __ATOMIC_RELAXED);
	/* Full: orders our flags or event index before the read of the used index; pairs with the
	 * device, which writes that and then reads ours. */
	vring_mb(v);
	return split_waiting(v) > 0;
}

#endif
