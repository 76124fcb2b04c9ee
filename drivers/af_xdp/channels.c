/* SPDX-License-Identifier: BSD-2-Clause
 * What ethtool's ioctl tells of an interface's queues.
 */
#include "drivers/af_xdp/af_xdp.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int ethtool(const char *ifname, void *cmd)
{
	struct ifreq ifr = {.ifr_data = cmd};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	snprintf(ifr.ifr_name, sizeof ifr.ifr_name, "%s", ifname);
	int rc = ioctl(fd, SIOCETHTOOL, &ifr) ? -errno : 0;
	close(fd);
	return rc;
}

/* Receive queues; a driver that does not tell has one. */
uint32_t afxdp_channels(const char *ifname)
{
	struct ethtool_channels c = {.cmd = ETHTOOL_GCHANNELS};

	if (ethtool(ifname, &c))
		return 1;
	uint32_t n = c.rx_count + c.combined_count;
	return n ? n : 1;
}

uint32_t afxdp_device_ring(const char *ifname)
{
	struct ethtool_ringparam r = {.cmd = ETHTOOL_GRINGPARAM};

	return ethtool(ifname, &r) ? 0 : r.rx_pending;
}
