/* SPDX-License-Identifier: BSD-2-Clause
 * A bare AF_XDP socket with a program of six instructions, for tests that must not lean on a
 * driver: ring sizes are the test's, so that a ring can be made to overflow. Receive only, queue 0.
 */
#ifndef TESTS_DRIVERS_XSK_H
#define TESTS_DRIVERS_XSK_H

#include "tests/tracing/tracing.h"

#include <bpf/bpf.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <stddef.h>

#ifndef BPF_F_XDP_HAS_FRAGS
#define BPF_F_XDP_HAS_FRAGS (1U << 5) /* 5.18 */
#endif
#ifndef XDP_USE_SG
#define XDP_USE_SG (1 << 4) /* 6.6 */
#endif

#define XSK_CHUNK 2048u

struct xsk_opts {
	bool skb_mode, plain; /* plain: the program takes no frags */
	bool many_buffers;
	uint32_t rx, fill; /* descriptors, powers of two; all of FILL is filled */
};

struct xsk {
	int fd, link;
	uint32_t rx_mask, fill_mask;
	uint32_t *rx_producer, *rx_consumer, *fill_producer;
	struct xdp_desc *rx;
	uint64_t *fill;
};

/* Hold a program at near0; returns its link. */
static inline int attach_program(const struct bench_lab *lab, const struct bpf_insn *insns,
	size_t n, const struct xsk_opts *o)
{
	LIBBPF_OPTS(bpf_prog_load_opts, load, .prog_flags = o->plain ? 0 : BPF_F_XDP_HAS_FRAGS,
		.expected_attach_type = BPF_XDP);
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		.flags = o->skb_mode ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
	int prog = bpf_prog_load(BPF_PROG_TYPE_XDP, "test", "Dual BSD/GPL", insns, n, &load);

	cr_assert_geq(prog, 0, "%s", strerror(errno));
	int back = shunt_netns_enter(lab->near_ns);
	int link = bpf_link_create(prog, (int)lab->near_ifindex, BPF_XDP, &opts);
	cr_assert_geq(link, 0, "%s", strerror(errno));
	cr_assert_eq(shunt_netns_leave(back), 0);
	close(prog);
	return link;
}

static inline int attach_drop(const struct bench_lab *lab, const struct xsk_opts *o)
{
	const struct bpf_insn insns[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_DROP},
		{.code = BPF_JMP | BPF_EXIT}};

	return attach_program(lab, insns, 2, o);
}

static inline int attach_redirect(const struct bench_lab *lab, int map, const struct xsk_opts *o)
{
	const struct bpf_insn insns[] = {{.code = BPF_LDX | BPF_MEM | BPF_W,
						 .dst_reg = 2,
						 .src_reg = 1,
						 .off = offsetof(struct xdp_md, rx_queue_index)},
		{.code = BPF_LD | BPF_DW | BPF_IMM,
			.dst_reg = 1,
			.src_reg = BPF_PSEUDO_MAP_FD,
			.imm = map},
		{0}, {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = XDP_DROP},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect_map},
		{.code = BPF_JMP | BPF_EXIT}};

	return attach_program(lab, insns, sizeof insns / sizeof *insns, o);
}

static inline void *map_ring(int fd, uint64_t where, size_t len)
{
	void *p = mmap(
		NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, (off_t)where);

	cr_assert_neq(p, MAP_FAILED, "%s", strerror(errno));
	return p;
}

static inline void map_rings(struct xsk *x, const struct xsk_opts *o)
{
	struct xdp_mmap_offsets off;
	socklen_t len = sizeof off;

	cr_assert_eq(getsockopt(x->fd, SOL_XDP, XDP_MMAP_OFFSETS, &off, &len), 0);
	char *rx = map_ring(x->fd, XDP_PGOFF_RX_RING, off.rx.desc + o->rx * sizeof *x->rx);
	char *fill =
		map_ring(x->fd, XDP_UMEM_PGOFF_FILL_RING, off.fr.desc + o->fill * sizeof *x->fill);
	x->rx_producer = (uint32_t *)(void *)(rx + off.rx.producer);
	x->rx_consumer = (uint32_t *)(void *)(rx + off.rx.consumer);
	x->rx = (struct xdp_desc *)(void *)(rx + off.rx.desc);
	x->fill_producer = (uint32_t *)(void *)(fill + off.fr.producer);
	x->fill = (uint64_t *)(void *)(fill + off.fr.desc);
	x->rx_mask = o->rx - 1;
	x->fill_mask = o->fill - 1;
}

