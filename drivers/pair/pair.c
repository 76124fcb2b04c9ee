/* SPDX-License-Identifier: BSD-2-Clause
 * pair: two ends in one process. What one end sends the other receives: descriptors move over a
 * ring, the bytes stay where they are in the region that both share. Each end may have a thread
 * of its own. The fastest peer there can be, and the contract's test bed.
 */
#include "drivers/pair/pair.h"

#include "drivers/core/probe.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const struct shunt_key keys[] = {
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

static bool get_chunk(struct pair_end *e, uint64_t *offset)
{
	if (!e->cached)
		e->cached = shunt_pool_get(e->pair->region, e->cache, PAIR_CACHE / 2);
	if (!e->cached)
		return false;
	*offset = e->cache[--e->cached];
	return true;
}

static void put_chunk(struct pair_end *e, uint64_t offset)
{
	if (e->cached == PAIR_CACHE) {
		e->cached -= PAIR_CACHE / 2;
		shunt_pool_put(e->pair->region, e->cache + e->cached, PAIR_CACHE / 2);
	}
	e->cache[e->cached++] = offset;
}

static unsigned pair_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct pair_end *e = (struct pair_end *)q;
	const struct shunt_region_info *region = &e->pair->region->info;
	uint64_t at;
	unsigned i = 0;

	for (; i < n && get_chunk(e, &at); i++)
		pkts[i] = (struct shunt_pkt){.data = (uint8_t *)region->base + at,
			.len = region->chunk,
			.cookie = at,
			.region = region->id,
			.queue = q->index};
	q->out += i;
	return i;
}

static void pair_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put_chunk((struct pair_end *)q, pkts[i].cookie);
	q->out -= n;
}

/* A descriptor for the other end. 1, 0 when there is no chunk to copy to, -EMSGSIZE. */
static int convert(struct pair_end *e, struct shunt_pkt *from, struct shunt_pkt *to)
{
	const struct shunt_region_info *region = &e->pair->region->info;
	uint64_t at;

	*to = *from;
	to->wire_len = from->wire_len > from->len ? from->wire_len : from->len;
	if (from->region == region->id) {
		/* Another device of the region may call the chunk by another cookie. */
		at = (uint64_t)((uint8_t *)from->data - (uint8_t *)region->base);
		to->cookie = at / region->chunk * region->chunk;
		e->q.out--;
		return 1;
	}
	if (from->len > region->chunk)
		return -EMSGSIZE;
	if (!get_chunk(e, &at))
		return 0;
	to->data = (uint8_t *)region->base + at;
	to->cookie = at;
	to->region = region->id;
	memcpy(to->data, from->data, from->len);
	from->flags |= SHUNT_PKT_KEPT;
	SHUNT_COUNT(&e->q, user_copies, 1);
	SHUNT_COUNT(&e->q, user_copied_bytes, from->len);
	return 1;
}

static void wake(struct pair_end *peer)
{
	const uint64_t one = 1;

	/* Sequentially consistent: orders the load after push's store of the ring's index; pairs
	 * with arm(). Of a push and an arm at the same time, one sees the other. */
	if (atomic_load_explicit(&peer->sleeping, memory_order_seq_cst) &&
		write(peer->event, &one, sizeof one) < 0)
		return; /* the counter is full: it is readable already */
}

static unsigned send(struct pair_end *e, struct pair_ring *ring, struct shunt_pkt *pkts, unsigned n)
{
	struct shunt_pkt made[SHUNT_BURST_MAX];
	unsigned taken = 0, m = 0;
	uint64_t bytes = 0;

	n = n < SHUNT_BURST_MAX ? n : SHUNT_BURST_MAX;
	n = shunt_pair_ring_room(ring, n);
	for (; taken < n; taken++) {
		int rc = convert(e, &pkts[taken], &made[m]);
		if (!rc)
			break;
		bytes += pkts[taken].len;
		if (rc > 0) {
			m++;
			continue;
		}
		pkts[taken].flags |= SHUNT_PKT_KEPT;
		SHUNT_COUNT(&e->q, tx_errors, 1);
	}
	if (m) {
		shunt_pair_ring_push(ring, made, m);
		wake(e->peer);
	}
	SHUNT_COUNT(&e->q, tx_bytes, bytes);
	return taken;
}

static int pair_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct pair_end *e = (struct pair_end *)q;
	unsigned taken = 0;

	if (q->error)
		return q->error;
	if (atomic_load_explicit(&e->peer->stopped, memory_order_relaxed))
		return shunt_gone(
			q, -ENETDOWN, "the other end of %.80s was closed", q->dev->spec.text);
	/* Acquire: orders the pointer before the ring's fields; pairs with pair_start(). */
	struct pair_ring *ring = atomic_load_explicit(&e->peer->in, memory_order_acquire);
	if (ring) /* else nobody is there yet */
		taken = send(e, ring, pkts, n);
	SHUNT_COUNT(q, tx_packets, taken);
	SHUNT_COUNT(q, tx_bursts, taken > 0);
	SHUNT_COUNT(q, tx_short, taken < n);
	SHUNT_PROBE_TX(q, taken);
	return (int)taken;
}

/* 1 when there is something already: don't sleep. */
static int arm(struct shunt_queue *q)
{
	struct pair_end *e = (struct pair_end *)q;

	/* Sequentially consistent: orders the flag before the load of the ring's index; pairs with
	 * push and wake(). */
	atomic_store_explicit(&e->sleeping, true, memory_order_seq_cst);
	return shunt_pair_ring_waiting(&e->ring) || atomic_load(&e->peer->stopped);
}

