/* SPDX-License-Identifier: BSD-2-Clause
 * One socket per request.
 */
#include "core/ifreq.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int shunt_ifreq(unsigned ifindex, unsigned long request, struct ifreq *ifr)
{
	if (!if_indextoname(ifindex, ifr->ifr_name))
		return errno == ENXIO ? -ENODEV : -errno;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	int rc = ioctl(fd, request, ifr) ? -errno : 0;
	close(fd);
	return rc;
}

int shunt_ethtool(unsigned ifindex, void *cmd)
{
	struct ifreq ifr = {.ifr_data = cmd};

	return shunt_ifreq(ifindex, SIOCETHTOOL, &ifr);
}
