/* SPDX-License-Identifier: BSD-2-Clause
 * virtio-net (virtio 1.2, 5.1): a queue of ours is a pair of virtqueues, receiveq and transmitq. A
 * frame follows its 12-byte header in one chunk: header at PCI_HEAD, data right behind, so that
 * both begin in one cache line. A chunk has one owner: the pool, the queue's cache, the application
 * (q.out), or a ring (vring.chunk).
 */
#ifndef DRIVERS_VIRTIO_VIRTIO_H
#define DRIVERS_VIRTIO_VIRTIO_H

#include "drivers/core/chunks.h"
#include "drivers/pci/nic.h"
#include "drivers/virtio/packed.h"
#include "drivers/virtio/split.h"
#include "drivers/virtio/transport.h"

/* Feature bits, 5.1.3 */
#define VIRTIO_NET_F_MTU           VIRTIO_BIT(3)
#define VIRTIO_NET_F_MAC           VIRTIO_BIT(5)
#define VIRTIO_NET_F_MRG_RXBUF     VIRTIO_BIT(15)
#define VIRTIO_NET_F_STATUS        VIRTIO_BIT(16)
#define VIRTIO_NET_F_CTRL_VQ       VIRTIO_BIT(17)
#define VIRTIO_NET_F_CTRL_RX       VIRTIO_BIT(18)
#define VIRTIO_NET_F_MQ            VIRTIO_BIT(22)
#define VIRTIO_NET_F_CTRL_MAC_ADDR VIRTIO_BIT(23)

/* struct virtio_net_config, 5.1.4 */
#define VIRTIO_NET_CONFIG_MAC    0u
#define VIRTIO_NET_CONFIG_STATUS 6u
#define VIRTIO_NET_CONFIG_PAIRS  8u
#define VIRTIO_NET_CONFIG_MTU    10u
#define VIRTIO_NET_S_LINK_UP     1u

/* struct virtio_net_hdr, 5.1.6: ten bytes that we leave at 0, and num_buffers */
#define VIRTIO_NET_HDR     12u
#define VIRTIO_NET_BUFFERS 10u
#define VIRTIO_NET_DATA    (PCI_HEAD + VIRTIO_NET_HDR) /* offset of a frame in its chunk */

#define VIRTIO_REFILL 64u /* free descriptors that make a refill worth its barrier and doorbell */
struct virtio_ring {
	struct vring vring;
	volatile uint8_t *doorbell;
	struct pci_mem mem;
	uint16_t number; /* the device's */
};

/* The queue's thread owns it all between start and stop, but for stopped, which stop writes. What
 * the ledger reads is written by SHUNT_SET: the counts, held.buffers, and a ring's next and seen.
 */
struct virtio_queue {
	struct shunt_queue q;
	uint8_t *base; /* of the region */
	uint64_t iova;
	const uint64_t *pages; /* dma=phys: pci_phys_addr() in place of iova */
	uint64_t len;          /* of the region */
	uint64_t mask;         /* offset in a chunk */
	uint64_t tail;         /* of each packet: region, queue, no hash */
	uint32_t room;         /* bytes of a frame that a chunk takes */
	uint32_t longest;      /* frame that goes out */
	uint16_t region;
	unsigned (*refill)(struct virtio_queue *vq); /* see virtio_bufs_choose */
	uint32_t low; /* fewer buffers with the device start a refill; 0: none does */
	bool mergeable, stopped;
	uint32_t idle;
	struct virtio_ring rx, tx;
	struct pci_sleep sleep;
	uint64_t taken;          /* used receive buffers, ever */
	uint64_t parts;          /* of them those that went on a frame begun in another */
	uint64_t bad_descriptor; /* impossible lengths */
	uint64_t too_long;       /* frames in more buffers than a burst has room for */
	struct {
		uint64_t chunk;
		uint32_t len;
		uint16_t buffers; /* 0: none */
	} held; /* the first buffer of a frame that waits for a burst with room for all of it */
	const struct virtio_net *net;
	struct shunt_chunks chunks;
} __attribute__((aligned(64)));

struct virtio_net {
	struct virtio_pci v;
	bool packed, in_order, event;
	uint16_t pairs_max;
	uint8_t mac[6];
	bool has_ctrl;
	struct virtio_ring ctrl;
	struct pci_mem ctrl_mem; /* the command, and the device's answer */
	struct virtio_queue *queue;
	unsigned nqueues; /* made so far */
};

/* queue.c: one queue's memory and structures, also over plain memory (tests). */
int virtio_ring_init(struct virtio_ring *ring, const struct virtio_net *net, uint16_t size);
int virtio_ring_enable(struct virtio_ring *ring, struct virtio_net *net, uint16_t number,
	uint16_t size, uint16_t vector, struct shunt_err *err);
void virtio_ring_free(struct virtio_ring *ring, struct pci_dev *pci);
int virtio_queue_init(struct virtio_queue *vq, struct shunt_dev *dev, const struct virtio_net *net,
	unsigned index);
/* Bursts for the directions that the device was opened for. Its rings are there. */
void virtio_queue_choose(struct virtio_queue *vq);

/* rx.c, tx.c: choose the bursts of a queue that receives, or transmits. */
void virtio_rx_choose(struct virtio_queue *vq);
void virtio_tx_choose(struct virtio_queue *vq);
/* Received, and not handed out: any thread. */
uint32_t virtio_rx_waiting(const struct virtio_queue *vq);
int virtio_rx_arm(struct shunt_queue *q);
void virtio_tx_flush(struct virtio_queue *vq);

/* bufs.c */
unsigned virtio_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
void virtio_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n);
/* Chooses vq->refill, which gives the receive ring as many chunks as it lacks, at most a burst, and
 * returns how many; fill: all. */
void virtio_bufs_choose(struct virtio_queue *vq);
void virtio_bufs_fill(struct virtio_queue *vq);
/* The device was reset: every chunk that it had, and the cache, go back to the pool. */
void virtio_bufs_return(struct virtio_queue *vq);

/* link.c: is the link there, and the device? A few register reads; makes the error sticky. */
bool virtio_link_up(const struct virtio_pci *v);
int virtio_link_check(struct virtio_queue *vq);

/* ledger.c */
int virtio_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err);

/* control.c, 5.1.6.5 */
int virtio_control_open(struct shunt_dev *dev, struct shunt_err *err);
int virtio_control_pairs(struct virtio_net *net, uint16_t pairs, struct shunt_err *err);
int virtio_control_promisc(struct virtio_net *net, bool on, struct shunt_err *err);

static inline void virtio_notify(const struct virtio_ring *ring)
{
	mmio_write16(ring->doorbell, ring->number);
}

#endif
