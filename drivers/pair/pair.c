/* SPDX-License-Identifier: BSD-2-Clause
 * pair: two ends in one process. What one end sends the other receives: descriptors move over a
 * ring, the bytes stay where they are in the region that both share. Each end may have a thread
 * of its own. The fastest peer there can be, and the contract's test bed.
 */
#include "drivers/pair/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A limit: the next frame takes the chunk that was released last. */
#define DEPTH 8192u

static const struct shunt_key keys[] = {
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

static int pair_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pair_end *e;
	int rc;

	if (dev->fd >= 0)
		return shunt_fail_usage(err, -EINVAL, NULL, "pair: takes no fd=");
	rc = pair_join(dev->spec.target, &e, err);
	if (rc)
		return rc;
	dev->priv = e;
	dev->nqueues = 1;
	return 0;
}

static int pair_attach(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err)
{
	return pair_claim(dev->priv, region, err);
}

static int pair_detach(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err)
{
	(void)region, (void)err;
	pair_unclaim(dev->priv);
	return 0;
}

/* Undo start, whatever part of it was done. */
static void undo(struct pair_end *e, struct shunt_dev *dev)
{
	free(e->ring.slots);
	e->ring.slots = NULL;
	if (e->event >= 0)
		close(e->event);
	e->event = -1;
	shunt_chunks_drain(&e->chunks);
	if (!dev->attached)
		pair_unclaim(e);
	shunt_region_undo(dev);
}

static int make_parts(struct pair_end *e, struct shunt_dev *dev, struct shunt_err *err)
{
	int rc = pair_ring_init(&e->ring, dev->depth, 0);

	e->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rc || e->event < 0)
		return shunt_fail(err, -ENOMEM, NULL, "pair: no memory or descriptors left");
	dev->info.memory = (e->ring.mask + 1ull) * sizeof *e->ring.slots;
	rc = pair_need_region(e, dev, err);
	if (rc)
		return rc;
	if (shunt_chunks_init(&e->chunks, dev->region, PAIR_CACHE - SHUNT_BURST_MAX, 0))
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	return 0;
}

static int pair_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pair_end *e = dev->priv;
	int rc = make_parts(e, dev, err);

	if (rc) {
		undo(e, dev);
		return rc;
	}
	shunt_queue_init(&e->q, dev, 0);
	e->q.rx = pair_rx;
	e->q.tx = pair_tx;
	e->q.release = pair_bufs_release;
	e->q.alloc = pair_bufs_alloc;
	dev->info.max_frame = dev->region->info.chunk;
	strcpy(dev->info.mode, "descriptors over a ring, no copy");
	/* Release: orders the ring's fields before the pointer; pairs with pair_tx(). */
	atomic_store_explicit(&e->in, &e->ring, memory_order_release);
	return 0;
}

static void pair_stop(struct shunt_dev *dev)
{
	struct pair_end *e = dev->priv;
	const uint64_t one = 1;

	shunt_queue_end_tx(&e->q);
	/* Sequentially consistent, which includes release: orders all that was pushed before the
	 * flag; pairs with nothing() and, so that a sleeper is woken, with pair_rx_arm(). */
	atomic_store(&e->stopped, true);
	if (atomic_load(&e->peer->sleeping) && write(e->peer->event, &one, sizeof one) < 0)
		return;
}

static void pair_close(struct shunt_dev *dev)
{
	struct pair_end *e = dev->priv;

	atomic_store(&e->stopped, true);
	shunt_chunks_drain(&e->chunks);
	/* Ring and event stay until both ends are closed: the other one may be using them now. */
	pair_leave(e);
}

static int pair_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct pair_end *e = dev->priv;

	(void)err;
	ledger->received = atomic_load_explicit(&e->ring.pushed, memory_order_relaxed);
	ledger->received_source = "descriptors that the other end pushed";
	shunt_add_loss(ledger, "shutdown",
		dev->state == SHUNT_STOPPED ? pair_ring_waiting(&e->ring) : 0,
		"still in the ring, never fetched");
	return 0;
}

static int pair_queue_fd(struct shunt_queue *q)
{
	return ((struct pair_end *)q)->event;
}

const struct shunt_driver shunt_driver_pair = {
	.name = "pair",
	.scheme = "pair",
	.summary = "two ends in one process: open the same name twice",
	.example = "pair:x",
	.dirs = SHUNT_RXTX,
	.takes_region = true,
	.keys = keys,
	.depth = DEPTH,
	.memory = (uint64_t)(DEPTH + 2 * PAIR_CACHE) * SHUNT_CHUNK +
		  DEPTH * sizeof(struct shunt_pkt), /* half of what both ends share, and a ring */
	.open = pair_open,
	.attach = pair_attach,
	.detach = pair_detach,
	.start = pair_start,
	.stop = pair_stop,
	.close = pair_close,
	.ledger = pair_ledger,
	.queue_fd = pair_queue_fd,
	.arm = pair_rx_arm,
};
