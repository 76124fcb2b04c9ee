/* SPDX-License-Identifier: BSD-2-Clause
 * Receive by recvmsg (a call a packet) and recvmmsg (a call a burst). One burst body with constant
 * bools, instantiated for each mode and wait. recv() alone carries no control data, so that the
 * VLAN tag would be lost: mode=recv uses recvmsg.
 * The kernel copies each frame once, into a chunk; a chunk stays out until it is released.
 */
#include "drivers/core/probe.h"
#include "drivers/packet/packet.h"
#include "drivers/packet/vlan.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <stdlib.h>

#define ALWAYS static inline __attribute__((always_inline))

int packet_slots_create(struct packet_queue *pq, struct shunt_err *err)
{
	struct packet_slots *s = calloc(1, sizeof *s);

	if (!s)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	for (unsigned i = 0; i < SHUNT_BURST_MAX; i++) {
		s->iov[i].iov_len = pq->longest;
		s->msg[i].msg_hdr = (struct msghdr){.msg_iov = &s->iov[i],
			.msg_iovlen = 1,
			.msg_control = s->ctl[i],
			.msg_controllen = PACKET_CTL,
			.msg_name = pq->both ? &s->from[i] : NULL,
			.msg_namelen = pq->both ? sizeof s->from[i] : 0};
	}
	pq->slots = s;
	return 0;
}

void packet_slots_destroy(struct packet_queue *pq)
{
	struct packet_slots *s = pq->slots;

	for (unsigned i = 0; s && i < s->posted; i++)
		packet_bufs_put(pq, (uint64_t)((uint8_t *)s->iov[i].iov_base -
					       (uint8_t *)pq->region->info.base - PACKET_HEAD));
	free(s);
	pq->slots = NULL;
}

