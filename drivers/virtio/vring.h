/* SPDX-License-Identifier: BSD-2-Clause
 * A virtqueue from the driver's side, whichever layout it has (virtio 1.2, 2.6). split.h and
 * packed.h have the same verbs: init, add, publish, kick_wanted, used, arm, disarm. Each of our
 * buffers is one descriptor. One thread per ring. next and seen are free-running u16 counters, size
 * a power of two of at most 32768: a slot is counter & mask, and next - seen is what the device
 * has. All that the device writes is bounded here: an index that runs ahead, an id that is not out.
 */
#ifndef DRIVERS_VIRTIO_VRING_H
#define DRIVERS_VIRTIO_VRING_H

#include "core/compiler.h"
#include "drivers/pci/mmio.h"
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VRING_MAX   32768u
#define VRING_NONE  UINT64_MAX /* chunk of an id that is not out */
#define VRING_WRITE 2u         /* descriptor flag: the device writes the buffer */
#define VRING_NEXT  1u

struct split_desc {
	uint64_t addr;
	union {
		struct {
			uint32_t len;
			uint16_t flags, next;
		};
		uint64_t word; /* all three at once */
	};
};

struct split_avail {
	uint16_t flags, idx, ring[]; /* and used_event behind it */
};

struct split_elem {
	uint32_t id, len;
};

struct split_used {
	uint16_t flags, idx;
	struct split_elem ring[]; /* and avail_event behind it */
};

struct packed_desc {
	uint64_t addr;
	union {
		struct {
			uint32_t len;
			uint16_t id, flags;
		};
		uint64_t word; /* all three at once */
	};
};

struct packed_event {
	uint16_t off_wrap, flags;
};

struct vring {
	union {
		struct split_desc *desc;
		struct packed_desc *packed;
	};
	union {
		struct split_avail *avail;
		struct packed_event *driver; /* we write it */
	};
	union {
		struct split_used *used;
		struct packed_event *device; /* the device writes it */
	};
	uint64_t *chunk; /* by id: the chunk that is, or was, out under it */
	uint16_t *ids;   /* by slot: its id, each once; those from seen to next are out */
	uint32_t next;   /* buffers added, ever */
	uint32_t seen;   /* used buffers taken back, ever */
	uint32_t mask;
	uint64_t avail_bits; /* packed: flags of what is made available on this lap, in a word, */
	uint64_t used_bits;  /* and of what is used */
	uint16_t kicked;     /* split: next at the last look whether the device wants a kick */
	uint32_t batch;      /* in_order: where the batch that is being taken ends */
	uint32_t batch_len;
	bool in_order;
	bool event;         /* split: the event index is used */
	bool platform;      /* VIRTIO_F_ORDER_PLATFORM: the device is hardware */
	const char *broken; /* what the device did wrong, NULL while all is well */
};

/* 6.1, VIRTIO_F_ORDER_PLATFORM: without it the device may be taken for a program on another
 * processor. The other two barriers are the same for both on x86: none but the compiler's. */
SHUNT_INLINE void vring_mb(const struct vring *v)
{
	if (v->platform)
		mmio_mb();
	else
		mmio_smp_mb();
}

/* Where the three parts lie in one block of memory: offsets, and bytes in all. */
struct vring_layout {
	size_t desc, driver, device, bytes;
};

SHUNT_INLINE uint32_t vring_size(const struct vring *v)
{
	return v->mask + 1;
}

/* vring.c: an id that is out, but not the next in turn: it changes places with that, as if they had
 * been added the other way round. False when it is not out. */
bool vring_overtaken(uint16_t *ids, uint32_t mask, uint32_t seen, uint32_t next, uint32_t id);

/* Buffers that the device has. */
SHUNT_INLINE uint32_t vring_out(const struct vring *v)
{
	return v->next - v->seen;
}

/* Buffers that it can be given. */
SHUNT_INLINE uint32_t vring_room(const struct vring *v)
{
	return vring_size(v) - vring_out(v);
}

/* The id of the next buffer. There must be room. */
SHUNT_INLINE uint32_t vring_take_id(struct vring *v, uint64_t chunk, const bool in_order)
{
	uint32_t slot = v->next & v->mask, id = in_order ? slot : v->ids[slot];

	v->chunk[id] = chunk;
	return id;
}

/* The id comes from the device: false when it is not one that is out. Devices may finish buffers in
 * any order, but hardly do. */
SHUNT_INLINE bool vring_give_id(
	const struct vring *v, uint32_t id, uint64_t *chunk, const bool in_order)
{
	if (!in_order && SHUNT_UNLIKELY(id != v->ids[v->seen & v->mask]) &&
		!vring_overtaken(v->ids, v->mask, v->seen, v->next, id))
		return false;
	*chunk = v->chunk[id];
	return true;
}

/* vring_need_event() of 2.7.7.1: did the step from old to now pass event? */
SHUNT_INLINE bool vring_passed(uint16_t event, uint16_t now, uint16_t old)
{
	return (uint16_t)(now - event - 1) < (uint16_t)(now - old);
}

/* in_order: the device may have written one entry for a batch, with the id of its last buffer. The
 * ones before it are full. Sets where the batch ends, or what is broken. */
SHUNT_INLINE bool vring_batch(struct vring *v, uint32_t id, uint32_t len)
{
	uint32_t ahead = (id - v->seen) & v->mask;

	if (SHUNT_UNLIKELY(id > v->mask || ahead >= vring_out(v))) {
		v->broken = "a batch that ends outside of what it has";
		return false;
	}
	v->batch = v->seen + ahead + 1;
	v->batch_len = len;
	return true;
}

/* A burst works on a copy, which lives in registers: what it writes to descriptors and packets
 * could alias the original. These write back what changed: by adding buffers, and by taking them
 * back. Relaxed stores: a ledger may read them beside the burst. */
SHUNT_INLINE void vring_save_added(struct vring *v, const struct vring *copy)
{
	__atomic_store_n(&v->next, copy->next, __ATOMIC_RELAXED);
	v->avail_bits = copy->avail_bits;
}

SHUNT_INLINE void vring_save_seen(struct vring *v, const struct vring *copy)
{
	__atomic_store_n(&v->seen, copy->seen, __ATOMIC_RELAXED);
	v->used_bits = copy->used_bits;
	if (copy->in_order) {
		__atomic_store_n(&v->batch, copy->batch, __ATOMIC_RELAXED);
		v->batch_len = copy->batch_len;
	}
	if (SHUNT_UNLIKELY(copy->broken != NULL))
		__atomic_store_n(&v->broken, copy->broken, __ATOMIC_RELAXED);
}

/* vring.c: the parts that the two layouts share. size is a power of two. */
int vring_init(struct vring *v, uint16_t size, bool in_order, bool event);
void vring_free(struct vring *v);

#endif
