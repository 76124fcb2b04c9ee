/* SPDX-License-Identifier: BSD-2-Clause
 * bench/races/instructions runs this under callgrind: virtio-net's bursts over a device's side in
 * plain memory. What is counted are the measured_ functions alone, so that the device costs
 * nothing. Usage: virtio-loop split|packed FRAMES BURST receive|send|echo|forward; prints how many
 * frames moved. forward: to another card, by the burst that `shunt fwd` runs, with a byte of each
 * touched.
 */
#include "bench/loops/forward.h"
#include "drivers/virtio/virtio.h"
#include "tests/drivers/model/virtio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 512u
#define IOVA UINT64_C(0x40000000)

#ifdef __clang__ /* it clones nothing, and does not know the word */
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

struct bench {
	struct shunt_dev dev;
	struct pci_port port;
	struct virtio_net net;
	struct vdev rx, tx;
	uint16_t bell;
};

typedef int measured(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
KEPT measured measured_receive, measured_send, measured_echo, measured_forward;

static struct bench_forward fwd = {.touch = true};
static struct shunt_queue *far; /* where measured_forward sends */

int measured_receive(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	int got = shunt_rx(q, pkts, n);

	if (got > 0)
		shunt_release(q, pkts, (unsigned)got);
	return got;
}

int measured_send(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	unsigned got = shunt_alloc(q, pkts, n);

	for (unsigned i = 0; i < got; i++)
		pkts[i].len = 60;
	return shunt_tx(q, pkts, got);
}

int measured_echo(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	int got = shunt_rx(q, pkts, n);

	return got > 0 ? shunt_tx(q, pkts, (unsigned)got) : got;
}

int measured_forward(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	(void)pkts;
	return (int)bench_forward_burst(&fwd, &fwd.way[0], q, far, n);
}

static int ring_new(struct bench *b, struct virtio_ring *ring)
{
	ring->mem.len = b->net.packed ? packed_layout(SIZE).bytes : split_layout(SIZE).bytes;
	ring->mem.base = aligned_alloc(64, ring->mem.len);
	ring->doorbell = (volatile uint8_t *)&b->bell;
	return ring->mem.base ? virtio_ring_init(ring, &b->net, SIZE) : -1;
}

static int make(struct bench *b, struct shunt_region *region, bool packed)
{
	struct virtio_queue *vq = aligned_alloc(64, sizeof *vq);

	if (!vq)
		return -1;
	b->dev.region = region;
	memset(vq, 0, sizeof *vq);
	b->dev.dir = SHUNT_RXTX;
	b->dev.nqueues = 1;
	b->dev.spec.target = "model";
	b->dev.info.max_frame = 1522;
	b->dev.priv = &b->port;
	b->port.iova = IOVA;
	b->net.packed = packed;
	b->net.v.features = VIRTIO_NET_F_MRG_RXBUF;
	b->net.queue = vq;
	if (ring_new(b, &vq->rx) || ring_new(b, &vq->tx) ||
		virtio_queue_init(vq, &b->dev, &b->net, 0))
		return -1;
	virtio_queue_choose(vq);
	virtio_bufs_fill(vq);
	b->rx = vdev_of(&vq->rx.vring, packed);
	b->tx = vdev_of(&vq->tx.vring, packed);
	return 0;
}

static void deliver(struct bench *b, unsigned n)
{
	struct vbuf v;

	for (unsigned i = 0; i < n && vdev_take(&b->rx, &v); i++) {
		uint8_t *to = (uint8_t *)b->dev.region->info.base + (v.addr - IOVA);
		memset(to, 0, VIRTIO_NET_HDR);
		to[VIRTIO_NET_BUFFERS] = 1;
		vdev_use(&b->rx, v.id, 60 + VIRTIO_NET_HDR);
	}
}

static void send_all(struct bench *b)
{
	struct vbuf v;

	while (vdev_take(&b->tx, &v))
		vdev_use(&b->tx, v.id, 0);
}

int main(int argc, char **argv)
{
	static struct bench b, second;
	struct shunt_region_opts opts = {.chunks = 8192, .no_huge = true};
	struct shunt_region *region;
	struct shunt_pkt pkts[SHUNT_BURST_MAX];

	if (argc != 5 || shunt_region_create(&region, &opts, NULL))
		return 2;
	bool packed = !strcmp(argv[1], "packed");
	if (make(&b, region, packed) || make(&second, region, packed))
		return 2;
	unsigned frames = (unsigned)atoi(argv[2]), burst = (unsigned)atoi(argv[3]), done = 0;
	measured *loop = !strcmp(argv[4], "receive") ? measured_receive
			 : !strcmp(argv[4], "send")  ? measured_send
			 : !strcmp(argv[4], "echo")  ? measured_echo
						     : measured_forward;
	fwd.region_id = region->info.id;
	far = &second.net.queue->q;
	while (done < frames) {
		if (loop != measured_send)
			deliver(&b, burst);
		int n = loop(&b.net.queue->q, pkts, burst);
		if (n <= 0)
			return 1;
		send_all(loop == measured_forward ? &second : &b);
		done += (unsigned)n;
	}
	if (far->stats.user_copies)
		return 1;
	printf("%u\n", done);
	return 0;
}
