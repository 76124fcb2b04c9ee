/* SPDX-License-Identifier: BSD-2-Clause
 * Config space (PCI Local Bus 3.0, 6.1) through VFIO's config region, or its file in sysfs with
 * dma=phys; command register and reset.
 * Opening and resetting a function clear its command register, memory space included; to touch a
 * BAR with memory space off is SIGBUS, so that it is restored at once.
 */
#include "drivers/pci/pci.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COMMAND        0x04u
#define COMMAND_MEMORY 0x0002u
#define COMMAND_MASTER 0x0004u
#define PART           256
#define COMMAND_NOINTX 0x0400u

uint16_t pci_read16(const struct pci_dev *pci, unsigned at)
{
	uint16_t v;

	if (pread(pci->fd, &v, sizeof v, (off_t)(pci->config + at)) != sizeof v)
		return UINT16_MAX;
	return le16toh(v);
}

/* What a write did is seen by reading back; one to a vanished device does nothing. */
void pci_write16(const struct pci_dev *pci, unsigned at, uint16_t value)
{
	uint16_t v = htole16(value);

	if (pwrite(pci->fd, &v, sizeof v, (off_t)(pci->config + at)) < 0)
		return;
}

/* The kernel refuses a read that crosses the end as a whole, and a function outside of PCI Express
 * has 256 bytes: a part at a time. */
void pci_read_all(const struct pci_dev *pci, uint8_t *buf)
{
	memset(buf, 0xff, PCI_CONFIG);
	for (size_t done = 0; done < PCI_CONFIG; done += PART)
		if (pread(pci->fd, buf + done, PART, (off_t)(pci->config + done)) != PART)
			break;
}

void pci_bus_master(const struct pci_dev *pci, bool on)
{
	uint16_t command = (uint16_t)(pci_read16(pci, COMMAND) | COMMAND_MEMORY | COMMAND_NOINTX);

	command &= (uint16_t)~COMMAND_MASTER;
	pci_write16(pci, COMMAND, on ? command | COMMAND_MASTER : command);
}

/* The kernel saves config space first and restores it after: with bus mastering off. */
static int reset_by_sysfs(const struct pci_dev *pci)
{
	char path[PATH_MAX];

	pci_bus_master(pci, false);
	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/reset", pci->info.addr);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = write(fd, "1", 1);
	int error = errno;
	close(fd);
	errno = error;
	return n == 1 ? 0 : -1;
}

int pci_reset(struct pci_dev *pci, struct shunt_err *err)
{
	if (!pci->can_reset)
		return shunt_fail(
			err, -ENOTSUP, NULL, "%s cannot be reset on its own", pci->info.addr);
	if ((pci->phys ? reset_by_sysfs(pci) : ioctl(pci->fd, VFIO_DEVICE_RESET)) < 0)
		return shunt_fail(err, -errno, "unbind it, remove and rescan it, or power-cycle",
			"%s sticks in reset: %s", pci->info.addr, strerror(errno));
	pci_bus_master(pci, false);
	return 0;
}

bool pci_gone(const struct pci_dev *pci)
{
	return pci_read16(pci, 0) == UINT16_MAX;
}
