/* SPDX-License-Identifier: BSD-2-Clause
 * The machine and the load of its cores, from /proc and sysfs.
 */
#ifndef BENCH_LAB_MACHINE_H
#define BENCH_LAB_MACHINE_H

#include "core/metric.h"
#include <shunt/err.h>
#include <stdbool.h>
#include <stdint.h>

struct bench_machine {
	char kernel[96], cpu[96], clocksource[32];
	char virt[64]; /* "" where CPUID reports no hypervisor */
	bool emulated; /* the CPU is emulated in software: its times are not those of a CPU */
	unsigned cores;
	double load[3];
	unsigned huge_pages_free;
};
void bench_machine_read(struct bench_machine *m);

/* The two cores of a run: the application's and the generator's, of those in the process's CPU
 * affinity. With one core allowed they are the same. */
struct bench_cores {
	int app, generator;
	unsigned allowed;
};
int bench_cores_pick(struct bench_cores *cores, struct shunt_err *err);
/* Pin the calling thread. */
int bench_pin(int core, struct shunt_err *err);

/* Clock ticks of one core, or of all with core -1, from /proc/stat, which samples per tick. */
struct bench_ticks {
	uint64_t busy, softirq, steal, total;
};
int bench_ticks_read(int core, struct bench_ticks *t);
struct bench_ticks bench_ticks_since(const struct bench_ticks *now, const struct bench_ticks *then);

#endif
