/* SPDX-License-Identifier: BSD-2-Clause
 * A PCI function owned from user space through VFIO (Documentation/driver-api/vfio.rst,
 * Linux 6.12): sysfs, config space, BARs, DMA addresses, MSI-X; or, where there is no IOMMU and the
 * user says dma=phys, through sysfs and uio_pci_generic (Documentation/driver-api/uio-howto.rst).
 * Knows no NIC. Control calls, one thread at a time; only the accessors of mmio.h belong in a
 * burst. From pci_open to pci_close the function is ours alone; bus mastering is off until the NIC
 * asks.
 */
#ifndef DRIVERS_PCI_PCI_H
#define DRIVERS_PCI_PCI_H

#include "drivers/core/region.h"
#include "drivers/pci/cards.h"
#include <shunt/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCI_BARS   6u
#define PCI_RANGES 32u
#define PCI_MAPS   256u /* DMA mappings of a device: rings and regions */
#define PCI_IRQS   72u  /* MSI-X vectors that we ask for at most */
#define PCI_CONFIG 4096u

#define PCI_HUGE_SHIFT 21u /* dma=phys: 2 MiB, within which physical addresses go on */
#define PCI_HUGE       (UINT64_C(1) << PCI_HUGE_SHIFT)

struct pci_range {
	uint64_t first, last;
};

struct pci_map {
	uint64_t iova, len;
	struct shunt_region *region; /* NULL: memory for rings */
};

struct pci_bar {
	uint8_t *base; /* NULL until pci_bar_map */
	size_t len;
};

struct pci_dev {
	struct pci_info info;
	bool phys; /* dma=phys: fd is config space in sysfs, and its lock; else VFIO's device */
	int container, group, fd;
	int uio;                     /* dma=phys: /dev/uioN */
	struct shunt_region *memory; /* dma=phys: a huge page for rings, and what is taken of it */
	size_t taken;
	uint64_t config;  /* where config space lies in fd */
	uint32_t vectors; /* MSI-X vectors that it has */
	bool can_reset;
	struct pci_bar bar[PCI_BARS];
	struct pci_range range[PCI_RANGES]; /* addresses that the IOMMU takes */
	unsigned nranges;
	struct pci_map map[PCI_MAPS];
	unsigned nmaps;
	int irq[PCI_IRQS]; /* eventfds; dma=phys: uio alone */
	unsigned nirqs;
	int request; /* eventfd: the kernel wants the function back; -1 where it can't say so */
};

/* open.c. Claims, resets, enables memory space; bus mastering and INTx are off afterwards.
 * -EBUSY when another process has it, -EPERM where unsafe interrupts would be needed. */
int pci_open(struct pci_dev **pci, const char *addr, bool phys, struct shunt_err *err);
/* The safe order: the NIC has stopped its queues; reset, clear bus mastering, interrupts off,
 * unmap everything that is still mapped, close. NULL is fine. */
void pci_close(struct pci_dev *pci);
/* For open.c: vfio.c and uio.c claim the function, and say whether it can be reset. */
int pci_vfio_claim(struct pci_dev *pci, struct shunt_err *err);
int pci_uio_claim(struct pci_dev *pci, struct shunt_err *err);
/* uio.c: config space, locked: a descriptor, or -EBUSY while another process has it. */
int pci_uio_lock(const char *addr, struct shunt_err *err);
/* "run as root", or what kernel lockdown needs: for what sysfs refused with this errno. */
const char *pci_uio_remedy(int error);

/* config.c. Reads of a vanished device give all ones. */
uint16_t pci_read16(const struct pci_dev *pci, unsigned at);
void pci_write16(const struct pci_dev *pci, unsigned at, uint16_t value);
/* All of it, PCI_CONFIG bytes; what can't be read is all ones. */
void pci_read_all(const struct pci_dev *pci, uint8_t *buf);
void pci_bus_master(const struct pci_dev *pci, bool on);
/* Function-level (or whatever the kernel has for it). Memory space is on and bus mastering off
 * afterwards. -ENOTSUP where the function can't. */
