/* SPDX-License-Identifier: BSD-2-Clause
 * Transmit of frames in several pieces, for every driver: the pieces are gathered in one buffer of
 * the queue's own, which is then sent as any other. Off the fast path, and counted as the copy that
 * it is.
 */
#include "drivers/core/burst.h"

#include <string.h>

/* How many of n packets the first frame takes, and its bytes. whole: its end is among them. */
static unsigned measure(const struct shunt_pkt *pkts, unsigned n, uint32_t *len, bool *whole)
{
	unsigned k = 0;

	*len = 0;
	do
		*len += pkts[k].len;
	while (pkts[k++].flags & SHUNT_PKT_MORE && k < n);
	*whole = !(pkts[k - 1].flags & SHUNT_PKT_MORE);
	return k;
}

/* Pieces of the queue's own region return to it, any other stays with the caller. */
static void finish(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, uint16_t region)
{
	for (unsigned i = 0; i < n; i++)
		if (region && pkts[i].region == region)
			q->release(q, &pkts[i], 1);
		else
			pkts[i].flags |= SHUNT_PKT_KEPT;
}

static void refuse(
	struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, uint16_t region, uint32_t len)
{
	finish(q, pkts, n, region);
	SHUNT_COUNT(q, tx_packets, 1);
	SHUNT_COUNT(q, tx_bytes, len);
	SHUNT_COUNT(q, tx_errors, 1);
}

/* Into a buffer, which has the room, with what the first piece says of the frame. */
static void gather(struct shunt_pkt *to, const struct shunt_pkt *pkts, unsigned n, uint32_t len)
{
	uint8_t *at = to->data;

	for (unsigned i = 0; i < n; at += pkts[i++].len)
		memcpy(at, pkts[i].data, pkts[i].len);
	to->len = to->wire_len = len;
	to->ts_ns = pkts->ts_ns;
	to->flags = pkts->flags & ~(SHUNT_PKT_MORE | SHUNT_PKT_KEPT);
	to->vlan_tci = pkts->vlan_tci;
	to->vlan_tpid = pkts->vlan_tpid;
}

/* The frame at pkts[0], of at most n pieces. Returns how many it took: all of them, or 0. */
static unsigned send_frame(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	uint32_t len, most = q->dev->info.max_frame;
	struct shunt_pkt one = {.len = 0};
	bool whole;
	unsigned k = measure(pkts, n, &len, &whole);

	if (!q->alloc(q, &one, 1) && q->alloc != shunt_no_alloc)
		return 0;
	if (!whole || len > one.len || (most && len > most)) {
		refuse(q, pkts, k, one.region, len);
		if (one.region)
			q->release(q, &one, 1);
		return k;
	}
	gather(&one, pkts, k, len);
	if (q->tx(q, &one, 1) != 1) {
		q->release(q, &one, 1);
		return 0;
	}
	SHUNT_COUNT(q, user_copies, 1);
	SHUNT_COUNT(q, user_copied_bytes, len);
	finish(q, pkts, k, one.region);
	return k;
}

/* Packets up to the next frame of several pieces. */
static unsigned send_plain(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	unsigned k = 0;

	while (k < n && !(pkts[k].flags & SHUNT_PKT_MORE))
		k++;
	int sent = q->tx(q, pkts, k);
	return sent > 0 ? (unsigned)sent : 0;
}

int shunt_tx_rest(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned taken, unsigned n)
{
	bool pieces = pkts[taken].flags & SHUNT_PKT_MORE;

	for (unsigned k = pieces; k && taken < n; taken += k)
		k = pkts[taken].flags & SHUNT_PKT_MORE ? send_frame(q, pkts + taken, n - taken)
						       : send_plain(q, pkts + taken, n - taken);
	if (taken < n)
		SHUNT_COUNT(q, tx_short, 1);
	return (int)taken;
}
