/* SPDX-License-Identifier: BSD-2-Clause
 * Load and attach redirect.bpf.c. Modes: native runs in the driver's NAPI poll before an skb
 * exists, skb (generic) runs after. No setrlimit: map memory is charged to the memory cgroup
 * (Linux 5.11); before that libbpf raises RLIMIT_MEMLOCK, and ignores a failure.
 */
#include "xdp/redirect.h"

#include "core/bpf_log.h"
#include "redirect.skel.h"
#include "xdp/redirect_count.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct shunt_redirect {
	struct shunt_redirect_opts opts;
	struct redirect_bpf *skel;
	int link;
	int ncpus;
	uint64_t *values; /* buffer for a map lookup: up to two words per CPU */
	uint64_t sockets; /* queues that have one in the map, bit i = queue i */
	bool skb;
	char fallback[120];
};

static const char *const may_load = "run as root, or with CAP_BPF and CAP_NET_ADMIN";

static int load(struct shunt_redirect *r, struct shunt_err *err)
{
	r->skel = redirect_bpf__open();
	if (!r->skel)
		return shunt_fail(
			err, -errno, NULL, "cannot open the XDP object: %s", strerror(errno));
	bpf_program__set_autoload(r->skel->progs.shunt_redirect, !r->opts.drop);
	bpf_program__set_autoload(r->skel->progs.shunt_drop, r->opts.drop);
	r->skel->rodata->covered = r->opts.queues;
	int rc = redirect_bpf__load(r->skel);
	if (rc)
		return shunt_fail(err, rc, rc == -EPERM || rc == -EACCES ? may_load : NULL,
			"cannot load the XDP program: %s", strerror(-rc));
	return 0;
}

int shunt_redirect_open(
	struct shunt_redirect **out, const struct shunt_redirect_opts *opts, struct shunt_err *err)
{
	struct shunt_redirect *r = calloc(1, sizeof *r);

	*out = NULL;
	if (!r)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	shunt_bpf_log_bridge();
	r->opts = *opts;
	r->link = -1;
	r->ncpus = libbpf_num_possible_cpus();
	r->values = r->ncpus > 0 ? calloc((size_t)r->ncpus, 2 * sizeof *r->values) : NULL;
	int rc = r->values ? load(r, err)
			   : shunt_fail(
				     err, -ENOTSUP, "mount /sys", "cannot read the number of CPUs");
	if (rc) {
		shunt_redirect_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

int shunt_redirect_set(struct shunt_redirect *r, uint32_t queue, int xsk, struct shunt_err *err)
{
	int map = bpf_map__fd(r->skel->maps.sockets);

	if (bpf_map_update_elem(map, &queue, &xsk, BPF_ANY))
		return shunt_fail(err, -errno, NULL,
			"cannot add the socket of queue %u to the XSKMAP: %s", queue,
			strerror(errno));
	r->sockets |= UINT64_C(1) << queue;
	return 0;
}

/* Describes the attached XDP program in text; false if there is none. */
static bool foreign(unsigned ifindex, char *text, size_t size)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	struct bpf_prog_info info = {.id = 0};
	__u32 len = sizeof info;

	if (bpf_xdp_query((int)ifindex, 0, &q))
		return false;
	__u32 id = q.prog_id       ? q.prog_id
		   : q.drv_prog_id ? q.drv_prog_id
		   : q.skb_prog_id ? q.skb_prog_id
				   : q.hw_prog_id;
	if (!id)
		return false;
	int fd = bpf_prog_get_fd_by_id(id);
	if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len))
		snprintf(text, size, "'%s' (id %u, %s)", info.name, id,
			q.attach_mode == XDP_ATTACHED_SKB ? "skb" : "native");
	else
		snprintf(text, size, "with id %u", id);
	if (fd >= 0)
		close(fd);
	return true;
}

static int refuse_foreign(
	const struct shunt_redirect *r, int rc, const char *who, struct shunt_err *err)
{
	return shunt_fail(err, rc, "detach it first, if it is yours: ip link set IF xdp off",
		"%.40s already has an XDP program, %s, which is not replaced", r->opts.ifname, who);
}

static int link_up(struct shunt_redirect *r, bool skb)
{
	struct bpf_program *p =
		r->opts.drop ? r->skel->progs.shunt_drop : r->skel->progs.shunt_redirect;
	LIBBPF_OPTS(
		bpf_link_create_opts, o, .flags = skb ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);

	r->link = bpf_link_create(bpf_program__fd(p), (int)r->opts.ifindex, BPF_XDP, &o);
	r->skb = skb;
	return r->link < 0 ? r->link : 0;
}

