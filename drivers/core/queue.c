/* SPDX-License-Identifier: BSD-2-Clause
 * Bursts of a queue that does not have them.
 */
#include "drivers/core/driver.h"

#include <string.h>

int shunt_no_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	(void)pkts, (void)n;
	return q->error;
}

int shunt_no_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	(void)pkts, (void)n;
	return q->error;
}

void shunt_no_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	(void)q, (void)pkts, (void)n;
}

unsigned shunt_no_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	(void)q, (void)pkts, (void)n;
	return 0;
}

void shunt_queue_end_rx(struct shunt_queue *q)
{
	SHUNT_SET(q->rx, shunt_no_rx);
}

void shunt_queue_end_tx(struct shunt_queue *q)
{
	SHUNT_SET(q->tx, shunt_no_tx);
}

void shunt_queue_init(struct shunt_queue *q, struct shunt_dev *dev, unsigned index)
{
	memset(q, 0, sizeof *q);
	q->rx = shunt_no_rx;
	q->tx = shunt_no_tx;
	q->release = shunt_no_release;
	q->alloc = shunt_no_alloc;
	q->dev = dev;
	q->index = (uint16_t)index;
	dev->queue[index] = q;
}
