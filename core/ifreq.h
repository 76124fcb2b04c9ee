/* SPDX-License-Identifier: BSD-2-Clause
 * An ioctl on an interface, of netdevice(7) or ethtool, in the calling thread's network namespace.
 * Any thread; not for the fast path: each call opens a socket.
 */
#ifndef CORE_IFREQ_H
#define CORE_IFREQ_H

#include <net/if.h>
#include <shunt/err.h>

/* By index: a name may be an alternative name, or change. Fills in ifr_name. 0 or -errno; -ENODEV
 * when there is no such interface. */
int shunt_ifreq(unsigned ifindex, unsigned long request, struct ifreq *ifr);

/* Flags (IFF_*), or -errno: -ENODEV when there is none. */
int shunt_if_flags(unsigned ifindex);
/* Wait until it has carrier (IFF_RUNNING), by name, since its index may change. -ENETDOWN after so
 * long. */
int shunt_if_wait(const char *name, unsigned seconds, struct shunt_err *err);

/* cmd is a structure of linux/ethtool.h; its first member is the command. */
int shunt_ethtool(unsigned ifindex, void *cmd);

#endif