int shunt_redirect_attach(struct shunt_redirect *r, struct shunt_err *err)
{
	char who[96];

	if (foreign(r->opts.ifindex, who, sizeof who))
		return refuse_foreign(r, -EBUSY, who, err);
	int rc = link_up(r, r->opts.attach == SHUNT_XDP_SKB);
	/* Another process may have attached one meanwhile: no fallback, which would make two. */
	if (rc && foreign(r->opts.ifindex, who, sizeof who))
		return refuse_foreign(r, rc, who, err);
	if (rc && r->opts.attach == SHUNT_XDP_AUTO) {
		snprintf(r->fallback, sizeof r->fallback, "native attach refused (%s)",
			strerror(-rc));
		rc = link_up(r, true);
	}
	if (rc)
		return shunt_fail(err, rc,
			rc == -EPERM                         ? may_load
			: r->opts.attach == SHUNT_XDP_NATIVE ? "try attach=skb or attach=auto"
							     : NULL,
			"cannot attach the XDP program to %.40s in %s mode: %s", r->opts.ifname,
			r->skb ? "skb" : "native", strerror(-rc));
	return 0;
}

/* A detached program can still run in a NAPI poll, with frames counted and not yet in a ring. NAPI
 * polls are RCU read-side sections; this command waits for a grace period (Linux 4.3). */
static void wait_for_polls(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(20000); /* refused with nohz_full; a poll takes a millisecond or two */
}

static int sum(const struct shunt_redirect *r, struct bpf_map *map, __u32 key, uint64_t *to,
	unsigned words)
{
	if (bpf_map_lookup_elem(bpf_map__fd(map), &key, r->values))
		return -errno;
	for (int cpu = 0; cpu < r->ncpus; cpu++)
		for (unsigned w = 0; w < words; w++)
			to[w] += r->values[(unsigned)cpu * words + w];
	return 0;
}

int shunt_redirect_read(const struct shunt_redirect *r, struct shunt_redirect_counts *counts)
{
	uint64_t both[2] = {0, 0};
	int rc = sum(r, r->skel->maps.counts, 0, both, 2);

	*counts = (struct shunt_redirect_counts){.seen = both[0], .passed = both[1]};
	for (__u32 q = 0; !rc && r->opts.drop && q < REDIRECT_QUEUES; q++)
		rc = sum(r, r->skel->maps.dropped, q, &counts->dropped, 1);
	return rc;
}

/* A driver that loses its program may give up what a poll has in hand: veth unregisters its receive
 * queue at once (veth_disable_xdp_range()), and the kernel then refuses the redirect of a frame
 * that was counted (xsk_rcv_check()). So the sockets go first, and the program once no frame is on
 * its way to one. What it passes to the stack from then on came after the end: not counted. */
void shunt_redirect_detach(struct shunt_redirect *r)
{
	if (r->link < 0)
		return;
	if (r->sockets) {
		r->skel->bss->ended = 1;
		for (; r->sockets; r->sockets &= r->sockets - 1)
			bpf_map_delete_elem(bpf_map__fd(r->skel->maps.sockets),
				&(uint32_t){(uint32_t)__builtin_ctzll(r->sockets)});
		wait_for_polls();
	}
	close(r->link);
	r->link = -1;
	wait_for_polls();
}

void shunt_redirect_close(struct shunt_redirect *r)
{
	if (!r)
		return;
	shunt_redirect_detach(r);
	redirect_bpf__destroy(r->skel);
	free(r->values);
	free(r);
}

bool shunt_redirect_is_skb(const struct shunt_redirect *r)
{
	return r->skb;
}

const char *shunt_redirect_fallback(const struct shunt_redirect *r)
{
	return r->fallback;
}

int shunt_redirect_usable(struct shunt_err *err)
{
	struct bpf_insn pass[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT},
	};

	shunt_bpf_log_bridge();
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "shunt_usable", "Dual BSD/GPL", pass, 2, NULL);
	if (fd < 0)
		return shunt_fail(err, fd,
			fd == -EPERM ? may_load : "use a kernel with CONFIG_BPF_SYSCALL",
			"cannot load an XDP program: %s", strerror(-fd));
	close(fd);
	return 0;
}
