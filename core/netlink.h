/* SPDX-License-Identifier: BSD-2-Clause
 * One netlink request in the thread's network namespace. Any thread; not for the fast path: each
 * request opens a socket.
 */
#ifndef CORE_NETLINK_H
#define CORE_NETLINK_H

#include <libmnl/libmnl.h>

/* Put the header of a request into buf, which is aligned as a struct nlmsghdr. */
struct nlmsghdr *shunt_netlink_begin(void *buf, uint16_t type, uint16_t flags);

/* Send, and give each message of the reply to take (may be NULL) until the acknowledgement or the
 * end of the dump. bus: NETLINK_ROUTE, NETLINK_GENERIC. 0 or -errno. */
int shunt_netlink(int bus, const struct nlmsghdr *request, mnl_cb_t take, void *ctx);

#endif
