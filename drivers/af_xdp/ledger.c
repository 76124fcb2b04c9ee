/* SPDX-License-Identifier: BSD-2-Clause
 * What arrived and what became of it. received is the program's count, summed over CPUs; losses
 * come from each socket's XDP_STATISTICS. In copy mode rx_dropped counts frames that found FILL
 * empty, which rx_fill_ring_empty_descs counts too, one each, and frames longer than a chunk's
 * room; rx_ring_full is apart (net/xdp/xsk.c, xsk_rcv_check, __xsk_rcv, xp_alloc).
 * With zero-copy a driver that finds FILL empty never shows the frame to the program.
 * action=drop compares two counts that the program keeps apart: all frames, and drops by queue.
 */
#include "drivers/af_xdp/af_xdp.h"
#include "drivers/af_xdp/ring.h"

#include <errno.h>
#include <string.h>

static int unreadable(const struct shunt_dev *dev, int rc, struct shunt_err *err)
{
	return shunt_fail(err, rc, NULL, "xdp: cannot read the counters of %.40s: %s",
		dev->info.ifname, strerror(-rc));
}

/* Frames that the kernel counted, from all sockets. */
static int socket_losses(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	uint64_t full = 0, empty = 0, dropped = 0, waiting = 0;
	int rc = 0;

	for (unsigned i = 0; !rc && afxdp_can(dev, SHUNT_RX) && i < dev->nqueues; i++) {
		struct xdp_statistics s;
		rc = afxdp_statistics(&a->queue[i], &s);
		full += s.rx_ring_full;
		dropped += s.rx_dropped;
		empty += a->queue[i].zc ? 0 : s.rx_fill_ring_empty_descs;
		waiting += afxdp_look(&a->queue[i].rx);
	}
	if (rc)
		return unreadable(dev, rc, err);
	shunt_add_loss(ledger, "ring_full", full,
		"found no room in RX: the application was too slow (XDP_STATISTICS)");
	shunt_add_loss(ledger, "fill_empty", empty,
		"found no chunk in FILL: the application held too many (XDP_STATISTICS)");
	shunt_add_loss(ledger, "too_long", dropped - empty,
		"longer than a chunk's room (XDP_STATISTICS rx_dropped less empty FILL)");
	shunt_add_loss(ledger, "shutdown", waiting, "in RX, never fetched");
	return 0;
}

int afxdp_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	struct shunt_redirect_counts c = {.seen = 0};

	if (!a->queue)
		return shunt_fail(err, -ENODATA, NULL, "xdp: was not started");
	int rc = afxdp_can(dev, SHUNT_RX) ? shunt_redirect_read(a->prog, &c) : 0;
	if (rc)
		return unreadable(dev, rc, err);
	ledger->received = a->all ? c.seen : c.seen - c.passed;
	ledger->received_source = "the XDP program's count of all frames";
	shunt_add_loss(ledger, "no_socket", a->all ? c.passed : 0,
		"came on a queue that is not covered: left to the stack (XDP program)");
	if (!a->drop)
		return socket_losses(dev, ledger, err);
	shunt_add_loss(ledger, "xdp_drop", c.dropped,
		"dropped by the XDP program, as asked (its counts by queue)");
	return 0;
}
