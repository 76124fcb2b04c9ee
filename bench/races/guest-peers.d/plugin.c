/* SPDX-License-Identifier: BSD-2-Clause
 * A plugin of QEMU's translator (QEMU docs, devel/tcg-plugins): counts what a program does between
 * MARK_BEGIN and MARK_END, user space only. Arguments: out=FILE, which gets one line of JSON at
 * each MARK_REPORT. Debian packages no qemu-plugin.h; below is the part of version 4 (QEMU 9.2
 * and 10.0) that is used. Threads: a virtual CPU each. A program that marks stays on one.
 */
#include "mark.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
enum { QEMU_PLUGIN_CB_NO_REGS };
enum { QEMU_PLUGIN_MEM_RW = 3 };
typedef void on_tb(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void on_insn(unsigned cpu, void *data);
typedef void on_mem(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t addr, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, on_tb *cb);
void qemu_plugin_register_vcpu_insn_exec_cb(
	struct qemu_plugin_insn *insn, on_insn *cb, int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(
	struct qemu_plugin_insn *insn, on_mem *cb, int flags, int rw, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t len);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t addr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *addr);

#define EXPORT __attribute__((visibility("default")))
EXPORT extern int qemu_plugin_version;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);
int qemu_plugin_version = 4;

#define CPUS   8u
#define LINE   64u
#define SLOTS  16384u /* many more than the lines of any window */
#define KERNEL 47     /* addresses with this bit, or one above, are the kernel's */

static const char *const names[] = {
	"instructions", "loads", "stores", "mmio_reads", "mmio_writes", "lines"};
enum { INSTRUCTIONS, LOADS, STORES, MMIO_READS, MMIO_WRITES, LINES, COUNTS };

static struct cpu {
	bool counting;
	uint64_t sum[COUNTS], before[COUNTS], windows, most; /* most: instructions of a window */
	uint32_t window; /* number of this one: what is older in seen[] is forgotten */
	uint32_t used;
	struct {
		uint64_t line;
		uint32_t window;
	} seen[SLOTS];
} cpus[CPUS];
static FILE *out;

static void see_line(struct cpu *c, uint64_t line)
{
	uint32_t i = (uint32_t)((line * UINT64_C(0x9E3779B97F4A7C15)) >> 32) % SLOTS;

	for (; c->seen[i].window == c->window; i = (i + 1) % SLOTS)
		if (c->seen[i].line == line)
			return;
	if (c->used == SLOTS - 1)
		return; /* the report says so: no count is better than a wrong one */
	c->used++;
	c->seen[i].line = line;
	c->seen[i].window = c->window;
	c->sum[LINES]++;
}

static void insn_ran(unsigned cpu, void *data)
{
	(void)data;
	if (cpus[cpu].counting)
		cpus[cpu].sum[INSTRUCTIONS]++;
}

static void memory_used(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t addr, void *data)
{
	struct cpu *c = &cpus[cpu];

	(void)data;
	if (!c->counting)
		return;
	bool store = qemu_plugin_mem_is_store(info);
	const struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, addr);
	if (hw && qemu_plugin_hwaddr_is_io(hw)) {
		c->sum[store ? MMIO_WRITES : MMIO_READS]++;
		return;
	}
	c->sum[store ? STORES : LOADS]++;
	uint64_t last = (addr + (UINT64_C(1) << qemu_plugin_mem_size_shift(info)) - 1) / LINE;
	for (uint64_t line = addr / LINE; line <= last; line++)
		see_line(c, line);
}

static void forget(struct cpu *c)
{
	memset(c->sum, 0, sizeof c->sum);
	c->windows = c->most = 0;
}

static void report(struct cpu *c)
{
	fprintf(out, "{\"windows\": %" PRIu64 ", \"most\": %" PRIu64, c->windows, c->most);
	for (unsigned i = 0; i < COUNTS; i++)
		fprintf(out, ", \"%s\": %" PRIu64, names[i], c->sum[i]);
	fprintf(out, "}\n");
	fflush(out);
	forget(c);
}

static void mark_ran(unsigned cpu, void *data)
{
	struct cpu *c = &cpus[cpu];

	switch ((enum mark)(uintptr_t)data) {
	case MARK_BEGIN:
		memcpy(c->before, c->sum, sizeof c->before);
		c->window++;
		c->used = 0;
		c->counting = true;
		break;
	case MARK_END:
		c->counting = false;
		c->windows++;
		if (c->sum[INSTRUCTIONS] - c->before[INSTRUCTIONS] > c->most)
			c->most = c->sum[INSTRUCTIONS] - c->before[INSTRUCTIONS];
		break;
	case MARK_FORGET:
		forget(c);
		break;
	default:
		report(c);
		break;
	}
}

/* Which mark an instruction is; MARKS for none. */
static uint32_t mark_of(const struct qemu_plugin_insn *insn)
{
	uint8_t code[7];
	uint32_t at;

	if (qemu_plugin_insn_size(insn) != sizeof code)
		return MARKS;
	qemu_plugin_insn_data(insn, code, sizeof code);
	memcpy(&at, code + 3, sizeof at);
	bool nop = code[0] == 0x0f && code[1] == 0x1f && code[2] == 0x80;
	return nop && at - MARK_MAGIC < MARKS ? at - MARK_MAGIC : MARKS;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		if (qemu_plugin_insn_vaddr(insn) >> KERNEL)
			return;
		uint32_t mark = mark_of(insn);
		if (mark < MARKS) {
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, mark_ran, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)mark);
			continue;
		}
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, insn_ran, QEMU_PLUGIN_CB_NO_REGS, NULL);
		qemu_plugin_register_vcpu_mem_cb(
			insn, memory_used, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "we");
	if (!out) {
		fprintf(stderr, "guest-peers' plugin: out=FILE is missing, or can't be written\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
