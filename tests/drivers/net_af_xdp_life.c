/* SPDX-License-Identifier: BSD-2-Clause
 * AF_XDP comes and goes: what it leaves alone, what it leaves behind, and what it says when the
 * interface goes or cannot do what was asked.
 */
#include "tests/drivers/xdp.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>

/* Programs in the kernel that are called name; ids of BPF objects only grow. */
static unsigned programs(const char *name)
{
	unsigned n = 0;

	for (uint32_t id = 0; !bpf_prog_get_next_id(id, &id);) {
		struct bpf_prog_info info = {.id = 0};
		uint32_t len = sizeof info;
		int fd = bpf_prog_get_fd_by_id(id);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len))
			n += !strcmp(info.name, name);
		if (fd >= 0)
			close(fd);
	}
	return n;
}

/* Links that hold such a program. */
static unsigned links(const char *name)
{
	unsigned n = 0;

	for (uint32_t id = 0; !bpf_link_get_next_id(id, &id);) {
		struct bpf_link_info link = {.id = 0};
		struct bpf_prog_info prog = {.id = 0};
		uint32_t llen = sizeof link, plen = sizeof prog;
		int fd = bpf_link_get_fd_by_id(id), pfd = -1;
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &link, &llen))
			pfd = bpf_prog_get_fd_by_id(link.prog_id);
		if (pfd >= 0 && !bpf_obj_get_info_by_fd(pfd, &prog, &plen))
			n += !strcmp(prog.name, name);
		if (pfd >= 0)
			close(pfd);
		if (fd >= 0)
			close(fd);
	}
	return n;
}

static int load_foreign(void)
{
	struct bpf_insn in[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT}};

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "somebody_elses", "GPL", in, 2, NULL);
}

/* The default depth, and the memory that `shunt devices` gives for it. */
Test(af_xdp_life, default_depth_and_its_memory)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, "mode=copy");
	struct shunt_driver_info driver;
	struct shunt_info info;
	struct shunt_err err;
	unsigned n = 0;

	while (!shunt_driver_at(n, &driver, &err) && strcmp(driver.scheme, "xdp"))
		n++;
	shunt_get_info(dev, &info);
	cr_assert_eq(info.depth, 2048);
	cr_assert(strstr(fact(dev, "depth"), "2048 frames: RX 2048, "), "%s", fact(dev, "depth"));
	if (!strcmp(fact(dev, "huge_pages"), "no"))
		cr_assert_eq(
			info.memory, driver.memory, "%lu, not %lu", info.memory, driver.memory);
	cr_assert_eq(shunt_close(dev, &err), 0, "%s", err.what);
	bench_lab_close(&the_lab);
}

Test(af_xdp_life, foreign_program_is_named_and_left_alone)
{
	static const uint32_t modes[] = {XDP_FLAGS_DRV_MODE, XDP_FLAGS_SKB_MODE};

	LAB();
	int prog = load_foreign();
	cr_assert_geq(prog, 0);
	for (int m = 0; m < 2; m++) {
		struct shunt_err err;
		uint32_t before = 0, after = 0;
		int back = shunt_netns_enter(the_lab.near_ns);
		int at = (int)the_lab.near_ifindex;
		cr_assert_eq(bpf_xdp_attach(at, prog, modes[m], NULL), 0);
		bpf_xdp_query_id(at, 0, &before);
		cr_assert_eq(refused(SHUNT_RX, "attach=auto", &err), -EBUSY);
		cr_assert(strstr(err.what, "somebody_elses"), "%s", err.what);
		cr_assert_eq(refused(SHUNT_RX, "action=drop&attach=skb", &err), -EBUSY);
		bpf_xdp_query_id(at, 0, &after);
		cr_assert_eq(before, after);
		cr_assert_neq(after, 0u);
		cr_assert_eq(bpf_xdp_detach(at, modes[m], NULL), 0);
		cr_assert_eq(shunt_netns_leave(back), 0);
	}
	close(prog);
	bench_lab_close(&the_lab);
}

/* A closed socket's tear-down is deferred: the next bind has to wait for it. */
Test(af_xdp_life, reopens_at_once_and_leaves_nothing)
{
	LAB(.queues = 2);
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	unsigned had = programs("shunt_redirect"), held = links("shunt_redirect");

	for (uint32_t i = 0; i < 20; i++) {
		struct shunt_dev *dev =
			near_dev(i % 3 ? SHUNT_RX : SHUNT_RXTX, i % 2 ? "attach=skb" : "depth=512");
		send_frames(fd, 0, 100, 60);
		cr_assert_eq(receive(dev, 0, false), 100);
		cr_assert_eq(closed_ledger(dev).received, 100);
		cr_assert_eq(shunt_close(dev, NULL), 0);
	}
	for (int i = 0; i < 300 && programs("shunt_redirect") > had; i++)
		usleep(10000); /* freed after an RCU grace period */
	cr_assert_leq(programs("shunt_redirect"), had);
	cr_assert_leq(links("shunt_redirect"), held);
	close(fd);
	bench_lab_close(&the_lab);
}

static bool waits; /* the caller waits: shunt_wait before each rx */

