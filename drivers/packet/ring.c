/* SPDX-License-Identifier: BSD-2-Clause
 * Receive by a TPACKET_V3 ring, Documentation/networking/packet_mmap.rst. The kernel copies each
 * frame once, in softirq, into a block that we lend as it is; no system call while there is
 * traffic. A block goes back when the walk has left it and its last packet is released.
 * Invariants: see block.h. A packet's cookie is the index of its block.
 */
#include "core/clock.h"
#include "drivers/core/probe.h"
#include "drivers/packet/packet.h"
#include "drivers/packet/vlan.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <poll.h>

#define ALWAYS    static inline __attribute__((always_inline))
#define ASK_EVERY 32768u /* empty polls between two questions for the link, when spinning */

ALWAYS void describe(
	const struct packet_queue *pq, struct shunt_pkt *p, const struct tpacket3_hdr *h, bool both)
{
	uint32_t status = h->tp_status;

	*p = (struct shunt_pkt){.data = (uint8_t *)(uintptr_t)h + h->tp_mac,
		.len = h->tp_snaplen,
		.wire_len = h->tp_len,
		.cookie = pq->blocks.current,
		.ts_ns = (uint64_t)h->tp_sec * 1000000000u + h->tp_nsec,
		.flags = SHUNT_PKT_TS_KERNEL,
		.region = pq->lent->info.id,
		.queue = pq->q.index};
	if (h->tp_len > h->tp_snaplen)
		p->flags |= SHUNT_PKT_TRUNC;
	if (status & TP_STATUS_CSUM_VALID)
		p->flags |= SHUNT_PKT_CSUM_GOOD;
	if (status & TP_STATUS_CSUMNOTREADY)
		p->flags |= SHUNT_PKT_CSUM_PARTIAL;
	if (both) {
		const struct sockaddr_ll *from =
			(const void *)((const uint8_t *)h + TPACKET_ALIGN(sizeof *h));
		if (from->sll_pkttype == PACKET_OUTGOING)
			p->flags |= SHUNT_PKT_OUT;
	}
	if (__builtin_expect(status & TP_STATUS_VLAN_VALID, 0))
		packet_vlan_insert(p, (uint16_t)h->hv1.tp_vlan_tci,
			status & TP_STATUS_VLAN_TPID_VALID ? h->hv1.tp_vlan_tpid : ETH_P_8021Q);
}

/* Up to n packets of the blocks that are closed; a burst may end in the middle of one. */
ALWAYS unsigned walk(
	struct packet_queue *pq, struct shunt_pkt *pkts, unsigned n, uint64_t *bytes, bool both)
{
	struct packet_blocks *b = &pq->blocks;
	unsigned k = 0;

	while (k < n && (b->left || packet_block_enter(b))) {
		unsigned run = b->left < n - k ? b->left : n - k;
		struct tpacket3_hdr *h = b->pkt;

		for (unsigned end = k + run; k < end; k++) {
			describe(pq, &pkts[k], h, both);
			*bytes += pkts[k].len;
			h = (struct tpacket3_hdr *)((uint8_t *)h + h->tp_next_offset);
		}
		b->pkt = h;
		PACKET_SET(b->left, b->left - run);
		PACKET_SET(b->held[b->current], b->held[b->current] + run);
		b->held_packets += run;
		if (!b->left)
			packet_block_put(b, b->current, 1);
	}
	return k;
}

/* Nothing arrives any more, but the block that the kernel was filling is closed by a timer only. */
static void wait_last_block(struct packet_queue *pq)
{
	const struct timespec nap = {.tv_nsec = 100000};
	uint64_t end = shunt_now() + SHUNT_POLL_MS * 1000000u;

	while (packet_blocks_filling(&pq->blocks) && shunt_now() < end) {
		SHUNT_COUNT(&pq->q, syscalls, 1);
		nanosleep(&nap, NULL);
	}
}

static void wait_block(struct packet_queue *pq)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	struct pollfd p = {.fd = pq->fd, .events = POLLIN};

	SHUNT_COUNT(&pq->q, syscalls, 1);
	int n = poll(&p, 1, SHUNT_POLL_MS);
	if (n > 0 && p.revents & POLLERR)
		packet_link_poll(pq);
	/* The kernel calls the ring readable while the last block that it closed is ours. With
	 * packets out poll() does not sleep then: bound the spinning. */
	else if (n > 0 && pq->blocks.held_packets && !packet_ring_arm(pq)) {
		SHUNT_COUNT(&pq->q, syscalls, 1);
		nanosleep(&nap, NULL);
	}
}

/* No block is ready. Returns what rx returns when there is still none afterwards. */
static __attribute__((noinline)) int idle(struct packet_queue *pq, bool poll)
{
	if (packet_stopped(pq)) {
		wait_last_block(pq);
		return pq->lost && !packet_ring_arm(pq) ? packet_link_gone(pq) : 0;
	}
	if (poll)
		wait_block(pq);
	else if (++pq->idle % ASK_EVERY == 0)
		packet_link_poll(pq);
	return 0;
}

ALWAYS int burst(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, bool poll, bool both)
{
	struct packet_queue *pq = packet_of(q);
	uint64_t bytes = 0;
	unsigned k = walk(pq, pkts, n, &bytes, both);

	if (!k) {
		int rc = idle(pq, poll);
		if (poll || packet_stopped(pq))
			k = walk(pq, pkts, n, &bytes, both);
		if (!k) {
			SHUNT_COUNT(q, rx_empty, 1);
			SHUNT_PROBE_RX(q, 0);
			return rc;
		}
	}
	q->out += k;
	SHUNT_COUNT(q, rx_packets, k);
	SHUNT_COUNT(q, rx_bytes, bytes);
	SHUNT_COUNT(q, rx_bursts, 1);
	SHUNT_PROBE_RX(q, k);
	return (int)k;
}

#define BURST(name, poll, both)                                                                    \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return burst(q, pkts, n, poll, both);                                              \
	}
BURST(ring_spin, false, false)
BURST(ring_spin_both, false, true)
BURST(ring_poll, true, false)
BURST(ring_poll_both, true, true)

static void release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	struct packet_queue *pq = packet_of(q);
	struct packet_blocks *b = &pq->blocks;
	uint16_t lent = pq->lent->info.id;

	for (unsigned i = 0, run; i < n; i += run) {
		run = 1;
		if (pkts[i].region != lent) { /* from alloc, or moved here */
			packet_bufs_release(q, pkts + i, 1);
			continue;
		}
		while (i + run < n && pkts[i + run].cookie == pkts[i].cookie &&
			pkts[i + run].region == lent)
			run++;
		packet_block_put(b, (uint32_t)pkts[i].cookie, run);
		b->held_packets -= run;
		q->out -= run;
	}
}

int packet_ring_arm(struct packet_queue *pq)
{
	return pq->blocks.left || packet_block_ready(&pq->blocks, pq->blocks.next);
}

void packet_ring_choose(struct packet_queue *pq)
{
	static int (*const table[2][2])(struct shunt_queue *, struct shunt_pkt *, unsigned) = {
		{ring_spin, ring_spin_both}, {ring_poll, ring_poll_both}};

	pq->q.rx = table[!pq->spin][pq->both];
	pq->q.release = release;
}
