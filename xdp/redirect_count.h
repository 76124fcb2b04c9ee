/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Shared by redirect.bpf.c and its loader: the layout of a CPU's counters. */
#ifndef XDP_REDIRECT_COUNT_H
#define XDP_REDIRECT_COUNT_H

#include <linux/types.h>

#define REDIRECT_QUEUES 64

struct redirect_count {
	__u64 seen;   /* every frame */
	__u64 passed; /* frames of queues without a socket: passed to the kernel's stack */
};

#endif