static void gone(const char *keys, int error, int (*act)(struct shunt_err *))
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, keys);
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	int fd = raw_open(the_lab.far_ns, BENCH_FAR), rc = 0;
	struct shunt_pkt p[SHUNT_BURST];
	struct shunt_info info;
	struct shunt_err err = {.code = 0};

	send_frames(fd, 0, 500, 60);
	usleep(20000);
	int back = shunt_netns_enter(the_lab.near_ns);
	cr_assert_eq(act(&err), 0, "%s", err.what);
	cr_assert_eq(shunt_netns_leave(back), 0);
	uint32_t got = 0;
	for (unsigned i = 0; i < (waits ? 100 : 10000000) && !rc; i++) {
		if (waits)
			cr_assert_geq(shunt_wait(&q, 1, 200), 0);
		int n = shunt_rx(q, p, SHUNT_BURST);
		if (n < 0)
			rc = n;
		else
			shunt_release(q, p, (unsigned)n);
		got += n > 0 ? (uint32_t)n : 0;
	}
	cr_assert_eq(rc, error, "%s", strerror(-rc));
	cr_assert_eq(got, strstr(keys, "drop") ? 0 : 500);
	cr_assert_eq(shunt_rx(q, p, 1), error);
	shunt_get_info(dev, &info);
	cr_assert(strstr(info.gone, BENCH_NEAR), "%s", info.gone);
	cr_assert_eq(closed_ledger(dev).received, 500);
	end(dev, fd);
}

static int take_down(struct shunt_err *err)
{
	return shunt_link_set_up(BENCH_NEAR, false, err);
}

static int delete (struct shunt_err *err)
{
	return shunt_link_delete(BENCH_NEAR, err);
}

Test(af_xdp_life, down_spin)
{
	gone("", -ENETDOWN, take_down);
}

Test(af_xdp_life, down_poll)
{
	gone("wait=poll&attach=skb", -ENETDOWN, take_down);
}

Test(af_xdp_life, down_while_the_caller_waits)
{
	waits = true;
	gone("", -ENETDOWN, take_down);
}

Test(af_xdp_life, deleted_while_the_caller_waits)
{
	waits = true;
	gone("wait=poll", -ENODEV, delete);
}

Test(af_xdp_life, down_drop)
{
	gone("action=drop", -ENETDOWN, take_down);
}

Test(af_xdp_life, deleted_spin)
{
	gone("attach=skb", -ENODEV, delete);
}

Test(af_xdp_life, deleted_poll)
{
	gone("wait=poll", -ENODEV, delete);
}

Test(af_xdp_life, deleted_drop)
{
	gone("action=drop&wait=poll", -ENODEV, delete);
}

Test(af_xdp_life, a_new_name_changes_nothing)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, "");
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	int back = shunt_netns_enter(the_lab.near_ns);

	cr_assert_eq(shunt_link_set_up(BENCH_NEAR, false, NULL), 0);
	cr_assert_eq(shunt_link_rename(BENCH_NEAR, "other0", NULL), 0);
	cr_assert_eq(shunt_link_set_up("other0", true, NULL), 0);
	cr_assert_eq(shunt_netns_leave(back), 0);
	send_frames(fd, 0, 500, 60);
	cr_assert_eq(receive(dev, 0, false), 500);
	cr_assert_eq(closed_ledger(dev).received, 500);
	end(dev, fd);
}

Test(af_xdp_life, refuses_what_it_cannot_do)
{
	LAB();
	static const struct {
		enum shunt_dir dir;
		const char *keys, *says;
	} bad[] = {{SHUNT_RX, "mode=zc", "zero-copy"},
		{SHUNT_RX, "mode=zc&attach=skb", "zero-copy"}, {SHUNT_RX, "fd=5", "fd=5"},
		{SHUNT_RX, "busy=8&wait=poll", "busy=8"}, {SHUNT_TX, "action=drop", "transmit"},
		{SHUNT_RX, "queues=1", "has 1"}, {SHUNT_RX, "queues=x", "queues=x"},
		{SHUNT_RX, "mode=fast", "auto|copy|zc"}};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct shunt_err err;
		cr_assert_lt(refused(bad[i].dir, bad[i].keys, &err), 0, "%s", bad[i].keys);
		cr_assert(strstr(err.what, bad[i].says), "%s: %s", bad[i].keys, err.what);
		cr_assert_eq(err.kind, SHUNT_ERR_USAGE, "%s", bad[i].keys);
	}
	bench_lab_close(&the_lab);
}

Test(af_xdp_life, busy_poll_says_that_it_does_nothing)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, "busy=64");
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	struct shunt_info info;
	bool said = false;

	send_frames(fd, 0, 500, 60);
	cr_assert_eq(receive(dev, 0, false), 500);
	cr_assert_eq(closed_ledger(dev).received, 500);
	cr_assert_str_eq(fact(dev, "napi_id"), "0");
	shunt_get_info(dev, &info);
	for (unsigned i = 0; i < info.nnotes; i++)
		said |= strstr(info.notes[i], "no NAPI id") != NULL;
	cr_assert(said);
	end(dev, fd);
}
