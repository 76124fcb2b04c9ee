/* SPDX-License-Identifier: BSD-2-Clause
 * A function's way to us and back, by VFIO (vfio.c) or, with dma=phys, by UIO (uio.c): what is the
 * same for both.
 */
#include "drivers/pci/pci.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Opening tries a reset by itself; ours says whether it worked. A function that can't be reset is
 * left as the kernel's driver left it, with bus mastering off: its own reset has to do. With UIO
 * this is also what ends whatever a killed process left. */
static int settle(struct pci_dev *pci, struct shunt_err *err)
{
	pci_bus_master(pci, false);
	if (pci_gone(pci))
		return shunt_fail(err, -ENODEV, NULL, "%s does not answer", pci->info.addr);
	return pci->can_reset ? pci_reset(pci, err) : 0;
}

int pci_open(struct pci_dev **out, const char *addr, bool phys, struct shunt_err *err)
{
	struct pci_dev *pci = calloc(1, sizeof *pci);

	*out = NULL;
	if (!pci)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	pci->container = pci->group = pci->fd = pci->uio = pci->request = -1;
	pci->phys = phys;
	int rc = pci_find(&pci->info, addr, err);
	if (!rc)
		rc = pci_check(&pci->info, phys, err);
	if (!rc)
		rc = phys ? pci_uio_claim(pci, err) : pci_vfio_claim(pci, err);
	if (!rc)
		rc = settle(pci, err);
	if (rc) {
		pci_close(pci);
		return rc;
	}
	*out = pci;
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Memory that an unmap failed for stays mapped until the container's last descriptor is closed. uio
 * before fd: closing it clears bus mastering, and fd is the lock that keeps others out. */
void pci_close(struct pci_dev *pci)
{
	if (!pci)
		return;
	if (pci->fd >= 0) {
		if (pci->can_reset)
			pci_reset(pci, NULL);
		pci_bus_master(pci, false);
		pci_irq_close(pci);
	}
	for (unsigned i = 0; i < PCI_BARS; i++)
		if (pci->bar[i].base)
			munmap(pci->bar[i].base, pci->bar[i].len);
	while (pci->nmaps)
		pci_unmap(pci, pci->nmaps - 1);
	shunt_region_destroy(pci->memory, NULL);
	close_fd(pci->request);
	close_fd(pci->uio);
	close_fd(pci->fd);
	close_fd(pci->group);
	close_fd(pci->container);
	free(pci);
}
