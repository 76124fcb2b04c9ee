/* SPDX-License-Identifier: BSD-2-Clause
 * The lab: two private network namespaces and a veth pair between them, near0 and far0. Only
 * descriptors of this process hold it, so that the kernel removes it when the process ends, even by
 * SIGKILL. Frames in it are addressed to another host, so that no IP stack processes them.
 */
#ifndef BENCH_LAB_LAB_H
#define BENCH_LAB_LAB_H

#include <shunt/err.h>
#include <stdbool.h>
#include <stdint.h>

#define BENCH_NEAR "near0" /* devices under test */
#define BENCH_FAR  "far0"  /* generators */
#define BENCH_MTU  1508u   /* lets 1522-byte QinQ frames pass */

extern const uint8_t bench_near_mac[6], bench_far_mac[6], bench_other_mac[6];

struct bench_lab_opts {
	uint32_t queues; /* of each end; 0 = 1 */
	bool merge;      /* let GRO merge frames, as a stock system would */
};

struct bench_lab {
	int near_ns, far_ns; /* namespace fds */
	/* For the netns= key of a spec: "/proc/self/fd/N". */
	char near_path[32], far_path[32];
	unsigned near_ifindex, far_ifindex;
};

/* On return the calling thread is in its own namespace again. -EPERM, ... */
int bench_lab_open(struct bench_lab *lab, const struct bench_lab_opts *opts, struct shunt_err *err);
void bench_lab_close(struct bench_lab *lab);

/* Run a command in the near namespace, with a far namespace for `lab-exec`, in a PID and a mount
 * namespace of its own: when this process dies, all processes of the command are killed. argv NULL
 * is the user's shell. Returns the command's exit status (128 + signal), or -errno. */
int bench_lab_run(char *const argv[], const struct bench_lab_opts *opts, struct shunt_err *err);

/* From inside a lab: exec a command in the far namespace. Returns only on error. */
int bench_lab_exec_far(char *const argv[], struct shunt_err *err);

#endif
