/* SPDX-License-Identifier: BSD-2-Clause
 * AF_PACKET without a socket: VLAN tags, and a TPACKET_V3 ring whose kernel is this file.
 */
#include "drivers/packet/block.h"
#include "drivers/packet/vlan.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(vlan, goes_back_behind_the_addresses)
{
	uint8_t buf[4 + 64], want[68];
	struct shunt_pkt p = {.data = buf + 4, .len = 64, .wire_len = 100};

	for (unsigned i = 0; i < 64; i++)
		buf[4 + i] = (uint8_t)i;
	memcpy(want, buf + 4, 12);
	memcpy(want + 12, "\x88\xa8\x6f\xff", 4);
	memcpy(want + 16, buf + 16, 52);
	packet_vlan_insert(&p, 0x6fff, 0x88a8);
	cr_assert_eq(p.data, buf);
	cr_assert_eq(p.len, 68);
	cr_assert_eq(p.wire_len, 104);
	cr_assert_eq(p.vlan_tci, 0x6fff);
	cr_assert_eq(p.vlan_tpid, 0x88a8);
	cr_assert_eq(p.flags, SHUNT_PKT_VLAN);
	cr_assert_arr_eq(buf, want, 68);
}

Test(vlan, leaves_a_stump_alone)
{
	uint8_t buf[16] = {0};
	struct shunt_pkt p = {.data = buf + 4, .len = 11, .wire_len = 11};

	packet_vlan_insert(&p, 1, 0x8100);
	cr_assert_eq(p.data, buf + 4);
	cr_assert_eq(p.len, 11);
	cr_assert_eq(p.flags, 0);
}

#define BLOCKS 4
#define SIZE   4096

static struct packet_blocks ring(void)
{
	return (struct packet_blocks){.map = aligned_alloc(64, BLOCKS * SIZE),
		.size = SIZE,
		.count = BLOCKS,
		.held = calloc(BLOCKS, sizeof(uint32_t))};
}

static void empty(struct packet_blocks *b)
{
	memset(b->map, 0, BLOCKS * SIZE);
}

static void drop(struct packet_blocks *b)
{
	free(b->map);
	free(b->held);
}

/* What the kernel does: n packets, then the status. */
static void close_block(struct packet_blocks *b, uint32_t i, uint32_t n)
{
	struct tpacket_hdr_v1 *h = packet_block(b, i);

	cr_assert_eq(h->block_status & TP_STATUS_USER, 0, "block %u is not the kernel's", i);
	h->num_pkts = n;
	h->offset_to_first_pkt = 48;
	h->block_status = TP_STATUS_USER | TP_STATUS_BLK_TMO;
}

static bool is_kernels(const struct packet_blocks *b, uint32_t i)
{
	return !(packet_block(b, i)->block_status & TP_STATUS_USER);
}

/* Walk through the current block as a burst does, k packets. */
static void hand_out(struct packet_blocks *b, uint32_t k)
{
	b->left -= k;
	b->held[b->current] += k;
	if (!b->left)
		packet_block_put(b, b->current, 1);
}

Test(block, goes_back_with_its_last_packet_in_any_order)
{
	struct packet_blocks b = ring();

	empty(&b);
	close_block(&b, 0, 3);
	close_block(&b, 1, 2);
	cr_assert(packet_block_enter(&b));
	cr_assert_eq(b.left, 3);
	hand_out(&b, 2); /* a burst that ends in the middle */
	packet_block_put(&b, 0, 2);
	cr_assert_not(is_kernels(&b, 0), "the walk is still in it");
	hand_out(&b, 1);
	cr_assert(packet_block_enter(&b));
	cr_assert_eq(b.current, 1);
	hand_out(&b, 2);
	packet_block_put(&b, 1, 1);
	packet_block_put(&b, 1, 1);
	cr_assert(is_kernels(&b, 1), "before block 0");
	cr_assert_not(is_kernels(&b, 0));
	packet_block_put(&b, 0, 1);
	cr_assert(is_kernels(&b, 0));
	drop(&b);
}

Test(block, one_that_is_out_is_never_handed_out_twice)
{
	struct packet_blocks b = ring();

	empty(&b);
	for (uint32_t i = 0; i < BLOCKS; i++)
		close_block(&b, i, 1);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		cr_assert(packet_block_enter(&b));
		hand_out(&b, 1);
	}
	cr_assert_not(packet_block_ready(&b, 0), "its status says user, since it is ours");
	cr_assert_not(packet_block_enter(&b));
	cr_assert_eq(packet_blocks_waiting(&b), 0);
	packet_block_put(&b, 2, 1);
	cr_assert_not(packet_block_enter(&b), "blocks come in order");
	packet_block_put(&b, 0, 1);
	cr_assert_not(packet_block_enter(&b), "it is the kernel's now");
	close_block(&b, 0, 1);
	cr_assert(packet_block_enter(&b));
	cr_assert_eq(b.current, 0);
	drop(&b);
}

Test(block, wraps)
{
	struct packet_blocks b = ring();

	empty(&b);
	for (uint32_t turn = 0; turn < 5 * BLOCKS + 3; turn++) {
		close_block(&b, turn % BLOCKS, 1 + turn % 7);
		cr_assert(packet_block_enter(&b));
		cr_assert_eq(b.current, turn % BLOCKS);
		cr_assert_eq(b.left, 1 + turn % 7);
		cr_assert_eq((uint8_t *)b.pkt, b.map + (turn % BLOCKS) * SIZE + 48);
		hand_out(&b, b.left);
		packet_block_put(&b, b.current, 1 + turn % 7);
	}
	drop(&b);
}

Test(block, empty_ones_are_passed_over)
{
	struct packet_blocks b = ring();

	empty(&b);
	close_block(&b, 0, 0);
	close_block(&b, 1, 4);
	cr_assert(packet_block_enter(&b));
	cr_assert_eq(b.current, 1);
	cr_assert(is_kernels(&b, 0));
	drop(&b);
}

Test(block, what_waits_is_counted)
{
	struct packet_blocks b = ring();

	empty(&b);
	close_block(&b, 0, 5);
	close_block(&b, 1, 7);
	packet_block(&b, 2)->num_pkts = 2; /* the kernel is filling it */
	cr_assert_eq(packet_blocks_waiting(&b), 14);
	cr_assert(packet_block_enter(&b));
	hand_out(&b, 3);
	cr_assert_eq(packet_blocks_waiting(&b), 11);
	cr_assert_not(packet_blocks_filling(&b), "block 1 is closed");
	hand_out(&b, 2);
	packet_block_put(&b, 0, 5);
	cr_assert(packet_block_enter(&b));
	hand_out(&b, 7);
	cr_assert(packet_blocks_filling(&b));
	close_block(&b, 2, 2);
	cr_assert_not(packet_blocks_filling(&b));
	cr_assert_eq(packet_blocks_waiting(&b), 2);
	drop(&b);
}
