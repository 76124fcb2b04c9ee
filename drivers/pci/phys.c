/* SPDX-License-Identifier: BSD-2-Clause
 * dma=phys: device addresses are physical ones, from /proc/self/pagemap
 * (Documentation/admin-guide/mm/pagemap.rst). Only huge pages will do: they are never swapped out,
 * and not moved by compaction, as small ones are even when locked. Two of them that are neighbours
 * here are not in memory: a region has a table, and rings lie within one page.
 */
#include "drivers/pci/pci.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRESENT (UINT64_C(1) << 63)
#define PFN     ((UINT64_C(1) << 55) - 1)

static int open_pagemap(struct shunt_err *err)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	return fd >= 0 ? fd
		       : shunt_fail(err, -errno, "run as root",
				 "dma=phys: cannot read /proc/self/pagemap: %s", strerror(errno));
}

static bool read_entry(int pagemap, const uint8_t *at, size_t page, uint64_t *entry)
{
	return pread(pagemap, entry, sizeof *entry,
		       (off_t)((uintptr_t)at / page * sizeof *entry)) == sizeof *entry;
}

/* The first and the last small page of it, so that a piece that is no huge page is noticed. */
int pci_phys_page(int pagemap, const void *at, uint64_t *addr, struct shunt_err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const uint8_t *first = at, *last = first + PCI_HUGE - page;
	uint64_t a, b;

	if (!read_entry(pagemap, first, page, &a) || !read_entry(pagemap, last, page, &b))
		return shunt_fail(err, -EIO, NULL, "dma=phys: /proc/self/pagemap ends early");
	if (!(a & PRESENT) || !(b & PRESENT))
		return shunt_fail(err, -EFAULT, NULL, "dma=phys: a page is not in memory");
	if (!(a & PFN))
		return shunt_fail(err, -EPERM, "run as root, or with CAP_SYS_ADMIN",
			"dma=phys: the kernel hides physical addresses from this process");
	*addr = (a & PFN) * page;
	if (*addr % PCI_HUGE || (b & PFN) * page != *addr + PCI_HUGE - page)
		return shunt_fail(err, -EFAULT, NULL,
			"dma=phys: the page at %p is not 2 MiB of one piece", at);
	return 0;
}

static int find_pages(struct shunt_region *region, struct shunt_err *err)
{
	size_t n = region->info.len >> PCI_HUGE_SHIFT;
	int fd = open_pagemap(err), rc = fd < 0 ? fd : 0;

	if (rc)
		return rc;
	region->pages = malloc(n * sizeof *region->pages);
	if (!region->pages)
		rc = shunt_fail(err, -ENOMEM, NULL, "out of memory");
	for (size_t i = 0; !rc && i < n; i++)
		rc = pci_phys_page(fd, (uint8_t *)region->info.base + (i << PCI_HUGE_SHIFT),
			&region->pages[i], err);
	close(fd);
	region->physical = !rc;
	if (rc) {
		free(region->pages);
		region->pages = NULL;
	}
	return rc;
}

int pci_phys_region(struct pci_dev *pci, struct shunt_region *region, struct shunt_err *err)
{
	if (!region->info.huge || region->info.page != PCI_HUGE)
		return shunt_fail(err, -ENOMEM, "reserve some: sysctl vm.nr_hugepages=64",
			"%s: dma=phys takes huge pages alone, and region %u has none",
			pci->info.addr, region->info.id);
	if (region->pages && !region->physical)
		return shunt_fail(err, -EBUSY, "give each device a region of its own",
			"%s: region %u has addresses of an IOMMU", pci->info.addr, region->info.id);
	if (pci->nmaps == PCI_MAPS)
		return shunt_fail(
			err, -ENOSPC, NULL, "%s: more than %u mappings", pci->info.addr, PCI_MAPS);
	int rc = region->pages ? 0 : find_pages(region, err);
	if (rc)
		return rc;
	pci->map[pci->nmaps++] = (struct pci_map){.len = region->info.len, .region = region};
	atomic_fetch_add(&region->attached, 1);
	return 0;
}

/* Taken of one page, and released with the function. Lengths are whole small pages: aligned. */
int pci_phys_alloc(struct pci_dev *pci, struct pci_mem *mem, struct shunt_err *err)
{
	struct shunt_region_opts opts = {.chunks = PCI_HUGE / SHUNT_CHUNK, .require_huge = true};
	size_t at = pci->taken;

	if (!pci->memory) {
		int rc = shunt_region_create(&pci->memory, &opts, err);
		if (!rc)
			rc = find_pages(pci->memory, err);
		if (rc)
			return rc;
	}
	if (mem->len > PCI_HUGE || at > PCI_HUGE - mem->len)
		return shunt_fail(err, -ENOSPC, "ask for fewer queues, or a smaller depth=",
			"%s: dma=phys has 2 MiB for rings, which %zu KiB more do not fit",
			pci->info.addr, mem->len >> 10);
	mem->base = (uint8_t *)pci->memory->info.base + at;
	mem->iova = pci->memory->pages[0] + at;
	pci->taken = at + mem->len;
	return 0;
}
