/* SPDX-License-Identifier: BSD-2-Clause
 * Receive: RX descriptors become packets, released chunks go straight back to FILL. One body with
 * constant bools, instantiated below. With traffic it makes no system call.
 * Errors are sticky, and seen only by who finds the ring empty: what came before can be received.
 */
#include "drivers/af_xdp/af_xdp.h"
#include "drivers/af_xdp/ring.h"
#include "drivers/core/probe.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#define INLINE static inline __attribute__((always_inline))

int afxdp_check_link(struct xsk_queue *xq)
{
	const char *name = xq->q.dev->info.ifname;

	SHUNT_COUNT(&xq->q, syscalls, 1);
	if (!recv(xq->fd, NULL, 0, MSG_DONTWAIT))
		return 0;
	if (errno == ENETDOWN)
		return shunt_gone(
			&xq->q, -ENETDOWN, "%s went down: open it again when it is up", name);
	if (errno == ENXIO) /* the kernel unbound the socket when the device went */
		return shunt_gone(&xq->q, -ENODEV, "%s is gone", name);
	return 0;
}

static void sleep_for_packets(struct xsk_queue *xq)
{
	struct pollfd p = {.fd = xq->fd, .events = POLLIN};

	if (__atomic_load_n(&xq->stopped, __ATOMIC_RELAXED) || xq->q.error)
		return;
	SHUNT_COUNT(&xq->q, syscalls, 1);
	if (poll(&p, 1, SHUNT_POLL_MS) <= 0 || !(p.revents & POLLIN))
		afxdp_check_link(xq);
}

/* Busy-polling: run the device's NAPI poll here, in this thread. */
static void busy_kick(struct xsk_queue *xq)
{
	if (!__atomic_load_n(&xq->stopped, __ATOMIC_RELAXED) && !xq->q.error)
		afxdp_check_link(xq);
}

static __attribute__((noinline)) void look_at_link(struct xsk_queue *xq)
{
	xq->idle = 0;
	if (!__atomic_load_n(&xq->stopped, __ATOMIC_RELAXED) && !xq->q.error)
		afxdp_check_link(xq);
}

/* Zero-copy drivers that ran out of FILL sleep until they are told. */
static __attribute__((noinline)) void wake_fill(struct xsk_queue *xq)
{
	SHUNT_COUNT(&xq->q, syscalls, 1);
	recv(xq->fd, NULL, 0, MSG_DONTWAIT);
}

INLINE uint32_t peek(
	struct xsk_queue *xq, unsigned n, uint32_t *at, const bool poll_, const bool busy)
{
	uint32_t got = xsk_ring_cons__peek(&xq->rx, n, at);

	if (__builtin_expect(got > 0, 1))
		return got;
	if (poll_)
		sleep_for_packets(xq);
	else if (busy)
		busy_kick(xq);
	else if (__builtin_expect(++xq->idle == AFXDP_IDLE, 0))
		look_at_link(xq);
	return poll_ || busy ? xsk_ring_cons__peek(&xq->rx, n, at) : 0;
}

INLINE int rx_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n, const bool poll_,
	const bool busy, const bool tracked)
{
	struct xsk_queue *xq = (struct xsk_queue *)q;
	uint64_t bytes = 0;
	uint32_t at = 0;

	if (__builtin_expect(xq->level < xq->target, 0))
		afxdp_refill(xq);
	if (xq->wakeup && xq->zc && xsk_ring_prod__needs_wakeup(&xq->fill))
		wake_fill(xq);
	uint32_t got = peek(xq, n, &at, poll_, busy);
	if (!got) {
		SHUNT_COUNT(q, rx_empty, 1);
		SHUNT_PROBE_RX(q, 0);
		return q->error;
	}
	for (uint32_t i = 0; i < got; i++) {
		const struct xdp_desc *d = xsk_ring_cons__rx_desc(&xq->rx, at + i);
		uint64_t addr = d->addr;
		uint32_t len = d->len;

		bytes += len;
		if (tracked)
			xq->held[addr >> xq->shift] = 0;
		pkts[i] = (struct shunt_pkt){.data = xq->base + addr,
			.len = len,
			.wire_len = len,
			.cookie = addr,
			.flags = SHUNT_PKT_TS_NONE,
			.region = xq->region,
			.queue = q->index};
	}
	xsk_ring_cons__release(&xq->rx, got);
	xq->level -= got;
	xq->idle = 0;
	q->out += got;
	SHUNT_COUNT(q, rx_packets, got);
	SHUNT_COUNT(q, rx_bytes, bytes);
	SHUNT_COUNT(q, rx_bursts, 1);
	SHUNT_PROBE_RX(q, got);
	return (int)got;
}

/* A received address is chunk + 256 + head-room: the chunk goes back, not the address. */
INLINE void release_body(
	struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n, const bool tracked)
{
	struct xsk_queue *xq = (struct xsk_queue *)q;
	uint64_t mask = xq->chunk_mask;
	uint32_t at;

	q->out -= n;
	if (__builtin_expect(
		    n > xq->target - xq->level || xsk_ring_prod__reserve(&xq->fill, n, &at) != n,
		    0)) {
		for (unsigned i = 0; i < n; i++)
			xq->stack[xq->nstack++] = pkts[i].cookie & mask;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t chunk = pkts[i].cookie & mask;
		*xsk_ring_prod__fill_addr(&xq->fill, at + i) = chunk;
		if (tracked)
			xq->held[chunk >> xq->shift] = 1;
	}
	xsk_ring_prod__submit(&xq->fill, n);
	xq->level += n;
}

#define RX(name, poll_, busy, tracked)                                                             \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return rx_body(q, pkts, n, poll_, busy, tracked);                                  \
	}
RX(rx_spin, false, false, false)
RX(rx_poll, true, false, false)
RX(rx_busy, false, true, false)
RX(rx_spin_tracked, false, false, true)
RX(rx_poll_tracked, true, false, true)
RX(rx_busy_tracked, false, true, true)

static void release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	release_body(q, pkts, n, false);
}

static void release_tracked(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	release_body(q, pkts, n, true);
}

void afxdp_rx_choose(struct xsk_queue *xq)
{
	const struct afxdp *a = xq->q.dev->priv;
	bool tracked = xq->held;

	xq->q.release = tracked ? release_tracked : release;
	if (!afxdp_can(xq->q.dev, SHUNT_RX))
		return;
	if (a->busy)
		xq->q.rx = tracked ? rx_busy_tracked : rx_busy;
	else if (xq->q.dev->info.wait)
		xq->q.rx = tracked ? rx_poll_tracked : rx_poll;
	else
		xq->q.rx = tracked ? rx_spin_tracked : rx_spin;
}
