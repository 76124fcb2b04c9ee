/* SPDX-License-Identifier: BSD-2-Clause
 * A dump of the links by rtnetlink(7); driver names by ethtool's ioctl.
 */
#include "core/link_list.h"

#include "core/ifreq.h"
#include "core/netlink.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

struct list {
	struct shunt_link *links;
	unsigned most, n;
};

static const char *xdp_mode(uint8_t attached)
{
	static const char *const modes[] = {
		[XDP_ATTACHED_NONE] = NULL,
		[XDP_ATTACHED_DRV] = "native",
		[XDP_ATTACHED_SKB] = "skb",
		[XDP_ATTACHED_HW] = "hardware",
		[XDP_ATTACHED_MULTI] = "several",
	};

	return attached < sizeof modes / sizeof *modes ? modes[attached] : "unknown";
}

/* With several programs there is one id per mode, and no IFLA_XDP_PROG_ID. */
static int on_xdp(const struct nlattr *attr, void *ctx)
{
	struct shunt_link *l = ctx;
	uint16_t type = mnl_attr_get_type(attr);

	if (type == IFLA_XDP_ATTACHED)
		l->xdp = xdp_mode(mnl_attr_get_u8(attr));
	else if (type >= IFLA_XDP_PROG_ID && type <= IFLA_XDP_HW_PROG_ID && !l->xdp_prog_id)
		l->xdp_prog_id = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

/* Copied: the attribute is aligned to four bytes only, and an older kernel's is shorter. */
static void on_stats(const struct nlattr *attr, struct shunt_link *l)
{
	struct rtnl_link_stats64 s = {.rx_packets = 0};
	size_t len = mnl_attr_get_payload_len(attr);

	memcpy(&s, mnl_attr_get_payload(attr), len < sizeof s ? len : sizeof s);
	l->rx_packets = s.rx_packets;
	l->rx_missed = s.rx_missed_errors + s.rx_fifo_errors;
	l->rx_errors = s.rx_errors;
}

static int on_attr(const struct nlattr *attr, void *ctx)
{
	struct shunt_link *l = ctx;

	switch (mnl_attr_get_type(attr)) {
	case IFLA_IFNAME:
		snprintf(l->name, sizeof l->name, "%s", mnl_attr_get_str(attr));
		break;
	case IFLA_MTU:
		l->mtu = mnl_attr_get_u32(attr);
		break;
	case IFLA_NUM_RX_QUEUES:
		l->rx_queues = mnl_attr_get_u32(attr);
		break;
	case IFLA_NUM_TX_QUEUES:
		l->tx_queues = mnl_attr_get_u32(attr);
		break;
	case IFLA_CARRIER:
		l->carrier = mnl_attr_get_u8(attr);
		break;
	case IFLA_MASTER:
		l->enslaved = true;
		break;
	case IFLA_STATS64:
		on_stats(attr, l);
		break;
	case IFLA_XDP:
		return mnl_attr_parse_nested(attr, on_xdp, l);
	}
	return MNL_CB_OK;
}

static int on_link(const struct nlmsghdr *nlh, void *ctx)
{
	const struct ifinfomsg *ifm = mnl_nlmsg_get_payload(nlh);
	struct list *list = ctx;
	struct shunt_link l = {.index = (unsigned)ifm->ifi_index, .up = ifm->ifi_flags & IFF_UP};
	int rc = mnl_attr_parse(nlh, sizeof *ifm, on_attr, &l);

	if (list->n < list->most)
		list->links[list->n] = l;
	list->n++;
	return rc;
}

static void ask_driver(struct shunt_link *l)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	if (shunt_ethtool(l->index, &info))
		return;
	snprintf(l->driver, sizeof l->driver, "%.31s", info.driver);
	snprintf(l->bus, sizeof l->bus, "%.31s", info.bus_info);
}

int shunt_link_list(struct shunt_link *links, unsigned most, struct shunt_err *err)
{
	char buf[256] __attribute__((aligned(8)));
	struct list list = {.links = links, .most = most};
	struct nlmsghdr *nlh = shunt_netlink_begin(buf, RTM_GETLINK, NLM_F_DUMP);
	struct ifinfomsg *ifm = mnl_nlmsg_put_extra_header(nlh, sizeof *ifm);

	ifm->ifi_family = AF_UNSPEC;
	int rc = shunt_netlink(NETLINK_ROUTE, nlh, on_link, &list);
	if (rc)
		return shunt_fail(
			err, rc, NULL, "cannot list network interfaces: %s", strerror(-rc));
	for (unsigned i = 0; i < list.n && i < most; i++)
		ask_driver(&links[i]);
	return (int)list.n;
}
