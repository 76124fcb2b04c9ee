/* SPDX-License-Identifier: BSD-2-Clause
 * dma=phys: claiming a function without an IOMMU. Config space and BARs are files of sysfs
 * (Documentation/PCI/sysfs-pci.rst); uio_pci_generic gives interrupts, and clears bus mastering
 * when /dev/uioN is closed (drivers/uio/uio_pci_generic.c, read in Linux 6.12), which is all that a
 * killed process gets. It does so for whoever closes it: a second process must not even open it, so
 * that the lock is config space's. The lock does not reach into a network namespace with a /sys of
 * its own.
 */
#include "drivers/pci/pci.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define COMMAND 0x04
#define HEADER  0x40 /* bytes of it */
#define HIGH_FD 512  /* above any descriptor of memory */

const char *pci_uio_remedy(int error)
{
	return error == EPERM
		       ? "kernel lockdown forbids it, even to root: bind the card to vfio-pci, "
			 "or boot without Secure Boot or lockdown="
	       : error == EACCES ? "run as root"
				 : NULL;
}

int pci_uio_lock(const char *addr, struct shunt_err *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/config", addr);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return shunt_fail(err, -errno, pci_uio_remedy(errno), "cannot open %s: %s", path,
			strerror(errno));
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	return shunt_fail(err, -EBUSY, "one process at a time owns a card",
		"%s is in use: another process has locked %s", addr, path);
}

/* Kernel lockdown lets the file be opened, and refuses the write; without CAP_SYS_ADMIN it ends
 * behind the header. */
static int can_use(struct pci_dev *pci, struct shunt_err *err)
{
	uint8_t command[2];

	if (pread(pci->fd, command, 1, HEADER) != 1)
		return shunt_fail(err, -EPERM, "run as root, or with CAP_SYS_ADMIN",
			"the kernel hides most of config space of %s from this process",
			pci->info.addr);
	if (pread(pci->fd, command, sizeof command, COMMAND) == sizeof command &&
		pwrite(pci->fd, command, sizeof command, COMMAND) == sizeof command)
		return 0;
	int error = errno ? errno : EIO;
	return shunt_fail(err, -error, pci_uio_remedy(error), "cannot write config space of %s: %s",
		pci->info.addr, strerror(error));
}

static bool find_uio(const char *addr, char *path, size_t size)
{
	char at[PATH_MAX];
	struct dirent *e;

	path[0] = 0;
	snprintf(at, sizeof at, "/sys/bus/pci/devices/%s/uio", addr);
	DIR *d = opendir(at);
	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "uio", 3))
			snprintf(path, size, "/dev/%.20s", e->d_name);
	if (d)
		closedir(d);
	return *path;
}

/* When a process is killed the kernel ends its open files from the highest descriptor down (Linux
 * 6.12: fput() puts each on a list of works that runs last in, first out). So high up: the card's
 * bus mastering is off before the memory that it writes to is free. */
static int open_uio(struct pci_dev *pci, struct shunt_err *err)
{
	char path[32];

	if (!find_uio(pci->info.addr, path, sizeof path))
		return shunt_fail(err, -ENODEV, NULL, "%s has no /dev/uioN", pci->info.addr);
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return shunt_fail(err, -errno, "run as root, or give this user the file",
			"cannot open %s for %s: %s", path, pci->info.addr, strerror(errno));
	pci->uio = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
	if (pci->uio >= 0)
		close(fd);
	else
		pci->uio = fd;
	return 0;
}

int pci_uio_claim(struct pci_dev *pci, struct shunt_err *err)
{
	char path[PATH_MAX];

	pci->fd = pci_uio_lock(pci->info.addr, err);
	if (pci->fd < 0)
		return pci->fd;
	int rc = can_use(pci, err);
	if (!rc)
		rc = open_uio(pci, err);
	if (rc) { /* what can't be written can't be reset either */
		close(pci->fd);
		pci->fd = -1;
		return rc;
	}
	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/reset", pci->info.addr);
	pci->can_reset = !access(path, W_OK);
	pci->vectors = 1;
	return 0;
}
