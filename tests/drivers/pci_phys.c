/* SPDX-License-Identifier: BSD-2-Clause
 * dma=phys: what /proc/self/pagemap may say, from a file of our own; and a region without huge
 * pages, or with addresses of an IOMMU.
 */
#include "drivers/pci/pci.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#define PRESENT UINT64_C(1) << 63
#define FRAME   UINT64_C(0x48a00) /* of 4 KiB; a multiple of 512 */
#define AT      (PCI_HUGE * 3)
#define SMALL   512u /* small pages a huge one */

/* Entries of the first and the last small page of a huge page at AT. */
static int look(uint64_t first, uint64_t last, uint64_t *addr, struct shunt_err *err)
{
	int fd = memfd_create("pagemap", MFD_CLOEXEC);
	off_t at = (off_t)(AT / PCI_HUGE * SMALL * sizeof first);

	cr_assert_eq(pwrite(fd, &first, sizeof first, at), sizeof first);
	cr_assert_eq(pwrite(fd, &last, sizeof last, at + (SMALL - 1) * 8), sizeof last);
	int rc = pci_phys_page(fd, (void *)(uintptr_t)AT, addr, err);
	close(fd);
	return rc;
}

Test(pci_phys, a_page_of_one_piece)
{
	uint64_t addr = 0, soft_dirty = UINT64_C(1) << 55;

	cr_assert_eq(look(PRESENT | FRAME, PRESENT | (FRAME + SMALL - 1), &addr, NULL), 0);
	cr_assert_eq(addr, FRAME * 4096);
	cr_assert_eq(
		look(PRESENT | soft_dirty | FRAME, PRESENT | (FRAME + SMALL - 1), &addr, NULL), 0);
	cr_assert_eq(addr, FRAME * 4096, "flags are no part of the address");
}

Test(pci_phys, everything_else_is_refused)
{
	static const struct {
		uint64_t first, last;
		int rc;
		const char *says;
	} bad[] = {
		{PRESENT, PRESENT, -EPERM, "hides"},
		{0, 0, -EFAULT, "not in memory"},
		{PRESENT | FRAME, FRAME + SMALL - 1, -EFAULT, "not in memory"},
		{PRESENT | FRAME, PRESENT | (FRAME + SMALL), -EFAULT, "of one piece"},
		{PRESENT | (FRAME + 1), PRESENT | (FRAME + SMALL), -EFAULT, "of one piece"},
		{PRESENT | FRAME, PRESENT, -EFAULT, "of one piece"},
	};
	uint64_t addr;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct shunt_err err = {.code = 0};
		cr_assert_eq(look(bad[i].first, bad[i].last, &addr, &err), bad[i].rc, "%zu", i);
		cr_assert(strstr(err.what, bad[i].says), "%zu: %s", i, err.what);
	}
}

Test(pci_phys, regions_that_will_not_do)
{
	static struct pci_dev pci = {.phys = true};
	struct shunt_region_opts opts = {.chunks = 16, .no_huge = true};
	struct shunt_err err = {.code = 0};
	struct shunt_region *r;
	uint64_t pages[1] = {0};

	cr_assert_eq(shunt_region_create(&r, &opts, NULL), 0);
	cr_assert_eq(pci_map_region(&pci, r, &err), -ENOMEM);
	cr_assert(strstr(err.what, "huge pages"), "%s", err.what);
	r->info.huge = true;
	r->info.page = PCI_HUGE;
	r->pages = pages;
	cr_assert_eq(pci_map_region(&pci, r, &err), -EBUSY, "an IOMMU's addresses");
	r->physical = true;
	pci.phys = false;
	cr_assert_eq(pci_map_region(&pci, r, &err), -EBUSY, "physical ones behind an IOMMU");
	cr_assert_eq(pci.nmaps, 0);
	r->pages = NULL;
	cr_assert_eq(shunt_region_destroy(r, NULL), 0);
}

struct start {
	struct pci_dev pci;
	struct shunt_region *region;
	atomic_bool *go;
	int rc;
};

