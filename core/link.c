/* SPDX-License-Identifier: BSD-2-Clause
 * Links by rtnetlink(7); GRO is switched by ethtool's ioctl.
 */
#include "core/link.h"

#include "core/if_link.h"
#include "core/ifreq.h"
#include "core/netlink.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <string.h>

struct request {
	char buf[1024];
	struct nlmsghdr *nlh;
	struct ifinfomsg *ifm;
};

static void begin(struct request *r, uint16_t type, uint16_t flags)
{
	r->nlh = shunt_netlink_begin(r->buf, type, NLM_F_ACK | flags);
	r->ifm = mnl_nlmsg_put_extra_header(r->nlh, sizeof *r->ifm);
	r->ifm->ifi_family = AF_UNSPEC;
}

static int report(int rc, const char *doing, const char *name, struct shunt_err *err)
{
	if (!rc)
		return 0;
	return shunt_fail(err, rc, rc == -EPERM ? "this needs CAP_NET_ADMIN: run as root" : NULL,
		"cannot %s %.40s: %s", doing, name, strerror(-rc));
}

/* Send, and report what the kernel answers: 0 or -errno. */
static int finish(
	const struct request *r, const char *doing, const char *name, struct shunt_err *err)
{
	return report(shunt_netlink(NETLINK_ROUTE, r->nlh, NULL, NULL), doing, name, err);
}

static void put_end(
	struct request *r, const char *name, const struct shunt_veth *v, const uint8_t *mac)
{
	uint32_t queues = v->queues ? v->queues : 1;

	mnl_attr_put_strz(r->nlh, IFLA_IFNAME, name);
	mnl_attr_put_u32(r->nlh, IFLA_MTU, v->mtu);
	mnl_attr_put_u32(r->nlh, IFLA_NUM_RX_QUEUES, queues);
	mnl_attr_put_u32(r->nlh, IFLA_NUM_TX_QUEUES, queues);
	mnl_attr_put(r->nlh, IFLA_ADDRESS, 6, mac);
}

int shunt_veth_create(const struct shunt_veth *v, struct shunt_err *err)
{
	struct request r;

	begin(&r, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	put_end(&r, v->name, v, v->mac);
	struct nlattr *info = mnl_attr_nest_start(r.nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(r.nlh, IFLA_INFO_KIND, "veth");
	struct nlattr *data = mnl_attr_nest_start(r.nlh, IFLA_INFO_DATA);
	struct nlattr *peer = mnl_attr_nest_start(r.nlh, VETH_INFO_PEER);
	mnl_nlmsg_put_extra_header(r.nlh, sizeof(struct ifinfomsg));
	put_end(&r, v->peer, v, v->peer_mac);
	if (v->peer_ns >= 0)
		mnl_attr_put_u32(r.nlh, IFLA_NET_NS_FD, (uint32_t)v->peer_ns);
	mnl_attr_nest_end(r.nlh, peer);
	mnl_attr_nest_end(r.nlh, data);
	mnl_attr_nest_end(r.nlh, info);
	return finish(&r, "create the veth pair", v->name, err);
}

/* An existing link, by index: a name could be an alternative name. */
static int begin_change(struct request *r, uint16_t type, const char *name, struct shunt_err *err)
{
	unsigned index = if_nametoindex(name);

	if (!index)
		return shunt_fail(err, -ENODEV, NULL, "there is no interface '%.40s'", name);
	begin(r, type, 0);
	r->ifm->ifi_index = (int)index;
	return 0;
}

int shunt_link_set_up(const char *name, bool up, struct shunt_err *err)
{
	struct request r;
	int rc = begin_change(&r, RTM_NEWLINK, name, err);

	if (rc)
		return rc;
	r.ifm->ifi_change = IFF_UP;
	r.ifm->ifi_flags = up ? IFF_UP : 0;
	return finish(&r, up ? "bring up" : "take down", name, err);
}

int shunt_link_move(const char *name, int ns, struct shunt_err *err)
{
	struct request r;
	int rc = begin_change(&r, RTM_NEWLINK, name, err);

	if (rc)
		return rc;
	mnl_attr_put_u32(r.nlh, IFLA_NET_NS_FD, (uint32_t)ns);
	return finish(&r, "move", name, err);
}

int shunt_link_rename(const char *name, const char *to, struct shunt_err *err)
{
	struct request r;
	int rc = begin_change(&r, RTM_NEWLINK, name, err);

	if (rc)
		return rc;
	mnl_attr_put_strz(r.nlh, IFLA_IFNAME, to);
	return finish(&r, "rename", name, err);
}

int shunt_link_delete(const char *name, struct shunt_err *err)
{
	struct request r;
	int rc = begin_change(&r, RTM_DELLINK, name, err);

	return rc ? rc : finish(&r, "delete", name, err);
}

static int set_gro_size(const char *name, uint16_t attr, uint32_t size, struct shunt_err *err)
{
	struct request r;
	int rc = begin_change(&r, RTM_NEWLINK, name, err);

	if (rc)
		return rc;
	mnl_attr_put_u32(r.nlh, attr, size);
	return finish(&r, "set the GRO size of", name, err);
}

int shunt_link_set_gro(const char *name, bool on, uint32_t max_size, struct shunt_err *err)
{
	struct ethtool_value value = {.cmd = ETHTOOL_SGRO, .data = on};
	int rc = shunt_ethtool(if_nametoindex(name), &value);

	rc = report(rc, "switch GRO of", name, err);
	if (rc || !on)
		return rc;
	rc = set_gro_size(name, IFLA_GRO_MAX_SIZE, max_size, err);
	if (rc)
		return rc;
	/* Linux before 6.3 has one limit for both families and ignores this attribute. */
	return set_gro_size(name, IFLA_GRO_IPV4_MAX_SIZE, max_size, err);
}
