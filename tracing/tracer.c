/* SPDX-License-Identifier: BSD-2-Clause
 * The tracer: requested probes are loaded once, set to queues and threads, and attached for a pass.
 */
#include "tracing/private.h"

#include "core/bpf_log.h"
#include "core/clock.h"
#include "tracing/kallsyms.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(
	(int)TRACE_KIND_PACKET == SHUNT_KIND_PACKET && (int)TRACE_KIND_RING == SHUNT_KIND_RING &&
		(int)TRACE_KIND_XSK == SHUNT_KIND_XSK && (int)TRACE_KIND_XDP == SHUNT_KIND_XDP &&
		(int)TRACE_KIND_XDPGEN == SHUNT_KIND_XDPGEN &&
		(int)TRACE_KIND_UDP == SHUNT_KIND_UDP && (int)TRACE_KIND_USER == SHUNT_KIND_USER,
	"kinds");
_Static_assert((int)TRACE_APP == SHUNT_THREAD_APP && (int)TRACE_GENERATOR == SHUNT_THREAD_GENERATOR,
	"roles");
_Static_assert(TRACE_SYSCALLS == SHUNT_NSYSCALLS, "system call numbers");

static const struct trace_part *const parts[PARTS] = {
	[PART_SOFTIRQ] = &shunt_part_softirq,
	[PART_SOCKETS] = &shunt_part_sockets,
	[PART_XDP] = &shunt_part_xdp,
	[PART_FUNCTIONS] = &shunt_part_functions,
	[PART_SWITCHES] = &shunt_part_switches,
	[PART_SYSCALLS] = &shunt_part_syscalls, /* last: not to count our own calls */
};

static bool requested(const struct shunt_tracer *t, int part)
{
	return t->what & parts[part]->what &&
	       (part != PART_FUNCTIONS || (t->functions && t->f_kernel >= 0));
}

static bool loaded(const struct shunt_tracer *t, int part)
{
	return requested(t, part) && t->objects[part].obj;
}

static int check(const struct shunt_trace_opts *opts, struct shunt_err *err)
{
	if (!opts->what || opts->what & ~(unsigned)SHUNT_TRACE_ALL)
		return shunt_fail_usage(
			err, -EINVAL, NULL, "nothing to trace, or something unknown");
	if (opts->nqueues > TRACE_QUEUES || opts->nthreads > TRACE_THREADS)
		return shunt_fail_usage(err, -E2BIG, "trace fewer at once",
			"cannot trace %u queues and %u threads: at most %d and %d", opts->nqueues,
			opts->nthreads, TRACE_QUEUES, TRACE_THREADS);
	return 0;
}

/* A part that fails makes its metrics unavailable. Only if all fail is it an error: the first one.
 */
static int load_parts(struct shunt_tracer *t, struct shunt_err *err)
{
	bool any = false;
	struct btf *btf = NULL; /* takes tens of ms to read: only if there is something to load */
	int rc = 0;

	shunt_bpf_log_bridge();
	for (int i = 0; i < PARTS; i++) {
		struct shunt_err why = {.code = 0};

		if (!requested(t, i))
			continue;
		if (!t->objects[i].obj && !btf)
			btf = btf__load_vmlinux_btf();
		if (i == PART_FUNCTIONS && !t->f_kernel)
			t->f_kernel = shunt_trace_allows_functions(btf) ? 1 : -1;
		if (!requested(t, i))
			continue;
		if (!t->objects[i].obj && shunt_trace_load(&t->objects[i], parts[i], btf, &why)) {
			if (!rc && err)
				*err = why;
			rc = rc ? rc : why.code;
			continue;
		}
		any = true;
	}
	btf__free(btf);
	return any ? 0 : rc;
}

static int set_threads(
	struct shunt_tracer *t, const struct shunt_trace_opts *opts, struct shunt_err *err)
{
	for (unsigned i = 0; i < opts->nthreads; i++) {
		const struct shunt_trace_thread *thread = &opts->threads[i];
		bool gone = syscall(SYS_tgkill, thread->pid, thread->tid, 0) && errno == ESRCH;
		uint32_t tid = gone ? 0 : shunt_walk_tid(&t->walk, thread->tid);

		if (!tid)
			return shunt_fail(err, -ESRCH, NULL, "there is no thread %d to trace%s%s",
				(int)thread->tid, t->walk.skel ? "" : ": ",
				t->walk.skel ? "" : t->walk.reason);
		t->target.threads[i].tid = tid;
		t->target.threads[i].role = (uint32_t)thread->role;
	}
	t->target.nthreads = opts->nthreads;
	return 0;
}

/* Walk the sockets of each process once. A socket that is not found has sk 0. */
static void find_sockets(struct shunt_tracer *t, struct trace_socket *out)
{
	for (unsigned i = 0; i < t->target.nqueues; i++) {
		int fds[TRACE_QUEUES];
		bool seen = false;

		for (unsigned k = 0; k < i; k++)
			seen = seen || t->ids[k].pid == t->ids[i].pid;
		if (seen)
			continue;
		for (unsigned k = 0; k < t->target.nqueues; k++)
			fds[k] = t->ids[k].pid == t->ids[i].pid ? t->ids[k].fd : -1;
		shunt_walk_sockets(&t->walk, t->ids[i].pid, fds, out, t->target.nqueues);
	}
}

