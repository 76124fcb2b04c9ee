/* SPDX-License-Identifier: BSD-2-Clause
 * Marks that a program in the guest leaves for the plugin: a NOP of seven bytes, 0F 1F /0 with a
 * 32-bit displacement (Intel SDM, volume 2, NOP), which no compiler writes with this displacement.
 */
#ifndef BENCH_RACES_GUEST_PEERS_D_MARK_H
#define BENCH_RACES_GUEST_PEERS_D_MARK_H

#define MARK_MAGIC 0x53687400u
enum mark {
	MARK_BEGIN,  /* of a window: count from here */
	MARK_END,    /* of a window: to here */
	MARK_FORGET, /* all windows so far: they were a warm-up */
	MARK_REPORT, /* the sums of all windows, and begin anew */
	MARKS
};

#define MARK(m) __asm__ volatile("nopl %c0(%%rax)" : : "i"(MARK_MAGIC + (m)) : "memory")

#endif
