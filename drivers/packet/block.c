/* SPDX-License-Identifier: BSD-2-Clause
 * TPACKET_V3 blocks: what is left in the ring. Not for the loop.
 */
#include "drivers/packet/block.h"

uint64_t packet_blocks_waiting(const struct packet_blocks *b)
{
	uint64_t waiting = PACKET_GET(b->left);
	uint32_t i = PACKET_GET(b->next);

	for (uint32_t k = 0; k < b->count; k++) {
		if (!packet_block_ready(b, i))
			break;
		waiting += PACKET_GET(packet_block(b, i)->num_pkts);
		i = i + 1 == b->count ? 0 : i + 1;
	}
	if (!PACKET_GET(b->held[i]) && !packet_block_ready(b, i))
		waiting += PACKET_GET(packet_block(b, i)->num_pkts);
	return waiting;
}

bool packet_blocks_filling(const struct packet_blocks *b)
{
	/* packet_block_put() clears the count of every block that it returns, and the kernel
	 * when it opens one: a count in a block that is not ours is of packets in it now. */
	return !b->held[b->next] && !packet_block_ready(b, b->next) &&
	       PACKET_GET(packet_block(b, b->next)->num_pkts) > 0;
}
