/* SPDX-License-Identifier: BSD-2-Clause
 * Claiming a function: group, container, IOMMU, device, in this order (vfio.rst, "VFIO Usage
 * Example"). Opening a group is exclusive, which is what keeps a second process out. When the
 * process dies, the kernel clears bus mastering, resets the function, and then unmaps.
 */
#include "drivers/pci/pci.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

static int open_group(struct pci_dev *pci, struct shunt_err *err)
{
	struct vfio_group_status status = {.argsz = sizeof status};
	char path[32];

	snprintf(path, sizeof path, "/dev/vfio/%d", pci->info.group);
	pci->group = open(path, O_RDWR | O_CLOEXEC);
	if (pci->group < 0 && errno == EBUSY)
		return shunt_fail(err, -EBUSY, "one process at a time owns a group",
			"%s is in use: another process has opened %s", pci->info.addr, path);
	if (pci->group < 0)
		return shunt_fail(err, -errno,
			errno == ENOENT ? "modprobe vfio-pci"
					: "run as root, or give this user the file",
			"cannot open %s for %s: %s", path, pci->info.addr, strerror(errno));
	if (ioctl(pci->group, VFIO_GROUP_GET_STATUS, &status) < 0)
		return shunt_fail(err, -errno, NULL, "%s: %s", path, strerror(errno));
	if (!(status.flags & VFIO_GROUP_FLAGS_VIABLE))
		return shunt_fail_usage(err, -EPERM, "bind all of the group to vfio-pci",
			"IOMMU group %d of %s is not viable", pci->info.group, pci->info.addr);
	return 0;
}

static int set_iommu(struct pci_dev *pci, struct shunt_err *err)
{
	int type = ioctl(pci->container, VFIO_CHECK_EXTENSION, VFIO_TYPE1v2_IOMMU) > 0
			   ? VFIO_TYPE1v2_IOMMU
			   : VFIO_TYPE1_IOMMU;

	if (!ioctl(pci->container, VFIO_SET_IOMMU, type))
		return 0;
	if (errno == EPERM)
		return shunt_fail_usage(err, -EPERM,
			"turn interrupt remapping on, or accept it: "
			"modprobe vfio_iommu_type1 allow_unsafe_interrupts=1",
			"%s needs unsafe interrupts: this IOMMU does not remap them, so that a "
			"device could raise any",
			pci->info.addr);
	return shunt_fail(err, -errno, "modprobe vfio_iommu_type1",
		"%s: the kernel has no type 1 IOMMU for VFIO: %s", pci->info.addr, strerror(errno));
}

static int open_container(struct pci_dev *pci, struct shunt_err *err)
{
	pci->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	if (pci->container < 0)
		return shunt_fail(err, -errno, "modprobe vfio-pci",
			"cannot open /dev/vfio/vfio: %s", strerror(errno));
	int api = ioctl(pci->container, VFIO_GET_API_VERSION);
	if (api != VFIO_API_VERSION)
		return shunt_fail(err, -ENOTSUP, NULL, "VFIO has API version %d, not %d", api,
			VFIO_API_VERSION);
	if (ioctl(pci->group, VFIO_GROUP_SET_CONTAINER, &pci->container) < 0)
		return shunt_fail(err, -errno, NULL, "cannot put group %d into a container: %s",
			pci->info.group, strerror(errno));
	int rc = set_iommu(pci, err);
	return rc ? rc : pci_dma_ranges(pci, err);
}

static int open_device(struct pci_dev *pci, struct shunt_err *err)
{
	struct vfio_region_info config = {
		.argsz = sizeof config, .index = VFIO_PCI_CONFIG_REGION_INDEX};
	struct vfio_irq_info irq = {.argsz = sizeof irq, .index = VFIO_PCI_MSIX_IRQ_INDEX};
	struct vfio_device_info info = {.argsz = sizeof info};

	pci->fd = ioctl(pci->group, VFIO_GROUP_GET_DEVICE_FD, pci->info.addr);
	if (pci->fd < 0)
		return shunt_fail(err, -errno, NULL, "VFIO does not give %s: %s", pci->info.addr,
			strerror(errno));
	if (ioctl(pci->fd, VFIO_DEVICE_GET_INFO, &info) < 0 ||
		ioctl(pci->fd, VFIO_DEVICE_GET_REGION_INFO, &config) < 0)
		return shunt_fail(err, -errno, NULL, "%s: cannot be queried: %s", pci->info.addr,
			strerror(errno));
	pci->config = config.offset;
	pci->can_reset = info.flags & VFIO_DEVICE_FLAGS_RESET;
	if (!ioctl(pci->fd, VFIO_DEVICE_GET_IRQ_INFO, &irq))
		pci->vectors = irq.count;
	return 0;
}

int pci_vfio_claim(struct pci_dev *pci, struct shunt_err *err)
{
	int rc = open_group(pci, err);

	if (!rc)
		rc = open_container(pci, err);
	if (!rc)
		rc = open_device(pci, err);
	if (!rc)
		pci_request_open(pci);
	return rc;
}
