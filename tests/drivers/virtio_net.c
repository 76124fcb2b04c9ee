/* SPDX-License-Identifier: BSD-2-Clause
 * virtio-net's bursts against a device's side in plain memory: real region, real queue structures,
 * no PCI. What is received is what the device wrote; what is sent lies where the descriptor says,
 * behind twelve zeroes; every chunk comes back to the pool.
 */
#include "bench/loops/forward.h"
#include "drivers/virtio/virtio.h"
#include "tests/drivers/model/pages.h"
#include "tests/drivers/model/virtio.h"
#include "tests/drivers/pieces.h"
#include "tests/drivers/sizes.h"
#include "tests/drivers/threads.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define SIZE   64u
#define CHUNKS 2048u
#define IOVA   UINT64_C(0x40000000)

struct bench {
	struct shunt_dev dev;
	struct pci_port port;
	struct virtio_net net;
	struct virtio_queue *vq;
	struct vdev rx, tx;
	uint16_t bells[2];
	struct pages pages;
};

static const struct shunt_driver driver = {.name = "model", .ledger = virtio_ledger};
static uint64_t more; /* features that it has, too */
static bool phys;     /* the next bench is one of dma=phys */

/* Its status register says DRIVER_OK: nothing else is looked at. */
static uint8_t common[64] = {[0x14] = 0x0f};

static void ring_new(struct bench *b, struct virtio_ring *ring, uint16_t *bell)
{
	ring->mem.len = b->net.packed ? packed_layout(SIZE).bytes : split_layout(SIZE).bytes;
	ring->mem.base = aligned_alloc(64, ring->mem.len);
	ring->doorbell = (volatile uint8_t *)bell;
	cr_assert_eq(virtio_ring_init(ring, &b->net, SIZE), 0);
}

static struct bench *bench_new(bool packed, bool in_order, bool mergeable)
{
	struct shunt_region_opts opts = {.chunks = CHUNKS, .no_huge = true};
	struct bench *b = calloc(1, sizeof *b);

	b->dev.dir = SHUNT_RXTX;
	b->dev.nqueues = 1;
	b->dev.spec.target = "model";
	b->dev.info.max_frame = 1522;
	b->dev.drv = &driver;
	b->dev.priv = &b->port;
	b->port.iova = IOVA;
	b->port.priv = &b->net;
	cr_assert_eq(shunt_region_create(&b->dev.region, &opts, NULL), 0);
	if (phys)
		b->pages = pages_of(b->dev.region);
	b->port.pages = b->pages.addr;
	b->net.packed = packed;
	b->net.in_order = in_order;
	b->net.v.common = common;
	b->net.v.features = mergeable ? VIRTIO_NET_F_MRG_RXBUF : 0;
	b->net.v.features |= more;
	b->net.nqueues = 1;
	b->vq = b->net.queue = aligned_alloc(64, sizeof *b->vq);
	memset(b->vq, 0, sizeof *b->vq);
	ring_new(b, &b->vq->rx, &b->bells[0]);
	ring_new(b, &b->vq->tx, &b->bells[1]);
	cr_assert_eq(virtio_queue_init(b->vq, &b->dev, &b->net, 0), 0);
	virtio_queue_choose(b->vq);
	virtio_bufs_fill(b->vq);
	cr_assert_eq(vring_room(&b->vq->rx.vring), 0);
	b->rx = vdev_of(&b->vq->rx.vring, packed);
	b->tx = vdev_of(&b->vq->tx.vring, packed);
	return b;
}

/* The region refuses to go while a chunk is missing: none was lost. */
static void bench_free(struct bench *b)
{
	struct shunt_err err = {.code = 0};

	cr_assert_eq(b->vq->q.out, 0);
	cr_assert(!phys || b->pages.seen == 3, "both pages were used: %#x", b->pages.seen);
	free(b->pages.addr);
	virtio_bufs_return(b->vq);
	cr_assert_eq(shunt_region_destroy(b->dev.region, &err), 0, "%s", err.what);
	free(b->vq->rx.mem.base);
	free(b->vq->tx.mem.base);
	vring_free(&b->vq->rx.vring);
	vring_free(&b->vq->tx.vring);
	free(b->vq);
	free(b);
}

static uint8_t *at(struct bench *b, uint64_t addr)
{
	if (b->pages.n)
		return (uint8_t *)b->dev.region->info.base + pages_find(&b->pages, addr);
	cr_assert_geq(addr, IOVA);
	cr_assert_lt(addr, IOVA + b->dev.region->info.len);
	return (uint8_t *)b->dev.region->info.base + (addr - IOVA);
}

