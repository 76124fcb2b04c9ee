/* SPDX-License-Identifier: BSD-2-Clause
 * Set-up by libxdp, in the order of Documentation/networking/af_xdp.rst: UMEM with its FILL and
 * COMPLETION ring, RX and TX ring, bind. The first socket binds with the mode flags; the others
 * share its UMEM, have FILL and COMPLETION of their own, and bind without mode flags, since the
 * kernel refuses any beside XDP_SHARED_UMEM. Shared, not registered per queue: pages are pinned,
 * charged to RLIMIT_MEMLOCK and mapped for the NIC once.
 */
#include "drivers/af_xdp/af_xdp.h"
#include "drivers/af_xdp/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUSY_TRIES 200 /* of 10 ms: a closed socket's teardown is deferred */

static int umem_failed(const struct shunt_dev *dev, int rc, struct shunt_err *err)
{
	const char *remedy = rc == -EPERM          ? "run as root, or with CAP_NET_RAW"
			     : rc == -ENOBUFS      ? "raise `ulimit -l`, or give CAP_IPC_LOCK"
			     : rc == -EAFNOSUPPORT ? "a kernel with CONFIG_XDP_SOCKETS"
						   : NULL;

	return shunt_fail(err, rc, remedy, "xdp: cannot register %zu MiB as UMEM for %.40s: %s",
		dev->region->info.len >> 20, dev->info.ifname, strerror(-rc));
}

static int umem_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	const struct shunt_region_info *info = &dev->region->info;
	struct xsk_umem_config config = {
		.fill_size = a->fill_size, .comp_size = AFXDP_TX_ROOM, .frame_size = info->chunk};
	int rc = xsk_umem__create(
		&a->umem, info->base, info->len, &a->queue[0].fill, &a->queue[0].comp, &config);

	if (rc)
		return umem_failed(dev, rc, err);
	fcntl(xsk_umem__fd(a->umem), F_SETFD, FD_CLOEXEC); /* libxdp does not */
	return 0;
}

static int bind_failed(struct shunt_dev *dev, uint32_t id, int rc, struct shunt_err *err)
{
	const struct afxdp *a = dev->priv;

	if (a->mode == AFXDP_ZC && rc != -EBUSY)
		return shunt_fail_usage(err, rc, "use mode=copy, or mode=auto which falls back",
			"xdp: %.40s cannot do zero-copy on queue %u: %s", dev->info.ifname, id,
			strerror(-rc));
	return shunt_fail(err, rc, rc == -EBUSY ? "`ss --xdp` shows who has it" : NULL,
		"xdp: cannot bind to queue %u of %.40s: %s", id, dev->info.ifname,
		rc == -EBUSY ? "another socket has it" : strerror(-rc));
}

static int bind_once(struct shunt_dev *dev, struct xsk_queue *xq)
{
	struct afxdp *a = dev->priv;
	bool rx = afxdp_can(dev, SHUNT_RX), tx = afxdp_can(dev, SHUNT_TX);
	struct xsk_socket_config config = {.rx_size = a->rx_size,
		.tx_size = AFXDP_TX_ROOM,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = (uint16_t)((a->mode == AFXDP_COPY        ? XDP_COPY
						 : a->mode == AFXDP_ZC ? XDP_ZEROCOPY
								       : 0) |
					 (a->wakeup ? XDP_USE_NEED_WAKEUP : 0))};

	/* For a shared UMEM, libxdp replaces the flags by XDP_SHARED_UMEM. */
	return xsk_socket__create_shared(&xq->sock, dev->info.ifname, xq->id, a->umem,
		rx ? &xq->rx : NULL, tx ? &xq->tx : NULL, &xq->fill, &xq->comp, &config);
}

static int read_mode(struct shunt_dev *dev, struct xsk_queue *xq, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	struct xdp_options o = {.flags = 0};
	socklen_t len = sizeof o;

	if (getsockopt(xq->fd, SOL_XDP, XDP_OPTIONS, &o, &len))
		return shunt_fail(err, -errno, NULL, "xdp: cannot read XDP_OPTIONS back: %s",
			strerror(errno));
	xq->zc = o.flags & XDP_OPTIONS_ZEROCOPY;
	xq->wakeup = a->wakeup;
	a->refused |= a->mode == AFXDP_AUTO && !xq->zc;
	return 0;
}

static int socket_open(struct shunt_dev *dev, struct xsk_queue *xq, struct shunt_err *err)
{
	int rc;

	for (unsigned i = 0; (rc = bind_once(dev, xq)) == -EBUSY && i < BUSY_TRIES; i++)
		usleep(10000);
	if (rc) {
		xq->sock = NULL;
		return bind_failed(dev, xq->id, rc, err);
	}
	xq->fd = xsk_socket__fd(xq->sock);
	fcntl(xq->fd, F_SETFD, FD_CLOEXEC);
	rc = read_mode(dev, xq, err);
	if (rc)
		return rc;
	struct afxdp *a = dev->priv;
	if (a->busy)
		afxdp_set_busy(dev, xq);
	afxdp_set_budget(dev, xq);
	/* FILL is full before the first frame can come. */
	while (xq->level < xq->target && xq->chunks.n)
		afxdp_bufs_refill(xq);
	dev->info.memory += (uint64_t)a->fill_size * 8 + AFXDP_TX_ROOM * 8 +
			    (afxdp_can(dev, SHUNT_RX) ? a->rx_size * 16u : 0) +
			    (afxdp_can(dev, SHUNT_TX) ? AFXDP_TX_ROOM * 16u : 0);
	return 0;
}

int afxdp_sockets_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	int rc = umem_open(dev, err);

	for (unsigned i = 0; !rc && i < dev->nqueues; i++)
		rc = socket_open(dev, &a->queue[i], err);
	return rc;
}

void afxdp_sockets_close(struct shunt_dev *dev)
{
	struct afxdp *a = dev->priv;

	for (unsigned i = dev->nqueues; a->queue && i-- > 0;) {
		xsk_socket__delete(a->queue[i].sock);
		a->queue[i].sock = NULL;
		a->queue[i].fd = -1;
	}
	xsk_umem__delete(a->umem);
	a->umem = NULL;
}

int afxdp_statistics(const struct xsk_queue *xq, struct xdp_statistics *stats)
{
	socklen_t len = sizeof *stats;

	memset(stats, 0, sizeof *stats);
	return getsockopt(xq->fd, SOL_XDP, XDP_STATISTICS, stats, &len) ? -errno : 0;
}
