/* SPDX-License-Identifier: BSD-2-Clause
 * Virtqueues, split and packed, against a device's side in plain memory: full and empty, over the
 * u16 wrap, out of order, in order and in batches, kicks and interrupts, and a device that writes
 * bad entries.
 */
#include "tests/drivers/model/virtio.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define SIZE  16u
#define CHUNK 2048u

struct ring {
	struct vring v;
	struct vdev d;
	void *memory;
};

static struct ring *ring_new(bool packed, bool in_order, bool event)
{
	struct ring *r = calloc(1, sizeof *r);
	size_t bytes = packed ? packed_layout(SIZE).bytes : split_layout(SIZE).bytes;

	r->memory = aligned_alloc(64, bytes);
	cr_assert_eq(vring_init(&r->v, SIZE, in_order, event), 0);
	if (packed)
		packed_place(&r->v, r->memory);
	else
		split_place(&r->v, r->memory);
	r->d = vdev_of(&r->v, packed);
	return r;
}

static void ring_free(struct ring *r)
{
	vring_free(&r->v);
	free(r->memory);
	free(r);
}

static void add_chunk(struct ring *r, uint64_t n)
{
	v_add(&r->d, n * CHUNK, 0x100000 + n * CHUNK, CHUNK);
}

/* The driver gives all it can, the device sees each once with what was given, and no more. */
static void check_full(bool packed)
{
	struct ring *r = ring_new(packed, false, false);
	struct vbuf b = {0};
	uint32_t len;

	cr_assert_eq(v_waiting(&r->d), 0);
	cr_assert_not(vdev_take(&r->d, &b));
	for (unsigned i = 0; i < SIZE; i++)
		add_chunk(r, i);
	v_publish(&r->d);
	cr_assert_eq(vring_room(&r->v), 0);
	cr_assert_eq(vring_out(&r->v), SIZE);
	cr_assert_eq(v_waiting(&r->d), 0);
	for (unsigned i = 0; i < SIZE; i++) {
		cr_assert(vdev_take(&r->d, &b));
		cr_assert_eq(b.addr, 0x100000 + (uint64_t)i * CHUNK);
		cr_assert_eq(b.len, CHUNK);
		cr_assert_eq(b.flags & VRING_WRITE, VRING_WRITE);
		vdev_use(&r->d, b.id, 60 + i);
	}
	cr_assert_not(vdev_take(&r->d, &b));
	for (unsigned i = 0; i < SIZE; i++) {
		cr_assert_geq(v_waiting(&r->d), 1);
		cr_assert_eq(v_used(&r->d, &len), (uint64_t)i * CHUNK);
		cr_assert_eq(len, 60 + i);
	}
	cr_assert_eq(v_waiting(&r->d), 0);
	cr_assert_eq(vring_room(&r->v), SIZE);
	cr_assert_null(r->v.broken);
	ring_free(r);
}

Test(vring, split_full_and_empty)
{
	check_full(false);
}

Test(vring, packed_full_and_empty)
{
	check_full(true);
}

/* 200,000 buffers, three times over the u16 wrap, in uneven bursts, completed in another order than
 * they came: every chunk comes back exactly once. */
static void check_wrap(bool packed, bool in_order)
{
	struct ring *r = ring_new(packed, in_order, false);
	uint64_t state = 88172645463325252u, added = 0, back = 0, sum_in = 0, sum_out = 0;
	struct vbuf held[SIZE];
	unsigned n = 0;
	uint32_t len;

	while (back < 200000) {
		state ^= state << 13, state ^= state >> 7, state ^= state << 17;
		for (unsigned k = state % (SIZE + 1); k && vring_room(&r->v); k--) {
			add_chunk(r, added);
			sum_in += added++;
		}
		v_publish(&r->d);
		while (n < SIZE && vdev_take(&r->d, &held[n]))
			n++;
		for (unsigned k = (state >> 8) % (SIZE + 1); k && n; k--) {
			unsigned i = in_order ? 0 : (unsigned)(state >> 16) % n;
			vdev_use(&r->d, held[i].id, (uint32_t)(held[i].addr / CHUNK));
			memmove(held + i, held + i + 1, (--n - i) * sizeof *held);
		}
		while (v_waiting(&r->d)) {
			uint64_t chunk = v_used(&r->d, &len);
			cr_assert_neq(chunk, VRING_NONE, "%s", r->v.broken);
			cr_assert_eq(len, (uint32_t)((0x100000 + chunk) / CHUNK));
			sum_out += chunk / CHUNK;
			back++;
		}
	}
	for (uint32_t at = r->v.seen; at != r->v.next; at++)
		sum_out += r->v.chunk[r->v.ids[at & r->v.mask]] / CHUNK;
	cr_assert_eq(sum_in, sum_out);
	cr_assert_eq(added - back, vring_out(&r->v));
	ring_free(r);
}