static void set_queues(struct shunt_tracer *t, const struct shunt_trace_opts *opts)
{
	memset(t->sockets, 0, sizeof t->sockets);
	t->target.nqueues = opts->nqueues;
	if (opts->nqueues) /* memcpy needs a valid pointer even for 0 bytes */
		memcpy(t->ids, opts->queues, opts->nqueues * sizeof *opts->queues);
	if (t->what & SHUNT_TRACE_COPIES)
		find_sockets(t, t->sockets);
	for (unsigned i = 0; i < opts->nqueues; i++) {
		const struct shunt_identity *id = &t->ids[i];
		bool generator = id->kind == SHUNT_KIND_XDPGEN || id->kind == SHUNT_KIND_NONE;

		t->target.queues[i] = (struct trace_queue){.sk = t->sockets[i].sk,
			.kind = (uint32_t)id->kind,
			.ifindex = generator ? 0 : id->ifindex,
			.queue = id->queue,
			.netns = (uint32_t)id->netns,
			.tid = id->tid ? shunt_walk_tid(&t->walk, id->tid) : 0};
	}
}

/* Without these addresses a consume_skb of the hidden copy cannot be distinguished. Where
 * skb_pp_cow_data is inlined into its only caller in the file, the return address is in that one.
 */
static void find_code(struct shunt_tracer *t)
{
	static const char *const names[TRACE_COWS] = {"skb_pp_cow_data", "skb_cow_data_for_xdp"};
	int rc;

	if (t->target.cow[0].end)
		return;
	rc = shunt_kallsyms_find(names, t->target.cow, TRACE_COWS);
	if (rc == -ENOENT)
		shunt_trace_disable(&t->objects[PART_XDP], "consume_skb",
			"this kernel has no function skb_pp_cow_data");
	else if (rc)
		shunt_trace_disable(&t->objects[PART_XDP], "consume_skb",
			"/proc/kallsyms hides where skb_pp_cow_data is");
}

static bool wanted(const struct shunt_tracer *t, const struct trace_probe *p)
{
	for (unsigned i = 0; i < t->target.nqueues; i++)
		if (p->kinds >> t->ids[i].kind & 1 && (!p->generic || t->ids[i].skb_mode))
			return true;
	return !p->kinds;
}

static void set_objects(struct shunt_tracer *t)
{
	for (int i = 0; i < PARTS; i++) {
		for (unsigned k = 0; k < parts[i]->nprobes; k++) {
			const struct trace_probe *p = &parts[i]->probes[k];

			t->objects[i].probe[k].wanted = requested(t, i) && wanted(t, p);
			t->objects[i].probe[k].used = false;
		}
		if (!loaded(t, i))
			continue;
		*t->objects[i].target = t->target;
		shunt_trace_clear(&t->objects[i]);
	}
}

int shunt_tracer_retarget(
	struct shunt_tracer *t, const struct shunt_trace_opts *opts, struct shunt_err *err)
{
	int rc = check(opts, err);

	if (rc)
		return rc;
	if (t->running)
		return shunt_fail(err, -EBUSY, NULL, "the tracer is running");
	t->what = opts->what;
	t->functions = !opts->most || opts->most == SHUNT_LEVEL_F;
	rc = load_parts(t, err);
	if (!rc)
		rc = set_threads(t, opts, err);
	if (rc)
		return rc;
	set_queues(t, opts);
	if (loaded(t, PART_XDP))
		find_code(t);
	set_objects(t);
	memset(t->ring_packets, 0, sizeof t->ring_packets);
	t->elapsed = 0;
	return 0;
}

int shunt_tracer_open(
	struct shunt_tracer **tracer, const struct shunt_trace_opts *opts, struct shunt_err *err)
{
	struct shunt_tracer *t;
	int rc = check(opts, err);

	if (rc)
		return rc;
	t = calloc(1, sizeof *t);
	if (!t)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	shunt_walk_load(&t->walk);
	rc = shunt_tracer_retarget(t, opts, err);
	if (rc) {
		shunt_tracer_close(t);
		return rc;
	}
	*tracer = t;
	return 0;
}

void shunt_tracer_close(struct shunt_tracer *t)
{
	if (!t)
		return;
	for (int i = 0; i < PARTS; i++)
		shunt_trace_unload(&t->objects[i]);
	shunt_walk_unload(&t->walk);
	free(t);
}

/* Read the counters of the rings: the base at start, later the progress since. For a socket that
 * was closed meanwhile, or whose descriptor was reused, only what its polls have recorded counts.
 */
