/* SPDX-License-Identifier: BSD-2-Clause
 * A virtio-net card that writes what it likes: into its side of both rings, and into the headers
 * of frames. What a burst gives lies in one chunk of the region, no chunk is given twice, and at
 * the end every chunk is back. The first byte chooses the layout, the rest are steps of four bytes.
 */
#include "drivers/virtio/virtio.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SIZE   16u
#define CHUNKS 512u
#define IOVA   UINT64_C(0x40000000)

struct card {
	struct shunt_dev dev;
	struct pci_port port;
	struct virtio_net net;
	struct virtio_queue *vq;
	uint8_t status[64];
	uint16_t bell;
	bool out[CHUNKS]; /* given to us */
};

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void ring_new(struct card *c, struct virtio_ring *ring)
{
	ring->mem.len = c->net.packed ? packed_layout(SIZE).bytes : split_layout(SIZE).bytes;
	ring->mem.base = aligned_alloc(64, ring->mem.len);
	ring->doorbell = (volatile uint8_t *)&c->bell;
	must(ring->mem.base && !virtio_ring_init(ring, &c->net, SIZE));
}

static struct card *card_new(uint8_t how)
{
	struct shunt_region_opts opts = {.chunks = CHUNKS, .no_huge = true};
	struct card *c = calloc(1, sizeof *c);

	must(c);
	c->dev = (struct shunt_dev){.dir = SHUNT_RXTX, .nqueues = 1, .priv = &c->port};
	must(!shunt_region_create(&c->dev.region, &opts, NULL));
	c->dev.spec.target = "fuzz";
	c->dev.info.max_frame = 1522;
	c->port.iova = IOVA;
	c->port.priv = &c->net;
	c->net.packed = how & 1;
	c->net.in_order = how & 2;
	c->net.event = how & 8;
	c->net.v.features = how & 4 ? VIRTIO_NET_F_MRG_RXBUF : 0;
	c->net.v.common = c->status;
	c->vq = c->net.queue = aligned_alloc(64, sizeof *c->vq);
	must(c->vq);
	memset(c->vq, 0, sizeof *c->vq);
	ring_new(c, &c->vq->rx);
	ring_new(c, &c->vq->tx);
	must(!virtio_queue_init(c->vq, &c->dev, &c->net, 0));
	virtio_queue_choose(c->vq);
	virtio_bufs_fill(c->vq);
	return c;
}

/* Where a packet lies, as the application may use it; and that it is not ours already. */
static unsigned place(const struct card *c, const struct shunt_pkt *p)
{
	uint64_t at = (uint64_t)((uint8_t *)p->data - (uint8_t *)c->dev.region->info.base);

	must(at < (uint64_t)CHUNKS * SHUNT_CHUNK && p->len <= SHUNT_CHUNK - at % SHUNT_CHUNK);
	must(p->cookie == at - at % SHUNT_CHUNK && p->region == c->dev.region->info.id);
	return (unsigned)(at / SHUNT_CHUNK);
}

static void take(struct card *c, const struct shunt_pkt *pkts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned k = place(c, &pkts[i]);
		must(!c->out[k]);
		c->out[k] = true;
	}
}

static void give(struct card *c, const struct shunt_pkt *pkts, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		c->out[place(c, &pkts[i])] = false;
	shunt_release(&c->vq->q, pkts, n);
}

static void receive(struct card *c, unsigned n)
{
	struct shunt_pkt p[SIZE];
	int got = shunt_rx(&c->vq->q, p, n);

	must(got <= (int)n);
	if (got > 0) {
		take(c, p, (unsigned)got);
		give(c, p, (unsigned)got);
	}
}

static void send(struct card *c, unsigned n, uint32_t len)
{
	struct shunt_pkt p[SIZE];

	n = shunt_alloc(&c->vq->q, p, n);
	take(c, p, n);
	for (unsigned i = 0; i < n; i++)
		p[i].len = len;
	int sent = shunt_tx(&c->vq->q, p, n);
	must(sent <= (int)n);
	unsigned done = sent > 0 ? (unsigned)sent : 0;
	for (unsigned i = 0; i < done; i++)
		c->out[p[i].cookie / SHUNT_CHUNK] = false;
	shunt_release(&c->vq->q, p + done, n - done);
	for (unsigned i = done; i < n; i++)
		c->out[p[i].cookie / SHUNT_CHUNK] = false;
}

/* What the device may write of a ring: all but the split ring's descriptors and available ring. */
static void scribble(struct card *c, const struct virtio_ring *ring, uint8_t at, uint8_t value)
{
	size_t from = c->net.packed ? 0 : split_layout(SIZE).device;

	((uint8_t *)ring->mem.base)[from + at % (ring->mem.len - from)] = value;
}

static void step(struct card *c, const uint8_t *s)
{
	uint8_t *base = c->dev.region->info.base;

	switch (s[0] % 5) {
	case 0:
		receive(c, 1 + s[1] % SIZE);
		break;
	case 1:
		send(c, 1 + s[1] % SIZE, s[2] | (uint32_t)s[3] << 8);
		break;
	case 2:
		scribble(c, &c->vq->rx, s[1], s[2]);
		break;
	case 3:
		scribble(c, &c->vq->tx, s[1], s[2]);
		break;
	default: /* a frame's header */
		base[(size_t)(s[1] % 64) * SHUNT_CHUNK + PCI_HEAD + s[2] % VIRTIO_NET_HDR] = s[3];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	struct card *c = card_new(data[0]);

	for (size_t i = 1; i + 4 <= size; i += 4)
		step(c, data + i);
	virtio_rx_waiting(c->vq);
	must(!c->vq->q.out);
	virtio_bufs_return(c->vq);
	must(!shunt_region_destroy(c->dev.region, NULL));
	free(c->vq->rx.mem.base);
	free(c->vq->tx.mem.base);
	vring_free(&c->vq->rx.vring);
	vring_free(&c->vq->tx.vring);
	free(c->vq);
	free(c);
	return 0;
}
