/* SPDX-License-Identifier: BSD-2-Clause
 * BPF iterators over threads and sockets. They run while they are read; nothing stays attached.
 */
#ifndef TRACING_WALK_H
#define TRACING_WALK_H

#include "tracing/shared.h"

#include <shunt/err.h>
#include <stdint.h>
#include <sys/types.h>

struct walk_bpf;

struct trace_walk {
	struct walk_bpf *skel; /* NULL: reason says why */
	uint64_t hits;         /* iterations over a process's files */
	char reason[160];
};

void shunt_walk_load(struct trace_walk *w); /* on failure reason is set and skel is NULL */
void shunt_walk_unload(struct trace_walk *w);

/* Translates a thread id of this process's PID namespace to the initial one; 0 if there is none. */
uint32_t shunt_walk_tid(struct trace_walk *w, pid_t tid);

/* Sockets of a process: fills out[i] for fds[i]; sk is 0 where that is no socket. 0 or -errno. */
int shunt_walk_sockets(
	struct trace_walk *w, pid_t pid, const int *fds, struct trace_socket *out, unsigned n);

#endif
