/* SPDX-License-Identifier: BSD-2-Clause
 * action=drop: the XDP program counts and drops. No socket, nothing reaches user space: what is
 * left of a path's cost when the path ends at its start, and the ceiling for all others.
 * The ledger compares two counts that the program keeps apart: all frames, and drops by queue.
 */
#include "drivers/af_xdp/af_xdp.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

static void look_at_link(struct xsk_queue *xq)
{
	const char *name = xq->q.dev->info.ifname;
	int rc = xq->q.error ? 0 : shunt_link_state(xq->q.dev);

	SHUNT_COUNT(&xq->q, syscalls, 1);
	if (rc == -ENODEV)
		shunt_gone(&xq->q, rc, "%s is gone", name);
	else if (rc)
		shunt_gone(&xq->q, rc, "%s went down: open it again when it is up", name);
}

static int drop_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct xsk_queue *xq = (struct xsk_queue *)q;
	bool wait =
		q->dev->info.wait && !__atomic_load_n(&xq->stopped, __ATOMIC_RELAXED) && !q->error;

	(void)pkts, (void)n;
	SHUNT_COUNT(q, rx_empty, 1);
	if (wait) {
		SHUNT_COUNT(q, syscalls, 1);
		poll(NULL, 0, SHUNT_POLL_MS);
	}
	if (wait || ++xq->idle == AFXDP_IDLE) {
		xq->idle = 0;
		look_at_link(xq);
	}
	return q->error;
}

int afxdp_drop_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;

	for (unsigned i = 0; i < dev->nqueues; i++)
		a->queue[i].q.rx = drop_rx;
	return shunt_redirect_attach(a->prog, err);
}

int afxdp_drop_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	struct shunt_redirect_counts c;
	int rc = shunt_redirect_read(a->prog, &c);

	if (rc)
		return shunt_fail(err, rc, NULL, "xdp: cannot read the counters of %.40s: %s",
			dev->info.ifname, strerror(-rc));
	ledger->received = a->all ? c.seen : c.seen - c.passed;
	ledger->received_source = "the XDP program's count of all frames";
	shunt_add_loss(ledger, "xdp_drop", c.dropped,
		"dropped by the XDP program, as asked (its counts by queue)");
	shunt_add_loss(ledger, "no_socket", a->all ? c.passed : 0,
		"came on a queue that is not covered: left to the stack (XDP program)");
	return 0;
}
