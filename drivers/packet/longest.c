/* SPDX-License-Identifier: BSD-2-Clause
 * The longest frame that the interface may hand to a packet socket: more than the MTU says where
 * generic receive offload merges frames. By rtnetlink(7) and ethtool's ioctl, in the thread's
 * namespace; where it can't be read, the kernel's default is assumed.
 */
#include "core/if_link.h"
#include "core/ifreq.h"
#include "core/netlink.h"
#include "drivers/packet/packet.h"

#include <linux/ethtool.h>
#include <linux/rtnetlink.h>

#define GRO_DEFAULT 65536u
#define HEADERS     (14u + 4u)

static bool merges(const struct shunt_dev *dev)
{
	struct ethtool_value value = {.cmd = ETHTOOL_GGRO};

	return shunt_ethtool(dev->info.ifindex, &value) || value.data;
}

/* The larger of the two limits in an RTM_NEWLINK. */
static int read_limit(const struct nlmsghdr *nlh, void *most)
{
	const struct nlattr *a;
	uint32_t *limit = most;

	mnl_attr_for_each (a, nlh, sizeof(struct ifinfomsg)) {
		uint16_t type = mnl_attr_get_type(a);
		if ((type != IFLA_GRO_MAX_SIZE && type != IFLA_GRO_IPV4_MAX_SIZE) ||
			mnl_attr_get_payload_len(a) < sizeof *limit)
			continue;
		uint32_t v = mnl_attr_get_u32(a);
		*limit = v > *limit ? v : *limit;
	}
	return MNL_CB_OK;
}

static uint32_t merge_limit(const struct shunt_dev *dev)
{
	_Alignas(8) char buf[256];
	struct nlmsghdr *nlh = shunt_netlink_begin(buf, RTM_GETLINK, NLM_F_ACK);
	struct ifinfomsg *ifm = mnl_nlmsg_put_extra_header(nlh, sizeof *ifm);
	uint32_t limit = 0;

	ifm->ifi_index = (int)dev->info.ifindex;
	int rc = shunt_netlink(NETLINK_ROUTE, nlh, read_limit, &limit);
	return !rc && limit ? limit : GRO_DEFAULT;
}

uint32_t packet_longest_frame(const struct shunt_dev *dev)
{
	uint32_t plain = dev->info.mtu + HEADERS;
	uint32_t merged = merges(dev) ? merge_limit(dev) + HEADERS : 0;

	return merged > plain ? merged : plain;
}
