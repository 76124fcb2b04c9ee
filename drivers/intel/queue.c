/* SPDX-License-Identifier: BSD-2-Clause
 * A queue's memory and structures: the part of start that needs no PCI. Control calls only.
 */
#include "drivers/intel/intel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int intel_ring_init(struct intel_ring *r, struct intel_desc *desc, uint32_t size, uint32_t start)
{
	r->slot = calloc(size, sizeof *r->slot);
	r->desc = desc;
	r->mask = size - 1;
	r->next = r->tail = start;
	return r->slot ? 0 : -ENOMEM;
}

void intel_ring_done(struct intel_ring *r)
{
	free(r->slot);
	r->slot = NULL;
	r->desc = NULL;
	r->next = r->tail = 0;
}

size_t intel_rings_size(const struct intel *n)
{
	return (size_t)n->nqueues * (n->rx_size + n->tx_size) * sizeof(struct intel_desc);
}

/* A receive buffer is 2 KiB, and never reaches into the next chunk: where a chunk has just that,
 * the frame begins at its first byte, without the head-room that other NICs leave. */
static int queue_init(struct intel *n, struct intel_queue *iq, const struct pci_port *port,
	struct intel_desc *rx, struct intel_desc *tx)
{
	const struct shunt_region_info *info = &n->dev->region->info;
	unsigned i = iq->id;
	int rc = shunt_chunks_init(&iq->chunks, n->dev->region, PCI_CACHE - SHUNT_BURST_MAX, 0);

	iq->base = info->base;
	iq->iova = port->iova;
	iq->pages = port->pages;
	iq->len = info->len;
	iq->region = info->id;
	iq->chunk = info->chunk;
	iq->buffer = SHUNT_CHUNK;
	iq->head = info->chunk - SHUNT_CHUNK >= PCI_HEAD ? PCI_HEAD : 0;
	iq->refill = n->rx_size / 2 < INTEL_REFILL ? n->rx_size / 2 : INTEL_REFILL;
	iq->tx_word = n->chip->tx_word;
	iq->tx_len = n->chip->tx_len;
	iq->status = (volatile uint32_t *)(n->bar + R_STATUS);
	uint32_t reg = i * n->chip->stride + Q_TAIL;
	iq->rx.tail_reg = (volatile uint32_t *)(n->bar + n->chip->rx_regs + reg);
	iq->tx.tail_reg = (volatile uint32_t *)(n->bar + n->chip->tx_regs + reg);
	if (!rc && n->rx)
		rc = intel_ring_init(&iq->rx, rx, n->rx_size, 0);
	if (!rc && n->tx)
		rc = intel_ring_init(&iq->tx, tx, n->tx_size, 0);
	return rc;
}

static void choose_bursts(const struct intel *n, struct intel_queue *iq)
{
	iq->q.release = intel_bufs_release;
	if (n->rx)
		intel_rx_choose(iq, n->nqueues > 1, n->sleeps);
	if (n->tx) {
		intel_tx_choose(iq);
		iq->q.alloc = intel_bufs_alloc;
	}
}

int intel_queues_init(struct intel *n, const struct pci_port *port, void *rings, uint64_t iova,
	struct shunt_err *err)
{
	struct intel_desc *desc = rings;
	int rc = 0;

	n->queue = aligned_alloc(64, n->nqueues * sizeof *n->queue);
	if (!n->queue)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	memset(n->queue, 0, n->nqueues * sizeof *n->queue);
	for (unsigned i = 0; i < n->nqueues; i++) {
		struct intel_queue *iq = &n->queue[i];
		struct intel_desc *tx = desc + n->rx_size;
		shunt_queue_init(&iq->q, n->dev, i);
		iq->id = i;
		n->rx_iova[i] = iova + (uint64_t)((uint8_t *)desc - (uint8_t *)rings);
		n->tx_iova[i] = iova + (uint64_t)((uint8_t *)tx - (uint8_t *)rings);
		if (!rc)
			rc = queue_init(n, iq, port, desc, tx);
		choose_bursts(n, iq);
		desc = tx + n->tx_size;
	}
	return rc ? shunt_fail(err, rc, NULL, "out of memory") : 0;
}

void intel_queues_done(struct intel *n)
{
	for (unsigned i = 0; n->queue && i < n->nqueues; i++) {
		struct intel_queue *iq = &n->queue[i];
		intel_bufs_return(iq);
		intel_ring_done(&iq->rx);
		intel_ring_done(&iq->tx);
		n->dev->queue[i] = NULL;
	}
	free(n->queue);
	n->queue = NULL;
}