Test(vring, split_over_the_wrap)
{
	check_wrap(false, false);
}

Test(vring, split_in_order_over_the_wrap)
{
	check_wrap(false, true);
}

Test(vring, packed_over_the_wrap)
{
	check_wrap(true, false);
}

Test(vring, packed_in_order_over_the_wrap)
{
	check_wrap(true, true);
}

/* One entry for a batch: the last buffer has its length, those before it are full. */
static void check_batch(bool packed)
{
	struct ring *r = ring_new(packed, true, false);
	uint32_t len;

	for (unsigned round = 0; round < 5000; round++) {
		struct vbuf b = {0};
		uint16_t batch = (uint16_t)(1 + round % SIZE);
		for (unsigned i = 0; i < batch; i++)
			add_chunk(r, i);
		v_publish(&r->d);
		for (unsigned i = 0; i < batch; i++)
			cr_assert(vdev_take(&r->d, &b));
		vdev_use_batch(&r->d, b.id, 77, batch);
		for (unsigned i = 0; i < batch; i++) {
			cr_assert_geq(v_waiting(&r->d), 1);
			cr_assert_eq(v_used(&r->d, &len), (uint64_t)i * CHUNK);
			cr_assert_eq(len, i + 1u == batch ? 77 : UINT32_MAX);
		}
		cr_assert_eq(v_waiting(&r->d), 0);
	}
	cr_assert_null(r->v.broken);
	ring_free(r);
}

Test(vring, split_batches)
{
	check_batch(false);
}

Test(vring, packed_batches)
{
	check_batch(true);
}

static void check_bad(bool packed, bool in_order, uint32_t id)
{
	struct ring *r = ring_new(packed, in_order, false);
	struct vbuf b = {0};
	uint32_t len;

	for (unsigned i = 0; i < 4; i++)
		add_chunk(r, i);
	v_publish(&r->d);
	cr_assert(vdev_take(&r->d, &b));
	vdev_use(&r->d, id, 60);
	cr_assert_geq(v_waiting(&r->d), 1);
	cr_assert_eq(v_used(&r->d, &len), VRING_NONE, "id %u", id);
	cr_assert_not_null(r->v.broken);
	cr_assert_eq(vring_room(&r->v), SIZE - 4, "nothing was taken back");
	ring_free(r);
}

/* Ids that were never given, that are beyond the ring, and 16-bit and 32-bit extremes. */
Test(vring, ids_that_are_not_out)
{
	static const uint32_t ids[] = {4, SIZE - 1, SIZE, 0x7fff, 0xffff};

	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
		for (unsigned how = 0; how < 4; how++)
			check_bad(how & 1, how & 2, ids[i]);
	check_bad(false, false, UINT32_MAX);
	check_bad(false, true, 0x10000);
}

static void check_twice(bool packed)
{
	struct ring *r = ring_new(packed, false, false);
	struct vbuf b = {0};
	uint32_t len;

	for (unsigned i = 0; i < 4; i++)
		add_chunk(r, i);
	v_publish(&r->d);
	cr_assert(vdev_take(&r->d, &b));
	vdev_use(&r->d, b.id, 60);
	vdev_use(&r->d, b.id, 60);
	cr_assert_eq(v_used(&r->d, &len), 0);
	cr_assert_geq(v_waiting(&r->d), 1);
	cr_assert_eq(v_used(&r->d, &len), VRING_NONE);
	cr_assert_not_null(r->v.broken);
	ring_free(r);
}

Test(vring, an_id_used_twice)
{
	check_twice(false);
	check_twice(true);
}

/* A used index that runs ahead of what is out, by one and by half the u16 range. */
Test(vring, split_index_ahead)
{
	static const uint16_t ahead[] = {5, SIZE, 0x8000, UINT16_MAX};

	for (size_t i = 0; i < sizeof ahead / sizeof *ahead; i++) {
		struct ring *r = ring_new(false, false, false);
		for (unsigned k = 0; k < 4; k++)
			add_chunk(r, k);
		v_publish(&r->d);
		r->v.used->idx = ahead[i];
		cr_assert_eq(v_waiting(&r->d), 0, "%u", ahead[i]);
		cr_assert_not_null(r->v.broken);
		ring_free(r);
	}
}

