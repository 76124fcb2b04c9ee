/* SPDX-License-Identifier: BSD-2-Clause */
#include "drivers/core/chunks.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct shunt_region *must_create(struct shunt_region_opts opts)
{
	struct shunt_err err = {.code = 0};
	struct shunt_region *r;

	cr_assert_eq(shunt_region_create(&r, &opts, &err), 0, "%s", err.what);
	return r;
}

Test(region, chunks_are_apart_and_inside)
{
	struct shunt_region *r = must_create((struct shunt_region_opts){.chunks = 100});
	struct shunt_region_info info;
	uint64_t at[101];
	bool seen[100] = {false};
	struct stat st;

	shunt_region_info(r, &info);
	cr_assert_eq(info.chunk, SHUNT_CHUNK);
	cr_assert_eq(info.free, 100);
	cr_assert_neq(info.id, 0);
	cr_assert_eq((uintptr_t)info.base % 4096, 0);
	cr_assert_geq(info.len, 100 * SHUNT_CHUNK);
	cr_assert_eq(fstat(info.fd, &st), 0);
	cr_assert_eq((size_t)st.st_size, info.len);
	/* All of them, and no more. */
	cr_assert_eq(shunt_pool_get(r, at, 101), 100);
	cr_assert_eq(shunt_pool_get(r, at + 100, 1), 0);
	for (int i = 0; i < 100; i++) {
		cr_assert_eq(at[i] % SHUNT_CHUNK, 0);
		cr_assert_lt(at[i] / SHUNT_CHUNK, 100);
		cr_assert(!seen[at[i] / SHUNT_CHUNK]);
		seen[at[i] / SHUNT_CHUNK] = true;
		memset((char *)info.base + at[i], i, SHUNT_CHUNK);
		cr_assert_eq(shunt_region_addr(r, at[i]), at[i]);
	}
	struct shunt_err err;
	cr_assert_eq(shunt_region_destroy(r, &err), -EBUSY);
	cr_assert(strstr(err.what, "100 chunks"), "%s", err.what);
	shunt_pool_put(r, at, 100);
	cr_assert_eq(shunt_region_destroy(r, &err), 0);
}

Test(region, bad_sizes)
{
	static const uint32_t bad[] = {1, 1024, 2047, 2049, 3000, 4097, 8192, UINT32_MAX};
	struct shunt_region *r;
	struct shunt_err err;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct shunt_region_opts opts = {.chunk = bad[i]};
		cr_assert_eq(shunt_region_create(&r, &opts, &err), -EINVAL, "%u passed", bad[i]);
		cr_assert_null(r);
		cr_assert(*err.remedy);
	}
	struct shunt_region_opts opts = {.chunks = UINT32_MAX};
	cr_assert_eq(shunt_region_create(&r, &opts, &err), -EINVAL);
	cr_assert_null(r);
}

Test(region, no_huge_pages_is_said)
{
	struct shunt_region_opts opts = {.chunks = 1024, .require_huge = true};
	struct shunt_region *r;
	struct shunt_region_info info;
	struct shunt_err err;

	if (shunt_region_create(&r, &opts, &err)) {
		cr_assert_eq(err.code, -ENOMEM, "%s", err.what);
		cr_assert(strstr(err.remedy, "nr_hugepages"), "%s", err.remedy);
		r = must_create((struct shunt_region_opts){.chunks = 1024});
		shunt_region_info(r, &info);
		cr_assert(!info.huge && info.page == 4096);
		cr_assert(strstr(info.note, "no huge pages"), "'%s'", info.note);
	} else {
		shunt_region_info(r, &info);
		cr_assert(info.huge && info.page == 2u << 20);
		cr_assert_str_eq(info.note, "");
	}
	cr_assert_eq(shunt_region_destroy(r, NULL), 0);
	/* Not asked for: no note. */
	r = must_create((struct shunt_region_opts){.chunks = 64, .no_huge = true});
	shunt_region_info(r, &info);
	cr_assert(!info.huge);
	cr_assert_str_eq(info.note, "");
	cr_assert_eq(shunt_region_destroy(r, NULL), 0);
}

Test(region, attached_is_busy)
{
	struct shunt_region *r = must_create((struct shunt_region_opts){.chunks = 64});
	struct shunt_err err;

	atomic_fetch_add(&r->attached, 1);
	cr_assert_eq(shunt_region_destroy(r, &err), -EBUSY);
	cr_assert(*err.remedy);
	atomic_fetch_sub(&r->attached, 1);
	cr_assert_eq(shunt_region_destroy(r, &err), 0);
	cr_assert_eq(shunt_region_destroy(NULL, &err), 0);
}

Test(region, page_table)
{
	static char memory[3 * 4096];
	struct shunt_region *r;
	struct shunt_region_info info;

	cr_assert_eq(shunt_region_lend(&r, memory, sizeof memory, 4096, NULL), 0);
	shunt_region_info(r, &info);
	cr_assert(info.lent && info.fd == -1 && info.chunks == 0);
	r->pages = malloc(3 * sizeof *r->pages);
	r->pages[0] = 0x5000;
	r->pages[1] = 0x1000;
	r->pages[2] = 0x9000;
	cr_assert_eq(shunt_region_addr(r, 0), 0x5000);
	cr_assert_eq(shunt_region_addr(r, 4095), 0x5fff);
	cr_assert_eq(shunt_region_addr(r, 4096), 0x1000);
	cr_assert_eq(shunt_region_addr(r, 3 * 4096 - 1), 0x9fff);
	cr_assert_eq(shunt_region_destroy(r, NULL), 0);
}

