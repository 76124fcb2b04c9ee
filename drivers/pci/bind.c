/* SPDX-License-Identifier: BSD-2-Clause
 * Binding to vfio-pci or uio_pci_generic, and back, by driver_override, which names the one driver
 * that may have the function (Documentation/ABI/testing/sysfs-bus-pci). Nothing else is kept: with
 * the override cleared a probe finds the driver that had it before.
 */
#include "drivers/pci/pci.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUS "/sys/bus/pci"

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	int rc = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

static int override(const char *addr, const char *driver)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, BUS "/devices/%s/driver_override", addr);
	return put(path, *driver ? driver : "\n");
}

static int let_go(const struct pci_info *info)
{
	char path[PATH_MAX];

	if (!*info->driver)
		return 0;
	snprintf(path, sizeof path, BUS "/drivers/%s/unbind", info->driver);
	return put(path, info->addr);
}

static int probe(const char *addr)
{
	return put(BUS "/drivers_probe", addr);
}

static int refuse(const struct pci_info *info, int rc, const char *what, struct shunt_err *err)
{
	return shunt_fail(err, rc, rc == -EACCES || rc == -EPERM ? "run as root" : NULL,
		"%s: cannot %s: %s", info->addr, what, strerror(-rc));
}

/* Back to what a probe finds, after a step that failed. */
static void restore(const char *addr)
{
	override(addr, "");
	probe(addr);
}

static bool is_ours(const struct pci_info *info)
{
	return !strcmp(info->driver, PCI_VFIO) || !strcmp(info->driver, PCI_UIO);
}

/* Taking a function from vfio-pci blocks for as long as a process has it open; from
 * uio_pci_generic it would go under that process's feet. */
static int must_be_idle(const struct pci_info *info, struct shunt_err *err)
{
	char path[32];

	if (!strcmp(info->driver, PCI_UIO)) {
		int fd = pci_uio_lock(info->addr, err);
		if (fd >= 0)
			close(fd);
		return fd < 0 ? fd : 0;
	}
	if (info->group < 0 || strcmp(info->driver, PCI_VFIO))
		return 0;
	snprintf(path, sizeof path, "/dev/vfio/%d", info->group);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 && errno == EBUSY)
		return shunt_fail(err, -EBUSY, "end that process first",
			"%s is in use: a process has opened %s", info->addr, path);
	if (fd >= 0)
		close(fd);
	return 0;
}

int pci_bind(const char *addr, const char *driver, struct shunt_err *err)
{
	struct pci_info info;
	int rc = pci_find(&info, addr, err);
	char path[PATH_MAX], what[64];

	if (rc)
		return rc;
	if (!strcmp(info.driver, driver))
		return 0;
	snprintf(path, sizeof path, BUS "/drivers/%s", driver);
	snprintf(what, sizeof what, "modprobe %s", driver);
	if (access(path, F_OK))
		return shunt_fail(err, -ENOENT, what, "%s: the kernel has no driver %s loaded",
			info.addr, driver);
	rc = must_be_idle(&info, err);
	if (rc)
		return rc;
	rc = override(info.addr, driver);
	if (rc)
		return refuse(&info, rc, "set driver_override", err);
	rc = let_go(&info);
	if (rc) {
		override(info.addr, "");
		return refuse(&info, rc, "take it from its driver", err);
	}
	rc = probe(info.addr);
	if (!rc)
		rc = pci_find(&info, addr, err);
	if (!rc && strcmp(info.driver, driver))
		rc = -ENODEV;
	if (!rc)
		return 0;
	restore(info.addr);
	snprintf(what, sizeof what, "bind it to %s", driver);
	return refuse(&info, rc, what, err);
}

int pci_unbind(const char *addr, struct shunt_err *err)
{
	struct pci_info info;
	int rc = pci_find(&info, addr, err);

	if (rc)
		return rc;
	if (!is_ours(&info))
		return shunt_fail_usage(err, -EINVAL, NULL, "%s is not bound to vfio-pci: %s%s",
			info.addr, *info.driver ? "it has the driver " : "it has no driver",
			info.driver);
	rc = must_be_idle(&info, err);
	if (rc)
		return rc;
	rc = override(info.addr, "");
	if (rc)
		return refuse(&info, rc, "clear driver_override", err);
	rc = let_go(&info);
	if (rc)
		return refuse(&info, rc, "take it from its driver", err);
	rc = probe(info.addr);
	if (!rc)
		rc = pci_find(&info, addr, err);
	if (rc)
		return refuse(&info, rc, "have it probed", err);
	if (!*info.driver)
		return shunt_fail(err, -ENODEV, "modprobe the kernel's driver for it",
			"%s (%04x:%04x) is free, and no loaded driver takes it", info.addr,
			info.vendor, info.device);
	return 0;
}
