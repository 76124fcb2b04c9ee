/* SPDX-License-Identifier: BSD-2-Clause
 * Device addresses. An IOMMU of 39 bits does not reach most virtual addresses, so that addresses
 * are chosen low, inside the ranges that the kernel permits (VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE),
 * one mapping a region. They come from one hint for the whole process: two regions never get the
 * same place, and so any device can be given any region at the address that the first one chose.
 */
#include "drivers/pci/pci.h"

#include <errno.h>
#include <linux/vfio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST      (UINT64_C(16) << 20) /* below it lie real-mode relics, and 0 looks like a mistake */
#define MSI_FIRST  UINT64_C(0xfee00000)
#define MSI_LAST   UINT64_C(0xfeefffff)
#define BITS_KNOWN 39 /* what every VT-d has */

static _Atomic(uint64_t) next_iova = FIRST;

static void add_range(struct pci_dev *pci, uint64_t first, uint64_t last)
{
	if (pci->nranges < PCI_RANGES && first <= last)
		pci->range[pci->nranges++] = (struct pci_range){first, last};
}

static void read_ranges(struct pci_dev *pci, const uint8_t *info, size_t len, uint32_t at)
{
	struct vfio_iommu_type1_info_cap_iova_range head;
	struct vfio_iova_range r;

	/* Bounded by the chain's length: next only grows in what the kernel writes, or we stop. */
	for (uint32_t last = 0; at > last && at + sizeof head <= len;
		last = at, at = head.header.next) {
		memcpy(&head, info + at, sizeof head);
		if (head.header.id != VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE)
			continue;
		for (uint32_t i = 0; i < head.nr_iovas; i++) {
			size_t from = at + sizeof head + i * sizeof r;
			if (from + sizeof r > len)
				return;
			memcpy(&r, info + from, sizeof r);
			add_range(pci, r.start, r.end);
		}
	}
}

int pci_dma_ranges(struct pci_dev *pci, struct shunt_err *err)
{
	struct vfio_iommu_type1_info probe = {.argsz = sizeof probe};

	if (ioctl(pci->container, VFIO_IOMMU_GET_INFO, &probe) < 0)
		return shunt_fail(err, -errno, NULL, "%s: the IOMMU can't be queried: %s",
			pci->info.addr, strerror(errno));
	size_t len = probe.argsz > sizeof probe ? probe.argsz : sizeof probe;
	struct vfio_iommu_type1_info *info = calloc(1, len);
	if (!info)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	info->argsz = (uint32_t)len;
	if (!ioctl(pci->container, VFIO_IOMMU_GET_INFO, info) && info->flags & VFIO_IOMMU_INFO_CAPS)
		read_ranges(pci, (const uint8_t *)info, len, info->cap_offset);
	free(info);
	if (!pci->nranges) { /* before Linux 5.4 */
		add_range(pci, 0, MSI_FIRST - 1);
		add_range(pci, MSI_LAST + 1, (UINT64_C(1) << BITS_KNOWN) - 1);
	}
	return 0;
}

static bool overlaps(const struct pci_dev *pci, uint64_t iova, uint64_t len, uint64_t *end)
{
	for (unsigned i = 0; i < pci->nmaps; i++) {
		const struct pci_map *m = &pci->map[i];
		if (iova < m->iova + m->len && m->iova < iova + len) {
			*end = m->iova + m->len;
			return true;
		}
	}
	return false;
}

/* The first free place at or after from, 0 when there is none. */
static uint64_t place(const struct pci_dev *pci, uint64_t from, uint64_t len, uint64_t align)
{
	for (unsigned i = 0; i < pci->nranges; i++) {
		const struct pci_range *r = &pci->range[i];
		uint64_t at = from > r->first ? from : r->first, end;
		for (;;) {
			at = (at + align - 1) & ~(align - 1);
			if (at < from || at > r->last || r->last - at < len - 1)
				break;
			if (!overlaps(pci, at, len, &end))
				return at;
			at = end;
		}
	}
	return 0;
}

/* Relaxed: the number alone matters, nothing is published with it. */
static uint64_t choose(const struct pci_dev *pci, uint64_t len, uint64_t align)
{
	uint64_t hint = atomic_load_explicit(&next_iova, memory_order_relaxed), at;

	do {
		at = place(pci, hint, len, align);
		if (!at) /* at the end of what this IOMMU reaches: from the start again */
			at = place(pci, FIRST, len, align);
		if (!at)
			return 0;
	} while (!atomic_compare_exchange_weak_explicit(
		&next_iova, &hint, at + len, memory_order_relaxed, memory_order_relaxed));
	return at;
}