int pci_reset(struct pci_dev *pci, struct shunt_err *err);
/* The device is gone: reads of its vendor id give all ones. */
bool pci_gone(const struct pci_dev *pci);

/* caps.c: PCI 3.0, 6.7 and PCI Express 5.0, 7.6.3. Pure: cfg is len bytes of config space, at
 * least 64. Walks the standard list, then the extended one; loops, pointers out of bounds or into
 * the header end a walk. Returns how many were found, at most max. */
struct pci_cap {
	uint16_t id;
	uint16_t at;
	bool extended;
};
#define PCI_CAP_VENDOR 0x09u
#define PCI_CAP_MSIX   0x11u
unsigned pci_caps(const uint8_t *cfg, size_t len, struct pci_cap *caps, unsigned max);

/* bar.c: map a whole memory BAR; pci_close unmaps it. */
int pci_bar_map(struct pci_dev *pci, unsigned bar, struct shunt_err *err);

/* dma.c. A region keeps one device address for all devices: the first one chooses it (low, from the
 * permitted ranges, aligned to the region's page) and fills region->pages; the next ones map it at
 * the same place. -EBUSY where that place is taken. */
int pci_map_region(struct pci_dev *pci, struct shunt_region *region, struct shunt_err *err);
/* Behind an IOMMU a mapped region is linear: device address = offset + this. With dma=phys it is
 * the first page's alone: pci_phys_addr(). */
static inline uint64_t pci_region_iova(const struct shunt_region *region)
{
	return region->pages[0];
}

static inline uint64_t pci_phys_addr(const uint64_t *pages, uint64_t offset)
{
	return pages[offset >> PCI_HUGE_SHIFT] + (offset & (PCI_HUGE - 1));
}

/* Memory for rings: zeroed, page aligned, locked, mapped. */
struct pci_mem {
	void *base;
	uint64_t iova;
	size_t len;
};
int pci_mem_alloc(struct pci_dev *pci, struct pci_mem *mem, size_t len, struct shunt_err *err);
void pci_mem_free(struct pci_dev *pci, struct pci_mem *mem); /* fine on a zeroed *mem */
/* For vfio.c: read the permitted ranges; undo mapping number index. */
int pci_dma_ranges(struct pci_dev *pci, struct shunt_err *err);
void pci_unmap(struct pci_dev *pci, unsigned index);
/* phys.c: the same for dma=phys. Regions must be of huge pages; rings lie in one. Pages that are
 * not there, or not of one piece, and addresses that the kernel hides are errors. */
int pci_phys_region(struct pci_dev *pci, struct shunt_region *region, struct shunt_err *err);
int pci_phys_alloc(struct pci_dev *pci, struct pci_mem *mem, struct shunt_err *err);
/* pagemap is /proc/self/pagemap, or a test's. page is aligned to PCI_HUGE. */
int pci_phys_page(int pagemap, const void *page, uint64_t *addr, struct shunt_err *err);

/* irq.c: MSI-X through eventfds, non-blocking. VFIO sets all vectors at once. With dma=phys there
 * is one interrupt, INTx, and /dev/uioN is its descriptor: read() takes 4 bytes, not 8. */
int pci_irq_open(struct pci_dev *pci, unsigned n, struct shunt_err *err);
void pci_irq_close(struct pci_dev *pci);
/* INTx: the kernel masks it in the command register when it comes, and this unmasks it. */
void pci_irq_unmask(struct pci_dev *pci);
/* Somebody removes the function, or unbinds it from vfio-pci, and waits until we release it. One
 * system call: not for a burst that has something to do. NULL, as in tests, is not queried. */
void pci_request_open(struct pci_dev *pci);
bool pci_requested(const struct pci_dev *pci);

#endif