/* The device writes one frame of len bytes, all of them `byte`. False: it has no buffer. */
static bool deliver(struct bench *b, uint32_t len, uint8_t byte, uint16_t buffers)
{
	struct vbuf v;

	if (!vdev_take(&b->rx, &v))
		return false;
	uint8_t *to = at(b, v.addr);
	cr_assert_geq(v.len, VIRTIO_NET_HDR + 1522);
	memset(to, 0, VIRTIO_NET_HDR);
	memcpy(to + VIRTIO_NET_BUFFERS, &buffers, sizeof buffers);
	memset(to + VIRTIO_NET_HDR, byte, len < 1900 ? len : 1900);
	vdev_use(&b->rx, v.id, len + VIRTIO_NET_HDR);
	return true;
}

static void check_receive(bool packed, bool in_order)
{
	struct bench *b = bench_new(packed, in_order, true);
	struct shunt_pkt pkts[32];
	unsigned sent = 0, got = 0;

	while (got < 100000) {
		for (unsigned i = 0; i < 1 + sent % 40; i++)
			sent += deliver(b, 60 + sent % 1400, (uint8_t)sent, 1);
		int n = shunt_rx(&b->vq->q, pkts, 32);
		cr_assert_geq(n, 0);
		for (int i = 0; i < n; i++, got++) {
			const uint8_t *p = pkts[i].data;
			cr_assert_eq(pkts[i].len, 60 + got % 1400);
			cr_assert_eq(p[0], (uint8_t)got);
			cr_assert_eq(p[pkts[i].len - 1], (uint8_t)got);
			cr_assert_eq(pkts[i].region, b->dev.region->info.id);
		}
		cr_assert_eq(b->vq->q.out, n);
		shunt_release(&b->vq->q, pkts, (unsigned)n);
	}
	cr_assert_eq(b->vq->taken, got);
	cr_assert_eq(b->vq->q.stats.rx_packets, got);
	cr_assert_eq(virtio_rx_waiting(b->vq), sent - got);
	bench_free(b);
}

Test(virtio_net, receives_split)
{
	check_receive(false, false);
	check_receive(false, true);
}

Test(virtio_net, receives_packed)
{
	check_receive(true, false);
	check_receive(true, true);
}

/* The device sends all that it finds, last first; the driver has taken each exactly once. */
static void check_send(bool packed)
{
	struct bench *b = bench_new(packed, false, true);
	struct shunt_pkt pkts[32];
	unsigned made = 0, seen = 0;

	while (seen < 50000) {
		struct vbuf v[SIZE];
		unsigned n = shunt_alloc(&b->vq->q, pkts, 32), k = 0;
		cr_assert_eq(n, 32);
		for (unsigned i = 0; i < n; i++) {
			cr_assert_geq(pkts[i].len, 1522);
			pkts[i].len = 60 + i;
			memset(pkts[i].data, (int)((made + i) & 0xff), pkts[i].len);
		}
		int taken = shunt_tx(&b->vq->q, pkts, n);
		cr_assert_geq(taken, 0);
		shunt_release(&b->vq->q, pkts + taken, n - (unsigned)taken);
		while (k < SIZE && vdev_take(&b->tx, &v[k])) {
			const uint8_t *p = at(b, v[k].addr);
			static const uint8_t zeroes[VIRTIO_NET_HDR];
			cr_assert_eq(memcmp(p, zeroes, VIRTIO_NET_HDR), 0);
			cr_assert_eq(p[VIRTIO_NET_HDR], (uint8_t)(made + k));
			cr_assert_eq(v[k].len, 60 + k + VIRTIO_NET_HDR);
			cr_assert_eq(v[k].flags & VRING_WRITE, 0);
			k++;
		}
		cr_assert_eq(k, taken);
		made += k;
		for (; k; seen++)
			vdev_use(&b->tx, v[--k].id, 0);
	}
	cr_assert_eq(b->vq->q.stats.tx_packets, made);
	cr_assert_eq(b->vq->q.stats.user_copies, 0);
	bench_free(b);
}

Test(virtio_net, sends_split)
{
	check_send(false);
}

Test(virtio_net, sends_packed)
{
	check_send(true);
}

