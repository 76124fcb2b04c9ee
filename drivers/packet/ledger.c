/* SPDX-License-Identifier: BSD-2-Clause
 * What arrived and what became of it. PACKET_STATISTICS clears the counts that it returns, and
 * other observers read them: it is read once, at stop. It counts modulo 2^32, we count in 64 bits.
 */
#include "drivers/packet/packet.h"

#include <linux/sock_diag.h>
#include <string.h>

#ifndef SO_MEMINFO /* Linux 4.12 */
#define SO_MEMINFO 55
#endif

void packet_ledger_final(struct packet_queue *pq)
{
	union tpacket_stats_u stats;
	socklen_t len = sizeof stats;

	memset(&stats, 0, sizeof stats);
	/* Of both layouts, the first two words are packets (drops included) and drops. */
	if (getsockopt(pq->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len))
		return;
	pq->received = stats.stats1.tp_packets;
	pq->dropped = stats.stats1.tp_drops;
	pq->final = true;
}

/* One of the kernel's SK_MEMINFO_* words, reading which changes nothing. */
static uint32_t meminfo(const struct packet_queue *pq, unsigned which)
{
	uint32_t words[SK_MEMINFO_VARS] = {0};
	socklen_t len = sizeof words;

	getsockopt(pq->fd, SOL_SOCKET, SO_MEMINFO, words, &len);
	return words[which];
}

/* Frames that the kernel holds for us. A ring is counted; of a socket the kernel says only
 * whether it is empty, so that what is in it is the rest of what arrived. */
static uint64_t waiting(const struct packet_queue *pq, uint64_t delivered)
{
	if (pq->mode == PACKET_RING)
		return packet_blocks_waiting(&pq->blocks);
	if (!meminfo(pq, SK_MEMINFO_RMEM_ALLOC))
		return 0;
	return (uint32_t)(pq->received - pq->dropped - (uint32_t)delivered);
}

static void live(const struct packet_queue *pq, uint64_t delivered, struct shunt_ledger *ledger)
{
	uint64_t full = pq->mode == PACKET_RING ? 0 : meminfo(pq, SK_MEMINFO_DROPS);

	ledger->received = delivered + full;
	ledger->received_source = "the driver's own count: the kernel's is read at stop, since "
				  "reading clears it";
	shunt_add_loss(ledger, "socket_full", full,
		pq->mode == PACKET_RING ? "the ring was full: not known before stop"
					: "the socket's buffer was full: SO_MEMINFO");
}

int packet_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct packet_queue *pq = dev->priv;
	uint64_t delivered = __atomic_load_n(&pq->q.stats.rx_packets, __ATOMIC_RELAXED);

	(void)err;
	ledger->received_source = "none: it does not receive";
	if (!(dev->dir & SHUNT_RX) || pq->fd < 0)
		return 0;
	if (!pq->final) {
		live(pq, delivered, ledger);
		return 0;
	}
	uint64_t left = waiting(pq, delivered), known = delivered + pq->dropped + left;
	/* Ours, corrected by the difference to the kernel's lower 32 bits. */
	ledger->received = known + (uint64_t)(int64_t)(int32_t)(pq->received - (uint32_t)known);
	ledger->received_source = "the kernel: tp_packets of PACKET_STATISTICS, at stop";
	shunt_add_loss(ledger, "socket_full", pq->dropped,
		pq->mode == PACKET_RING ? "the ring was full: tp_drops of PACKET_STATISTICS"
					: "the socket's buffer was full: tp_drops of "
					  "PACKET_STATISTICS");
	shunt_add_loss(ledger, "shutdown", left,
		pq->mode == PACKET_RING ? "still in the ring, never fetched: counted there"
					: "still in the socket, never fetched: the rest of "
					  "tp_packets while SO_MEMINFO says that it is not empty");
	return 0;
}
