/* SPDX-License-Identifier: BSD-2-Clause
 * What the kernel allows, by trying: sockets, BPF, namespaces, tracing.
 */
#include "apps/doctor.h"
#include "bench/lab/lab.h"
#ifdef HAVE_TRACING
#include "tracing/tracer.h"
#endif

#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/if_ether.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef AF_XDP
#define AF_XDP 44
#endif

static const char as_root[] = "run as root";

static void look_version(struct doctor_finding *f)
{
	struct utsname u;
	unsigned major = 0, minor = 0;

	uname(&u);
	sscanf(u.release, "%u.%u", &major, &minor);
	if (major < 5 || (major == 5 && minor < 18))
		doctor_say(f, DOCTOR_WARN, "use Linux 5.18 or later",
			"%.60s %.60s: XDP live frames need 5.18", u.sysname, u.release);
	else
		doctor_say(
			f, DOCTOR_OK, NULL, "%.60s %.60s, %.20s", u.sysname, u.release, u.machine);
}

static void look_capabilities(struct doctor_finding *f)
{
	static const struct {
		const char *name;
		unsigned bit, or ;
	} caps[] = {{"CAP_NET_ADMIN", CAP_NET_ADMIN, CAP_NET_ADMIN},
		{"CAP_NET_RAW", CAP_NET_RAW, CAP_NET_RAW},
		{"CAP_SYS_ADMIN", CAP_SYS_ADMIN, CAP_SYS_ADMIN},
		{"CAP_BPF", CAP_BPF, CAP_SYS_ADMIN}, {"CAP_PERFMON", CAP_PERFMON, CAP_SYS_ADMIN}};
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	char missing[128] = "";

	syscall(SYS_capget, &head, data);
	uint64_t have = data[0].effective | (uint64_t)data[1].effective << 32;
	for (size_t i = 0; i < sizeof caps / sizeof *caps; i++)
		if (!(have >> caps[i].bit & 1) && !(have >> caps[i].or &1)) {
			strcat(missing, *missing ? ", " : "");
			strcat(missing, caps[i].name);
		}
	if (*missing)
		doctor_say(f, DOCTOR_NO, as_root, "user %u lacks %s", (unsigned)geteuid(), missing);
	else
		doctor_say(f, DOCTOR_OK, NULL, "user %u has the capabilities needed",
			(unsigned)geteuid());
}

static void look_lab(struct doctor_finding *f)
{
	struct shunt_err err;
	struct bench_lab lab;

	if (bench_lab_open(&lab, NULL, &err)) {
		doctor_say(f, DOCTOR_NO, err.remedy, "%s", err.what);
		return;
	}
	bench_lab_close(&lab);
	doctor_say(
		f, DOCTOR_OK, NULL, "created and removed two network namespaces and a veth pair");
}

static void try_socket(
	struct doctor_finding *f, int family, const char *name, const char *kernel_option)
{
	char remedy[128];
	int fd = socket(family, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd >= 0) {
		close(fd);
		doctor_say(f, DOCTOR_OK, NULL, "an %s socket was opened", name);
		return;
	}
	snprintf(remedy, sizeof remedy, "use a kernel with %s", kernel_option);
	doctor_say(f, DOCTOR_NO, errno == EPERM ? "this needs CAP_NET_RAW: run as root" : remedy,
		"cannot open an %s socket: %s", name, strerror(errno));
}

static void look_packet(struct doctor_finding *f)
{
	try_socket(f, AF_PACKET, "AF_PACKET", "CONFIG_PACKET");
}

static void look_xsk(struct doctor_finding *f)
{
	try_socket(f, AF_XDP, "AF_XDP", "CONFIG_XDP_SOCKETS");
}

/* By the system call itself: works without libbpf, and reports the kernel's own error. */
static void look_bpf(struct doctor_finding *f)
{
	static const struct bpf_insn pass[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT}};
	union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_XDP,
		.insn_cnt = 2,
		.insns = (uintptr_t)pass,
		.license = (uintptr_t) "Dual BSD/GPL"};
	int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr);

	if (fd >= 0) {
		close(fd);
		doctor_say(f, DOCTOR_OK, NULL, "an XDP program was loaded");
		return;
	}
	doctor_say(f, DOCTOR_NO,
		errno == EPERM ? "this needs CAP_BPF and CAP_NET_ADMIN: run as root"
			       : "use a kernel with CONFIG_BPF_SYSCALL",
		"the kernel refused an XDP program: %s", strerror(errno));
}

static void look_jit(struct doctor_finding *f)
{
	char on[16];
	int rc = doctor_read("/proc/sys/net/core/bpf_jit_enable", on, sizeof on);

	if (rc == -EACCES || rc == -EPERM)
		doctor_say(f, DOCTOR_WARN, as_root, "only root can read whether it is enabled");
	else if (rc)
		doctor_say(f, DOCTOR_WARN, "mount /proc", "cannot read whether it is enabled: %s",
			strerror(-rc));
	else if (*on == '0')
		doctor_say(f, DOCTOR_WARN, "sysctl net.core.bpf_jit_enable=1",
			"BPF programs are interpreted, several times slower");
	else
		doctor_say(f, DOCTOR_OK, NULL, "BPF programs are JIT-compiled");
}

static void look_btf(struct doctor_finding *f)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		doctor_say(f, DOCTOR_NO, "use a kernel with CONFIG_DEBUG_INFO_BTF, and mount /sys",
			"no /sys/kernel/btf/vmlinux: %s", strerror(errno));
	else
		doctor_say(f, DOCTOR_OK, NULL, "the kernel has type information");
}

static void look_tracing(struct doctor_finding *f)
{
#ifdef HAVE_TRACING
	enum shunt_trace_level level = shunt_trace_level();
	const char *gap = shunt_trace_level_gap(level);

	if (level == SHUNT_LEVEL_NONE)
		doctor_say(f, DOCTOR_NO,
			geteuid() ? as_root : "use a kernel with CONFIG_BPF_EVENTS",
			"level none: not visible: %s", gap);
	else
		doctor_say(f, DOCTOR_OK, NULL, "level %s (%s): not visible: %s",
			shunt_trace_level_name(level), shunt_trace_level_means(level), gap);
#else
	doctor_say(f, DOCTOR_NO,
		"build with libbpf, clang and bpftool: scripts/setup installs them",
		"shunt was built without its tracer");
#endif
}

const struct doctor_item doctor_kernel[] = {
	{"Linux", 0, look_version},
	{"privileges", 1, look_capabilities},
	{"lab", 1, look_lab},
	{"AF_PACKET", 1, look_packet},
	{"AF_XDP", 1, look_xsk},
	{"BPF", 1, look_bpf},
	{"BPF JIT", 0, look_jit},
	{"BTF", 0, look_btf},
	{"tracing", 0, look_tracing},
	{NULL, 0, NULL},
};
