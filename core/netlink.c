/* SPDX-License-Identifier: BSD-2-Clause
 * netlink(7) through libmnl: one socket for one request.
 */
#include "core/netlink.h"

#include <errno.h>

struct nlmsghdr *shunt_netlink_begin(void *buf, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = 1;
	return nlh;
}

static int talk(struct mnl_socket *nl, const struct nlmsghdr *request, mnl_cb_t take, void *ctx)
{
	char buf[16384] __attribute__((aligned(8)));
	int rc = MNL_CB_OK;

	if (mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 ||
		mnl_socket_sendto(nl, request, request->nlmsg_len) < 0)
		return -errno;
	while (rc > MNL_CB_STOP) {
		ssize_t n = mnl_socket_recvfrom(nl, buf, sizeof buf);
		rc = n < 0 ? MNL_CB_ERROR
			   : mnl_cb_run(buf, (size_t)n, 1, mnl_socket_get_portid(nl), take, ctx);
	}
	return rc < 0 ? -errno : 0;
}

int shunt_netlink(int bus, const struct nlmsghdr *request, mnl_cb_t take, void *ctx)
{
	struct mnl_socket *nl = mnl_socket_open2(bus, SOCK_CLOEXEC);

	if (!nl)
		return -errno;
	int rc = talk(nl, request, take, ctx);
	mnl_socket_close(nl);
	return rc;
}
