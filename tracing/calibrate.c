/* SPDX-License-Identifier: BSD-2-Clause
 * The cost of a probe, and of a null system call. On a virtual machine the noise exceeds the cost
 * of a probe. Hence thread CPU time, alternating windows with and without the probe, low quantiles,
 * and no value where the noise exceeds the effect.
 */
#include "core/clock.h"
#include "tracing/private.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS  31 /* with and without, alternating */
#define WINDOWS 6  /* per round, which keeps the lowest */

struct load {
	unsigned turns; /* per window */
	double runs;    /* of BPF programs, per turn */
	double hits;    /* of these, counted: a poll of the backlog is not */
	clockid_t clock;
	bool (*turn)(struct load *load); /* false when it failed */
	int fd[2];
	pthread_t partner;
	bool has_partner;
	struct shunt_identity id;
	struct shunt_trace_thread threads[2];
	unsigned nthreads;
};

static bool turn_getppid(struct load *load)
{
	(void)load;
	syscall(SYS_getppid);
	return true;
}

/* A datagram to oneself. Over lo it passes through NET_RX; over a socket pair skb->sk is the
 * sender's socket, as with AF_PACKET it is the receiver's. */
static bool turn_datagram(struct load *load)
{
	char c[64] = {0};

	return send(load->fd[0], c, sizeof c, 0) == sizeof c &&
	       recv(load->fd[1], c, sizeof c, 0) == sizeof c;
}

/* A round trip between two threads on one CPU: one context switch each way. */
static bool turn_switch(struct load *load)
{
	char c = 0;

	return write(load->fd[0], &c, 1) == 1 && read(load->fd[0], &c, 1) == 1;
}

/* CPU ns per turn in the quietest window; negative on failure. */
static double quietest(struct load *load)
{
	double best = -1;

	for (int w = 0; w < WINDOWS; w++) {
		uint64_t before = shunt_clock(load->clock);

		for (unsigned i = 0; i < load->turns; i++)
			if (!load->turn(load))
				return -1;
		double ns = (double)(shunt_clock(load->clock) - before) / load->turns;
		if (best < 0 || ns < best)
			best = ns;
	}
	return best;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct shunt_metric shunt_null_syscall(void)
{
	struct load load = {.turns = 400, .clock = CLOCK_THREAD_CPUTIME_ID, .turn = turn_getppid};
	double ns[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		ns[i] = quietest(&load);
	qsort(ns, ROUNDS, sizeof *ns, ascending);
	/* A third of the rounds must agree; otherwise the machine is too noisy. */
	if (ns[ROUNDS / 3] > ns[0] * 1.5)
		return shunt_unavailable("ns", "too noisy: %.0f to %.0f ns in the quietest third",
			ns[0], ns[ROUNDS / 3]);
	struct shunt_metric f = shunt_measured(
		ns[ROUNDS / 10], "ns", "getppid by thread CPU time, quietest windows");
	f.min = ns[0];
	f.max = ns[ROUNDS / 3];
	return f;
}

static void *answer(void *ctx)
{
	struct load *load = ctx;
	char c;

	load->threads[1] = (struct shunt_trace_thread){.pid = getpid(), .tid = gettid()};
	while (read(load->fd[1], &c, 1) == 1 && write(load->fd[1], &c, 1) == 1)
		;
	return NULL;
}

static uint64_t own_netns(void)
{
	struct stat st;

	return stat("/proc/thread-self/ns/net", &st) ? 0 : st.st_ino;
}

static int open_udp(struct load *load)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct timeval wait = {.tv_sec = 1};
	socklen_t len = sizeof to;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	load->fd[0] = load->fd[1] = fd;
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) ||
		bind(fd, (struct sockaddr *)&to, sizeof to) ||
		getsockname(fd, (struct sockaddr *)&to, &len) ||
		connect(fd, (struct sockaddr *)&to, len))
		return -errno;
	load->turn = turn_datagram;
	load->runs = 4; /* netif_rx, entry, poll, exit */
	load->hits = 3;
	load->id = (struct shunt_identity){.kind = SHUNT_KIND_XDP, .fd = -1, .ifindex = 1};
	load->id.netns = own_netns();
	return 0;
}

static int open_pair(struct load *load, int type)
{
	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, load->fd))
		return -errno;
	load->id = (struct shunt_identity){
		.kind = SHUNT_KIND_PACKET, .fd = load->fd[0], .pid = getpid(), .tid = gettid()};
	load->turn = turn_datagram;
	load->runs = load->hits = 2; /* sent, and copied */
	return 0;
}

static int open_switch(struct load *load)
{
	int rc = open_pair(load, SOCK_STREAM);

	if (rc)
		return rc;
	load->turn = turn_switch;
	load->runs = load->hits = 2;
	load->clock = CLOCK_PROCESS_CPUTIME_ID;
	rc = -pthread_create(&load->partner, NULL, answer, load);
	load->has_partner = !rc;
	/* One round trip, so that the partner has stored its thread id. */
	if (!rc && !turn_switch(load))
		return -EIO;
	load->nthreads = 2;
	return rc;
}