/* A packed ring whose every flag says used, with nothing out: nothing is taken. */
Test(vring, packed_used_without_reason)
{
	struct ring *r = ring_new(true, false, false);

	for (unsigned i = 0; i < SIZE; i++)
		r->v.packed[i].flags = 1u << 7 | 1u << 15;
	cr_assert_eq(v_waiting(&r->d), 0);
	ring_free(r);
}

Test(vring, split_kicks_by_flag)
{
	struct ring *r = ring_new(false, false, false);

	add_chunk(r, 0);
	v_publish(&r->d);
	cr_assert(v_kick(&r->d));
	r->v.used->flags = 1; /* VIRTQ_USED_F_NO_NOTIFY */
	cr_assert_not(v_kick(&r->d));
	ring_free(r);
}

/* With the event index, only the step over it kicks; the counter starts just below the wrap. */
Test(vring, split_kicks_by_event_over_the_wrap)
{
	struct ring *r = ring_new(false, false, true);
	uint16_t *event = (uint16_t *)&r->v.used->ring[SIZE];

	r->v.next = r->v.seen = r->v.kicked = UINT16_MAX - 1;
	*event = 1;
	for (unsigned i = 0; i < 6; i++) {
		add_chunk(r, i);
		v_publish(&r->d);
		/* Adding counter 1 makes next 2. */
		cr_assert_eq(v_kick(&r->d), (uint16_t)r->v.next == 2, "next %u", r->v.next);
	}
	ring_free(r);
}

Test(vring, packed_kicks_by_flag)
{
	struct ring *r = ring_new(true, false, false);

	add_chunk(r, 0);
	cr_assert(v_kick(&r->d));
	r->v.device->flags = 1; /* RING_EVENT_FLAGS_DISABLE */
	cr_assert_not(v_kick(&r->d));
	ring_free(r);
}

/* arm says that something is there already, so that nobody sleeps over it. */
static void check_arm(bool packed, bool event)
{
	struct ring *r = ring_new(packed, false, event);
	struct vbuf b = {0};

	add_chunk(r, 0);
	v_publish(&r->d);
	cr_assert_not(packed ? packed_arm(&r->v) : split_arm(&r->v));
	if (packed)
		cr_assert_eq(r->v.driver->flags, 0);
	else if (event)
		cr_assert_eq(r->v.avail->ring[SIZE], 0);
	else
		cr_assert_eq(r->v.avail->flags, 0);
	cr_assert(vdev_take(&r->d, &b));
	vdev_use(&r->d, b.id, 60);
	cr_assert(packed ? packed_arm(&r->v) : split_arm(&r->v));
	if (packed) {
		packed_disarm(&r->v);
		cr_assert_eq(r->v.driver->flags, 1);
	} else {
		split_disarm(&r->v);
		cr_assert(event ? r->v.avail->ring[SIZE] == UINT16_MAX : r->v.avail->flags == 1);
	}
	ring_free(r);
}

Test(vring, arm)
{
	check_arm(false, false);
	check_arm(false, true);
	check_arm(true, false);
}

/* The control queue's chains, over several laps. */
static void check_chains(bool packed, bool in_order)
{
	struct ring *r = ring_new(packed, in_order, false);
	struct vbuf out, in;

	for (unsigned i = 0; i < 1000; i++) {
		if (packed)
			packed_chain(&r->v, 0x1000, 7, 0x2000, 1);
		else
			split_chain(&r->v, 0x1000, 7, 0x2000, 1);
		cr_assert(vdev_take(&r->d, &out));
		cr_assert_eq(out.addr, 0x1000);
		cr_assert_eq(out.len, 7);
		cr_assert_eq(out.flags & 3, VRING_NEXT);
		if (packed)
			cr_assert(vdev_take(&r->d, &in));
		else
			in = (struct vbuf){.addr = r->v.desc[r->v.desc[out.id].next].addr,
				.flags = r->v.desc[r->v.desc[out.id].next].flags};
		cr_assert_eq(in.addr, 0x2000);
		cr_assert_eq(in.flags & 3, VRING_WRITE);
		cr_assert_not(packed ? packed_chain_done(&r->v) : split_chain_done(&r->v));
		vdev_use_batch(&r->d, out.id, 1, packed ? 2 : 1);
		cr_assert(packed ? packed_chain_done(&r->v) : split_chain_done(&r->v));
	}
	ring_free(r);
}

Test(vring, chains)
{
	check_chains(false, false);
	check_chains(false, true);
	check_chains(true, false);
	check_chains(true, true);
}