/* Full: the ring takes what it has room for, and again after the device has sent. */
Test(virtio_net, transmit_ring_full)
{
	struct bench *b = bench_new(false, false, true);
	struct shunt_pkt pkts[SIZE + 8];
	unsigned n = shunt_alloc(&b->vq->q, pkts, SIZE + 8);
	struct vbuf v;

	cr_assert_eq(n, SIZE + 8);
	for (unsigned i = 0; i < n; i++)
		pkts[i].len = 60;
	cr_assert_eq(shunt_tx(&b->vq->q, pkts, n), SIZE);
	cr_assert_eq(b->vq->q.stats.tx_short, 1);
	cr_assert_eq(shunt_tx(&b->vq->q, pkts + SIZE, 8), 0);
	for (unsigned i = 0; i < 3; i++) {
		cr_assert(vdev_take(&b->tx, &v));
		vdev_use(&b->tx, v.id, 0);
	}
	cr_assert_eq(shunt_tx(&b->vq->q, pkts + SIZE, 8), 3);
	shunt_release(&b->vq->q, pkts + SIZE + 3, 5);
	bench_free(b);
}

/* Frames from elsewhere are copied, and stay the caller's; without head-room they are moved up;
 * what can't be sent is counted. */
Test(virtio_net, odd_frames)
{
	struct bench *b = bench_new(false, false, true);
	uint8_t foreign[60];
	struct shunt_pkt p[4];
	struct vbuf v;

	memset(foreign, 7, sizeof foreign);
	cr_assert_eq(shunt_alloc(&b->vq->q, p, 3), 3);
	p[3] = (struct shunt_pkt){.data = foreign, .len = 60, .region = 0};
	p[0].data = (uint8_t *)p[0].data - VIRTIO_NET_DATA; /* at the chunk's start */
	p[0].len = 100;
	memset(p[0].data, 9, 100);
	p[1].len = 1523;
	p[2].len = 0;
	cr_assert_eq(shunt_tx(&b->vq->q, p, 4), 4);
	cr_assert_eq(b->vq->q.stats.tx_errors, 2);
	cr_assert_eq(b->vq->q.stats.user_copies, 2);
	cr_assert_eq(p[3].flags & SHUNT_PKT_KEPT, SHUNT_PKT_KEPT);
	cr_assert(vdev_take(&b->tx, &v));
	cr_assert_eq(v.len, 100 + VIRTIO_NET_HDR);
	cr_assert_eq(at(b, v.addr)[VIRTIO_NET_HDR + 99], 9);
	cr_assert_eq(at(b, v.addr)[0], 0);
	cr_assert(vdev_take(&b->tx, &v));
	cr_assert_eq(v.len, 60 + VIRTIO_NET_HDR);
	cr_assert_eq(at(b, v.addr)[VIRTIO_NET_HDR], 7);
	cr_assert_not(vdev_take(&b->tx, &v));
	bench_free(b);
}

/* Another device of the region may call a chunk by another cookie (AF_XDP: its frame's place). */
Test(virtio_net, a_chunk_is_found_by_the_packets_place)
{
	struct bench *b = bench_new(false, false, false);
	struct shunt_queue *q = &b->vq->q;
	struct shunt_pkt p, again;

	cr_assert_eq(shunt_alloc(q, &p, 1), 1);
	p.cookie += 256;
	shunt_release(q, &p, 1);
	cr_assert_eq(shunt_alloc(q, &again, 1), 1);
	cr_assert_eq(again.data, p.data);
	cr_assert_eq(again.cookie % SHUNT_CHUNK, 0);
	shunt_release(q, &again, 1);
	bench_free(b);
}

/* Lengths shorter than the header, longer than the buffer, or huge: dropped by name, the rest
 * arrives. */
Test(virtio_net, bad_lengths)
{
	static const uint32_t lengths[] = {
		0, 1, VIRTIO_NET_HDR - 1, VIRTIO_NET_HDR, 2048, UINT32_MAX, 1u << 31};
	struct bench *b = bench_new(false, false, true);
	struct shunt_pkt pkts[32];
	struct vbuf v;

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		cr_assert(vdev_take(&b->rx, &v));
		memset(at(b, v.addr), 0, VIRTIO_NET_HDR);
		at(b, v.addr)[VIRTIO_NET_BUFFERS] = 1;
		vdev_use(&b->rx, v.id, lengths[i]);
		cr_assert(deliver(b, 60, 1, 1));
	}
	cr_assert(deliver(b, 60, 1, 0)); /* no buffers at all */
	cr_assert_eq(shunt_rx(&b->vq->q, pkts, 32), 7);
	shunt_release(&b->vq->q, pkts, 7);
	cr_assert_eq(b->vq->bad_descriptor, 8);
	cr_assert_eq(b->vq->taken, 15);
	bench_free(b);
}

