/* SPDX-License-Identifier: BSD-2-Clause
 * Links as they are listed, and what drivers say to one that is down.
 */
#include "core/link.h"
#include "core/link_list.h"
#include "core/netns.h"
#include "drivers/core/driver.h"
#include "tests/net.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof *attr);
}

static int load_pass(void)
{
	static const struct bpf_insn pass[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT}};
	union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_XDP,
		.insn_cnt = 2,
		.insns = (uintptr_t)pass,
		.license = (uintptr_t) "Dual BSD/GPL"};

	return bpf(BPF_PROG_LOAD, &attr);
}

static uint32_t id_of(int prog)
{
	struct bpf_prog_info info = {.type = 0};
	union bpf_attr attr = {.info = {.bpf_fd = (uint32_t)prog,
				       .info_len = sizeof info,
				       .info = (uintptr_t)&info}};

	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : info.id;
}

static struct shunt_link near_link(void)
{
	struct shunt_link links[8];
	struct shunt_err err = {.code = 0};
	int n = shunt_link_list(links, 8, &err);

	cr_assert_eq(n, 2, "%d links: %s", n, err.what); /* lo and near0 */
	cr_assert_str_eq(links[0].name, "lo");
	cr_assert_str_eq(links[1].name, BENCH_NEAR);
	return links[1];
}

Test(link, list)
{
	NEED_LAB(lab);
	int back = shunt_netns_enter(lab.near_ns);
	struct shunt_link l = near_link();
	cr_assert_eq(l.index, lab.near_ifindex);
	cr_assert_str_eq(l.driver, "veth");
	cr_assert(l.up && l.carrier);
	cr_assert_eq(l.mtu, BENCH_MTU);
	cr_assert(l.rx_queues == 1 && l.tx_queues == 1);
	cr_assert(!l.xdp && !l.xdp_prog_id);
	cr_assert_eq(shunt_link_set_up(BENCH_NEAR, false, NULL), 0);
	cr_assert(!near_link().up);
	/* Fewer places than links: the number is told, and nothing beyond is written. */
	cr_assert_eq(shunt_link_list(&l, 1, NULL), 2);
	cr_assert_str_eq(l.name, "lo");
	shunt_netns_leave(back);
	bench_lab_close(&lab);
}

Test(link, xdp_program_is_named)
{
	NEED_LAB(lab);
	static const struct {
		uint32_t flag;
		const char *mode;
	} modes[] = {{1u << 1, "skb"}, {1u << 2, "native"}}; /* XDP_FLAGS_SKB_MODE, _DRV_MODE */
	int back = shunt_netns_enter(lab.near_ns), prog = load_pass();
	if (prog < 0)
		cr_skip_test("no BPF: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		union bpf_attr attr = {.link_create = {.prog_fd = (uint32_t)prog,
					       .target_ifindex = lab.near_ifindex,
					       .attach_type = BPF_XDP,
					       .flags = modes[i].flag}};
		int link = bpf(BPF_LINK_CREATE, &attr);
		cr_assert_geq(link, 0, "%s: %s", modes[i].mode, strerror(errno));
		struct shunt_link l = near_link();
		cr_assert_not_null(l.xdp);
		cr_assert_str_eq(l.xdp, modes[i].mode);
		cr_assert_eq(l.xdp_prog_id, id_of(prog));
		close(link);
		cr_assert_null(near_link().xdp);
	}
	close(prog);
	shunt_netns_leave(back);
	bench_lab_close(&lab);
}

Test(link, down_has_a_remedy)
{
	NEED_LAB(lab);
	const struct shunt_driver *d;
	int back = shunt_netns_enter(lab.near_ns), asked = 0;
	cr_assert_eq(shunt_link_set_up(BENCH_NEAR, false, NULL), 0);
	shunt_netns_leave(back);
	for (unsigned i = 0; (d = shunt_driver_table(i)); i++) {
		struct shunt_err err = {.code = 0};
		struct shunt_dev *dev;
		char spec[128];
		if (!d->is_netdev)
			continue;
		snprintf(spec, sizeof spec, "%s:" BENCH_NEAR "?netns=%s", d->scheme, lab.near_path);
		cr_assert_eq(shunt_open(&dev, spec, d->dirs & SHUNT_RX ? SHUNT_RX : SHUNT_TX, &err),
			-ENETDOWN, "%s: %s", spec, err.what);
		cr_assert_null(dev);
		cr_assert_str_eq(err.remedy, "ip link set " BENCH_NEAR " up");
		asked++;
	}
	bench_lab_close(&lab);
	if (!asked)
		cr_skip_test("no driver for network interfaces was built");
}
