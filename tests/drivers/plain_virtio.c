/* SPDX-License-Identifier: BSD-2-Clause
 * Receive and transmit over split virtqueues as virtio 1.2 has them, and no more: docs/virtio.md
 * shows the part between the marks, and tests/docs/plain.sh compares them. A frame at a time and a
 * copy each: what drivers/virtio/ adds is told there. Tried here against the same model as the
 * driver.
 */
#include "tests/drivers/model/virtio.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* begin */
#define SIZE 64 /* of a queue, and a power of two (2.7) */

struct virtq_desc { /* 2.7.5; all is little endian */
	uint64_t addr;
	uint32_t len;
	uint16_t flags, next;
};
struct virtq_avail { /* 2.7.6: the driver writes it */
	uint16_t flags, idx, ring[SIZE];
};
struct virtq_used { /* 2.7.8: the device writes it */
	uint16_t flags, idx;
	struct {
		uint32_t id, len;
	} ring[SIZE];
};

struct virtqueue {
	volatile struct virtq_desc *desc;
	volatile struct virtq_avail *avail;
	volatile struct virtq_used *used;
	uint8_t (*buf)[2048]; /* one per descriptor */
	uint64_t dma;         /* the device's address of the first */
	volatile uint16_t *doorbell;
	uint16_t number;
	uint16_t seen;  /* used buffers taken back */
	uint16_t fresh; /* descriptors that were ever given */
};

/* Make buffer i available: 2.7.13. */
static void give(struct virtqueue *q, uint32_t i, uint32_t len, uint16_t flags)
{
	q->desc[i].addr = q->dma + i * 2048;
	q->desc[i].len = len;
	q->desc[i].flags = flags;
	q->avail->ring[q->avail->idx % SIZE] = (uint16_t)i;
	__atomic_thread_fence(__ATOMIC_RELEASE); /* 2.7.13.3: entry and buffer before the index */
	q->avail->idx++;
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* 2.7.13.4.1: the index before the flags */
	if (!(q->used->flags & 1))               /* VIRTQ_USED_F_NO_NOTIFY */
		*q->doorbell = q->number;
}

/* The next used buffer, or -1: 2.7.14. */
static int take(struct virtqueue *q, uint32_t *len)
{
	if (q->seen == q->used->idx)
		return -1;
	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* the index before the entry and the buffer */
	*len = q->used->ring[q->seen % SIZE].len;
	return (int)q->used->ring[q->seen++ % SIZE].id;
}

/* The next frame: its length, or 0 when none has come. All buffers were given before. */
static uint32_t plain_receive(struct virtqueue *rx, void *frame)
{
	uint32_t len;
	int i = take(rx, &len);

	if (i < 0)
		return 0;
	memcpy(frame, rx->buf[i] + 12, len - 12); /* behind struct virtio_net_hdr, 5.1.6 */
	give(rx, (uint32_t)i, 2048, 2);           /* VIRTQ_DESC_F_WRITE */
	return len - 12;
}

/* False when the ring is full. */
static bool plain_transmit(struct virtqueue *tx, const void *frame, uint32_t len)
{
	uint32_t unused;
	int i = tx->fresh < SIZE ? tx->fresh++ : take(tx, &unused);

	if (i < 0)
		return false;
	memset(tx->buf[i], 0, 12); /* no offloads, 5.1.6.2 */
	memcpy(tx->buf[i] + 12, frame, len);
	give(tx, (uint32_t)i, len + 12, 0);
	return true;
}
/* end */

#define DMA UINT64_C(0x40000000)

struct bench {
	struct vring v; /* the model's view of the same memory */
	struct vdev d;
	void *mem;
	uint16_t bell;
	struct virtqueue q;
};

static void bench_init(struct bench *b, uint16_t number)
{
	memset(b, 0, sizeof *b);
	cr_assert_eq(vring_init(&b->v, SIZE, false, false), 0);
	b->mem = aligned_alloc(64, split_layout(SIZE).bytes);
	split_place(&b->v, b->mem);
	b->d = vdev_of(&b->v, false);
	b->bell = UINT16_MAX;
	b->q = (struct virtqueue){.desc = (void *)b->v.desc,
		.avail = (void *)b->v.avail,
		.used = (void *)b->v.used,
		.buf = malloc(SIZE * 2048),
		.dma = DMA,
		.doorbell = &b->bell,
		.number = number};
	/* So that indices wrap. */
	b->v.avail->idx = b->v.used->idx = b->d.avail = b->q.seen = (uint16_t)-100;
}

static void bench_done(struct bench *b)
{
	vring_free(&b->v);
	free(b->mem);
	free(b->q.buf);
}

Test(plain_virtio, receives)
{
	struct bench b;
	struct vbuf v;
	uint8_t got[2048];
	uint32_t in = 0, out = 0;

	bench_init(&b, 0);
	for (uint32_t i = 0; i < SIZE; i++)
		give(&b.q, i, 2048, 2);
	for (unsigned round = 0; round < 200; round++) {
		cr_assert_eq(plain_receive(&b.q, got), 0);
		for (unsigned i = 0; i < 1 + round % SIZE; i++, in++) {
			uint32_t len = 60 + in % 1400;
			cr_assert(vdev_take(&b.d, &v));
			cr_assert(v.flags == VRING_WRITE && v.len == 2048);
			cr_assert_eq((v.addr - DMA) % 2048, 0);
			memset(b.q.buf[(v.addr - DMA) / 2048] + 12, (int)in, len);
			vdev_use(&b.d, v.id, len + 12);
		}
		for (; out < in; out++) {
			uint32_t len = plain_receive(&b.q, got);
			cr_assert_eq(len, 60 + out % 1400);
			cr_assert(got[0] == (uint8_t)out && got[len - 1] == (uint8_t)out);
		}
	}
	cr_assert_eq(b.bell, 0, "the queue's number");
	bench_done(&b);
}

Test(plain_virtio, transmits)
{
	struct bench b;
	struct vbuf v;
	uint8_t frame[1460];

	bench_init(&b, 1);
	for (uint32_t sent = 0; sent < 6400; sent += SIZE) {
		for (uint32_t i = 0; i < SIZE; i++) {
			memset(frame, (int)(sent + i), sizeof frame);
			cr_assert(plain_transmit(&b.q, frame, 60 + i));
		}
		cr_assert_not(plain_transmit(&b.q, frame, 60), "the ring is full");
		for (uint32_t i = 0; i < SIZE; i++) {
			cr_assert(vdev_take(&b.d, &v));
			cr_assert_eq(v.len, 72 + i);
			cr_assert_eq(v.flags, 0);
			uint8_t *at = b.q.buf[(v.addr - DMA) / 2048];
			cr_assert(!at[0] && !at[11] && at[12] == (uint8_t)(sent + i));
			vdev_use(&b.d, v.id, 0);
		}
	}
	cr_assert_eq(b.bell, 1);
	b.bell = UINT16_MAX;
	b.v.used->flags = SPLIT_NO_NOTIFY;
	cr_assert(plain_transmit(&b.q, frame, 60));
	cr_assert_eq(b.bell, UINT16_MAX, "no doorbell where the device wants none");
	bench_done(&b);
}
