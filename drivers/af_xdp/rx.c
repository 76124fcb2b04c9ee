/* SPDX-License-Identifier: BSD-2-Clause
 * Receive: RX descriptors become packets; released chunks go straight back to FILL (bufs.c). One
 * body with constant bools, instantiated below. With traffic it makes no system call.
 * Errors are sticky, and reported once the ring drains: what came before can be received.
 */
#include "drivers/af_xdp/af_xdp.h"
#include "drivers/core/burst.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

/* Empty receives before the link is looked at: about 10 ms of spinning, one system call. */
#define IDLE (1u << 20)

static bool may_sleep(const struct xsk_queue *xq)
{
	return !SHUNT_GET(xq->stopped) && !xq->q.error && !xq->q.waits;
}

static void sleep_for_packets(struct xsk_queue *xq)
{
	struct pollfd p = {.fd = xq->fd, .events = POLLIN};

	if (!may_sleep(xq))
		return;
	SHUNT_COUNT(&xq->q, syscalls, 1);
	if (poll(&p, 1, SHUNT_POLL_MS) <= 0 || !(p.revents & POLLIN))
		afxdp_link_check(xq);
}

/* Zero-copy drivers that ran out of FILL sleep until they are told. */
SHUNT_NOINLINE void wake_fill(struct xsk_queue *xq)
{
	SHUNT_COUNT(&xq->q, syscalls, 1);
	recv(xq->fd, NULL, 0, MSG_DONTWAIT);
}

SHUNT_INLINE uint32_t peek(
	struct xsk_queue *xq, unsigned n, uint32_t *at, const bool poll_, const bool busy)
{
	uint32_t got = xsk_ring_cons__peek(&xq->rx, n, at);

	if (SHUNT_LIKELY(got > 0))
		return got;
	if (poll_)
		sleep_for_packets(xq);
	else if (busy)
		afxdp_link_look(xq); /* and the device's NAPI poll runs in this thread */
	else if (SHUNT_UNLIKELY(++xq->idle == IDLE))
		afxdp_link_look(xq);
	return poll_ || busy ? xsk_ring_cons__peek(&xq->rx, n, at) : 0;
}

SHUNT_INLINE int rx_body(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n,
	const bool poll_, const bool busy, const bool tracked)
{
	struct xsk_queue *xq = (struct xsk_queue *)q;
	uint64_t bytes = 0;
	uint32_t at = 0;

	if (SHUNT_UNLIKELY(xq->level < xq->target))
		afxdp_bufs_refill(xq);
	if (xq->wakeup && xq->zc && xsk_ring_prod__needs_wakeup(&xq->fill))
		wake_fill(xq);
	uint32_t got = peek(xq, n, &at, poll_, busy);
	if (!got)
		return shunt_rx_none(q, q->error);
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
	return shunt_rx_done(q, got, bytes);
}

#define RX(name, poll_, busy, tracked)                                                             \
	static int name(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)                 \
	{                                                                                          \
		return rx_body(q, pkts, n, poll_, busy, tracked);                                  \
	}
RX(afxdp_rx_spin, false, false, false)
RX(afxdp_rx_poll, true, false, false)
RX(afxdp_rx_busy, false, true, false)
RX(afxdp_rx_spin_tracked, false, false, true)
RX(afxdp_rx_poll_tracked, true, false, true)
RX(afxdp_rx_busy_tracked, false, true, true)

/* action=drop: the program counts and drops, and no frame reaches user space. */
static int afxdp_rx_drop(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct xsk_queue *xq = (struct xsk_queue *)q;
	bool wait = q->dev->info.wait && may_sleep(xq);

	(void)pkts, (void)n;
	if (wait) {
		SHUNT_COUNT(q, syscalls, 1);
		poll(NULL, 0, SHUNT_POLL_MS);
	}
	if (wait || ++xq->idle == IDLE)
		afxdp_link_look(xq);
	return shunt_rx_none(q, q->error);
}

void afxdp_rx_choose(struct xsk_queue *xq)
{
	static int (*const bursts[3][2])(struct shunt_queue *, struct shunt_pkt *, unsigned) = {
		{afxdp_rx_spin, afxdp_rx_spin_tracked}, {afxdp_rx_poll, afxdp_rx_poll_tracked},
		{afxdp_rx_busy, afxdp_rx_busy_tracked}};
	const struct afxdp *a = xq->q.dev->priv;
	unsigned how = a->busy ? 2 : xq->q.dev->info.wait ? 1 : 0;

	if (afxdp_can(xq->q.dev, SHUNT_RX))
		xq->q.rx = a->drop ? afxdp_rx_drop : bursts[how][xq->held != NULL];
}