/* A bad id ends the queue with a sticky error, and what came before it arrives. */
static void check_bad_id(bool packed)
{
	struct bench *b = bench_new(packed, false, true);
	struct shunt_pkt pkts[32];

	deliver(b, 60, 1, 1);
	vdev_use(&b->rx, SIZE + 1, 72);
	cr_assert_eq(shunt_rx(&b->vq->q, pkts, 32), 1);
	shunt_release(&b->vq->q, pkts, 1);
	cr_assert_eq(shunt_rx(&b->vq->q, pkts, 32), -ENODEV);
	cr_assert_neq(*b->dev.info.gone, 0);
	cr_assert_eq(shunt_tx(&b->vq->q, pkts, 0), -ENODEV);
	bench_free(b);
}

Test(virtio_net, bad_ids)
{
	check_bad_id(false);
	check_bad_id(true);
}

/* Frames over several buffers: never split over two bursts, all but the last part marked. */
static void check_merged(bool packed)
{
	struct bench *b = bench_new(packed, false, true);
	struct shunt_pkt pkts[4];

	deliver(b, 60, 1, 1);
	deliver(b, 1900, 2, 3);
	deliver(b, 1900, 3, 1);
	deliver(b, 10, 4, 1);
	deliver(b, 60, 5, 1);
	/* One and a frame of three fit into four; then the last one. */
	cr_assert_eq(shunt_rx(&b->vq->q, pkts, 3), 1);
	shunt_release(&b->vq->q, pkts, 1);
	cr_assert_eq(shunt_rx(&b->vq->q, pkts, 4), 4);
	cr_assert_eq(pkts[0].flags & SHUNT_PKT_MORE, SHUNT_PKT_MORE);
	cr_assert_eq(pkts[1].flags & SHUNT_PKT_MORE, SHUNT_PKT_MORE);
	cr_assert_eq(pkts[2].flags & SHUNT_PKT_MORE, 0);
	cr_assert_eq(pkts[0].len, 1900);
	cr_assert_eq(pkts[1].len, 1900 + VIRTIO_NET_HDR, "no header in a later part");
	cr_assert_eq(pkts[2].len, 10 + VIRTIO_NET_HDR);
	cr_assert_eq(*(uint8_t *)pkts[3].data, 5);
	cr_assert_eq(b->vq->q.stats.rx_packets, 3);
	cr_assert_eq(b->vq->taken - b->vq->parts, 3);
	shunt_release(&b->vq->q, pkts, 4);
	bench_free(b);
}

Test(virtio_net, merged_split)
{
	check_merged(false);
}

Test(virtio_net, merged_packed)
{
	check_merged(true);
}

/* More parts than any burst takes: lost by name. More than there are: the device is broken. */
Test(virtio_net, merged_wrong)
{
	struct bench *b = bench_new(false, false, true);
	struct shunt_pkt pkts[4];

	deliver(b, 1900, 2, 5);
	for (unsigned i = 0; i < 4; i++)
		deliver(b, 1900, 2, 1);
	deliver(b, 60, 9, 1);
	cr_assert_eq(shunt_rx(&b->vq->q, pkts, 4), 1);
	cr_assert_eq(*(uint8_t *)pkts[0].data, 9);
	cr_assert_eq(b->vq->too_long, 1);
	shunt_release(&b->vq->q, pkts, 1);
	deliver(b, 1900, 2, 3);
	deliver(b, 1900, 2, 1);
	cr_assert_eq(shunt_rx(&b->vq->q, pkts, 4), -ENODEV);
	cr_assert_eq(b->vq->bad_descriptor, 1);
	bench_free(b);
}

/* A frame held back for want of room, and the queue closed: its chunk is not lost. */
Test(virtio_net, held_at_close)
{
	struct bench *b = bench_new(false, false, true);
	struct shunt_pkt pkts[2];

	deliver(b, 60, 1, 1);
	deliver(b, 1900, 2, 2);
	deliver(b, 1900, 2, 1);
	cr_assert_eq(shunt_rx(&b->vq->q, pkts, 2), 1);
	cr_assert_eq(b->vq->held.buffers, 2);
	shunt_release(&b->vq->q, pkts, 1);
	bench_free(b);
}