/* At least n slots with a chunk each; fewer when the application holds all the others. */
static unsigned post(struct packet_queue *pq, unsigned n)
{
	struct packet_slots *s = pq->slots;
	uint8_t *base = (uint8_t *)pq->region->info.base + PACKET_HEAD;
	uint64_t at[SHUNT_BURST_MAX];

	if (s->posted >= n)
		return n;
	unsigned got = packet_bufs_get(pq, at, n - s->posted);
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

ALWAYS void take_aux(struct shunt_pkt *p, const struct tpacket_auxdata *aux)
{
	p->wire_len = aux->tp_len;
	if (aux->tp_len > p->len)
		p->flags |= SHUNT_PKT_TRUNC;
	if (aux->tp_status & TP_STATUS_CSUM_VALID)
		p->flags |= SHUNT_PKT_CSUM_GOOD;
	if (aux->tp_status & TP_STATUS_CSUMNOTREADY)
		p->flags |= SHUNT_PKT_CSUM_PARTIAL;
	if (__builtin_expect(aux->tp_status & TP_STATUS_VLAN_VALID, 0))
		packet_vlan_insert(p, aux->tp_vlan_tci,
			aux->tp_status & TP_STATUS_VLAN_TPID_VALID ? aux->tp_vlan_tpid
								   : ETH_P_8021Q);
}

/* Describe slot i, and make its header ready for the next call: the kernel wrote over it. */
ALWAYS void describe(struct packet_queue *pq, struct shunt_pkt *p, unsigned i, bool both)
{
	struct packet_slots *s = pq->slots;
	struct msghdr *h = &s->msg[i].msg_hdr;

	*p = (struct shunt_pkt){.data = s->iov[i].iov_base,
		.len = s->msg[i].msg_len,
		.wire_len = s->msg[i].msg_len,
		.region = pq->region->info.id,
		.queue = pq->q.index};
	p->cookie = (uint64_t)((uint8_t *)p->data - (uint8_t *)pq->region->info.base) - PACKET_HEAD;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA) {
			take_aux(p, (const struct tpacket_auxdata *)CMSG_DATA(c));
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
ALWAYS int read_recv(struct packet_queue *pq, unsigned n, bool wait)
{
	struct packet_slots *s = pq->slots;
	unsigned k = 0, calls = 0;

	do {
		ssize_t len = recvmsg(pq->fd, &s->msg[k].msg_hdr, wait ? 0 : MSG_DONTWAIT);
		calls++;
		if (len < 0) {
			/* Reading the error cleared it: with k > 0 nobody asks again. */
			if (k && packet_link_error(errno))
				packet_link_lost(pq);
			break;
		}
		s->msg[k++].msg_len = (unsigned)len;
	} while (!wait && k < n);
	SHUNT_COUNT(&pq->q, syscalls, calls);
	return k ? (int)k : -1;
}

ALWAYS int read_mmsg(struct packet_queue *pq, unsigned n, bool wait)
{
	SHUNT_COUNT(&pq->q, syscalls, 1);
	return recvmmsg(pq->fd, pq->slots->msg, n, wait ? MSG_WAITFORONE : MSG_DONTWAIT, NULL);
}

ALWAYS int read_some(struct packet_queue *pq, unsigned n, bool mmsg, bool wait)
{
	return mmsg ? read_mmsg(pq, n, wait) : read_recv(pq, n, wait);
}

/* The news that the link went overtakes frames that are still queued: those first. Detaching from
 * an interface that is down reports it once more. */
ALWAYS int read_on(struct packet_queue *pq, unsigned n, bool mmsg)
{
	int got = -1;

	for (unsigned i = 0; i < 3 && got <= 0 && packet_link_error(errno); i++) {
		packet_link_lost(pq);
		got = read_some(pq, n, mmsg, false);
	}
	return got;
}

ALWAYS int burst(
	struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, bool mmsg, bool poll, bool both)
{
	struct packet_queue *pq = packet_of(q);
	/* Nothing more comes after a stop, or from a link that went: don't wait for it. */
	bool wait = poll && !packet_stopped(pq);
	uint64_t bytes = 0;

	n = post(pq, n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX);
	if (!n) {
		SHUNT_COUNT(q, rx_empty, 1);
		return 0;
	}
	int got = read_some(pq, n, mmsg, wait);
	if (__builtin_expect(got <= 0, 0))
		got = read_on(pq, n, mmsg);
	if (got <= 0) {
		SHUNT_COUNT(q, rx_empty, 1);
		SHUNT_PROBE_RX(q, 0);
		return pq->lost ? packet_link_gone(pq) : 0;
	}
	for (int i = 0; i < got; i++) {
		describe(pq, &pkts[i], (unsigned)i, both);
		bytes += pkts[i].len;
	}
	consume(pq->slots, (unsigned)got);
	q->out += (unsigned)got;
	SHUNT_COUNT(q, rx_packets, (unsigned)got);
	SHUNT_COUNT(q, rx_bytes, bytes);
	SHUNT_COUNT(q, rx_bursts, 1);
	SHUNT_PROBE_RX(q, got);
	return got;
}

#define BURST(name, mmsg, poll, both)                                                              \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return burst(q, pkts, n, mmsg, poll, both);                                        \
	}
BURST(recv_spin, false, false, false)
BURST(recv_spin_both, false, false, true)
BURST(recv_poll, false, true, false)
BURST(recv_poll_both, false, true, true)
BURST(mmsg_spin, true, false, false)
BURST(mmsg_spin_both, true, false, true)
BURST(mmsg_poll, true, true, false)
BURST(mmsg_poll_both, true, true, true)

void packet_slots_choose(struct packet_queue *pq)
{
	static int (*const table[2][2][2])(struct shunt_queue *, struct shunt_pkt *, unsigned) = {
		{{recv_spin, recv_spin_both}, {recv_poll, recv_poll_both}},
		{{mmsg_spin, mmsg_spin_both}, {mmsg_poll, mmsg_poll_both}}};

	pq->q.rx = table[pq->mode == PACKET_MMSG][!pq->spin][pq->both];
}
