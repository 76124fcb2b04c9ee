/* SPDX-License-Identifier: BSD-2-Clause
 * xdpgen: transmit only. The kernel makes the frames: a BPF test run hands pages to a program,
 * which fills each from a slot of mapped memory and redirects it to the interface
 * (net/bpf/test_run.c, Linux 5.18). A frame that arrives that way was never an skb, so that the
 * receiving side is measured alone.
 */
#include "drivers/xdpgen/xdpgen.h"

#include "core/link_xdp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Slots. A limit for frames that repeat: a run uses as many slots as there are templates. */
#define DEPTH 8192u

static const struct shunt_key keys[] = {
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

static int xdpgen_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct xdpgen_queue *xq;

	if (dev->fd >= 0)
		return shunt_fail_usage(err, -EINVAL, NULL, "xdpgen: takes no fd=");
	xq = calloc(1, sizeof *xq);
	if (!xq)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	xq->sock = -1;
	xq->gen.spare_ns = -1;
	dev->priv = xq;
	dev->nqueues = 1;
	if (dev->info.max_frame > XDPGEN_FRAME) {
		shunt_note(dev, "frames above %u bytes are not sent: a slot has no more room",
			XDPGEN_FRAME);
		dev->info.max_frame = XDPGEN_FRAME;
	}
	return 0;
}

/* Frames that are redirected to a driver that can't take any vanish silently. A veth can, but
 * says so only while its peer has NAPI on: that may come later, so flood is where it is found. */
static int can_take(
	const struct shunt_dev *dev, const struct xdpgen_queue *xq, struct shunt_err *err)
{
	uint64_t features;

	if (xq->last.known || shunt_link_xdp_features(dev->info.ifindex, &features))
		return 0;
	if (features & SHUNT_XDP_NDO_XMIT)
		return 0;
	return shunt_fail_usage(err, -EOPNOTSUPP, "use packet: there, or xdpgen: on a veth",
		"xdpgen: the driver of '%.40s' takes no XDP frames (no ndo_xdp_xmit)",
		dev->info.ifname);
}

static void describe(struct shunt_dev *dev, struct xdpgen_queue *xq)
{
	snprintf(dev->info.mode, sizeof dev->info.mode, "live XDP frames from %u slots",
		xq->gen.nslots);
	shunt_fact(dev, "spare_veth", "%s", xq->gen.spare ? "yes" : "no");
	if (*xq->gen.note)
		shunt_note(dev, "%s", xq->gen.note);
	if (!xq->last.known)
		shunt_note(dev,
			"%s does not count XDP frames that it refuses: sent is what was offered",
			dev->info.ifname);
	shunt_fact(dev, "refused_counted", "%s", xq->last.known ? "yes" : "no");
}

/* Undo start, wholly or where it failed half-way. */
static void undo(struct xdpgen_queue *xq)
{
	xdpgen_bufs_return(xq);
	shunt_xdpgen_close(&xq->gen);
	if (xq->sock >= 0)
		close(xq->sock);
	xq->sock = -1;
}

static int xdpgen_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct xdpgen_queue *xq = dev->priv;
	int rc = shunt_xdpgen_open(&xq->gen, dev->depth, err);

	if (!rc)
		rc = shunt_xdpgen_aim(&xq->gen, dev->info.ifindex, err);
	if (!rc)
		rc = xdpgen_bufs_make(dev, xq, err);
	if (!rc) {
		xq->sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (xq->sock < 0)
			rc = shunt_fail(err, -errno, NULL, "socket: %s", strerror(errno));
	}
	shunt_queue_init(&xq->q, dev, 0);
	if (!rc) {
		xdpgen_ledger_read(xq, &xq->last);
		rc = can_take(dev, xq, err);
	}
	if (rc) {
		undo(xq);
		return rc;
	}
	xq->q.tx = xdpgen_tx;
	xq->q.alloc = xdpgen_bufs_alloc;
	xq->q.release = xdpgen_bufs_release;
	describe(dev, xq);
	return 0;
}

static void xdpgen_stop(struct shunt_dev *dev)
{
	struct xdpgen_queue *xq = dev->priv;
	struct xdpgen_settled settled;

	shunt_queue_end_tx(&xq->q);
	if (xq->offered && xdpgen_ledger_settle(xq, &settled))
		shunt_note(dev, "the interface is gone: what it refused last is not known");
}

static void xdpgen_close(struct shunt_dev *dev)
{
	undo(dev->priv);
	free(dev->priv);
}

static void xdpgen_identity(const struct shunt_queue *q, struct shunt_identity *id)
{
	(void)q;
	id->kind = SHUNT_KIND_XDPGEN;
}

const struct shunt_driver shunt_driver_xdpgen = {
	.name = "xdpgen",
	.scheme = "xdpgen",
	.summary = "XDP frames that the kernel makes, sent out of an interface",
	.example = "xdpgen:far0",
	.dirs = SHUNT_TX,
	.is_netdev = true,
	.keys = keys,
	.depth = DEPTH,
	.memory = (uint64_t)DEPTH * XDPGEN_SLOT,
	.usable = shunt_xdpgen_usable,
	.open = xdpgen_open,
	.start = xdpgen_start,
	.stop = xdpgen_stop,
	.close = xdpgen_close,
	.ledger = xdpgen_ledger,
	.identity = xdpgen_identity,
	.flood = xdpgen_flood,
};