static void read_rings(struct shunt_tracer *t, bool start)
{
	struct trace_socket now[TRACE_QUEUES] = {0};
	struct trace_target *target = t->objects[PART_SOCKETS].target;

	if (!loaded(t, PART_SOCKETS) || !shunt_trace_has(t, SHUNT_KIND_RING))
		return;
	find_sockets(t, now);
	for (unsigned i = 0; i < t->target.nqueues; i++) {
		struct trace_ring *ring = &target->rings[i];
		uint32_t last = __atomic_load_n(&ring->last, __ATOMIC_RELAXED);

		if (t->ids[i].kind != SHUNT_KIND_RING)
			continue;
		t->ring_read[i] = t->sockets[i].sk && now[i].sk == t->sockets[i].sk;
		if (start) {
			*ring = (struct trace_ring){.last = now[i].tp_packets};
			continue;
		}
		t->ring_packets[i] = __atomic_load_n(&ring->packets, __ATOMIC_RELAXED);
		if (t->ring_read[i])
			t->ring_packets[i] += now[i].tp_packets >= last ? now[i].tp_packets - last
									: now[i].tp_packets;
	}
}

int shunt_tracer_start(struct shunt_tracer *t, struct shunt_err *err)
{
	if (t->running)
		return shunt_fail(err, -EBUSY, NULL, "the tracer is running");
	memset(t->ring_packets, 0, sizeof t->ring_packets);
	for (int i = 0; i < PARTS; i++) {
		if (!loaded(t, i))
			continue;
		shunt_trace_clear(&t->objects[i]);
		shunt_trace_attach(&t->objects[i]);
	}
	read_rings(t, true);
	t->running = true;
	t->started = shunt_now();
	for (int i = 0; i < PARTS; i++)
		if (loaded(t, i))
			shunt_trace_enable(&t->objects[i], true);
	return 0;
}

int shunt_tracer_stop(struct shunt_tracer *t, struct shunt_err *err)
{
	if (!t->running)
		return shunt_fail(err, -EALREADY, NULL, "the tracer is not running");
	for (int i = PARTS - 1; i >= 0; i--)
		if (loaded(t, i))
			shunt_trace_enable(&t->objects[i], false);
	t->elapsed = shunt_now() - t->started;
	read_rings(t, false);
	for (int i = 0; i < PARTS; i++)
		if (loaded(t, i))
			shunt_trace_detach(&t->objects[i]);
	t->running = false;
	return 0;
}

int shunt_tracer_read(
	struct shunt_tracer *t, struct shunt_trace_counts *counts, struct shunt_err *err)
{
	(void)err;
	memset(counts, 0, sizeof *counts);
	if (t->running) {
		t->elapsed = shunt_now() - t->started;
		read_rings(t, false);
	}
	counts->elapsed_ns = t->elapsed;
	shunt_trace_softirq(t, counts);
	shunt_trace_syscalls(t, counts);
	shunt_trace_switches(t, counts);
	shunt_trace_copies(t, counts);
	for (int i = 0; i < PARTS; i++)
		if (loaded(t, i))
			counts->missed += shunt_trace_misses(&t->objects[i]);
	if (loaded(t, PART_SYSCALLS))
		counts->missed += TRACE_SUM(&t->objects[PART_SYSCALLS], syscalls_slot, beyond);
	return 0;
}

static unsigned add_probe(struct shunt_probe_info *info, const struct trace_object *o, unsigned i)
{
	const struct trace_probe *p = &o->part->probes[i];
	const struct trace_loaded_probe *l = &o->probe[i];

	*info = (struct shunt_probe_info){.name = p->name,
		.counts = p->counts,
		.attached = l->used,
		.hits = shunt_trace_sum(o, p->hits)};
	if (!l->used)
		snprintf(info->reason, sizeof info->reason, "%s",
			l->reason[0] ? l->reason : "the tracer has not been started");
	return 1;
}

unsigned shunt_tracer_probes(struct shunt_tracer *t, struct shunt_probe_info *probes, unsigned most)
{
	unsigned n = 0;

	for (int i = 0; i < PARTS; i++)
		for (unsigned k = 0; t->what & parts[i]->what && k < parts[i]->nprobes; k++)
			if (n < most && t->objects[i].probe[k].wanted)
				n += add_probe(&probes[n], &t->objects[i], k);
	if (n < most && t->what & SHUNT_TRACE_COPIES && shunt_trace_has(t, SHUNT_KIND_RING)) {
		probes[n] = (struct shunt_probe_info){.name = "iter/task_file",
			.counts = "reads of tp_packets of TPACKET rings",
			.attached = t->walk.skel,
			.hits = t->walk.hits};
		snprintf(probes[n].reason, sizeof probes[n].reason, "%s", t->walk.reason);
		n++;
	}
	return n;
}

enum shunt_trace_level shunt_tracer_level(const struct shunt_tracer *t)
{
	for (unsigned i = 0; i < parts[PART_FUNCTIONS]->nprobes; i++)
		if (t->objects[PART_FUNCTIONS].probe[i].used)
			return SHUNT_LEVEL_F;
	return SHUNT_LEVEL_T;
}
