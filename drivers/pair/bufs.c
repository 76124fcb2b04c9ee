/* SPDX-License-Identifier: BSD-2-Clause
 * Chunks of the region that both ends use, with a cache per end.
 */
#include "drivers/pair/pair.h"

void pair_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	shunt_chunks_return(&((struct pair_end *)q)->chunks, pkts, n);
	q->out -= n;
}

unsigned pair_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	n = shunt_chunks_lend(&((struct pair_end *)q)->chunks, q, pkts, n, 0);
	q->out += n;
	return n;
}
