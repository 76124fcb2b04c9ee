/* SPDX-License-Identifier: BSD-2-Clause
 * Regions: memfd-backed memory cut into chunks, and lent memory.
 * Huge pages are tried first: fewer TLB misses in the loop, and fewer IOMMU entries.
 */
#include "drivers/core/region.h"

#include <errno.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE  (2u << 20)
#define CHUNKS_MAX (4u << 20)

static atomic_uint regions; /* made by this process so far */

/* 1 to 65535, then again from 1: 0 is no region. */
static uint16_t next_id(void)
{
	return (uint16_t)(atomic_fetch_add(&regions, 1) % UINT16_MAX + 1);
}

static int map_memfd(struct shunt_region_info *info, bool huge)
{
	size_t page = huge ? HUGE_PAGE : (size_t)sysconf(_SC_PAGESIZE);
	size_t len = ((size_t)info->chunk * info->chunks + page - 1) / page * page;
	int fd = memfd_create("shunt", MFD_CLOEXEC | (huge ? MFD_HUGETLB | MFD_HUGE_2MB : 0));

	if (fd < 0)
		return -errno;
	/* MAP_POPULATE: a page fault in the loop, or in the kernel's copy, would distort a
	 * measurement. */
	void *base = ftruncate(fd, (off_t)len) ? MAP_FAILED
					       : mmap(NULL, len, PROT_READ | PROT_WRITE,
							 MAP_SHARED | MAP_POPULATE, fd, 0);
	if (base == MAP_FAILED) {
		int rc = -errno;
		close(fd);
		return rc;
	}
	info->huge = huge;
	info->base = base;
	info->len = len;
	info->page = page;
	info->fd = fd;
	return 0;
}

static int map_region(
	struct shunt_region_info *info, const struct shunt_region_opts *opts, struct shunt_err *err)
{
	if (!opts->no_huge) {
		int rc = map_memfd(info, true);
		if (!rc)
			return 0;
		if (opts->require_huge)
			return shunt_fail(err, rc, "reserve some: sysctl vm.nr_hugepages=64",
				"no huge pages for a region of %zu MiB: %s",
				((size_t)info->chunk * info->chunks) >> 20, strerror(-rc));
		snprintf(info->note, sizeof info->note,
			"no huge pages (%s): sysctl vm.nr_hugepages=64 reserves some",
			strerror(-rc));
	}
	int rc = map_memfd(info, false);
	if (rc)
		return shunt_fail(err, rc, NULL, "no memory for a region of %zu MiB: %s",
			((size_t)info->chunk * info->chunks) >> 20, strerror(-rc));
	return 0;
}

static int make_pool(struct shunt_region *r, struct shunt_err *err)
{
	r->stack = malloc(r->info.chunks * sizeof *r->stack);
	if (!r->stack)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	/* Lowest addresses on top: a small working set stays small in the cache. */
	while (r->top < r->info.chunks) {
		r->stack[r->top] = (uint64_t)(r->info.chunks - 1 - r->top) * r->info.chunk;
		r->top++;
	}
	return 0;
}

int shunt_region_create(
	struct shunt_region **out, const struct shunt_region_opts *opts, struct shunt_err *err)
{
	static const struct shunt_region_opts none;
	const struct shunt_region_opts *o = opts ? opts : &none;
	struct shunt_region *r = calloc(1, sizeof *r);

	*out = NULL;
	if (!r)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	pthread_mutex_init(&r->mapping, NULL);
	r->info.chunk = o->chunk ? o->chunk : SHUNT_CHUNK;
	r->info.chunks = o->chunks ? o->chunks : 8192;
	if (r->info.chunk < 2048 || r->info.chunk > 4096 || (r->info.chunk & (r->info.chunk - 1))) {
		free(r);
		return shunt_fail_usage(err, -EINVAL, "use 2048 or 4096",
			"a chunk of %u bytes is not a power of two from 2048 to 4096", o->chunk);
	}
	if (r->info.chunks > CHUNKS_MAX) {
		free(r);
		return shunt_fail_usage(err, -EINVAL, "ask for fewer",
			"%u chunks are more than a region may have, %u", o->chunks, CHUNKS_MAX);
	}
	int rc = make_pool(r, err);
	if (!rc)
		rc = map_region(&r->info, o, err);
	if (rc) {
		free(r->stack);
		free(r);
		return rc;
	}
	r->info.id = next_id();
	*out = r;
	return 0;
}

int shunt_region_lend(
	struct shunt_region **out, void *base, size_t len, size_t page, struct shunt_err *err)
{
	struct shunt_region *r = calloc(1, sizeof *r);

	*out = r;
	if (!r)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	pthread_mutex_init(&r->mapping, NULL);
	r->info.id = next_id();
	r->info.lent = true;
	r->info.base = base;
	r->info.len = len;
	r->info.page = page;
	r->info.fd = -1;
	return 0;
}

int shunt_region_cut(struct shunt_region *r, uint32_t chunk, struct shunt_err *err)
{
	r->info.chunk = chunk;
	r->info.chunks = (uint32_t)(r->info.len / chunk);
	return make_pool(r, err);
}

int shunt_region_destroy(struct shunt_region *r, struct shunt_err *err)
{
	if (!r)
		return 0;
	if (atomic_load(&r->attached))
		return shunt_fail(err, -EBUSY, "close the devices first",
			"region %u is attached to %u device(s)", r->info.id,
			atomic_load(&r->attached));
	if (r->top != r->info.chunks)
		return shunt_fail(err, -EBUSY, "release the packets first",
			"region %u has %u chunks out", r->info.id, r->info.chunks - r->top);
	if (!r->info.lent) {
		munmap(r->info.base, r->info.len);
		close(r->info.fd);
	}
	free(r->pages);
	free(r->stack);
	free(r);
	return 0;
}

void shunt_region_discard(struct shunt_region *r)
{
	r->top = r->info.chunks;
	shunt_region_destroy(r, NULL);
}

static void lock(struct shunt_region *r)
{
	/* Acquire: the stack as the last holder left it; pairs with unlock(). */
	while (atomic_flag_test_and_set_explicit(&r->lock, memory_order_acquire))
		__builtin_ia32_pause();
}

static void unlock(struct shunt_region *r)
{
	/* Release: the stack is written before the next holder sees the flag clear; pairs with
	 * lock(). */
	atomic_flag_clear_explicit(&r->lock, memory_order_release);
}

/* The lock is the only thing that changes. */
void shunt_region_info(const struct shunt_region *region, struct shunt_region_info *info)
{
	struct shunt_region *r = (struct shunt_region *)region;

	*info = r->info;
	lock(r);
	info->free = r->top;
	unlock(r);
}

unsigned shunt_pool_get(struct shunt_region *r, uint64_t *offsets, unsigned n)
{
	lock(r);
	if (n > r->top)
		n = r->top;
	r->top -= n;
	if (n) /* a lent region that was not cut has no stack */
		memcpy(offsets, r->stack + r->top, n * sizeof *offsets);
	unlock(r);
	return n;
}

void shunt_pool_put(struct shunt_region *r, const uint64_t *offsets, unsigned n)
{
	lock(r);
	memcpy(r->stack + r->top, offsets, n * sizeof *offsets);
	r->top += n;
	unlock(r);
}