/* An application that holds everything starves the ring, and it recovers when they come back. */
Test(virtio_net, all_chunks_out)
{
	struct bench *b = bench_new(false, false, true);
	static struct shunt_pkt pkts[CHUNKS];
	unsigned out = 0, n;

	while ((n = shunt_alloc(&b->vq->q, pkts + out, 256)))
		out += n;
	cr_assert_gt(out, CHUNKS - SIZE - 2 * SHUNT_BURST_MAX);
	for (unsigned i = 0; i < 10000; i++) {
		struct shunt_pkt p[32];
		while (deliver(b, 60, 1, 1))
			;
		int got = shunt_rx(&b->vq->q, p, 32);
		cr_assert_gt(got, 0, "it keeps back what a refill needs");
		shunt_release(&b->vq->q, p, (unsigned)got);
	}
	while (out) {
		n = out < 256 ? out : 256;
		out -= n;
		shunt_release(&b->vq->q, pkts + out, n);
	}
	bench_free(b);
}

/* What ends a queue by itself ends it for good, and says why. */
static void ends(struct bench *b, int code, const char *word)
{
	struct shunt_pkt p;
	int rc = 0;

	for (unsigned i = 0; i < PCI_IDLE && !rc; i++)
		rc = shunt_rx(&b->vq->q, &p, 1);
	cr_assert_eq(rc, code, "%s", word);
	cr_assert_eq(shunt_rx(&b->vq->q, &p, 1), code, "sticky");
	cr_assert_eq(shunt_tx(&b->vq->q, &p, 0), code);
	cr_assert(strstr(b->dev.info.gone, word), "%s", b->dev.info.gone);
	bench_free(b);
}

/* A used index that jumps, on either ring; nothing of what it names is taken. */
Test(virtio_net, used_index_jumps)
{
	static const uint16_t to[] = {SIZE + 1, 0x8000, UINT16_MAX};

	for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
		struct bench *b = bench_new(false, i & 1, true);
		b->vq->rx.vring.used->idx = to[i];
		ends(b, -ENODEV, "receive queue");
	}
	struct bench *b = bench_new(false, false, true);
	struct shunt_pkt p;
	cr_assert_eq(shunt_alloc(&b->vq->q, &p, 1), 1);
	p.len = 60;
	cr_assert_eq(shunt_tx(&b->vq->q, &p, 1), 1);
	b->vq->tx.vring.used->idx = 2;
	virtio_tx_flush(b->vq);
	cr_assert_eq(b->vq->q.stats.tx_errors, 1, "it can't be known to be sent");
	cr_assert_null(b->vq->tx.vring.broken, "the control thread writes nothing of the ring's");
	bench_free(b);
}

/* Flags of the wrong lap are not taken; of the right one, with an id that is not out, they end it.
 */
Test(virtio_net, packed_wrap_with_bad_descriptors)
{
	struct bench *b = bench_new(true, false, true);
	struct shunt_pkt p;

	for (unsigned i = 0; i < SIZE; i++)
		b->vq->rx.vring.packed[i].flags &= (uint16_t) ~(PACKED_AVAIL | PACKED_USED);
	cr_assert_eq(shunt_rx(&b->vq->q, &p, 1), 0);
	for (unsigned i = 0; i < SIZE; i++) {
		b->vq->rx.vring.packed[i].flags = PACKED_AVAIL | PACKED_USED;
		b->vq->rx.vring.packed[i].id = (uint16_t)(SIZE + i);
	}
	ends(b, -ENODEV, "receive queue");
	b = bench_new(true, false, true);
	for (unsigned i = 0; i < SIZE; i++) { /* all with one id: it is out once */
		b->vq->rx.vring.packed[i] = (struct packed_desc){
			.len = VIRTIO_NET_HDR + 60, .flags = PACKED_AVAIL | PACKED_USED};
		memset(at(b, IOVA + b->vq->rx.vring.chunk[i]) + PCI_HEAD, 0, VIRTIO_NET_HDR);
		at(b, IOVA + b->vq->rx.vring.chunk[i])[PCI_HEAD + VIRTIO_NET_BUFFERS] = 1;
	}
	cr_assert_eq(shunt_rx(&b->vq->q, &p, 1), 1);
	shunt_release(&b->vq->q, &p, 1);
	ends(b, -ENODEV, "receive queue");
}

/* The status is looked at when nothing comes: DRIVER_OK is missing when another program reset it.
 */
