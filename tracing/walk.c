/* SPDX-License-Identifier: BSD-2-Clause
 * Runs the iterators of walk.bpf.c.
 */
#include "tracing/walk.h"

#include "core/bpf_log.h"
#include "walk.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INITIAL_PID_NS 0xeffffffcu /* PROC_PID_INIT_INO */

void shunt_walk_load(struct trace_walk *w)
{
	struct walk_bpf *skel;

	memset(w, 0, sizeof *w);
	shunt_bpf_log_bridge();
	skel = walk_bpf__open_and_load();
	if (!skel)
		snprintf(w->reason, sizeof w->reason, "the kernel refused task iterators (%s)",
			strerror(errno));
	w->skel = skel;
}

void shunt_walk_unload(struct trace_walk *w)
{
	walk_bpf__destroy(w->skel);
	w->skel = NULL;
}

/* Run an iterator, and pass each record of size bytes to take(). */
static int walk(const struct bpf_program *prog, pid_t pid, size_t size,
	void (*take)(void *ctx, const void *record), void *ctx)
{
	union bpf_iter_link_info info = {.task.pid = (__u32)pid};
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof info);
	struct bpf_link *link = bpf_program__attach_iter(prog, pid ? &opts : NULL);
	char buf[4096];
	size_t have = 0;
	ssize_t got;

	if (!link && pid) /* before 6.1 the kernel cannot restrict it; the program filters */
		link = bpf_program__attach_iter(prog, NULL);
	if (!link)
		return -errno;
	int fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0) {
		got = -errno;
		goto out;
	}
	while ((got = read(fd, buf + have, sizeof buf - have)) > 0) {
		size_t at = 0;

		for (have += (size_t)got; have - at >= size; at += size)
			take(ctx, buf + at);
		memmove(buf, buf + at, have - at);
		have -= at;
	}
	if (got < 0)
		got = -errno;
	close(fd);
out:
	bpf_link__destroy(link);
	return (int)got;
}

static void take_task(void *ctx, const void *record)
{
	struct trace_task *wanted = ctx;
	const struct trace_task *task = record;

	if (task->ns_tid == wanted->ns_tid)
		wanted->tid = task->tid;
}

uint32_t shunt_walk_tid(struct trace_walk *w, pid_t tid)
{
	struct trace_task wanted = {.ns_tid = (uint32_t)tid};
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns))
		return 0;
	if (ns.st_ino == INITIAL_PID_NS)
		return (uint32_t)tid;
	if (!w->skel)
		return 0;
	w->skel->bss->pid_ns = (uint32_t)ns.st_ino;
	walk(w->skel->progs.walk_tasks, 0, sizeof wanted, take_task, &wanted);
	return wanted.tid;
}

struct wanted_sockets {
	const int *fds;
	struct trace_socket *out;
	unsigned n;
};

static void take_socket(void *ctx, const void *record)
{
	const struct wanted_sockets *wanted = ctx;
	const struct trace_socket *s = record;

	for (unsigned i = 0; i < wanted->n; i++)
		if (wanted->fds[i] >= 0 && (uint32_t)wanted->fds[i] == s->fd)
			wanted->out[i] = *s;
}

int shunt_walk_sockets(
	struct trace_walk *w, pid_t pid, const int *fds, struct trace_socket *out, unsigned n)
{
	struct wanted_sockets wanted = {fds, out, n};

	if (!w->skel)
		return -ENOTSUP;
	w->hits++;
	w->skel->bss->tgid = shunt_walk_tid(w, pid);
	return walk(w->skel->progs.walk_files, pid, sizeof *out, take_socket, &wanted);
}
