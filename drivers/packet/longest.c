/* SPDX-License-Identifier: BSD-2-Clause
 * The longest frame that the interface may hand to a packet socket: more than the MTU says where
 * generic receive offload merges frames. By rtnetlink(7) and ethtool's ioctl, in the thread's
 * namespace; where it can't be read, the kernel's default is assumed.
 */
#include "core/if_link.h"
#include "core/ifreq.h"
#include "drivers/packet/packet.h"

#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <unistd.h>

#define GRO_DEFAULT 65536u
#define HEADERS     (14u + 4u)

static bool merges(const struct shunt_dev *dev)
{
	struct ethtool_value value = {.cmd = ETHTOOL_GGRO};

	return shunt_ethtool(dev->info.ifindex, &value) || value.data;
}

/* The larger of the two limits in an RTM_NEWLINK, 0 if it has neither. */
static uint32_t read_limit(const struct nlmsghdr *nlh)
{
	const struct ifinfomsg *ifm = NLMSG_DATA(nlh);
	int len = (int)IFLA_PAYLOAD(nlh);
	uint32_t most = 0;

	for (const struct rtattr *a = IFLA_RTA(ifm); RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		uint32_t v;
		if ((a->rta_type != IFLA_GRO_MAX_SIZE && a->rta_type != IFLA_GRO_IPV4_MAX_SIZE) ||
			RTA_PAYLOAD(a) < sizeof v)
			continue;
		memcpy(&v, RTA_DATA(a), sizeof v);
		most = v > most ? v : most;
	}
	return most;
}

static uint32_t merge_limit(const struct shunt_dev *dev)
{
	struct {
		struct nlmsghdr nlh;
		struct ifinfomsg ifm;
	} ask = {.nlh = {.nlmsg_len = sizeof ask,
			 .nlmsg_type = RTM_GETLINK,
			 .nlmsg_flags = NLM_F_REQUEST},
		.ifm = {.ifi_index = (int)dev->info.ifindex}};
	_Alignas(8) char answer[16384];
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	uint32_t limit = 0;

	if (fd < 0)
		return GRO_DEFAULT;
	ssize_t len = send(fd, &ask, sizeof ask, 0) < 0 ? -1 : recv(fd, answer, sizeof answer, 0);
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)answer;
	if (len > 0 && NLMSG_OK(nlh, (size_t)len) && nlh->nlmsg_type == RTM_NEWLINK)
		limit = read_limit(nlh);
	close(fd);
	return limit ? limit : GRO_DEFAULT;
}

uint32_t packet_longest_frame(const struct shunt_dev *dev)
{
	uint32_t plain = dev->info.mtu + HEADERS;
	uint32_t merged = merges(dev) ? merge_limit(dev) + HEADERS : 0;

	return merged > plain ? merged : plain;
}
