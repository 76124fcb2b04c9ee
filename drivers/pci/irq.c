/* SPDX-License-Identifier: BSD-2-Clause
 * MSI-X vectors as eventfds (vfio.rst; VFIO_DEVICE_SET_IRQS in linux/vfio.h). A vector's eventfd is
 * readable after the device raised it, and is read to zero by who slept on it.
 * dma=phys: INTx, through /dev/uioN (Documentation/driver-api/uio-howto.rst, "Using
 * uio_pci_generic"): it is readable after an interrupt, which the kernel has masked then.
 */
#include "drivers/pci/pci.h"

#include <errno.h>
#include <linux/vfio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COMMAND        0x04
#define COMMAND_NOINTX 0x0400u

static int set_irqs(struct pci_dev *pci, unsigned index, unsigned start, unsigned n, const int *fds)
{
	union {
		struct vfio_irq_set set;
		uint8_t room[sizeof(struct vfio_irq_set) + PCI_IRQS * sizeof(int)];
	} u = {.set = {.argsz = (uint32_t)(sizeof u.set + (fds ? n * sizeof *fds : 0)),
		       .flags = VFIO_IRQ_SET_ACTION_TRIGGER |
				(fds ? VFIO_IRQ_SET_DATA_EVENTFD : VFIO_IRQ_SET_DATA_NONE),
		       .index = index,
		       .start = start,
		       .count = n}};

	if (fds)
		memcpy(u.room + sizeof u.set, fds, n * sizeof *fds);
	return ioctl(pci->fd, VFIO_DEVICE_SET_IRQS, &u.set) < 0 ? -errno : 0;
}

static void close_fds(struct pci_dev *pci)
{
	while (pci->nirqs)
		close(pci->irq[--pci->nirqs]);
}

static int open_intx(struct pci_dev *pci, unsigned n, struct shunt_err *err)
{
	if (n != 1)
		return shunt_fail_usage(err, -ENOTSUP, "queues=1, or wait=spin",
			"%s: dma=phys has one interrupt, %u queues want one each", pci->info.addr,
			n);
	pci->irq[pci->nirqs++] = pci->uio;
	return 0;
}

int pci_irq_open(struct pci_dev *pci, unsigned n, struct shunt_err *err)
{
	int rc = 0;

	if (pci->phys)
		return open_intx(pci, n, err);
	if (!n || n > pci->vectors || n > PCI_IRQS)
		return shunt_fail(err, -ENOTSUP, "use wait=spin, or fewer queues",
			"%s has %u MSI-X vectors, %u are needed", pci->info.addr, pci->vectors, n);
	while (!rc && pci->nirqs < n) {
		int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (fd < 0)
			rc = -errno;
		else
			pci->irq[pci->nirqs++] = fd;
	}
	if (!rc)
		rc = set_irqs(pci, VFIO_PCI_MSIX_IRQ_INDEX, 0, n, pci->irq);
	if (!rc)
		return 0;
	close_fds(pci);
	return shunt_fail(err, rc, "use wait=spin", "%s: cannot set %u MSI-X vectors up: %s",
		pci->info.addr, n, strerror(-rc));
}

void pci_irq_close(struct pci_dev *pci)
{
	if (pci->phys || !pci->nirqs) /* INTx went with pci_bus_master() */
		return;
	set_irqs(pci, VFIO_PCI_MSIX_IRQ_INDEX, 0, 0, NULL); /* count 0: all of them off */
	close_fds(pci);
}

/* VFIO_PCI_REQ_IRQ_INDEX: the kernel raises it at once and again every ten seconds. A kernel that
 * does not know it waits until the process ends. */
void pci_request_open(struct pci_dev *pci)
{
	pci->request = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (pci->request < 0 || !set_irqs(pci, VFIO_PCI_REQ_IRQ_INDEX, 0, 1, &pci->request))
		return;
	close(pci->request);
	pci->request = -1;
}

bool pci_requested(const struct pci_dev *pci)
{
	uint64_t raised;

	return pci && pci->request >= 0 &&
	       read(pci->request, &raised, sizeof raised) == sizeof raised;
}

void pci_irq_unmask(struct pci_dev *pci)
{
	pci_write16(pci, COMMAND, pci_read16(pci, COMMAND) & (uint16_t)~COMMAND_NOINTX);
}
