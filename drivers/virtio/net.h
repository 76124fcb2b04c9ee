/* SPDX-License-Identifier: BSD-2-Clause
 * virtio-net (virtio 1.2, 5.1): a queue of ours is a pair of virtqueues, receiveq and transmitq. A
 * frame lies behind its 12-byte header in one chunk: header at PCI_HEAD, data right behind, so that
 * both begin in one cache line. A chunk has one owner: the pool, the queue's stack, the application
 * (q.out), or a ring (vring.chunk).
 */
#ifndef DRIVERS_VIRTIO_NET_H
#define DRIVERS_VIRTIO_NET_H

#include "drivers/pci/nic.h"
#include "drivers/pci/stack.h"
#include "drivers/virtio/packed.h"
#include "drivers/virtio/split.h"
#include "drivers/virtio/virtio.h"

/* Feature bits, 5.1.3 */
#define NET_F_MTU           VIRTIO_BIT(3)
#define NET_F_MAC           VIRTIO_BIT(5)
#define NET_F_MRG_RXBUF     VIRTIO_BIT(15)
#define NET_F_STATUS        VIRTIO_BIT(16)
#define NET_F_CTRL_VQ       VIRTIO_BIT(17)
#define NET_F_CTRL_RX       VIRTIO_BIT(18)
#define NET_F_MQ            VIRTIO_BIT(22)
#define NET_F_CTRL_MAC_ADDR VIRTIO_BIT(23)

/* struct virtio_net_config, 5.1.4 */
#define NET_CONFIG_MAC    0u
#define NET_CONFIG_STATUS 6u
#define NET_CONFIG_PAIRS  8u
#define NET_CONFIG_MTU    10u
#define NET_LINK_UP       1u

/* struct virtio_net_hdr, 5.1.6: ten bytes that we leave at 0, and num_buffers */
#define NET_HDR     12u
#define NET_BUFFERS 10u
#define NET_DATA    (PCI_HEAD + NET_HDR) /* offset of a frame in its chunk */

#define NET_REFILL 64u /* free descriptors that make a refill worth its barrier and doorbell */
/* Empty receives, or fruitless transmits, before a look at the status. */
#define NET_IDLE  (1u << 20)
#define NET_BLIND (1u << 10) /* transmit bursts of a queue that never receives, before one */

struct net_vq {
	struct vring ring;
	volatile uint8_t *doorbell;
	struct pci_mem mem;
	uint16_t number; /* the device's */
};

/* The queue's thread owns it all between start and stop. */
struct net_queue {
	struct shunt_queue q;
	uint8_t *base; /* of the region */
	uint64_t iova;
	const uint64_t *pages; /* dma=phys: pci_phys_addr() in place of iova */
	uint64_t len;          /* of the region */
	uint64_t mask;         /* offset in a chunk */
	uint64_t tail;         /* the end of each packet: region, queue, no VLAN */
	uint32_t room;         /* bytes of a frame that a chunk takes */
	uint32_t longest;      /* frame that goes out */
	uint16_t region;
	uint32_t refill; /* free descriptors that start one; above the ring's size: never */
	bool mergeable, stopped;
	uint32_t idle;
	struct net_vq rx, tx;
	struct pci_sleep sleep;
	uint64_t taken;    /* used receive buffers, ever */
	uint64_t parts;    /* of them those that went on a frame begun in another */
	uint64_t rubbish;  /* lengths that can't be */
	uint64_t too_long; /* frames in more buffers than a burst has room for */
	struct {
		uint64_t chunk;
		uint32_t len;
		uint16_t buffers; /* 0: none */
	} held; /* the first buffer of a frame that waits for a burst with room for all of it */
	const struct net *net;
	struct pci_stack stack;
} __attribute__((aligned(64)));

struct net {
	struct virtio_pci v;
	bool packed, in_order, event;
	uint16_t pairs_max;
	uint8_t mac[6];
	bool has_ctrl;
	struct net_vq ctrl;
	struct pci_mem ctrl_mem; /* the command, and the device's answer */
	struct net_queue *queue;
	unsigned nqueues; /* made so far */
};

/* queue.c: one queue's memory and structures, also over plain memory (tests). */
int net_vq_init(struct net_vq *vq, const struct net *net, uint16_t size);
int net_vq_enable(struct net_vq *vq, struct net *net, uint16_t number, uint16_t size,
	uint16_t vector, struct shunt_err *err);
void net_vq_free(struct net_vq *vq, struct pci_dev *pci);
void net_queue_init(
	struct net_queue *nq, struct shunt_dev *dev, const struct net *net, unsigned index);
/* The rings' chunks and the stack go back to the pool; the device must be reset. */
void net_queue_drain(struct net_queue *nq);

/* rx.c, tx.c: choose the bursts. */
void net_rx_choose(struct net_queue *nq);
void net_rx_fill(struct net_queue *nq); /* the first time */
void net_tx_choose(struct net_queue *nq);
void net_tx_flush(struct net_queue *nq);
int net_arm(struct shunt_queue *q);
/* Used receive buffers that nobody has taken. */
uint32_t net_rx_waiting(struct net_queue *nq);

/* link.c: has the link gone, or the device? A few register reads; makes the error sticky. */
int net_check_link(struct net_queue *nq);
bool net_link_up(const struct virtio_pci *v);

/* control.c, 5.1.6.5 */
int net_control_open(struct shunt_dev *dev, struct shunt_err *err);
int net_set_pairs(struct net *net, uint16_t pairs, struct shunt_err *err);
int net_set_promisc(struct net *net, bool on, struct shunt_err *err);

static inline void net_ring(const struct net_vq *vq)
{
	mmio_write16(vq->doorbell, vq->number);
}

#endif
