/* SPDX-License-Identifier: BSD-2-Clause
 * null: takes every packet and drops it; gives full bursts of zeroes for as long as it is asked.
 * What is left of a loop's cost when the device costs nothing, and the shortest driver to read.
 */
#include "drivers/core/driver.h"
#include "drivers/core/probe.h"
#include "drivers/core/region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNKS (4u * SHUNT_BURST_MAX)

struct null_queue {
	struct shunt_queue q;
	struct shunt_region *region;
	uint32_t size;
};

static const struct shunt_key keys[] = {
	{"size", SHUNT_KEY_NUMBER, "bytes a frame", 14, 2048},
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

static unsigned null_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct null_queue *nq = (struct null_queue *)q;
	uint64_t at[SHUNT_BURST_MAX];

	n = shunt_pool_get(nq->region, at, n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX);
	for (unsigned i = 0; i < n; i++)
		pkts[i] = (struct shunt_pkt){.data = (uint8_t *)nq->region->info.base + at[i],
			.len = SHUNT_CHUNK,
			.cookie = at[i],
			.region = nq->region->info.id,
			.queue = q->index};
	q->out += n;
	return n;
}

static void null_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	struct null_queue *nq = (struct null_queue *)q;

	for (unsigned i = 0; i < n; i++)
		shunt_pool_put(nq->region, &pkts[i].cookie, 1);
	q->out -= n;
}

static int null_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct null_queue *nq = (struct null_queue *)q;

	n = null_alloc(q, pkts, n);
	for (unsigned i = 0; i < n; i++)
		pkts[i].len = pkts[i].wire_len = nq->size;
	SHUNT_COUNT(q, rx_packets, n);
	SHUNT_COUNT(q, rx_bytes, (uint64_t)n * nq->size);
	SHUNT_COUNT(q, rx_bursts, n > 0);
	SHUNT_COUNT(q, rx_empty, n == 0);
	SHUNT_PROBE_RX(q, n);
	return (int)n;
}

static int null_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct null_queue *nq = (struct null_queue *)q;

	for (unsigned i = 0; i < n; i++) {
		SHUNT_COUNT(q, tx_bytes, pkts[i].len);
		if (pkts[i].region == nq->region->info.id)
			null_release(q, pkts + i, 1);
		else
			pkts[i].flags |=
				SHUNT_PKT_KEPT; /* dropped without looking: nothing is copied */
	}
	SHUNT_COUNT(q, tx_packets, n);
	SHUNT_COUNT(q, tx_bursts, n > 0);
	SHUNT_PROBE_TX(q, n);
	return (int)n;
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
	int rc = shunt_region_create(&nq->region, &opts, err);

	if (rc)
		return rc;
	shunt_queue_init(&nq->q, dev, 0);
	nq->q.rx = null_rx;
	nq->q.tx = null_tx;
	nq->q.release = null_release;
	nq->q.alloc = null_alloc;
	dev->info.memory = nq->region->info.len;
	strcpy(dev->info.mode, "nothing behind it");
	return 0;
}

static void null_stop(struct shunt_dev *dev)
{
	struct null_queue *nq = dev->priv;

	nq->q.rx = shunt_no_rx;
}

static void null_close(struct shunt_dev *dev)
{
	struct null_queue *nq = dev->priv;

	shunt_region_destroy(nq->region, NULL);
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
	.summary = "drops what it is sent, gives empty frames without end",
	.example = "null:",
	.dirs = SHUNT_RXTX,
	.keys = keys,
	.memory = CHUNKS * SHUNT_CHUNK,
	.open = null_open,
	.start = null_start,
	.stop = null_stop,
	.close = null_close,
	.ledger = null_ledger,
};
