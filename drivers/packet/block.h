/* SPDX-License-Identifier: BSD-2-Clause
 * Who owns which block of a TPACKET_V3 ring. The kernel fills blocks in order and closes them in
 * order; we walk them in order and return each when the walk has left it and its last packet
 * is released, in any order.
 * Invariants: held[b] = packets of b that are out, plus one while the walk is in b. A block with
 * held[b] > 0 is never entered again, although its status says "user": it is ours already.
 * Written by the queue's thread with relaxed stores, so that a ledger read elsewhere is merely old;
 * the one word shared with the kernel is block_status.
 */
#ifndef DRIVERS_PACKET_BLOCK_H
#define DRIVERS_PACKET_BLOCK_H

#include <linux/if_packet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_SET(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELAXED)
#define PACKET_GET(word)        __atomic_load_n(&(word), __ATOMIC_RELAXED)

struct packet_blocks {
	uint8_t *map;
	uint32_t size, count;     /* bytes per block, blocks */
	uint32_t next;            /* the block that the walk enters next */
	uint32_t left;            /* packets of the current block that are not handed out */
	struct tpacket3_hdr *pkt; /* the next of them */
	uint32_t current;         /* the block that the walk is in, while left > 0 */
	uint32_t held_packets;    /* over all blocks */
	uint32_t *held;
};

static inline struct tpacket_hdr_v1 *packet_block(const struct packet_blocks *b, uint32_t i)
{
	return &((struct tpacket_block_desc *)(b->map + (uint64_t)i * b->size))->hdr.bh1;
}

static inline bool packet_block_ready(const struct packet_blocks *b, uint32_t i)
{
	/* Acquire: orders the status before the reads of the block's header and packets; pairs
	 * with the kernel's smp_wmb() in prb_close_block(). */
	return (__atomic_load_n(&packet_block(b, i)->block_status, __ATOMIC_ACQUIRE) &
		       TP_STATUS_USER) &&
	       !PACKET_GET(b->held[i]);
}

static inline void packet_block_put(struct packet_blocks *b, uint32_t i, uint32_t n)
{
	PACKET_SET(b->held[i], b->held[i] - n);
	if (b->held[i])
		return;
	/* A count left from before would read as packets in a block that the kernel fills. */
	PACKET_SET(packet_block(b, i)->num_pkts, 0);
	/* Release: orders every access to the block before the kernel writes into it again; pairs
	 * with the status test in the kernel's prb_curr_blk_in_use(). */
	__atomic_store_n(&packet_block(b, i)->block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
}

/* Enter the next block. False when there is none. A closed block can be empty: it is returned. */
static inline bool packet_block_enter(struct packet_blocks *b)
{
	while (packet_block_ready(b, b->next)) {
		const struct tpacket_hdr_v1 *h = packet_block(b, b->next);

		b->current = b->next;
		PACKET_SET(b->held[b->current], 1);
		PACKET_SET(b->next, b->next + 1 == b->count ? 0 : b->next + 1);
		PACKET_SET(b->left, h->num_pkts);
		b->pkt = (struct tpacket3_hdr *)((uint8_t *)(uintptr_t)packet_block(b, b->current) -
						 offsetof(struct tpacket_block_desc, hdr) +
						 h->offset_to_first_pkt);
		if (b->left)
			return true;
		packet_block_put(b, b->current, 1);
	}
	return false;
}

/* Packets that rx has not returned yet: of the current block, of closed ones, and of the one that
 * the kernel is filling. Exact once nothing arrives any more. */
uint64_t packet_blocks_waiting(const struct packet_blocks *b);
/* Is the kernel still filling a block? */
bool packet_blocks_filling(const struct packet_blocks *b);

#endif
