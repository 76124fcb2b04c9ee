/* SPDX-License-Identifier: BSD-2-Clause
 * Receive: by recvmsg (one call per packet) or recvmmsg (one call per burst), into chunks; or from
 * a TPACKET_V3 ring, whose blocks are lent as they are, without a system call while there is
 * traffic. The kernel copies each frame once in all three. Burst bodies with constant bools,
 * instantiated for each mode and wait. recv() alone carries no control data, so that the VLAN tag
 * would be lost: mode=recv uses recvmsg.
 */
#include "drivers/core/burst.h"
#include "drivers/packet/packet.h"
#include "drivers/packet/vlan.h"

#include <errno.h>
#include <linux/if_ether.h>

/* At least n slots with a chunk each; fewer when the application holds all the others. */
static unsigned packet_rx_post(struct packet_queue *pq, unsigned n)
{
	struct packet_slots *s = pq->slots;
	uint8_t *base = (uint8_t *)pq->chunks.region->info.base + PACKET_HEAD;

	if (s->posted >= n)
		return n;
	unsigned got = shunt_chunks_have(&pq->chunks, n - s->posted);
	const uint64_t *at = shunt_chunks_take(&pq->chunks, got);
	for (unsigned i = 0; i < got; i++)
		s->iov[s->posted++].iov_base = base + at[i];
	return s->posted;
}

/* The first n slots went to the application: move the last chunks down into the gap. */
static void consume(struct packet_slots *s, unsigned n)
{
	unsigned rest = s->posted - n, move = rest < n ? rest : n;

	for (unsigned i = 0; i < move; i++)
		s->iov[i].iov_base = s->iov[s->posted - 1 - i].iov_base;
	s->posted = rest;
}

/* What the kernel says of a frame, beside it or before it. */
SHUNT_INLINE void take_status(struct shunt_pkt *p, uint32_t status)
{
	if (p->wire_len > p->len)
		p->flags |= SHUNT_PKT_TRUNC;
	if (status & TP_STATUS_CSUM_VALID)
		p->flags |= SHUNT_PKT_CSUM_GOOD;
	if (status & TP_STATUS_CSUMNOTREADY)
		p->flags |= SHUNT_PKT_CSUM_PARTIAL;
}

/* Older kernels do not say which tag it was. */
SHUNT_INLINE uint16_t tag_type(uint32_t status, uint16_t tpid)
{
	return status & TP_STATUS_VLAN_TPID_VALID ? tpid : ETH_P_8021Q;
}

/* Describe slot i, and make its header ready for the next call: the kernel wrote over it. */
SHUNT_INLINE void describe_slot(struct packet_queue *pq, struct shunt_pkt *p, unsigned i, bool both)
{
	struct packet_slots *s = pq->slots;
	struct msghdr *h = &s->msg[i].msg_hdr;

	*p = (struct shunt_pkt){.data = s->iov[i].iov_base,
		.len = s->msg[i].msg_len,
		.wire_len = s->msg[i].msg_len,
		.region = pq->chunks.region->info.id,
		.queue = pq->q.index};
	p->cookie = packet_offset(pq, p->data);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA) {
			const struct tpacket_auxdata *aux = (const void *)CMSG_DATA(c);
			p->wire_len = aux->tp_len;
			take_status(p, aux->tp_status);
			if (SHUNT_UNLIKELY(aux->tp_status & TP_STATUS_VLAN_VALID))
				packet_vlan_insert(p, aux->tp_vlan_tci,
					tag_type(aux->tp_status, aux->tp_vlan_tpid));
		} else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
			const struct timespec *t = (const struct timespec *)CMSG_DATA(c);
			p->ts_ns = (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
			p->flags |= SHUNT_PKT_TS_KERNEL;
		}
	}
	h->msg_controllen = PACKET_CTL;
	if (both) {
		if (s->from[i].sll_pkttype == PACKET_OUTGOING)
			p->flags |= SHUNT_PKT_OUT;
		h->msg_namelen = sizeof s->from[i];
	}
}

/* -1 with errno, or the number of filled slots. Blocking stops at the first packet. */
SHUNT_INLINE int read_recv(struct packet_queue *pq, unsigned n, bool wait)
{
	struct packet_slots *s = pq->slots;
	unsigned k = 0, calls = 0;

	do {
		ssize_t len = recvmsg(pq->fd, &s->msg[k].msg_hdr, wait ? 0 : MSG_DONTWAIT);
		calls++;
		if (len < 0) {
			/* Reading the error cleared it: it will not be reported again. */
			if (k && packet_link_error(errno))
				packet_link_lost(pq);
			break;
		}
		s->msg[k++].msg_len = (unsigned)len;
	} while (!wait && k < n);
	SHUNT_COUNT(&pq->q, syscalls, calls);
	return k ? (int)k : -1;
}

SHUNT_INLINE int read_mmsg(struct packet_queue *pq, unsigned n, bool wait)
{
	SHUNT_COUNT(&pq->q, syscalls, 1);
	return recvmmsg(pq->fd, pq->slots->msg, n, wait ? MSG_WAITFORONE : MSG_DONTWAIT, NULL);
}

