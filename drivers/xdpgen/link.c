/* SPDX-License-Identifier: BSD-2-Clause
 * Is the interface there, and up? Checked at most ten times per second, by ioctl on a socket of the
 * interface's namespace.
 */
#include "drivers/xdpgen/xdpgen.h"

#include "core/clock.h"

#include <errno.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>

#define CHECK_NS 100000000u

/* Interfaces can be renamed at any time: ask for the name by index. */
int xdpgen_link_name(const struct xdpgen_queue *xq, struct ifreq *ifr)
{
	memset(ifr, 0, sizeof *ifr);
	ifr->ifr_ifindex = (int)xq->q.dev->info.ifindex;
	return ioctl(xq->sock, SIOCGIFNAME, ifr) ? -errno : 0;
}

int xdpgen_link_check(struct xdpgen_queue *xq)
{
	struct shunt_queue *q = &xq->q;
	uint64_t now = shunt_now();
	struct ifreq ifr;

	if (q->error)
		return q->error;
	if (xq->gen.run->gone)
		return shunt_gone(q, -ENODEV, "%s was deleted", q->dev->info.ifname);
	if (now - xq->checked_ns < CHECK_NS)
		return 0;
	xq->checked_ns = now;
	if (xdpgen_link_name(xq, &ifr))
		return shunt_gone(q, -ENODEV, "%s was deleted", q->dev->info.ifname);
	if (!ioctl(xq->sock, SIOCGIFFLAGS, &ifr) && !(ifr.ifr_flags & IFF_UP))
		return shunt_gone(q, -ENETDOWN, "%s was taken down", q->dev->info.ifname);
	return 0;
}