static int open_load(struct load *load, unsigned what)
{
	*load = (struct load){.turns = 200,
		.clock = CLOCK_THREAD_CPUTIME_ID,
		.fd = {-1, -1},
		.threads[0] = {.pid = getpid(), .tid = gettid()},
		.nthreads = 1};
	switch (what) {
	case SHUNT_TRACE_SYSCALLS:
		load->turn = turn_getppid;
		load->runs = load->hits = 1;
		return 0;
	case SHUNT_TRACE_SOFTIRQ:
		return open_udp(load);
	case SHUNT_TRACE_COPIES:
		return open_pair(load, SOCK_DGRAM);
	default:
		return open_switch(load);
	}
}

static void close_load(struct load *load)
{
	if (load->has_partner) {
		shutdown(load->fd[0], SHUT_RDWR);
		pthread_join(load->partner, NULL);
	}
	if (load->fd[0] >= 0)
		close(load->fd[0]);
	if (load->fd[1] >= 0 && load->fd[1] != load->fd[0])
		close(load->fd[1]);
}

/* Runs of the programs, for our queues or others: each run has a cost. */
static double hits(struct shunt_tracer *t)
{
	struct shunt_probe_info probes[SHUNT_PROBES_MAX];
	unsigned n = shunt_tracer_probes(t, probes, SHUNT_PROBES_MAX);
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += (double)probes[i].hits;
	return sum;
}

/* Fills in CPU ns per turn without and with the probes, for each round, and hits per turn. */
static int compare(struct load *load, struct shunt_tracer *t, double *off, double *on,
	double *hits_a_turn, struct shunt_err *err)
{
	int rc;

	for (int i = 0; i < ROUNDS; i++) {
		off[i] = quietest(load);
		rc = shunt_tracer_start(t, err);
		if (rc)
			return rc;
		on[i] = quietest(load);
		shunt_tracer_stop(t, NULL);
		if (off[i] < 0 || on[i] < 0)
			return shunt_fail(err, -EIO, NULL, "the calibration load failed");
	}
	*hits_a_turn = hits(t) / ((double)load->turns * WINDOWS);
	return 0;
}

/* Two estimates of the effect: the median over pairs of adjacent windows, robust against a slow
 * change of the machine's speed, and the difference of low quantiles, robust against interference.
 * They must agree. */
static struct shunt_metric judge(double *off, double *on, double runs)
{
	double pair[ROUNDS], low, mid, high, quiet;

	for (int i = 0; i < ROUNDS; i++)
		pair[i] = (on[i] - off[i]) / runs;
	qsort(pair, ROUNDS, sizeof *pair, ascending);
	qsort(off, ROUNDS, sizeof *off, ascending);
	qsort(on, ROUNDS, sizeof *on, ascending);
	low = pair[ROUNDS / 4];
	mid = pair[ROUNDS / 2];
	high = pair[ROUNDS - 1 - ROUNDS / 4];
	quiet = (on[ROUNDS / 10] - off[ROUNDS / 10]) / runs;
	if (low <= 0 || high - low > mid || quiet < mid / 2 || quiet > mid * 2)
		return shunt_unavailable("ns",
			"too noisy: %.0f to %.0f ns per hit in pairs, %.0f by low quantiles", low,
			high, quiet);
	struct shunt_metric f = shunt_measured(
		mid, "ns", "thread CPU time with and without, alternating, median of pairs");
	f.min = low;
	f.max = high;
	return f;
}

static struct shunt_metric measure(struct load *load, unsigned what, struct shunt_err *err)
{
	double off[ROUNDS], on[ROUNDS], hits_a_turn = 0;
	struct shunt_trace_opts opts = {.what = what,
		.queues = &load->id,
		.nqueues = load->id.kind != SHUNT_KIND_NONE,
		.threads = load->threads,
		.nthreads = load->nthreads};
	struct shunt_tracer *t;
	struct shunt_metric f;

	if (shunt_tracer_open(&t, &opts, err))
		return shunt_unavailable("ns", "%s", err->what);
	if (compare(load, t, off, on, &hits_a_turn, err))
		f = shunt_unavailable("ns", "%s", err->what);
	else if (hits_a_turn < load->hits) /* more is traffic of others */
		f = shunt_unavailable("ns",
			"the load reached the probes %.2f times per turn, not %.0f", hits_a_turn,
			load->hits);
	else
		f = judge(off, on, load->runs);
	shunt_tracer_close(t);
	return f;
}

struct shunt_metric shunt_trace_probe_cost(unsigned what)
{
	struct shunt_err err = {.code = 0};
	struct shunt_metric f;
	struct load load;
	cpu_set_t before, one;

	if (!what || what & (what - 1) || what > SHUNT_TRACE_SWITCHES)
		return shunt_unavailable("ns", "calibrate one kind of probe at a time");
	/* On one CPU: a migration costs more than a probe. */
	bool moved = !sched_getaffinity(0, sizeof before, &before);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	moved = moved && !sched_setaffinity(0, sizeof one, &one);
	int rc = open_load(&load, what);
	f = rc ? shunt_unavailable(
			 "ns", "cannot create a load to calibrate with (%s)", strerror(-rc))
	       : measure(&load, what, &err);
	close_load(&load);
	if (moved)
		sched_setaffinity(0, sizeof before, &before);
	return f;
}