SHUNT_INLINE int read_some(struct packet_queue *pq, unsigned n, bool mmsg, bool wait)
{
	return mmsg ? read_mmsg(pq, n, wait) : read_recv(pq, n, wait);
}

/* The error overtakes frames that are still queued: those first. Detaching from
 * an interface that is down reports it once more. */
SHUNT_INLINE int read_on(struct packet_queue *pq, unsigned n, bool mmsg)
{
	int got = -1;

	for (unsigned i = 0; i < 3 && got <= 0 && packet_link_error(errno); i++) {
		packet_link_lost(pq);
		got = read_some(pq, n, mmsg, false);
	}
	return got;
}

SHUNT_INLINE int rx_socket(
	struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, bool mmsg, bool poll, bool both)
{
	struct packet_queue *pq = packet_of(q);
	/* Nothing more comes after a stop, or from a link that went: don't wait for it. */
	bool wait = poll && !q->waits && !packet_stopped(pq);
	uint64_t bytes = 0;

	n = packet_rx_post(pq, n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX);
	if (!n)
		return shunt_rx_none(q, 0);
	int got = read_some(pq, n, mmsg, wait);
	if (SHUNT_UNLIKELY(got <= 0))
		got = read_on(pq, n, mmsg);
	if (got <= 0)
		return shunt_rx_none(q, pq->lost ? packet_link_gone(pq) : 0);
	for (int i = 0; i < got; i++) {
		describe_slot(pq, &pkts[i], (unsigned)i, both);
		bytes += pkts[i].len;
	}
	consume(pq->slots, (unsigned)got);
	return shunt_rx_done(q, (unsigned)got, bytes);
}

/* A packet of a ring: its cookie is the index of its block. */
SHUNT_INLINE void describe_frame(
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
	if (both) {
		const struct sockaddr_ll *from =
			(const void *)((const uint8_t *)h + TPACKET_ALIGN(sizeof *h));
		if (from->sll_pkttype == PACKET_OUTGOING)
			p->flags |= SHUNT_PKT_OUT;
	}
	take_status(p, status);
	if (SHUNT_UNLIKELY(status & TP_STATUS_VLAN_VALID))
		packet_vlan_insert(
			p, (uint16_t)h->hv1.tp_vlan_tci, tag_type(status, h->hv1.tp_vlan_tpid));
}

/* Up to n packets of the blocks that are closed; a burst may end in the middle of one. */
SHUNT_INLINE unsigned walk(
	struct packet_queue *pq, struct shunt_pkt *pkts, unsigned n, uint64_t *bytes, bool both)
{
	struct packet_blocks *b = &pq->blocks;
	unsigned k = 0;

	while (k < n && (b->left || packet_block_enter(b))) {
		unsigned run = b->left < n - k ? b->left : n - k;
		struct tpacket3_hdr *h = b->pkt;

		for (unsigned end = k + run; k < end; k++) {
			describe_frame(pq, &pkts[k], h, both);
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

SHUNT_INLINE int rx_ring(
	struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, bool poll, bool both)
{
	struct packet_queue *pq = packet_of(q);
	uint64_t bytes = 0;
	unsigned k = walk(pq, pkts, n, &bytes, both);

	if (!k) {
		int rc = packet_ring_idle(pq, poll && !q->waits);
		if (poll || packet_stopped(pq))
			k = walk(pq, pkts, n, &bytes, both);
		if (!k)
			return shunt_rx_none(q, rc);
	}
	return shunt_rx_done(q, k, bytes);
}

#define RX(name, body, ...)                                                                        \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return body(q, pkts, n, __VA_ARGS__);                                              \
	}
RX(packet_rx_recv_spin, rx_socket, false, false, false)
RX(packet_rx_recv_spin_both, rx_socket, false, false, true)
RX(packet_rx_recv_poll, rx_socket, false, true, false)
RX(packet_rx_recv_poll_both, rx_socket, false, true, true)
RX(packet_rx_mmsg_spin, rx_socket, true, false, false)
RX(packet_rx_mmsg_spin_both, rx_socket, true, false, true)
RX(packet_rx_mmsg_poll, rx_socket, true, true, false)
RX(packet_rx_mmsg_poll_both, rx_socket, true, true, true)
RX(packet_rx_ring_spin, rx_ring, false, false)
RX(packet_rx_ring_spin_both, rx_ring, false, true)
RX(packet_rx_ring_poll, rx_ring, true, false)
RX(packet_rx_ring_poll_both, rx_ring, true, true)

void packet_rx_choose(struct packet_queue *pq)
{
	static int (*const table[3][2][2])(struct shunt_queue *, struct shunt_pkt *, unsigned) = {
		[PACKET_RECV] = {{packet_rx_recv_spin, packet_rx_recv_spin_both},
			{packet_rx_recv_poll, packet_rx_recv_poll_both}},
		[PACKET_MMSG] = {{packet_rx_mmsg_spin, packet_rx_mmsg_spin_both},
			{packet_rx_mmsg_poll, packet_rx_mmsg_poll_both}},
		[PACKET_RING] = {{packet_rx_ring_spin, packet_rx_ring_spin_both},
			{packet_rx_ring_poll, packet_rx_ring_poll_both}}};

	pq->q.rx = table[pq->mode][!pq->spin][pq->both];
}
