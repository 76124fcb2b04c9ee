/* SPDX-License-Identifier: BSD-2-Clause
 * The device's side of a virtqueue in plain memory, written from virtio 1.2, 2.7 and 2.8, not from
 * the driver: it keeps its own counters and wrap bits, and can write bad entries when it is told
 * to.
 */
#ifndef TESTS_DRIVERS_MODEL_VIRTIO_H
#define TESTS_DRIVERS_MODEL_VIRTIO_H

#include "drivers/virtio/packed.h"
#include "drivers/virtio/split.h"

#include <string.h>

struct vdev {
	struct vring *v;
	bool packed;
	uint16_t avail;             /* split: the next place in the available ring */
	uint16_t slot, used;        /* packed: next to read, next to write */
	bool avail_wrap, used_wrap; /* packed */
};

struct vbuf {
	uint64_t addr;
	uint32_t len;
	uint16_t id, flags;
};

static inline struct vdev vdev_of(struct vring *v, bool packed)
{
	return (struct vdev){.v = v, .packed = packed, .avail_wrap = true, .used_wrap = true};
}

static inline bool vdev_take_split(struct vdev *d, struct vbuf *b)
{
	if (d->avail == d->v->avail->idx)
		return false;
	b->id = d->v->avail->ring[d->avail++ % vring_size(d->v)];
	const struct split_desc *s = &d->v->desc[b->id];
	b->addr = s->addr;
	b->len = s->len;
	b->flags = s->flags;
	return true;
}

static inline bool vdev_take_packed(struct vdev *d, struct vbuf *b)
{
	const struct packed_desc *p = &d->v->packed[d->slot];
	bool avail = p->flags & 1u << 7, used = p->flags & 1u << 15;

	if (avail == used || avail != d->avail_wrap)
		return false;
	*b = (struct vbuf){p->addr, p->len, p->id, p->flags};
	if (++d->slot == vring_size(d->v)) {
		d->slot = 0;
		d->avail_wrap = !d->avail_wrap;
	}
	return true;
}

/* The next buffer that the driver made available. */
static inline bool vdev_take(struct vdev *d, struct vbuf *b)
{
	return d->packed ? vdev_take_packed(d, b) : vdev_take_split(d, b);
}

/* One used entry that stands for `batch` buffers, which is more than 1 only with in_order. */
static inline void vdev_use_batch(struct vdev *d, uint32_t id, uint32_t len, uint16_t batch)
{
	if (!d->packed) {
		struct split_used *u = d->v->used;
		u->ring[u->idx % vring_size(d->v)] = (struct split_elem){id, len};
		/* Release: pairs with split_waiting() and split_look(). */
		__atomic_store_n(&u->idx, (uint16_t)(u->idx + batch), __ATOMIC_RELEASE);
		return;
	}
	struct packed_desc *p = &d->v->packed[d->used];
	uint64_t flags = d->used_wrap ? 1u << 7 | 1u << 15 : 0;
	/* One store, release: pairs with packed_used() and packed_look(). */
	__atomic_store_n(
		&p->word, len | (uint64_t)(uint16_t)id << 32 | flags << 48, __ATOMIC_RELEASE);
	d->used = (uint16_t)(d->used + batch);
	if (d->used >= vring_size(d->v)) {
		d->used = (uint16_t)(d->used - vring_size(d->v));
		d->used_wrap = !d->used_wrap;
	}
}

static inline void vdev_use(struct vdev *d, uint32_t id, uint32_t len)
{
	vdev_use_batch(d, id, len, 1);
}

/* The driver's verbs, whichever layout. */
static inline void v_add(struct vdev *d, uint64_t chunk, uint64_t addr, uint32_t len)
{
	if (d->packed)
		packed_add(d->v, chunk, addr, len, VRING_WRITE, d->v->in_order);
	else
		split_add(d->v, chunk, addr, len, VRING_WRITE, d->v->in_order);
}

static inline void v_publish(struct vdev *d)
{
	if (!d->packed)
		split_publish(d->v);
}

static inline uint32_t v_waiting(struct vdev *d)
{
	return d->packed ? packed_waiting(d->v) : split_waiting(d->v);
}

static inline uint64_t v_used(struct vdev *d, uint32_t *len)
{
	uint64_t chunk;
	bool got = d->packed ? packed_used(d->v, &chunk, len, d->v->in_order)
			     : split_used(d->v, &chunk, len, d->v->in_order);

	return got ? chunk : VRING_NONE;
}

static inline bool v_kick(struct vdev *d)
{
	return d->packed ? packed_kick_wanted(d->v) : split_kick_wanted(d->v);
}

#endif
