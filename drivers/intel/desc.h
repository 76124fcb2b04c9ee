/* SPDX-License-Identifier: BSD-2-Clause
 * Descriptor rings. What 82576 calls advanced and 82574 calls extended receive descriptors are the
 * same 16 bytes, written back too (82576 7.1.5). Transmit descriptors differ: 82576 takes advanced
 * data descriptors, 82574 legacy ones (7.2.10), but both are an address and a word of length,
 * command and, written back, DD in bit 32: a constant and a factor describe the difference. Indices
 * are u32, run on over the wrap, and are masked on use: only the masked value goes to the 16-bit
 * tail register, so that full and empty are never confused.
 * One thread per queue. Everything that the device writes is bounded before it is used.
 */
#ifndef DRIVERS_INTEL_DESC_H
#define DRIVERS_INTEL_DESC_H

#include "drivers/core/chunks.h"
#include "drivers/pci/mmio.h"
#include "drivers/pci/nic.h"

#include <string.h>

#define INTEL_RING_MIN 64u
#define INTEL_RING_MAX                                                                             \
	8192u /* 128 KiB: the length registers take more, data sheets promise less                 \
	       */
#define INTEL_TX_RING 512u
#define INTEL_BATCH   32u /* transmit: descriptors per write-back */
#define INTEL_REFILL  64u /* receive: descriptors per tail write; half of a ring that is smaller */
#define INTEL_RX_MIN  14u /* an Ethernet header */
#define INTEL_TX_MIN  17u /* what transmitters can pad */
#define INTEL_FRAME   1518u /* longest frame without LPE: one VLAN tag, no CRC */

/* Little endian, as the host: PCI drivers are built for x86 only. */
struct intel_desc {
	uint64_t addr;
	uint64_t word;
};

/* Receive, written back: word. */
#define RXD_DD     (1ull << 0)
#define RXD_EOP    (1ull << 1)
#define RXD_ERRORS (0x97ull << 24) /* CE, SE, SEQ, CXE, RXE; checksums are left to others */
/* and addr: what was hashed, 0 for nothing, and the hash. */
#define RXD_RSS_TYPE(a) ((a)&0xf)
#define RXD_HASH(a)     ((uint32_t)((a) >> 32))

/* Transmit: word. */
#define TXD_EOP      (1ull << 24)
#define TXD_IFCS     (1ull << 25)
#define TXD_RS       (1ull << 27)              /* write DD back */
#define TXD_ADVANCED (1ull << 29 | 3ull << 20) /* 82576: DEXT, DTYP = data */
#define TXD_PAYLEN   (1ull << 46)              /* 82576: the frame's length once more */
#define TXD_DD       (1ull << 32)

/* The queue's thread's; the device follows the tail register. */
struct intel_ring {
	struct intel_desc *desc;
	uint64_t *slot; /* the chunk of each descriptor: the device overwrites the address */
	volatile uint32_t *tail_reg;
	uint32_t mask;
	uint32_t next; /* receive: the next to look at; transmit: the oldest not reaped */
	uint32_t tail; /* the next to give to the device */
};

struct intel_queue {
	struct shunt_queue q;
	struct intel_ring rx;
	uint8_t *base;         /* of the region */
	uint64_t iova;         /* what the device calls it */
	const uint64_t *pages; /* dma=phys: pci_phys_addr() in place of iova */
	uint64_t len;          /* of the region */
	uint32_t chunk;        /* bytes, a power of two */
	uint32_t head;         /* bytes before a received frame */
	uint32_t buffer;       /* bytes that the device may write there */
	uint32_t idle;         /* empty receives in a row */
	uint32_t refill;       /* free receive descriptors that are worth a tail write */
	uint16_t region;
	bool stopped;  /* written by the control thread */
	bool in_frame; /* receive: amid a frame that is dropped: its end has not come */
	struct intel_ring tx;
	uint64_t tx_word;        /* command bits of a transmit descriptor */
	uint64_t tx_len;         /* times the length: what goes into the word, too */
	uint32_t stuck;          /* transmits in a row that found no room */
	uint32_t bad_descriptor; /* impossible length or status; read for the ledger */
	volatile uint32_t *status;
	struct pci_sleep sleep;
	struct shunt_chunks chunks;
	unsigned id;
} __attribute__((aligned(64)));

static inline uint32_t intel_ring_used(const struct intel_ring *r)
{
	return r->tail - r->next;
}

/* One descriptor stays free: to the device, head == tail means empty. */
static inline uint32_t intel_ring_free(const struct intel_ring *r)
{
	return r->mask - intel_ring_used(r);
}

static inline void intel_ring_push(const struct intel_ring *r)
{
	mmio_wmb(); /* descriptors and bytes before the tail; pairs with the device's fetch */
	mmio_write32(r->tail_reg, r->tail & r->mask);
}

/* What the device wrote. Acquire: orders DD before the rest of the descriptor and the packet's
 * bytes; pairs with the device, which writes DD last. */
static inline uint64_t intel_desc_word(const struct intel_desc *d)
{
	return __atomic_load_n(&d->word, __ATOMIC_ACQUIRE);
}

/* Bits 47:32 of a receive descriptor's word, once its DD was seen: a load costs less than to shift
 * and mask. */
static inline uint32_t intel_desc_length(const struct intel_desc *d)
{
	uint16_t len;

	memcpy(&len, (const uint8_t *)&d->word + 4, sizeof len);
	return len;
}

static inline uint64_t intel_ring_word(const struct intel_ring *r, uint32_t at)
{
	return intel_desc_word(&r->desc[at & r->mask]);
}

/* queue.c: size is a power of two; desc is zeroed memory that the device sees; start is where the
 * indices begin (tests begin before the wrap), a multiple of the size. -ENOMEM. */
int intel_ring_init(struct intel_ring *r, struct intel_desc *desc, uint32_t size, uint32_t start);
void intel_ring_done(struct intel_ring *r);

/* rx.c, tx.c: choose the bursts of a queue that receives, or transmits. */
void intel_rx_choose(struct intel_queue *iq, bool hash, bool sleeps);
void intel_tx_choose(struct intel_queue *iq);
/* Received, and not handed out. */
uint32_t intel_rx_waiting(const struct intel_queue *iq);
int intel_rx_arm(struct shunt_queue *q);

/* bufs.c */
unsigned intel_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
void intel_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n);
/* Give the receive ring as many chunks as it lacks, at most a burst; how many. fill: all. */
unsigned intel_bufs_refill(struct intel_queue *iq);
void intel_bufs_fill(struct intel_queue *iq);
/* The device was reset: every chunk that it had, and the cache, go back to the pool. */
void intel_bufs_return(struct intel_queue *iq);

/* link.c: is the link there, and the device? One register read; makes the error sticky. */
int intel_link_check(struct intel_queue *iq);

#endif
