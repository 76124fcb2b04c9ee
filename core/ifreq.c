/* SPDX-License-Identifier: BSD-2-Clause
 * One socket per request.
 */
#include "core/ifreq.h"

#include "core/clock.h"

#include <errno.h>
#include <linux/sockios.h>
#include <string.h>
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

int shunt_if_flags(unsigned ifindex)
{
	struct ifreq ifr = {.ifr_flags = 0};
	int rc = shunt_ifreq(ifindex, SIOCGIFFLAGS, &ifr);

	return rc ? rc : (int)(unsigned short)ifr.ifr_flags;
}

int shunt_if_wait(const char *name, unsigned seconds, struct shunt_err *err)
{
	struct timespec ts = {.tv_nsec = 20000000};

	for (uint64_t end = shunt_now() + seconds * UINT64_C(1000000000);; nanosleep(&ts, NULL)) {
		int flags = shunt_if_flags(if_nametoindex(name));
		if (flags < 0)
			return shunt_fail(err, flags, NULL, "cannot read interface '%.60s': %s",
				name, strerror(-flags));
		if (flags & IFF_RUNNING)
			return 0;
		if (shunt_now() > end)
			return shunt_fail(err, -ENETDOWN, "look at the cable, and at the other end",
				"'%.60s' has no link after %u s", name, seconds);
	}
}

int shunt_ethtool(unsigned ifindex, void *cmd)
{
	struct ifreq ifr = {.ifr_data = cmd};

	return shunt_ifreq(ifindex, SIOCETHTOOL, &ifr);
}