static inline void give_chunk(struct xsk *x, uint64_t at)
{
	uint32_t producer = *x->fill_producer;

	x->fill[producer & x->fill_mask] = at & ~(uint64_t)(XSK_CHUNK - 1);
	/* Orders the entry before the index; pairs with the kernel's xskq_cons_peek_addr. */
	__atomic_store_n(x->fill_producer, producer + 1, __ATOMIC_RELEASE);
}

static inline void bind_xsk(const struct xsk *x, const struct bench_lab *lab, bool many_buffers)
{
	struct sockaddr_xdp at = {.sxdp_family = AF_XDP,
		.sxdp_ifindex = lab->near_ifindex,
		.sxdp_flags = (uint16_t)(XDP_COPY | (many_buffers ? XDP_USE_SG : 0))};

	cr_assert_eq(bind(x->fd, (struct sockaddr *)&at, sizeof at), 0, "%s", strerror(errno));
}

static inline struct xsk open_xsk(const struct bench_lab *lab, const struct xsk_opts *o)
{
	size_t size = (size_t)o->fill * XSK_CHUNK;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct xdp_umem_reg reg = {.addr = (uintptr_t)memory, .len = size, .chunk_size = XSK_CHUNK};
	int none = 2, back = shunt_netns_enter(lab->near_ns);
	struct xsk x = {.fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0)};

	cr_assert_geq(x.fd, 0);
	cr_assert_eq(setsockopt(x.fd, SOL_XDP, XDP_UMEM_REG, &reg, sizeof reg), 0);
	cr_assert_eq(setsockopt(x.fd, SOL_XDP, XDP_UMEM_FILL_RING, &o->fill, 4), 0);
	cr_assert_eq(setsockopt(x.fd, SOL_XDP, XDP_UMEM_COMPLETION_RING, &none, 4), 0);
	cr_assert_eq(setsockopt(x.fd, SOL_XDP, XDP_RX_RING, &o->rx, 4), 0);
	map_rings(&x, o);
	for (uint32_t i = 0; i < o->fill; i++)
		give_chunk(&x, (uint64_t)i * XSK_CHUNK);
	bind_xsk(&x, lab, o->many_buffers);
	cr_assert_eq(shunt_netns_leave(back), 0);
	int map = bpf_map_create(BPF_MAP_TYPE_XSKMAP, "sockets", 4, 4, 1, NULL);
	cr_assert_geq(map, 0, "%s", strerror(errno));
	cr_assert_eq(bpf_map_update_elem(map, &(uint32_t){0}, &x.fd, 0), 0);
	x.link = attach_redirect(lab, map, o);
	close(map);
	return x;
}

/* Take all that is there; descriptors, and the bytes in them. */
static inline unsigned take_xsk(struct xsk *x, uint64_t *bytes)
{
	unsigned n = 0;

	/* Acquire: orders the index before the descriptors; pairs with xskq_prod_submit. */
	while (*x->rx_consumer != __atomic_load_n(x->rx_producer, __ATOMIC_ACQUIRE)) {
		const struct xdp_desc *d = &x->rx[*x->rx_consumer & x->rx_mask];
		*bytes += d->len;
		give_chunk(x, d->addr);
		__atomic_store_n(x->rx_consumer, *x->rx_consumer + 1, __ATOMIC_RELEASE);
		n++;
	}
	return n;
}

/* Until so many bytes have come, and no more do. */
static inline unsigned drain_xsk(struct xsk *x, uint64_t bytes)
{
	uint64_t have = 0;
	unsigned n = 0;

	for (int tries = 0; tries < 500 && have < bytes; tries++) {
		n += take_xsk(x, &have);
		if (have < bytes)
			usleep(10000);
	}
	cr_assert_eq(have, bytes, "%lu bytes, not %lu", have, bytes);
	cr_assert_eq(take_xsk(x, &have), 0u);
	return n;
}

static inline struct xdp_statistics xsk_statistics(const struct xsk *x)
{
	struct xdp_statistics st = {0};
	socklen_t len = sizeof st;

	cr_assert_eq(getsockopt(x->fd, SOL_XDP, XDP_STATISTICS, &st, &len), 0);
	return st;
}

#endif