/* shunt_pkt.region is 16 bits wide, and 0 means none. */
Test(region, id_is_never_0)
{
	for (unsigned i = 0; i < 70000; i++) {
		struct shunt_region *r;
		struct shunt_region_info info;
		cr_assert_eq(shunt_region_lend(&r, NULL, 0, 4096, NULL), 0);
		shunt_region_info(r, &info);
		cr_assert_neq(info.id, 0, "after %u", i);
		shunt_region_destroy(r, NULL);
	}
}

struct taker {
	struct shunt_region *region;
	unsigned long clashes;
};

/* Whoever holds a chunk writes into it; nobody else may have written meanwhile. */
static void *take_and_give(void *arg)
{
	struct taker *t = arg;
	struct shunt_region_info info;

	for (int round = 0; round < 20000; round++) {
		uint64_t at[8];
		unsigned n = shunt_pool_get(t->region, at, 8);
		shunt_region_info(t->region, &info);
		for (unsigned i = 0; i < n; i++)
			*(void **)((char *)info.base + at[i]) = t;
		for (unsigned i = 0; i < n; i++)
			t->clashes += *(void **)((char *)info.base + at[i]) != t;
		shunt_pool_put(t->region, at, n);
	}
	return NULL;
}

Test(region, pool_is_shared_by_threads)
{
	struct shunt_region *r = must_create((struct shunt_region_opts){.chunks = 12});
	struct taker takers[3] = {{r, 0}, {r, 0}, {r, 0}};
	pthread_t threads[3];
	struct shunt_region_info info;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, take_and_give, &takers[i]);
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		cr_assert_eq(takers[i].clashes, 0);
	}
	shunt_region_info(r, &info);
	cr_assert_eq(info.free, 12);
	cr_assert_eq(shunt_region_destroy(r, NULL), 0);
}

/* A cache never keeps more than it may, and gives what it has before it asks the pool. */
Test(region, cache_of_chunks)
{
	struct shunt_region *r = must_create((struct shunt_region_opts){.chunks = 4096});
	struct shunt_region_info info;
	struct shunt_chunks c;
	struct shunt_queue q = {.index = 3};
	struct shunt_pkt p[SHUNT_BURST_MAX];

	cr_assert_eq(shunt_chunks_init(&c, r, 512, 100), 0);
	cr_assert_eq(c.n, 100);
	cr_assert_eq(shunt_chunks_lend(&c, &q, p, 100, 64), 100);
	shunt_region_info(r, &info);
	cr_assert_eq(info.free, 3996);
	for (unsigned i = 0; i < 100; i++) {
		cr_assert_eq((uint8_t *)p[i].data, (uint8_t *)info.base + p[i].cookie + 64);
		cr_assert(p[i].len == info.chunk - 64 && p[i].region == info.id && p[i].queue == 3);
	}
	/* A chunk is known by where the packet is, whatever its cookie says. */
	p[0].cookie = 12345;
	shunt_chunks_return(&c, p, 100);
	cr_assert_eq(c.n, 100);
	for (unsigned k = 0; k < 14; k++) {
		struct shunt_pkt more[SHUNT_BURST_MAX];
		uint64_t at[SHUNT_BURST_MAX];
		cr_assert_eq(shunt_pool_get(r, at, SHUNT_BURST_MAX), SHUNT_BURST_MAX);
		for (unsigned i = 0; i < SHUNT_BURST_MAX; i++)
			more[i].data = (uint8_t *)info.base + at[i] + i % 2048;
		shunt_chunks_return(&c, more, SHUNT_BURST_MAX);
		cr_assert_leq(c.n, 512 + SHUNT_BURST_MAX);
	}
	/* `keep` stays, and beyond what there is nothing is lent. */
	while (shunt_chunks_have(&c, 512) == 512)
		c.n -= 512; /* the application has them */
	uint32_t left = shunt_chunks_have(&c, SHUNT_BURST_MAX);
	cr_assert_eq(shunt_chunks_lend_but(&c, &q, p, left, 0, 1), left ? left - 1 : 0);
	c.n = 0;
	cr_assert_eq(shunt_chunks_get(&c, &(uint64_t){0}), false);
	r->top = 0;
	shunt_chunks_drain(&c);
	shunt_chunks_drain(&c);
	shunt_region_discard(r); /* wherever its chunks are */
}

/* A lent region that is cut has a pool, and is held until all of it is back. */
Test(region, lent_and_cut)
{
	static char memory[8 * 4096];
	struct shunt_region *r;
	uint64_t at[8];

	cr_assert_eq(shunt_region_lend(&r, memory, sizeof memory, 4096, NULL), 0);
	cr_assert_eq(shunt_pool_get(r, at, 1), 0);
	cr_assert_eq(shunt_region_cut(r, 8192, NULL), 0);
	cr_assert_eq(shunt_pool_get(r, at, 8), 4);
	cr_assert_eq(at[3], 0);
	cr_assert_eq(shunt_region_destroy(r, NULL), -EBUSY);
	shunt_pool_put(r, at, 4);
	cr_assert_eq(shunt_region_destroy(r, NULL), 0);
}
