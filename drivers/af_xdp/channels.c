/* SPDX-License-Identifier: BSD-2-Clause
 * Properties of an interface, from ethtool's ioctl and sysfs.
 */
#include "core/ifreq.h"
#include "drivers/af_xdp/af_xdp.h"

#include <linux/ethtool.h>
#include <stdio.h>

static int ethtool(const char *ifname, void *cmd)
{
	return shunt_ethtool(if_nametoindex(ifname), cmd);
}

/* Receive queues; a driver that does not report them has one. */
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

bool afxdp_strips_tags(const char *ifname)
{
	struct ethtool_value v = {.cmd = ETHTOOL_GFLAGS};

	return !ethtool(ifname, &v) && v.data & ETH_FLAG_RXVLAN && afxdp_device_ring(ifname);
}

long afxdp_setting(const struct shunt_dev *dev, const char *name)
{
	char path[128];
	long value = -1;

	if (dev->netns >= 0) /* sysfs shows the namespace that it was mounted in */
		return -1;
	snprintf(path, sizeof path, "/sys/class/net/%s/%s", dev->info.ifname, name);
	FILE *f = fopen(path, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%ld", &value) != 1)
		value = -1;
	fclose(f);
	return value;
}
