/* SPDX-License-Identifier: BSD-2-Clause
 * Chunks of the queue's region, and the slots that recvmsg reads into. A packet's chunk is found
 * from its address, not from its cookie, so that packets which another device of the region
 * received can be sent and released here. A ring's blocks are released beside them: see block.h.
 */
#include "drivers/packet/packet.h"

#include <errno.h>
#include <stdlib.h>

int packet_bufs_open(struct packet_queue *pq, struct shunt_err *err)
{
	struct shunt_dev *dev = pq->q.dev;
	uint32_t whole = dev->info.mtu + 14 + 8 + PACKET_HEAD;
	struct shunt_region_opts opts = {.chunk = whole > 2048 ? 4096 : 2048,
		.chunks = dev->depth < 1024   ? 1024
			  : dev->depth > 8192 ? 8192
					      : dev->depth};
	int rc = shunt_region_need(dev, &opts, err);

	if (rc)
		return rc;
	uint32_t most = dev->region->info.chunks / 4;
	if (shunt_chunks_init(
		    &pq->chunks, dev->region, most < PACKET_CACHE ? most : PACKET_CACHE, 0))
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	pq->longest = dev->region->info.chunk - PACKET_HEAD;
	return 0;
}

void packet_bufs_close(struct packet_queue *pq)
{
	struct packet_slots *s = pq->slots;

	for (unsigned i = 0; s && i < s->posted; i++)
		shunt_chunks_put(&pq->chunks, packet_offset(pq, s->iov[i].iov_base));
	free(s);
	pq->slots = NULL;
	shunt_chunks_drain(&pq->chunks);
}

int packet_bufs_slots(struct packet_queue *pq, struct shunt_err *err)
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

void packet_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	shunt_chunks_return(&packet_of(q)->chunks, pkts, n);
	q->out -= n;
}

SHUNT_NOINLINE void release_one(struct shunt_queue *q, const struct shunt_pkt *pkt)
{
	packet_bufs_release(q, pkt, 1);
}

/* A cookie is the index of a block; packets of one block go in runs. */
static void packet_bufs_release_blocks(
	struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	struct packet_queue *pq = packet_of(q);
	struct packet_blocks *b = &pq->blocks;
	uint16_t lent = pq->lent->info.id;

	for (unsigned i = 0, run; i < n; i += run) {
		run = 1;
		if (pkts[i].region != lent) { /* from alloc, or moved here */
			release_one(q, pkts + i);
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

static unsigned packet_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	n = shunt_chunks_lend(&packet_of(q)->chunks, q, pkts, n, PACKET_HEAD);
	q->out += n;
	return n;
}

void packet_bufs_choose(struct packet_queue *pq)
{
	pq->q.release = pq->lent ? packet_bufs_release_blocks : packet_bufs_release;
	if (pq->chunks.chunk)
		pq->q.alloc = packet_bufs_alloc;
}
