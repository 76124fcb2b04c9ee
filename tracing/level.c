/* SPDX-License-Identifier: BSD-2-Clause
 * The level that this kernel allows, found by loading and briefly attaching an empty program. By
 * low-level calls: here a refusal is a result, not an error to log.
 */
#include "core/bpf_log.h"
#include "tracing/private.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Called only by the kernel's own BPF self-test. */
#define QUIET_FUNCTION "bpf_fentry_test1"

/* Load and attach an empty tracing program (r0 = 0; exit). 0 or -errno. */
static int try_tracing(int id, enum bpf_attach_type type)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K}, {.code = BPF_JMP | BPF_EXIT}};
	LIBBPF_OPTS(
		bpf_prog_load_opts, opts, .expected_attach_type = type, .attach_btf_id = (__u32)id);

	if (id < 0)
		return id;
	int prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "shunt_level", "Dual BSD/GPL", insns,
		sizeof insns / sizeof *insns, &opts);
	if (prog < 0)
		return -errno;
	int link = bpf_raw_tracepoint_open(NULL, prog);
	int rc = link < 0 ? -errno : 0;
	if (link >= 0)
		close(link);
	close(prog);
	return rc;
}

static bool try_kprobe(void)
{
	struct perf_event_attr attr = {.size = sizeof attr};
	FILE *in = fopen("/sys/bus/event_source/devices/kprobe/type", "re");
	unsigned type;

	if (!in)
		return false;
	int got = fscanf(in, "%u", &type);
	fclose(in);
	if (got != 1)
		return false;
	attr.type = type;
	attr.config1 = (uint64_t)(uintptr_t)QUIET_FUNCTION;
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

bool shunt_trace_allows_functions(const struct btf *btf)
{
	return btf && !try_tracing(btf__find_by_name_kind(btf, QUIET_FUNCTION, BTF_KIND_FUNC),
			      BPF_TRACE_FENTRY);
}

enum shunt_trace_level shunt_trace_level(void)
{
	shunt_bpf_log_bridge();
	int function = libbpf_find_vmlinux_btf_id(QUIET_FUNCTION, BPF_TRACE_FENTRY);
	if (!try_tracing(function, BPF_TRACE_FENTRY))
		return SHUNT_LEVEL_F;
	int event = libbpf_find_vmlinux_btf_id("sched_switch", BPF_TRACE_RAW_TP);
	if (try_tracing(event, BPF_TRACE_RAW_TP))
		return SHUNT_LEVEL_NONE;
	return try_kprobe() ? SHUNT_LEVEL_K : SHUNT_LEVEL_T;
}

const char *shunt_trace_level_gap(enum shunt_trace_level level)
{
	static const char *const gaps[] = {
		[SHUNT_LEVEL_NONE] = "system calls, copies and softirq time: no BPF tracing here",
		[SHUNT_LEVEL_T] = "the time of a copy, the size of ring copies, and AF_XDP's "
				  "copies of what it sends: fentry is refused",
		[SHUNT_LEVEL_K] =
			"the time of a copy, the size of ring copies, and AF_XDP's "
			"copies of what it sends: fentry is refused, kprobes are not used",
		[SHUNT_LEVEL_F] = "the time of a copy: not implemented",
	};

	return gaps[level];
}
