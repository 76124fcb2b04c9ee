/* SPDX-License-Identifier: BSD-2-Clause
 * XDP features by the "netdev" family of generic netlink (Documentation/netlink/specs/netdev.yaml).
 */
#include "core/link_xdp.h"

#include "core/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>

/* <linux/netdev.h> came with Linux 6.3. */
#define FAMILY       "netdev"
#define DEV_GET      1 /* NETDEV_CMD_DEV_GET */
#define DEV_IFINDEX  1 /* NETDEV_A_DEV_IFINDEX */
#define DEV_FEATURES 3 /* NETDEV_A_DEV_XDP_FEATURES */

struct wanted {
	uint16_t type; /* attribute */
	uint64_t value;
	int found;
};

static int on_attribute(const struct nlattr *attr, void *data)
{
	struct wanted *w = data;

	if (mnl_attr_get_type(attr) != w->type)
		return MNL_CB_OK;
	switch (mnl_attr_get_payload_len(attr)) {
	case 2:
		w->value = mnl_attr_get_u16(attr);
		break;
	case 8:
		w->value = mnl_attr_get_u64(attr);
		break;
	default:
		return MNL_CB_OK;
	}
	w->found = 1;
	return MNL_CB_OK;
}

static int on_message(const struct nlmsghdr *nlh, void *data)
{
	return mnl_attr_parse(nlh, sizeof(struct genlmsghdr), on_attribute, data);
}

static struct nlmsghdr *request(char *buf, uint16_t family, uint8_t command)
{
	struct nlmsghdr *nlh = shunt_netlink_begin(buf, family, NLM_F_ACK);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof *genl);

	genl->cmd = command;
	genl->version = 1;
	return nlh;
}

static int ask(const struct nlmsghdr *nlh, struct wanted *w)
{
	int rc = shunt_netlink(NETLINK_GENERIC, nlh, on_message, w);

	return rc ? rc : w->found ? 0 : -ENOTSUP;
}

int shunt_link_xdp_features(unsigned ifindex, uint64_t *features)
{
	char buf[256] __attribute__((aligned(8)));
	struct wanted family = {.type = CTRL_ATTR_FAMILY_ID}, bits = {.type = DEV_FEATURES};
	struct nlmsghdr *nlh = request(buf, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);

	*features = 0;
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, FAMILY);
	int rc = ask(nlh, &family);
	if (rc)
		return rc == -ENOENT ? -ENOTSUP : rc;
	nlh = request(buf, (uint16_t)family.value, DEV_GET);
	mnl_attr_put_u32(nlh, DEV_IFINDEX, ifindex);
	rc = ask(nlh, &bits);
	*features = bits.value;
	return rc;
}
