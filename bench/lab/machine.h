/* SPDX-License-Identifier: BSD-2-Clause
 * What machine this is and what its cores are doing, read from /proc and sysfs.
 */
#ifndef BENCH_LAB_MACHINE_H
#define BENCH_LAB_MACHINE_H

#include "core/metric.h"
#include <shunt/err.h>
#include <stdbool.h>
#include <stdint.h>

struct bench_machine {
	char kernel[96], cpu[96], clocksource[32];
	char virt[64]; /* "" on bare metal, as far as CPUID tells */
	bool emulated; /* a program plays the CPU: its times are no CPU's */
	unsigned cores;
	double load[3];
	unsigned huge_pages_free;
};
void bench_machine_read(struct bench_machine *m);

/* The two cores of a run: the application's and the generator's. With one core allowed they are
 * the same. Taken from the affinity that the process was started with. */
struct bench_cores {
	int app, generator;
	unsigned allowed;
};
int bench_cores_pick(struct bench_cores *cores, struct shunt_err *err);
/* Pin the calling thread. */
int bench_pin(int core, struct shunt_err *err);

/* Jiffies of one core, or of all with core -1, from /proc/stat: sampled by the tick. */
struct bench_ticks {
	uint64_t busy, softirq, steal, total;
};
int bench_ticks_read(int core, struct bench_ticks *t);
struct bench_ticks bench_ticks_since(const struct bench_ticks *now, const struct bench_ticks *then);

#endif