Test(virtio_net, looks_at_the_status_when_idle)
{
	static const struct {
		uint8_t status;
		int code;
		const char *word;
	} t[] = {{0x0b, -ENODEV, "reset by another program"}, {0x4f, -ENODEV, "asks for a reset"},
		{0xff, -ENODEV, "is gone"}};
	struct bench *b = bench_new(false, false, true);
	struct shunt_pkt p;

	for (unsigned i = 0; i < PCI_IDLE; i++)
		cr_assert_eq(shunt_rx(&b->vq->q, &p, 1), 0);
	bench_free(b);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		common[0x14] = t[i].status;
		ends(bench_new(i & 1, false, true), t[i].code, t[i].word);
		common[0x14] = 0x0f;
	}
}

static uint8_t config[16];

static struct bench *link_bench(bool up)
{
	struct bench *b = bench_new(false, false, true);

	b->net.v.features |= VIRTIO_NET_F_STATUS;
	b->net.v.device = config;
	b->net.v.device_len = sizeof config;
	config[VIRTIO_NET_CONFIG_STATUS] = up;
	return b;
}

Test(virtio_net, a_link_that_goes)
{
	ends(link_bench(false), -ENETDOWN, "link");
}

/* Who only sends finds out, too, while the device goes on taking frames. */
Test(virtio_net, a_sender_finds_out)
{
	struct bench *b = link_bench(true);
	struct shunt_pkt p;
	struct vbuf v = {0};
	int rc = 1;

	b->vq->q.rx = shunt_no_rx;
	for (unsigned i = 0; i < 3 * PCI_BLIND && rc == 1; i++) {
		cr_assert_eq(shunt_alloc(&b->vq->q, &p, 1), 1);
		p.len = 60;
		rc = shunt_tx(&b->vq->q, &p, 1);
		cr_assert(rc < 0 || vdev_take(&b->tx, &v));
		if (rc > 0)
			vdev_use(&b->tx, v.id, 0);
		config[VIRTIO_NET_CONFIG_STATUS] = i < PCI_BLIND;
	}
	cr_assert_eq(rc, -ENETDOWN);
	shunt_release(&b->vq->q, &p, 1);
	bench_free(b);
}

/* dma=phys: the same over pages that lie in another order. */
Test(virtio_net, physical_addresses)
{
	phys = true;
	for (unsigned i = 0; i < 4; i++)
		check_receive(i & 1, i & 2);
	check_send(false);
	check_send(true);
}

/* A pointer that left its region: no table has an address for it. */
Test(virtio_net, outside_of_the_region)
{
	for (unsigned i = 0; i < 2; i++) {
		struct bench *b = bench_new(false, false, true);
		struct shunt_pkt p;
		struct vbuf v;
		cr_assert_eq(shunt_alloc(&b->vq->q, &p, 1), 1);
		p.data = (uint8_t *)p.data +
			 (i ? b->dev.region->info.len : -b->dev.region->info.len);
		p.len = 60;
		b->port.pages = pages_of(b->dev.region).addr;
		b->vq->pages = b->port.pages;
		virtio_tx_choose(b->vq);
		cr_assert_eq(shunt_tx(&b->vq->q, &p, 1), 1);
		cr_assert_eq(b->vq->q.stats.tx_errors, 1);
		cr_assert_not(vdev_take(&b->tx, &v));
		free((void *)b->vq->pages);
		bench_free(b);
	}
}

/* Hardware's barrier or a processor's: frames come through by either. */
Test(virtio_net, order_platform)
{
	struct bench *b = bench_new(false, false, true);

	cr_assert_not(b->vq->rx.vring.platform);
	cr_assert_not(b->vq->tx.vring.platform);
	bench_free(b);
	more = VIRTIO_F_ORDER_PLATFORM;
	b = bench_new(true, false, true);
	cr_assert(b->vq->rx.vring.platform);
	cr_assert(b->vq->tx.vring.platform);
	bench_free(b);
	check_receive(false, false);
	check_send(true);
}

/* A used index that the queue's thread has not judged yet: looking at it changes nothing. */
Test(virtio_net, a_ledger_read_never_breaks_the_queue)
{
	struct bench *b = bench_new(false, false, true);
	struct shunt_ledger l;
	struct shunt_pkt p;

	deliver(b, 60, 1, 1);
	b->vq->rx.vring.used->idx = SIZE + 1; /* as if it had moved on after seen was read */
	for (unsigned i = 0; i < 3; i++)
		cr_assert_eq(shunt_get_ledger(&b->dev, &l, NULL), 0);
	cr_assert_null(b->vq->rx.vring.broken);
	b->vq->rx.vring.used->idx = 1;
	cr_assert_eq(shunt_rx(&b->vq->q, &p, 1), 1);
	shunt_release(&b->vq->q, &p, 1);
	bench_free(b);
}

