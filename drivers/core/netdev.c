/* SPDX-License-Identifier: BSD-2-Clause
 * Network interfaces by ioctl, netdevice(7).
 */
#include "drivers/core/netdev.h"

#include "core/ifreq.h"
#include "drivers/core/netns.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int shunt_netdev_flags(unsigned ifindex)
{
	struct ifreq ifr = {.ifr_flags = 0};

	int rc = shunt_ifreq(ifindex, SIOCGIFFLAGS, &ifr);

	return rc ? rc : (int)(unsigned short)ifr.ifr_flags;
}

int shunt_netdev_resolve(struct shunt_dev *dev, struct shunt_err *err)
{
	struct ifreq ifr = {.ifr_mtu = 0};
	unsigned ifindex = if_nametoindex(dev->spec.target);

	if (!ifindex)
		return shunt_fail_usage(err, -ENODEV, "`ip -br link` lists them, in that namespace",
			"%s: there is no interface '%.60s'", dev->spec.scheme, dev->spec.target);
	int flags = shunt_netdev_flags(ifindex);
	if (flags < 0)
		return shunt_fail(err, flags, NULL, "%s: cannot read interface '%.60s': %s",
			dev->spec.scheme, dev->spec.target, strerror(-flags));
	if (!(flags & IFF_UP)) {
		char remedy[128];
		snprintf(remedy, sizeof remedy, "ip link set %.60s up", dev->spec.target);
		return shunt_fail(err, -ENETDOWN, remedy, "%s: interface '%.60s' is down",
			dev->spec.scheme, dev->spec.target);
	}
	int rc = shunt_ifreq(ifindex, SIOCGIFMTU, &ifr);
	if (rc)
		return shunt_fail(err, rc, NULL, "%s: cannot read the MTU of '%.60s': %s",
			dev->spec.scheme, dev->spec.target, strerror(-rc));
	snprintf(dev->info.ifname, sizeof dev->info.ifname, "%s", ifr.ifr_name);
	dev->info.ifindex = ifindex;
	dev->info.mtu = (uint32_t)ifr.ifr_mtu;
	/* Ethernet header, and a VLAN tag that the MTU does not count. */
	dev->info.max_frame = dev->info.mtu + 18;
	return 0;
}

int shunt_netdev_membership(int fd, unsigned ifindex, bool on)
{
	struct packet_mreq m = {.mr_ifindex = (int)ifindex, .mr_type = PACKET_MR_PROMISC};
	int what = on ? PACKET_ADD_MEMBERSHIP : PACKET_DROP_MEMBERSHIP;

	return setsockopt(fd, SOL_PACKET, what, &m, sizeof m) ? -errno : 0;
}

int shunt_netdev_promiscuous(const struct shunt_dev *dev, struct shunt_err *err)
{
	int fd =
		socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0); /* protocol 0: it receives nothing */
	int rc = fd < 0 ? -errno : shunt_netdev_membership(fd, dev->info.ifindex, true);

	if (rc) {
		if (fd >= 0)
			close(fd);
		return shunt_fail(err, rc, "it needs CAP_NET_RAW; promisc=off does without",
			"%s: cannot make '%.40s' promiscuous: %s", dev->spec.scheme,
			dev->info.ifname, strerror(-rc));
	}
	return fd;
}

int shunt_link_state(const struct shunt_dev *dev)
{
	int back = shunt_netns_enter(dev->netns);

	if (back < -1)
		return 0; /* cannot be known: report nothing rather than something wrong */
	int flags = shunt_netdev_flags(dev->info.ifindex);
	shunt_netns_leave(back);
	if (flags < 0)
		return flags == -ENODEV ? -ENODEV : 0;
	return flags & IFF_UP ? 0 : -ENETDOWN;
}
