/* SPDX-License-Identifier: BSD-2-Clause
 * What sysfs says of PCI functions: ids, driver, IOMMU group and its members
 * (Documentation/ABI/testing/sysfs-bus-pci, sysfs-kernel-iommu_groups). Reads only.
 */
#include "drivers/pci/pci.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES       "/sys/bus/pci/devices"
#define BRIDGE        0x0604u /* class and subclass of a PCI-to-PCI bridge */
#define CLASS_NETWORK 0x02u
#define MEMBERS_MAX   32

bool pci_is_address(const char *text)
{
	static const char form[] = "xxxx:xx:xx.o";

	if (strlen(text) != sizeof form - 1)
		return false;
	for (unsigned i = 0; form[i]; i++) {
		if (form[i] == 'x'       ? !isxdigit((unsigned char)text[i])
			: form[i] == 'o' ? text[i] < '0' || text[i] > '7'
					 : text[i] != form[i])
			return false;
	}
	return true;
}

static long read_number(const char *addr, const char *name)
{
	char path[PATH_MAX], text[32];
	FILE *f;

	snprintf(path, sizeof path, DEVICES "/%s/%s", addr, name);
	f = fopen(path, "re");
	if (!f)
		return -1;
	long v = fgets(text, sizeof text, f) ? strtol(text, NULL, 0) : -1;
	fclose(f);
	return v;
}

/* The last part of where a link points: "igb" for driver, "7" for iommu_group. */
static bool read_link(const char *addr, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];

	snprintf(path, sizeof path, DEVICES "/%s/%s", addr, name);
	ssize_t n = readlink(path, target, sizeof target - 1);
	buf[0] = 0;
	if (n < 0)
		return false;
	target[n] = 0;
	const char *last = strrchr(target, '/');
	snprintf(buf, size, "%.*s", (int)size - 1, last ? last + 1 : target);
	return true;
}

/* virtio's interface hangs below a virtioN directory of its own. */
static void find_ifname(const char *addr, char *buf, size_t size, unsigned depth)
{
	char path[PATH_MAX];
	struct dirent *e;

	snprintf(path, sizeof path, DEVICES "/%.64s/net", addr);
	DIR *d = opendir(path);
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			snprintf(buf, size, "%.15s", e->d_name);
	if (d)
		closedir(d);
	if (*buf || depth)
		return;
	snprintf(path, sizeof path, DEVICES "/%.64s", addr);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "virtio", 6)) {
			char below[PATH_MAX];
			snprintf(below, sizeof below, "%s/%.32s", addr, e->d_name);
			find_ifname(below, buf, size, depth + 1);
		}
	if (d)
		closedir(d);
}

int pci_find(struct pci_info *info, const char *addr, struct shunt_err *err)
{
	char group[16];

	memset(info, 0, sizeof *info);
	if (!pci_is_address(addr))
		return shunt_fail_usage(err, -EINVAL, "`shunt devices` lists them",
			"'%.60s' is not a PCI address like 0000:01:00.0", addr);
	for (unsigned i = 0; addr[i]; i++)
		info->addr[i] = (char)tolower((unsigned char)addr[i]);
	long vendor = read_number(info->addr, "vendor");
	if (vendor < 0)
		return shunt_fail_usage(err, -ENODEV, "`shunt devices` lists them",
			"there is no PCI device %s", info->addr);
	info->vendor = (uint16_t)vendor;
	info->device = (uint16_t)read_number(info->addr, "device");
	info->class = (uint32_t)read_number(info->addr, "class");
	read_link(info->addr, "driver", info->driver, sizeof info->driver);
	info->group = read_link(info->addr, "iommu_group", group, sizeof group) ? atoi(group) : -1;
	find_ifname(info->addr, info->ifname, sizeof info->ifname, 0);
	return 0;
}

/* vfio_dev_viable() in the kernel: no driver, a VFIO driver, pci-stub, or a bridge's port driver.
 */
static bool harmless(const char *driver, long class)
{
	return !*driver || !strcmp(driver, "vfio-pci") || !strcmp(driver, "pci-stub") ||
	       (!strcmp(driver, "pcieport") && (class >> 8) == BRIDGE);
}

void pci_group_others(const struct pci_info *info, char *buf, size_t size)
{
	char path[PATH_MAX], driver[32];
	struct dirent *e;
	size_t used = 0;

	buf[0] = 0;
	snprintf(path, sizeof path, "/sys/kernel/iommu_groups/%d/devices", info->group);
	DIR *d = info->group < 0 ? NULL : opendir(path);
	while (d && (e = readdir(d))) {
		if (!pci_is_address(e->d_name) || !strcmp(e->d_name, info->addr))
			continue;
		read_link(e->d_name, "driver", driver, sizeof driver);
		if (!harmless(driver, read_number(e->d_name, "class")) && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%.12s (%s)",
				used ? ", " : "", e->d_name, driver);
	}
	if (d)
		closedir(d);
}