/* At least CALLS on each side, all of them in the common window; true where a planted race was
 * found. */
static bool read_beside(bool packed, bool in_order, bool plant)
{
	struct bench *b = bench_new(packed, in_order, true);
	struct beside r = {.dev = &b->dev, .q = &b->vq->q, .plant = plant};
	struct shunt_pkt pkts[32];
	unsigned sent = 0, got = 0, calls = 0;
	struct shunt_ledger l;

	for (beside_begin(&r); !beside_enough(&r, calls); calls++) {
		for (unsigned i = 0; i < 1 + sent % 40; i++)
			sent += deliver(b, 60, 1, 1);
		int n = shunt_rx(&b->vq->q, pkts, 32);
		cr_assert_geq(n, 0, "after %u frames: %s", got, b->dev.info.gone);
		shunt_release(&b->vq->q, pkts, (unsigned)n);
		got += (unsigned)n;
		n = (int)shunt_alloc(&b->vq->q, pkts, 1 + calls % 8);
		for (int i = 0; i < n; i++)
			pkts[i].len = 60;
		int taken = shunt_tx(&b->vq->q, pkts, (unsigned)n);
		shunt_release(&b->vq->q, pkts + taken, (unsigned)(n - taken));
		struct vbuf v;
		while (vdev_take(&b->tx, &v))
			vdev_use(&b->tx, v.id, 0);
	}
	beside_end(&r);
	bool found = beside_found(&b->vq->q);
	shunt_get_ledger(&b->dev, &l, NULL);
	cr_assert_eq(l.received, sent);
	cr_assert_eq(l.unaccounted, 0);
	bench_free(b);
	return found;
}

Test(virtio_net, ledger_beside_receive_split, .timeout = 300)
{
	BESIDE_FINDS(read_beside(false, false, true));
	cr_assert_not(read_beside(false, false, false));
	cr_assert_not(read_beside(false, true, false));
}

Test(virtio_net, ledger_beside_receive_packed, .timeout = 300)
{
	BESIDE_FINDS(read_beside(true, false, true));
	cr_assert_not(read_beside(true, false, false));
	cr_assert_not(read_beside(true, true, false));
}

struct receiver {
	struct bench *b;
	atomic_bool go, stop;
	atomic_uint calls;
};

/* The control thread's half of stop, while the queue's thread receives and releases; 200 rounds,
 * each during a burst. What was given to the device and sent by it is no error; the rest is one. */
static void *receive_on(void *arg)
{
	struct receiver *r = arg;
	struct bench *b = r->b;
	struct shunt_pkt pkts[32];

	while (!atomic_load(&r->stop)) {
		deliver(b, 60, 1, 1);
		int n = shunt_rx(&b->vq->q, pkts, 32);
		shunt_release(&b->vq->q, pkts, (unsigned)(n < 0 ? 0 : n));
		atomic_fetch_add(&r->calls, 1);
		atomic_store(&r->go, true);
	}
	return NULL;
}

static void check_flush_beside(bool packed, bool in_order, unsigned unsent)
{
	struct bench *b = bench_new(packed, in_order, true);
	struct receiver r = {.b = b};
	struct shunt_pkt pkts[32];
	pthread_t thread;
	struct vbuf v;

	unsigned n = shunt_alloc(&b->vq->q, pkts, 20);
	for (unsigned i = 0; i < n; i++)
		pkts[i].len = 60;
	cr_assert_eq(shunt_tx(&b->vq->q, pkts, n), 20);
	for (unsigned i = 0; i < n - unsent; i++) {
		cr_assert(vdev_take(&b->tx, &v));
		vdev_use(&b->tx, v.id, 0);
	}
	cr_assert_eq(pthread_create(&thread, NULL, receive_on, &r), 0);
	while (!atomic_load(&r.go))
		;
	unsigned before = atomic_load(&r.calls);
	virtio_tx_flush(b->vq);
	while (atomic_load(&r.calls) < before + 10)
		;
	atomic_store(&r.stop, true);
	pthread_join(thread, NULL);
	cr_assert_eq(b->vq->q.stats.tx_errors, unsent);
	cr_assert_eq(shunt_tx(&b->vq->q, pkts, 0), 0, "it takes nothing any more");
	bench_free(b);
}

