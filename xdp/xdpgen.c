/* SPDX-License-Identifier: BSD-2-Clause
 * Load the generator's program and run it. Nothing is pinned: maps, program and the spare veth's
 * link live as long as this process's descriptors.
 */
#include "xdp/xdpgen.h"

#include "core/bpf_log.h"
#include "core/link.h"
#include "xdpgen.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int test_run(int fd, __u32 frames, __u32 batch, __u32 len)
{
	/* What the pages hold at first; the program writes over it. */
	static const unsigned char blank[XDPGEN_FRAME];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = blank, .data_size_in = len,
		.repeat = (int)frames, .batch_size = batch, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);

	return bpf_prog_test_run_opts(fd, &opts);
}

static int refused(int rc, const char *doing, struct shunt_err *err)
{
	return shunt_fail(err, rc,
		rc == -EPERM ? "run as root: it needs CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON"
			     : NULL,
		"cannot %s: %s", doing, strerror(-rc));
}

int shunt_xdpgen_usable(struct shunt_err *err)
{
	/* return XDP_DROP; */
	const struct bpf_insn drop[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = XDP_DROP},
		{.code = BPF_JMP | BPF_EXIT}};

	shunt_bpf_log_bridge();
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "xdpgen_probe", "Dual BSD/GPL", drop, 2, NULL);
	if (fd < 0)
		return refused(-errno, "load a BPF program", err);
	int rc = test_run(fd, 1, 1, 64);
	close(fd);
	if (rc == -EINVAL)
		return shunt_fail(err, -ENOTSUP, "Linux 5.18 brought them",
			"this kernel makes no live XDP frames");
	return rc ? refused(rc, "make live XDP frames", err) : 0;
}

/* With repeat > 1, a test run patches the program into the XDP dispatcher and out again, which
 * stops all CPUs twice: 1.2 ms. A program that is attached somewhere is there already. So attach
 * it where no packet ever arrives: a veth that is down, in a namespace of its own. */
static int attach_spare(struct shunt_xdpgen *gen, struct shunt_err *err)
{
	const struct shunt_veth veth = {.name = "spare0",
		.peer = "spare1",
		.peer_ns = -1,
		.mtu = 1500,
		.mac = {2, 0, 0, 0, 1, 1},
		.peer_mac = {2, 0, 0, 0, 1, 2}};

	if (unshare(CLONE_NEWNET))
		return shunt_fail(
			err, -errno, NULL, "no network namespace for it: %s", strerror(errno));
	gen->spare_ns = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (gen->spare_ns < 0)
		return shunt_fail(err, -errno, NULL, "open: %s", strerror(errno));
	int rc = shunt_veth_create(&veth, err);
	if (rc)
		return rc;
	gen->spare =
		bpf_program__attach_xdp(gen->skel->progs.xdpgen, (int)if_nametoindex(veth.name));
	return gen->spare ? 0 : shunt_fail(err, -errno, NULL, "cannot attach: %s", strerror(errno));
}

static int make_cheap(struct shunt_xdpgen *gen, struct shunt_err *err)
{
	struct shunt_err why = {.code = 0};
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	if (home < 0) {
		snprintf(gen->note, sizeof gen->note, "no spare veth, 1 ms per call: open: %s",
			strerror(errno));
		return 0;
	}
	if (attach_spare(gen, &why))
		snprintf(gen->note, sizeof gen->note, "no spare veth, 1 ms per call: %.110s",
			why.what);
	int rc = setns(home, CLONE_NEWNET) ? -errno : 0;
	close(home);
	/* Where unshare was refused, setns may be, too, and the thread never left. */
	if (rc && gen->spare_ns >= 0)
		return shunt_fail(
			err, rc, NULL, "cannot return to this namespace: %s", strerror(-rc));
	return 0;
}

static int map_slots(struct shunt_xdpgen *gen, struct shunt_err *err)
{
	size_t len = (size_t)gen->nslots * XDPGEN_SLOT;
	void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		bpf_map__fd(gen->skel->maps.slots), 0);

	if (at == MAP_FAILED)
		return shunt_fail(err, -errno, NULL, "cannot map %zu MiB of frames: %s", len >> 20,
			strerror(errno));
	gen->slots = at;
	return 0;
}

int shunt_xdpgen_open(struct shunt_xdpgen *gen, __u32 nslots, struct shunt_err *err)
{
	int rc;

	shunt_bpf_log_bridge();
	*gen = (struct shunt_xdpgen){.nslots = nslots, .spare_ns = -1};
	gen->skel = xdpgen_bpf__open();
	if (!gen->skel)
		return refused(-errno, "read the generator's program", err);
	rc = bpf_map__set_max_entries(gen->skel->maps.slots, nslots);
	if (!rc)
		rc = xdpgen_bpf__load(gen->skel);
	if (rc) {
		rc = refused(rc, "load the generator's program", err);
		goto fail;
	}
	gen->run = &gen->skel->bss->run;
	gen->prog_fd = bpf_program__fd(gen->skel->progs.xdpgen);
	rc = map_slots(gen, err);
	if (!rc)
		rc = make_cheap(gen, err);
	if (!rc)
		return 0;
fail:
	shunt_xdpgen_close(gen);
	return rc;
}

int shunt_xdpgen_aim(struct shunt_xdpgen *gen, __u32 ifindex, struct shunt_err *err)
{
	__u32 key = 0;
	int rc = bpf_map__update_elem(
		gen->skel->maps.out, &key, sizeof key, &ifindex, sizeof ifindex, BPF_ANY);

	return rc ? shunt_fail(
			    err, rc, NULL, "cannot aim at interface %u: %s", ifindex, strerror(-rc))
		  : 0;
}

int shunt_xdpgen_call(struct shunt_xdpgen *gen, __u32 frames, __u32 batch, __u32 longest)
{
	return test_run(gen->prog_fd, frames, batch, longest);
}

void shunt_xdpgen_close(struct shunt_xdpgen *gen)
{
	/* The link first: a device that dies with its namespace takes the link along. */
	bpf_link__destroy(gen->spare);
	if (gen->spare_ns >= 0)
		close(gen->spare_ns);
	if (gen->slots)
		munmap(gen->slots, (size_t)gen->nslots * XDPGEN_SLOT);
	xdpgen_bpf__destroy(gen->skel);
	*gen = (struct shunt_xdpgen){.spare_ns = -1};
}
