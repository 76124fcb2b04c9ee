/* SPDX-License-Identifier: BSD-2-Clause
 * Socket options that a kernel may not know or not grant: optional, with a note when refused.
 */
#include "drivers/af_xdp/af_xdp.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#ifndef SO_PREFER_BUSY_POLL /* Linux 5.11 */
#define SO_PREFER_BUSY_POLL 69
#endif
#ifndef SO_BUSY_POLL_BUDGET /* Linux 5.11 */
#define SO_BUSY_POLL_BUDGET 70
#endif
#ifndef XDP_MAX_TX_SKB_BUDGET /* Linux 6.18 */
#define XDP_MAX_TX_SKB_BUDGET 9
#endif
#define BUSY_USEC   20 /* how long the kernel may poll; the non-blocking kick polls once */
#define TX_BUDGET   32 /* TX_BATCH_SIZE, what the kernel takes per call by default */
#define MORE_BUDGET SHUNT_BURST_MAX

static int set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof value) ? -errno : 0;
}

void afxdp_set_busy(struct shunt_dev *dev, struct xsk_queue *xq)
{
	const struct afxdp *a = dev->priv;
	int rc = set(xq->fd, SOL_SOCKET, SO_PREFER_BUSY_POLL, 1);

	if (!rc)
		rc = set(xq->fd, SOL_SOCKET, SO_BUSY_POLL, BUSY_USEC);
	if (!rc)
		rc = set(xq->fd, SOL_SOCKET, SO_BUSY_POLL_BUDGET, (int)a->busy);
	if (xq->q.index)
		return;
	if (rc)
		shunt_note(dev, "busy-polling refused (%s): raising it needs CAP_NET_ADMIN",
			strerror(-rc));
	/* The interface is not ours to tune, and could not be restored after a kill. */
	if (afxdp_setting(dev, "napi_defer_hard_irqs") <= 0 ||
		afxdp_setting(dev, "gro_flush_timeout") <= 0)
		shunt_note(dev,
			"busy-polling wants napi_defer_hard_irqs and gro_flush_timeout set on the "
			"interface (2 and 200000, say); they are left alone");
}

uint32_t afxdp_napi_id(const struct xsk_queue *xq)
{
	uint32_t id = 0;
	socklen_t len = sizeof id;

	return getsockopt(xq->fd, SOL_SOCKET, SO_INCOMING_NAPI_ID, &id, &len) ? 0 : id;
}

void afxdp_set_budget(struct shunt_dev *dev, struct xsk_queue *xq)
{
	if (xq->zc || !afxdp_can(dev, SHUNT_TX))
		return;
	bool more = !set(xq->fd, SOL_XDP, XDP_MAX_TX_SKB_BUDGET, MORE_BUDGET);
	xq->budget = more ? MORE_BUDGET : TX_BUDGET;
	if (!more && !xq->q.index)
		shunt_note(dev,
			"this kernel sends %u frames per system call (XDP_MAX_TX_SKB_BUDGET "
			"is of Linux 6.18)",
			TX_BUDGET);
}