static void *map_it(void *arg)
{
	struct start *s = arg;

	while (!atomic_load(s->go))
		;
	s->rc = pci_map_region(&s->pci, s->region, NULL);
	return NULL;
}

/* A transparent huge page, as a region of one: none need be reserved for it. NULL where there is
 * none. */
static void *huge_page(void)
{
	uint8_t *room = mmap(
		NULL, 2 * PCI_HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *at = (uint8_t *)(((uintptr_t)room + PCI_HUGE - 1) & ~(uintptr_t)(PCI_HUGE - 1));
	uint64_t addr;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || room == MAP_FAILED || madvise(at, PCI_HUGE, MADV_HUGEPAGE))
		return NULL;
	memset(at, 1, PCI_HUGE);
	int rc = pci_phys_page(fd, at, &addr, NULL);
	close(fd);
	return rc ? NULL : at;
}

/* Two devices that start on one region at once agree on its page table. */
Test(pci_phys, two_starts_on_one_region, .timeout = 300)
{
	void *page = huge_page();
	struct shunt_region *r;

	if (!page)
		cr_skip("needs root and a transparent huge page");
	for (unsigned round = 0; round < 200; round++) {
		static struct start s[2];
		atomic_bool go = false;
		pthread_t t[2];
		cr_assert_eq(shunt_region_lend(&r, page, PCI_HUGE, PCI_HUGE, NULL), 0);
		r->info.huge = true;
		for (unsigned i = 0; i < 2; i++) {
			s[i] = (struct start){.pci = {.phys = true}, .region = r, .go = &go};
			cr_assert_eq(pthread_create(&t[i], NULL, map_it, &s[i]), 0);
		}
		atomic_store(&go, true);
		for (unsigned i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		cr_assert(!s[0].rc && !s[1].rc, "%d %d", s[0].rc, s[1].rc);
		cr_assert_eq(atomic_load(&r->attached), 2);
		cr_assert(r->physical && r->pages);
		for (unsigned i = 0; i < 2; i++)
			pci_unmap(&s[i].pci, 0);
		cr_assert_eq(shunt_region_destroy(r, NULL), 0);
	}
}

/* securityfs says, in a mount namespace of our own: Criterion gives each test a process. */
static bool locked_down(void)
{
	char text[64] = "";

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return false;
	mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL); /* EBUSY: it is there */
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	bool known = f && fgets(text, sizeof text, f);
	if (f)
		fclose(f);
	return known && !strstr(text, "[none]");
}

static bool any_function(char addr[PCI_ADDR])
{
	DIR *d = opendir("/sys/bus/pci/devices");
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		if (pci_is_address(e->d_name)) {
			memcpy(addr, e->d_name, strlen(e->d_name) + 1);
			found = true;
		}
	if (d)
		closedir(d);
	return found;
}

/* It is refused before anything of the function changed, so that any will do. */
Test(pci_phys, kernel_lockdown)
{
	static struct pci_dev pci = {.phys = true, .fd = -1, .uio = -1};
	struct shunt_err err = {.code = 0};

	if (!locked_down() || !any_function(pci.info.addr))
		cr_skip("needs root, a PCI function, and kernel lockdown");
	cr_assert_eq(pci_uio_claim(&pci, &err), -EPERM, "%s", err.what);
	cr_assert(strstr(err.what, "cannot write config space"), "%s", err.what);
	cr_assert(strstr(err.remedy, "lockdown"), "%s", err.remedy);
	cr_assert_eq(pci.fd, -1);
}

/* The lock keeps a second one out, and goes with the descriptor. */
Test(pci_phys, one_at_a_time)
{
	struct shunt_err err = {.code = 0};
	char addr[PCI_ADDR];
	int first;

	if (geteuid() || !any_function(addr))
		cr_skip("needs root and a PCI function");
	first = pci_uio_lock(addr, &err);
	cr_assert_geq(first, 0, "%s", err.what);
	cr_assert_eq(pci_uio_lock(addr, &err), -EBUSY);
	cr_assert(strstr(err.what, "is in use"), "%s", err.what);
	close(first);
	first = pci_uio_lock(addr, &err);
	cr_assert_geq(first, 0, "%s", err.what);
	close(first);
}
