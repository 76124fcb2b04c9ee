/* SPDX-License-Identifier: BSD-2-Clause
 * Transmit by sendto (mode=recv) and sendmmsg (the others: there is no TPACKET transmit ring here).
 * The kernel copies each frame before the call returns, from any memory: a packet of our
 * region is free again at once, any other stays with the caller, and nothing is copied in user
 * space. A frame that the device refuses for good is counted and passed over, never retried for
 * ever.
 */
#include "drivers/core/burst.h"
#include "drivers/packet/packet.h"

#include <errno.h>
#include <stdlib.h>

int packet_tx_open(struct packet_queue *pq, struct shunt_err *err)
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

void packet_tx_close(struct packet_queue *pq)
{
	free(pq->tx_msg);
	free(pq->tx_iov);
	pq->tx_msg = NULL;
	pq->tx_iov = NULL;
}

/* Frames sent by one call, from pkts[k] on; 0 with errno when that one was refused. */
SHUNT_INLINE int send_some(
	struct packet_queue *pq, const struct shunt_pkt *pkts, unsigned k, unsigned n, bool mmsg)
{
	SHUNT_COUNT(&pq->q, syscalls, 1);
	if (!mmsg)
		return sendto(pq->fd, pkts[k].data, pkts[k].len, MSG_DONTWAIT, NULL, 0) >= 0;
	int sent = sendmmsg(pq->fd, pq->tx_msg + k, n - k, MSG_DONTWAIT);
	return sent > 0 ? sent : 0;
}

/* The same frame may be accepted later. */
static bool busy(int error)
{
	return error == EAGAIN || error == ENOBUFS || error == ENOMEM || error == EINTR;
}

/* How many packets come before a frame of several pieces, which is there. */
SHUNT_NOINLINE unsigned until_pieces(const struct shunt_pkt *pkts)
{
	unsigned n = 0;

	while (!(pkts[n].flags & SHUNT_PKT_MORE))
		n++;
	return n;
}

SHUNT_INLINE unsigned send_all(
	struct packet_queue *pq, const struct shunt_pkt *pkts, unsigned n, bool mmsg)
{
	unsigned k = 0;
	uint32_t flags = 0;

	for (unsigned i = 0; i < n; i++) {
		flags |= pkts[i].flags;
		if (mmsg)
			pq->tx_iov[i] =
				(struct iovec){.iov_base = pkts[i].data, .iov_len = pkts[i].len};
	}
	if (SHUNT_UNLIKELY(flags & SHUNT_PKT_MORE))
		n = until_pieces(pkts);
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

/* The first k are taken: ours are free again. */
static uint64_t packet_tx_recycle(struct packet_queue *pq, struct shunt_pkt *pkts, unsigned k)
{
	const struct shunt_region_info *region = &pq->chunks.region->info;
	const uint8_t *base = region->base;
	uint64_t mask = ~(uint64_t)(region->chunk - 1), bytes = 0;
	uint16_t id = region->id;

	for (unsigned i = 0; i < k; i++) {
		bytes += pkts[i].len;
		if (pkts[i].region == id) {
			shunt_chunks_put(&pq->chunks,
				(uint64_t)((const uint8_t *)pkts[i].data - base) & mask);
			pq->q.out--;
		} else {
			pkts[i].flags |= SHUNT_PKT_KEPT;
		}
	}
	return bytes;
}

SHUNT_INLINE int tx_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, bool mmsg)
{
	struct packet_queue *pq = packet_of(q);

	if (q->error)
		return q->error;
	unsigned most = n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX;
	unsigned k = pq->lost ? 0 : send_all(pq, pkts, most, mmsg);
	if (!k && pq->lost)
		return packet_link_gone(pq);
	uint64_t bytes = packet_tx_recycle(pq, pkts, k);
	return shunt_tx_done(q, pkts, k, n, bytes);
}

static int packet_tx_sendto(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return tx_body(q, pkts, n, false);
}

static int packet_tx_sendmmsg(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	return tx_body(q, pkts, n, true);
}

void packet_tx_choose(struct packet_queue *pq)
{
	pq->q.tx = pq->mode == PACKET_RECV ? packet_tx_sendto : packet_tx_sendmmsg;
}