/* An IOMMU that translates for the kernel knows no physical address: "DMA" or "DMA-FQ", not
 * "identity" (Documentation/ABI/testing/sysfs-kernel-iommu_groups). */
static bool translates(const struct pci_info *info)
{
	char path[64], type[16] = "";

	if (info->group < 0)
		return false;
	snprintf(path, sizeof path, "/sys/kernel/iommu_groups/%d/type", info->group);
	FILE *f = fopen(path, "re");
	bool known = f && fgets(type, sizeof type, f);
	if (f)
		fclose(f);
	return !known || strncmp(type, "identity", 8);
}

/* It has another driver than the one that is wanted, or none. */
static int check_driver(const struct pci_info *info, bool phys, struct shunt_err *err)
{
	const char *want = phys ? PCI_UIO : PCI_VFIO;
	char remedy[128];

	if (!strcmp(info->driver, want))
		return 0;
	snprintf(remedy, sizeof remedy, "sudo shunt devices bind %s%s",
		phys ? "--driver " PCI_UIO " " : "", info->addr);
	if (!*info->driver)
		return shunt_fail_usage(
			err, -ENODEV, remedy, "%s is not bound to %s", info->addr, want);
	if (phys && !strcmp(info->driver, PCI_VFIO))
		return shunt_fail_usage(err, -EINVAL, "leave dma=phys out: an IOMMU is safer",
			"dma=phys: %s is bound to vfio-pci, which knows no physical addresses",
			info->addr);
	if (!strcmp(info->driver, PCI_UIO))
		return shunt_fail_usage(err, -EINVAL,
			"bind it to vfio-pci, or add dma=phys: docs/pci.md has its danger",
			"%s is bound to " PCI_UIO ": no IOMMU keeps it to this process's memory",
			info->addr);
	return shunt_fail_usage(err, -EBUSY, remedy, "the kernel's driver %s has %s%s%s",
		info->driver, info->addr, *info->ifname ? ", interface " : "", info->ifname);
}

static int check_group(const struct pci_info *info, struct shunt_err *err)
{
	char others[128];

	if (info->group < 0)
		return shunt_fail_usage(err, -ENODEV,
			"turn the IOMMU on in the firmware and with intel_iommu=on or amd_iommu=on",
			"%s has no IOMMU group: this machine has no IOMMU, or it is off",
			info->addr);
	pci_group_others(info, others, sizeof others);
	if (*others)
		return shunt_fail_usage(err, -EPERM, "bind those to vfio-pci, too, or unbind them",
			"IOMMU group %d of %s is not viable: kernel drivers have %s", info->group,
			info->addr, others);
	return 0;
}

int pci_check(const struct pci_info *info, bool phys, struct shunt_err *err)
{
	int rc = check_driver(info, phys, err);

	if (rc || !phys)
		return rc ? rc : check_group(info, err);
	if (translates(info))
		return shunt_fail_usage(err, -EINVAL, "bind it to vfio-pci and leave dma=phys out",
			"dma=phys: the IOMMU would stop %s at any physical address", info->addr);
	return 0;
}

const char *pci_state(const struct pci_info *info)
{
	char others[128];

	if (!strcmp(info->driver, PCI_UIO))
		return translates(info) ? "behind an IOMMU: use vfio-pci" : "ready, by dma=phys";
	if (strcmp(info->driver, PCI_VFIO))
		return *info->driver ? "the kernel's" : "no driver";
	if (info->group < 0)
		return "no IOMMU";
	pci_group_others(info, others, sizeof others);
	return *others ? "group not viable" : "ready";
}

static int by_address(const void *a, const void *b)
{
	return strcmp(((const struct pci_info *)a)->addr, ((const struct pci_info *)b)->addr);
}

int pci_list(struct pci_info *list, unsigned max, struct shunt_err *err)
{
	DIR *d = opendir(DEVICES);
	struct dirent *e;
	unsigned n = 0;

	if (!d) /* no PCI bus at all is no fault */
		return errno == ENOENT ? 0
				       : shunt_fail(err, -errno, NULL,
						 "cannot read " DEVICES ": %s", strerror(errno));
	while ((e = readdir(d))) {
		struct pci_info info;
		if (!pci_is_address(e->d_name) || pci_find(&info, e->d_name, NULL) ||
			info.class >> 16 != CLASS_NETWORK)
			continue;
		if (n < max)
			list[n] = info;
		n++;
	}
	closedir(d);
	qsort(list, n < max ? n : max, sizeof *list, by_address);
	return (int)n;
}