static int map(struct pci_dev *pci, void *base, uint64_t len, uint64_t iova,
	struct shunt_region *region, struct shunt_err *err)
{
	struct vfio_iommu_type1_dma_map m = {.argsz = sizeof m,
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)base,
		.iova = iova,
		.size = len};

	if (pci->nmaps == PCI_MAPS)
		return shunt_fail(
			err, -ENOSPC, NULL, "%s: more than %u mappings", pci->info.addr, PCI_MAPS);
	if (ioctl(pci->container, VFIO_IOMMU_MAP_DMA, &m) < 0)
		return shunt_fail(err, -errno,
			errno == ENOMEM ? "raise `ulimit -l`, or run with CAP_IPC_LOCK" : NULL,
			"%s: cannot map %llu KiB at %#llx for the device: %s", pci->info.addr,
			(unsigned long long)len >> 10, (unsigned long long)iova, strerror(errno));
	pci->map[pci->nmaps++] = (struct pci_map){iova, len, region};
	return 0;
}

void pci_unmap(struct pci_dev *pci, unsigned index)
{
	struct pci_map *m = &pci->map[index];
	struct vfio_iommu_type1_dma_unmap u = {.argsz = sizeof u, .iova = m->iova, .size = m->len};

	if (!pci->phys)
		ioctl(pci->container, VFIO_IOMMU_UNMAP_DMA, &u);
	if (m->region)
		atomic_fetch_sub(&m->region->attached, 1);
	*m = pci->map[--pci->nmaps];
}

static int fill_pages(struct shunt_region *region, uint64_t iova, struct shunt_err *err)
{
	size_t n = region->info.len / region->info.page;
	uint64_t *pages = malloc((n ? n : 1) * sizeof *pages);

	if (!pages)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	for (size_t i = 0; i < n; i++)
		pages[i] = iova + i * region->info.page;
	region->pages = pages;
	return 0;
}

/* The place that another device of the region chose: is it permitted and free here, too? */
static int same_place(const struct pci_dev *pci, const struct shunt_region *region, uint64_t *iova,
	struct shunt_err *err)
{
	uint64_t len = region->info.len, at = region->pages[0];

	if (region->physical)
		return shunt_fail(err, -EBUSY, "give each device a region of its own",
			"%s: region %u has physical addresses, by dma=phys", pci->info.addr,
			region->info.id);
	if (place(pci, at, len, region->info.page) != at)
		return shunt_fail(err, -EBUSY, "open the device with fewer bits first",
			"%s does not take region %u at %#llx, where another device has it",
			pci->info.addr, region->info.id, (unsigned long long)at);
	*iova = at;
	return 0;
}

static int map_region(struct pci_dev *pci, struct shunt_region *region, struct shunt_err *err)
{
	bool first = !region->pages;
	uint64_t iova = 0;
	int rc = 0;

	if (pci->phys)
		return pci_phys_region(pci, region, err);
	if (first) {
		iova = choose(pci, region->info.len, region->info.page);
		if (!iova)
			rc = shunt_fail(err, -ENOSPC, NULL,
				"%s: no free device addresses for %zu MiB", pci->info.addr,
				region->info.len >> 20);
	} else {
		rc = same_place(pci, region, &iova, err);
	}
	if (!rc)
		rc = map(pci, region->info.base, region->info.len, iova, region, err);
	if (rc)
		return rc;
	atomic_fetch_add(&region->attached, 1);
	if (first)
		rc = fill_pages(region, iova, err);
	if (rc)
		pci_unmap(pci, pci->nmaps - 1);
	return rc;
}

/* Two devices may start on one region at the same time: the first fills the table. */
int pci_map_region(struct pci_dev *pci, struct shunt_region *region, struct shunt_err *err)
{
	pthread_mutex_lock(&region->mapping);
	int rc = map_region(pci, region, err);
	pthread_mutex_unlock(&region->mapping);
	return rc;
}

int pci_mem_alloc(struct pci_dev *pci, struct pci_mem *mem, size_t len, struct shunt_err *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	*mem = (struct pci_mem){.len = (len + page - 1) & ~(page - 1)};
	if (pci->phys)
		return pci_phys_alloc(pci, mem, err);
	uint64_t iova = choose(pci, mem->len, page);
	if (!iova)
		return shunt_fail(
			err, -ENOSPC, NULL, "%s: no free device addresses", pci->info.addr);
	void *base = mmap(NULL, mem->len, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (base == MAP_FAILED)
		return shunt_fail(err, -errno, NULL, "no memory for rings of %s", pci->info.addr);
	int rc = map(pci, base, mem->len, iova, NULL, err);
	if (rc) {
		munmap(base, mem->len);
		return rc;
	}
	mem->base = base;
	mem->iova = iova;
	return 0;
}

void pci_mem_free(struct pci_dev *pci, struct pci_mem *mem)
{
	if (!mem->base)
		return;
	for (unsigned i = 0; i < pci->nmaps; i++)
		if (!pci->map[i].region && pci->map[i].iova == mem->iova) {
			pci_unmap(pci, i);
			break;
		}
	if (!pci->phys) /* pci_close releases it as a whole */
		munmap(mem->base, mem->len);
	*mem = (struct pci_mem){.base = NULL};
}
