/* SPDX-License-Identifier: BSD-2-Clause
 * null: takes every packet and drops it; returns full bursts of zeroes without end.
 * What is left of a loop's cost when the device costs nothing, and the shortest driver to read.
 */
#include "drivers/core/burst.h"
#include "drivers/core/chunks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNKS (4u * SHUNT_BURST_MAX)

struct null_queue {
	struct shunt_queue q;
	struct shunt_chunks chunks;
	uint32_t size;
};

static const struct shunt_key keys[] = {
	{"size", SHUNT_KEY_NUMBER, "bytes per frame", 14, 2048},
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

static int null_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct null_queue *nq = (struct null_queue *)q;

	n = shunt_chunks_lend(&nq->chunks, q, pkts, n, 0);
	if (!n)
		return shunt_rx_none(q, 0);
	for (unsigned i = 0; i < n; i++)
		pkts[i].len = pkts[i].wire_len = nq->size;
	return shunt_rx_done(q, n, (uint64_t)n * nq->size);
}

static void null_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	shunt_chunks_return(&((struct null_queue *)q)->chunks, pkts, n);
	q->out -= n;
}

static unsigned null_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	n = shunt_chunks_lend(&((struct null_queue *)q)->chunks, q, pkts, n, 0);
	q->out += n;
	return n;
}

static int null_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	const uint32_t ours = shunt_in_region(q->dev->region->info.id);
	uint64_t bytes = 0;
	unsigned i;

	for (i = 0; i < n; i++) {
		if (shunt_pkt_where(&pkts[i]) == ours)
			null_release(q, pkts + i, 1);
		else if (pkts[i].flags & SHUNT_PKT_MORE)
			break;
		else /* dropped without looking: nothing is copied */
			pkts[i].flags |= SHUNT_PKT_KEPT;
		bytes += pkts[i].len;
	}
	return shunt_tx_done(q, pkts, i, n, bytes);
}

static int null_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct null_queue *nq = calloc(1, sizeof *nq);

	if (!nq)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	nq->size = (uint32_t)shunt_spec_number(&dev->spec, "size", 60);
	dev->priv = nq;
	dev->nqueues = 1;
	return 0;
}

static int null_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct null_queue *nq = dev->priv;
	struct shunt_region_opts opts = {.chunks = CHUNKS};
	int rc = shunt_region_need(dev, &opts, err);

	if (!rc && shunt_chunks_init(&nq->chunks, dev->region, CHUNKS / 4, 0))
		rc = shunt_fail(err, -ENOMEM, NULL, "out of memory");
	if (rc) {
		shunt_region_undo(dev);
		return rc;
	}
	shunt_queue_init(&nq->q, dev, 0);
	nq->q.rx = null_rx;
	nq->q.tx = null_tx;
	nq->q.release = null_release;
	nq->q.alloc = null_alloc;
	strcpy(dev->info.mode, "nothing behind it");
	return 0;
}

static void null_stop(struct shunt_dev *dev)
{
	struct null_queue *nq = dev->priv;

	shunt_queue_end_rx(&nq->q);
	shunt_queue_end_tx(&nq->q);
}

static void null_close(struct shunt_dev *dev)
{
	struct null_queue *nq = dev->priv;

	shunt_chunks_drain(&nq->chunks);
	free(nq);
}

static int null_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct null_queue *nq = dev->priv;

	(void)err;
	ledger->received = __atomic_load_n(&nq->q.stats.rx_packets, __ATOMIC_RELAXED);
	ledger->received_source = "the driver made them";
	return 0;
}

const struct shunt_driver shunt_driver_null = {
	.name = "null",
	.scheme = "null",
	.summary = "drops what it is sent, returns empty frames without end",
	.example = "null:",
	.dirs = SHUNT_RXTX,
	.keys = keys,
	.depth = 8192, /* without effect: nothing waits */
	.memory = CHUNKS * SHUNT_CHUNK,
	.open = null_open,
	.start = null_start,
	.stop = null_stop,
	.close = null_close,
	.ledger = null_ledger,
};
