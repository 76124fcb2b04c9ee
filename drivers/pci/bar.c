/* SPDX-License-Identifier: BSD-2-Clause
 * BARs: a memory BAR is mapped as a whole through the device's descriptor. Where the MSI-X table
 * lies in it the kernel either maps it, too, or says which parts can be
 * (VFIO_REGION_INFO_CAP_SPARSE_MMAP); a NIC whose registers lie there can't be driven, and that is
 * said. With dma=phys it is the file resourceN of sysfs, which kernel lockdown refuses to map.
 */
#include "drivers/pci/pci.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int map_resource(struct pci_dev *pci, unsigned bar, struct shunt_err *err)
{
	char path[PATH_MAX];
	struct stat st = {.st_size = 0};
	void *base = MAP_FAILED;

	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/resource%u", pci->info.addr, bar);
	int fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st))
		base = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int error = errno;
	if (fd >= 0)
		close(fd);
	if (base == MAP_FAILED)
		return shunt_fail(err, -error, pci_uio_remedy(error),
			"%s: cannot map BAR %u by %s: %s", pci->info.addr, bar, path,
			strerror(error));
	pci->bar[bar] = (struct pci_bar){base, (size_t)st.st_size};
	return 0;
}

int pci_bar_map(struct pci_dev *pci, unsigned bar, struct shunt_err *err)
{
	struct vfio_region_info info = {.argsz = sizeof info, .index = bar};

	if (bar >= PCI_BARS)
		return shunt_fail(
			err, -EINVAL, NULL, "%s: there is no BAR %u", pci->info.addr, bar);
	if (pci->bar[bar].base)
		return 0;
	if (pci->phys)
		return map_resource(pci, bar, err);
	if (ioctl(pci->fd, VFIO_DEVICE_GET_REGION_INFO, &info) < 0)
		return shunt_fail(
			err, -errno, NULL, "%s: BAR %u: %s", pci->info.addr, bar, strerror(errno));
	if (!info.size || !(info.flags & VFIO_REGION_INFO_FLAG_MMAP))
		return shunt_fail(err, -ENOTSUP, NULL,
			"%s: BAR %u is not memory that can be mapped (%llu bytes)", pci->info.addr,
			bar, (unsigned long long)info.size);
	void *base = mmap(
		NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, pci->fd, (off_t)info.offset);
	if (base == MAP_FAILED)
		return shunt_fail(err, -errno, NULL, "%s: cannot map BAR %u: %s", pci->info.addr,
			bar, strerror(errno));
	pci->bar[bar] = (struct pci_bar){base, info.size};
	return 0;
}
