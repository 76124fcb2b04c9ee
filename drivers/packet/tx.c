/* SPDX-License-Identifier: BSD-2-Clause
 * Transmit by sendto (mode=recv) and sendmmsg (the others: there is no TPACKET transmit ring here).
 * The kernel copies each frame before the call returns, from any memory: a packet of our
 * region is free again at once, any other stays with the caller, and nothing is copied in user
 * space. A frame that the device refuses for good is counted and passed over, never tried for ever.
 */
#include "drivers/core/probe.h"
#include "drivers/packet/packet.h"

#include <errno.h>
#include <stdlib.h>

#define ALWAYS static inline __attribute__((always_inline))

int packet_tx_create(struct packet_queue *pq, struct shunt_err *err)
{
	pq->tx_msg = calloc(SHUNT_BURST_MAX, sizeof *pq->tx_msg);
	pq->tx_iov = calloc(SHUNT_BURST_MAX, sizeof *pq->tx_iov);
	if (!pq->tx_msg || !pq->tx_iov)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	for (unsigned i = 0; i < SHUNT_BURST_MAX; i++) {
		pq->tx_msg[i].msg_hdr.msg_iov = &pq->tx_iov[i];
		pq->tx_msg[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

void packet_tx_destroy(struct packet_queue *pq)
{
	free(pq->tx_msg);
	free(pq->tx_iov);
	pq->tx_msg = NULL;
	pq->tx_iov = NULL;
}

/* Frames sent by one call, from pkts[k] on; 0 with errno when that one was refused. */
ALWAYS int send_some(
	struct packet_queue *pq, const struct shunt_pkt *pkts, unsigned k, unsigned n, bool mmsg)
{
	SHUNT_COUNT(&pq->q, syscalls, 1);
	if (!mmsg)
		return sendto(pq->fd, pkts[k].data, pkts[k].len, MSG_DONTWAIT, NULL, 0) >= 0;
	int sent = sendmmsg(pq->fd, pq->tx_msg + k, n - k, MSG_DONTWAIT);
	return sent > 0 ? sent : 0;
}

/* True where the same frame may be taken later. */
static bool busy(int error)
{
	return error == EAGAIN || error == ENOBUFS || error == ENOMEM || error == EINTR;
}

ALWAYS unsigned send_all(
	struct packet_queue *pq, const struct shunt_pkt *pkts, unsigned n, bool mmsg)
{
	unsigned k = 0;

	for (unsigned i = 0; mmsg && i < n; i++)
		pq->tx_iov[i] = (struct iovec){.iov_base = pkts[i].data, .iov_len = pkts[i].len};
	while (k < n) {
		unsigned sent = (unsigned)send_some(pq, pkts, k, n, mmsg);
		k += sent;
		if (sent)
			continue;
		int error = errno;
		if (packet_link_error(error))
			packet_link_lost(pq);
		if (pq->lost || busy(error))
			break;
		SHUNT_COUNT(&pq->q, tx_errors, 1); /* EMSGSIZE, EINVAL: too long, too short */
		k++;
	}
	return k;
}

/* The first k are taken. */
static uint64_t recycle(struct packet_queue *pq, struct shunt_pkt *pkts, unsigned k)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < k; i++) {
		bytes += pkts[i].len;
		if (pkts[i].region == pq->region->info.id)
			packet_bufs_release(&pq->q, pkts + i, 1);
		else
			pkts[i].flags |= SHUNT_PKT_KEPT;
	}
	return bytes;
}

ALWAYS int burst(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, bool mmsg)
{
	struct packet_queue *pq = packet_of(q);

	if (q->error)
		return q->error;
	n = n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX;
	unsigned k = pq->lost ? 0 : send_all(pq, pkts, n, mmsg);
	if (!k && pq->lost)
		return packet_link_gone(pq);
	uint64_t bytes = recycle(pq, pkts, k);
	SHUNT_COUNT(q, tx_packets, k);
	SHUNT_COUNT(q, tx_bytes, bytes);
	SHUNT_COUNT(q, tx_bursts, k > 0);
	SHUNT_COUNT(q, tx_short, k < n);
	SHUNT_PROBE_TX(q, k);
	return (int)k;
}

static int tx_sendto(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return burst(q, pkts, n, false);
}

static int tx_sendmmsg(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return burst(q, pkts, n, true);
}

void packet_tx_choose(struct packet_queue *pq)
{
	pq->q.tx = pq->mode == PACKET_RECV ? tx_sendto : tx_sendmmsg;
}