static void disarm(struct pair_end *e)
{
	uint64_t count;

	if (!atomic_load_explicit(&e->sleeping, memory_order_relaxed))
		return;
	atomic_store_explicit(&e->sleeping, false, memory_order_relaxed);
	if (read(e->event, &count, sizeof count) < 0)
		return; /* nothing was written: the usual case */
}

static void sleep_a_while(struct pair_end *e)
{
	struct pollfd p = {.fd = e->event, .events = POLLIN};

	if (!arm(&e->q)) {
		poll(&p, 1, SHUNT_POLL_MS);
		SHUNT_COUNT(&e->q, syscalls, 1);
	}
	disarm(e);
}

/* Empty: has the other end gone? What it sent before it went comes first. */
static int nothing(struct pair_end *e)
{
	/* Acquire: orders the flag before another look at the ring; pairs with pair_stop(). */
	if (!atomic_load_explicit(&e->peer->stopped, memory_order_acquire) ||
		shunt_pair_ring_waiting(&e->ring))
		return 0;
	return shunt_gone(
		&e->q, -ENETDOWN, "the other end of %.80s was closed", e->q.dev->spec.text);
}

static int pair_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct pair_end *e = (struct pair_end *)q;
	uint64_t bytes = 0;

	if (q->error)
		return q->error;
	disarm(e);
	unsigned got = shunt_pair_ring_pop(&e->ring, pkts, n);
	if (!got && q->dev->info.wait && q->dev->state == SHUNT_STARTED) {
		sleep_a_while(e);
		got = shunt_pair_ring_pop(&e->ring, pkts, n);
	}
	for (unsigned i = 0; i < got; i++) {
		pkts[i].queue = q->index;
		bytes += pkts[i].len;
	}
	q->out += got;
	SHUNT_COUNT(q, rx_packets, got);
	SHUNT_COUNT(q, rx_bytes, bytes);
	SHUNT_COUNT(q, rx_bursts, got > 0);
	SHUNT_COUNT(q, rx_empty, got == 0);
	SHUNT_PROBE_RX(q, got);
	return got ? (int)got : nothing(e);
}

static int pair_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pair_end *e;
	int rc;

	if (dev->fd >= 0)
		return shunt_fail_usage(err, -EINVAL, NULL, "pair: takes no fd=");
	rc = shunt_pair_join(dev->spec.target, &e, err);
	if (rc)
		return rc;
	dev->priv = e;
	dev->nqueues = 1;
	return 0;
}

static int pair_attach(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err)
{
	return shunt_pair_attach(dev->priv, region, err);
}

static int pair_detach(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err)
{
	return shunt_pair_detach(dev->priv, region, err);
}

static int pair_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pair_end *e = dev->priv;
	int rc;

	e->cache = malloc(PAIR_CACHE * sizeof *e->cache);
	e->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = e->cache && e->event >= 0 ? shunt_pair_ring_init(&e->ring, dev->depth, 0) : -ENOMEM;
	if (rc)
		rc = shunt_fail(err, rc, NULL, "pair: no memory or descriptors left");
	else
		rc = shunt_pair_need_region(e, dev->depth, err);
	if (rc) {
		free(e->ring.slots);
		e->ring.slots = NULL;
		free(e->cache);
		e->cache = NULL;
		if (e->event >= 0)
			close(e->event);
		e->event = -1;
		return rc;
	}
	shunt_queue_init(&e->q, dev, 0);
	e->q.rx = pair_rx;
	e->q.tx = pair_tx;
	e->q.release = pair_release;
	e->q.alloc = pair_alloc;
	dev->info.memory =
		e->pair->region->info.len + (e->ring.mask + 1ull) * sizeof *e->ring.slots;
	dev->info.max_frame = e->pair->region->info.chunk;
	strcpy(dev->info.mode, "descriptors over a ring, no copy");
	if (*e->pair->region->info.note)
		shunt_note(dev, "%s", e->pair->region->info.note);
	/* Release: orders the ring's fields before the pointer; pairs with pair_tx(). */
	atomic_store_explicit(&e->in, &e->ring, memory_order_release);
	return 0;
}

static void pair_stop(struct shunt_dev *dev)
{
	struct pair_end *e = dev->priv;
	const uint64_t one = 1;

	e->q.tx = shunt_no_tx;
	/* Sequentially consistent, which includes release: orders all that was pushed before the
	 * flag; pairs with nothing() and, so that a sleeper is woken, with arm(). */
	atomic_store(&e->stopped, true);
	if (atomic_load(&e->peer->sleeping) && write(e->peer->event, &one, sizeof one) < 0)
		return;
}

static void pair_close(struct shunt_dev *dev)
{
	struct pair_end *e = dev->priv;

	atomic_store(&e->stopped, true);
	if (e->cached)
		shunt_pool_put(e->pair->region, e->cache, e->cached);
	e->cached = 0;
	free(e->cache);
	e->cache = NULL;
	/* Ring and event stay until both ends are closed: the other one may be using them now. */
	shunt_pair_leave(e);
}

static int pair_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct pair_end *e = dev->priv;

	(void)err;
	ledger->received = atomic_load_explicit(&e->ring.pushed, memory_order_relaxed);
	ledger->received_source = "descriptors that the other end pushed";
	shunt_add_loss(ledger, "shutdown",
		dev->state == SHUNT_STOPPED ? shunt_pair_ring_waiting(&e->ring) : 0,
		"still in the ring, never asked for");
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
	.keys = keys,
	.memory = (uint64_t)SHUNT_DEPTH * (SHUNT_CHUNK + sizeof(struct shunt_pkt)),
	.open = pair_open,
	.attach = pair_attach,
	.detach = pair_detach,
	.start = pair_start,
	.stop = pair_stop,
	.close = pair_close,
	.ledger = pair_ledger,
	.queue_fd = pair_queue_fd,
	.arm = arm,
};