Test(virtio_net, transmit_ends_beside_receive, .timeout = 300)
{
	for (unsigned round = 0; round < 200; round++)
		check_flush_beside(round & 1, round & 2, 0);
	for (unsigned round = 0; round < 4; round++)
		check_flush_beside(round & 1, round & 2, 3);
}

static void check_pieces(bool packed, bool in_order)
{
	struct bench *b = bench_new(packed, in_order, true);
	struct vbuf v;

	pieces_send(&b->vq->q);
	pieces_too_long(&b->vq->q, 800);
	for (unsigned i = 0; i < 3; i++) {
		cr_assert(vdev_take(&b->tx, &v));
		if (i == 1)
			pieces_check(at(b, v.addr) + VIRTIO_NET_HDR, v.len - VIRTIO_NET_HDR);
		else
			cr_assert_eq(v.len, 60 + VIRTIO_NET_HDR);
		vdev_use(&b->tx, v.id, 0);
	}
	cr_assert_not(vdev_take(&b->tx, &v), "nothing else");
	bench_free(b);
}

Test(virtio_net, frames_of_several_pieces_go_out_whole)
{
	check_pieces(false, false);
	check_pieces(false, true);
	check_pieces(true, false);
	check_pieces(true, true);
}

/* Received in three buffers, and sent again: one frame. */
Test(virtio_net, merged_frames_are_forwarded_as_one)
{
	struct bench *b = bench_new(false, false, true);
	struct shunt_pkt p[8];
	struct vbuf v;

	deliver(b, 500, 2, 3);
	deliver(b, 488, 3, 1);
	deliver(b, 100, 4, 1);
	deliver(b, 60, 5, 1);
	cr_assert_eq(shunt_rx(&b->vq->q, p, 8), 4);
	cr_assert_eq(shunt_frames(p, 4), 2);
	cr_assert_eq(shunt_tx(&b->vq->q, p, 4), 4);
	cr_assert(vdev_take(&b->tx, &v));
	cr_assert_eq(v.len, VIRTIO_NET_HDR + 500 + 500 + 112);
	cr_assert_eq(at(b, v.addr)[VIRTIO_NET_HDR + 499], 2);
	cr_assert_eq(at(b, v.addr)[VIRTIO_NET_HDR + 999], 3);
	cr_assert_eq(at(b, v.addr)[v.len - 1], 4);
	cr_assert(vdev_take(&b->tx, &v));
	cr_assert_eq(v.len, VIRTIO_NET_HDR + 60);
	cr_assert_not(vdev_take(&b->tx, &v));
	cr_assert_eq(b->vq->q.stats.tx_packets, 2);
	bench_free(b);
}

Test(virtio_net, any_number_in_a_burst)
{
	for (unsigned packed = 0; packed < 2; packed++) {
		struct bench *b = bench_new(packed, false, true);
		while (deliver(b, 60, 1, 1))
			;
		sizes_check(&b->vq->q);
		bench_free(b);
	}
}

/* By the forwarder's burst: one frame out, its addresses swapped once, and both counted as frames.
 */
Test(virtio_net, the_forwarder_keeps_frames_whole)
{
	struct bench *b = bench_new(false, false, true);
	struct bench_forward f = {.swap = true, .region_id = b->dev.region->info.id};
	struct vbuf v;

	deliver(b, 500, 2, 2);
	deliver(b, 488, 3, 1);
	deliver(b, 60, 5, 1);
	f.dev[0] = f.dev[1] = &b->dev;
	cr_assert_eq(bench_forward_burst(&f, &f.way[0], &b->vq->q, &b->vq->q, 8), 2);
	cr_assert_eq(f.way[0].received, 2);
	cr_assert_eq(f.way[0].unfit, 0);
	cr_assert(vdev_take(&b->tx, &v));
	cr_assert_eq(v.len, VIRTIO_NET_HDR + 1000);
	/* The second buffer has no header: it begins with zeroes, which a swap would move. */
	cr_assert_eq(at(b, v.addr)[VIRTIO_NET_HDR + 500 + 5], 0);
	cr_assert_eq(at(b, v.addr)[VIRTIO_NET_HDR + 500 + VIRTIO_NET_BUFFERS], 1);
	cr_assert(vdev_take(&b->tx, &v));
	cr_assert_eq(v.len, VIRTIO_NET_HDR + 60);
	bench_free(b);
}
