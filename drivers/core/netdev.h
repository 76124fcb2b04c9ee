/* SPDX-License-Identifier: BSD-2-Clause
 * Network interfaces: what every driver of one needs before it starts.
 */
#ifndef DRIVERS_CORE_NETDEV_H
#define DRIVERS_CORE_NETDEV_H

#include "drivers/core/driver.h"

/* Find dev->spec.target in the thread's namespace, also by alternative name; fill ifindex, ifname,
 * mtu and max_frame. Usage error when there is no such interface, -ENETDOWN when it is down. */
int shunt_netdev_resolve(struct shunt_dev *dev, struct shunt_err *err);

/* Make the interface promiscuous, for as long as the returned descriptor is open; its
 * kernel counts holders, so nothing is left behind by kill -9. -EPERM, ... In the thread's
 * namespace. */
int shunt_netdev_promiscuous(const struct shunt_dev *dev, struct shunt_err *err);

/* The same by a packet socket that is there: on, or off again before it is closed. 0 or -errno. */
int shunt_netdev_membership(int fd, unsigned ifindex, bool on);

/* Flags (IFF_*), or -errno: -ENODEV when it is gone. In the thread's namespace. */
int shunt_netdev_flags(unsigned ifindex);

#endif
