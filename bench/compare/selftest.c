/* SPDX-License-Identifier: BSD-2-Clause
 * Self-tests of the probes, in the lab, before anything is measured: send 1000 and expect 1000,
 * then have the frames dropped in XDP and expect 0. A probe that counts wrongly is worse than none.
 */
#include "bench/compare/selftest.h"
#include "bench/loops/watch.h"
#include "core/netns.h"
#include "drivers/core/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define N        BENCH_SELFTEST_N
#define PPS      50000.0
#define DROP     "xdp:" BENCH_NEAR "?attach=native&action=drop"
#define WAIT_NS  2000000
#define WAIT_MAX 500 /* times WAIT_NS: a second */

#ifdef HAVE_TRACING

typedef struct shunt_metric get_fn(const struct shunt_trace_counts *);

static struct shunt_metric get_copies(const struct shunt_trace_counts *c)
{
	return c->copies;
}

/* The part of copies that is not hidden: the probe on the path itself. */
static struct shunt_metric get_own_copies(const struct shunt_trace_counts *c)
{
	struct shunt_metric f = c->copies;

	if (c->hidden_copies.provenance != SHUNT_UNAVAILABLE)
		f.value -= c->hidden_copies.value;
	return f;
}

static struct shunt_metric get_hidden(const struct shunt_trace_counts *c)
{
	return c->hidden_copies;
}

static int64_t value_of(struct bench_selftest *t, const struct shunt_metric *f)
{
	if (f->provenance == SHUNT_UNAVAILABLE) {
		snprintf(t->reason, sizeof t->reason, "%s", f->reason);
		return -1;
	}
	if (!*t->probe)
		snprintf(t->probe, sizeof t->probe, "%.60s", f->source);
	return llround(f->value);
}

/* Send N and count with everything attached. */
static int positive(struct bench_run *run, struct bench_sender *sender, const char *spec,
	struct bench_result *res, struct shunt_err *err)
{
	struct shunt_flood flood;
	char placed[352];

	shunt_spec_add(placed, sizeof placed, spec, "netns", run->lab.near_path);
	struct bench_pass pass = {.spec = placed,
		.kind = BENCH_COUNT,
		.sender = sender,
		.flood = &flood,
		.cores = run->cores,
		.stop = run->filled.stop,
		.watch = &run->watch};
	struct bench_workload work = {.nframes = 0};
	int rc = bench_workload_synthetic(&work, BENCH_FRAME_MIN, 1, err);
	if (!rc)
		rc = bench_workload_begin(&work, &flood, N, PPS, err);
	if (!rc)
		rc = bench_pass_run(&pass, res, err);
	bench_workload_free(&work);
	return rc;
}

static int send_dropped(struct bench_run *run, struct bench_sender *sender, struct shunt_dev *drop,
	struct shunt_err *err)
{
	struct bench_workload work = {.nframes = 0};
	struct shunt_flood_result sent;
	struct shunt_flood flood;
	struct shunt_ledger ledger = {.received = 0};
	struct timespec ts = {.tv_nsec = WAIT_NS};
	int rc = bench_workload_synthetic(&work, BENCH_FRAME_MIN, 1, err);

	(void)run;
	if (!rc)
		rc = bench_workload_begin(&work, &flood, N, PPS, err);
	if (!rc) {
		bench_sender_go(sender, &flood);
		rc = bench_sender_wait(sender, &sent, err);
	}
	for (int i = 0; !rc && i < WAIT_MAX && ledger.received < N; i++) {
		nanosleep(&ts, NULL);
		rc = shunt_get_ledger(drop, &ledger, err);
	}
	if (!rc && ledger.received != N)
		rc = shunt_fail(err, -EIO, NULL, "%u frames were sent and %" PRIu64 " dropped", N,
			ledger.received);
	bench_workload_free(&work);
	return rc;
}

/* Drop N in XDP while the tracer watches id, with the path's own device open where both fit. */
static int negative(struct bench_run *run, struct bench_sender *sender, const char *spec,
	const struct shunt_identity *id, struct bench_result *res, struct shunt_err *err)
{
	struct shunt_dev *drop = NULL, *dev = NULL;
	struct shunt_identity own = *id;
	char placed[352];

	shunt_spec_add(placed, sizeof placed, DROP, "netns", run->lab.near_path);
	int rc = shunt_open(&drop, placed, SHUNT_RX, err);
	if (!rc)
		rc = shunt_start(drop, err);
	if (!rc && spec && id->kind != SHUNT_KIND_XSK) {
		shunt_spec_add(placed, sizeof placed, spec, "netns", run->lab.near_path);
		rc = shunt_open(&dev, placed, SHUNT_RX, err);
		if (!rc)
			rc = shunt_start(dev, err);
		if (!rc)
			shunt_queue_identity(shunt_get_queue(dev, 0), &own);
	}
	if (!rc)
		rc = bench_watch_aim(
			&run->watch, SHUNT_TRACE_ALL, &own, 1, bench_sender_tid(sender), err);
	if (!rc)
		rc = bench_watch_start(run->watch, err);
	if (!rc)
		rc = send_dropped(run, sender, drop, err);
	if (!rc)
		rc = bench_watch_stop(run->watch, &res->trace, err);
	shunt_close(dev, NULL);
	shunt_close(drop, NULL);
	return rc;
}

/* -1: not among the probes, or not attached; then why says so. */
static int64_t hits_of(const struct bench_result *res, const char *probe, const char **why)
{
	*why = NULL;
	for (unsigned i = 0; i < res->trace.nprobes; i++) {
		if (strcmp(res->trace.probes[i].name, probe))
			continue;
		if (!res->trace.probes[i].attached)
			*why = res->trace.probes[i].reason;
		return res->trace.probes[i].attached ? (int64_t)res->trace.probes[i].hits : -1;
	}
	return -1;
}

/* The function that copies, by its own hits in both runs. Nothing where the kernel takes none. */
static void test_function(struct bench_run *run, const char *name, const char *counts,
	const char *probe, const struct bench_result *res)
{
	const char *why;
	int64_t got = hits_of(&res[0], probe, &why);

	if (got < 0 && !why)
		return;
	struct bench_selftest *t = bench_selftest_add(run, name, counts);
	if (!t)
		return;
	snprintf(t->probe, sizeof t->probe, "%s", probe);
	snprintf(t->reason, sizeof t->reason, "%.190s", why ? why : "");
	t->sent = res[0].sent;
	t->expected = t->negative_sent = N;
	t->got = got;
	t->negative_got = hits_of(&res[1], probe, &why);
	bench_selftest_judge(t);
}

static void test_path(struct bench_run *run, struct bench_sender *sender, const char *name,
	const char *spec, const char *counts, get_fn *get, const char *function)
{
	struct bench_selftest *t = bench_selftest_add(run, name, counts);
	struct bench_result *res = calloc(2, sizeof *res);
	struct shunt_err err = {.code = 0};

	if (t && res) {
		t->expected = N;
		int rc = positive(run, sender, spec, &res[0], &err);
		if (!rc) {
			struct shunt_metric f = get(&res[0].trace.counts);
			t->sent = res[0].sent;
			t->got = value_of(t, &f);
			rc = negative(run, sender, spec, &res[0].id, &res[1], &err);
		}
		if (!rc) {
			struct shunt_metric f = get(&res[1].trace.counts);
			t->negative_sent = N;
			t->negative_got = value_of(t, &f);
		}
		if (rc)
			snprintf(t->reason, sizeof t->reason, "%.190s", err.what);
		bench_selftest_judge(t);
		if (!rc)
			test_function(run, name, counts, function, res);
	}
	free(res);
}

/* The device's own copy: frames that come as skbs have one, frames made as XDP frames none. */
static void test_hidden(struct bench_run *run)
{
	struct bench_selftest *t =
		bench_selftest_add(run, "xdp-native", "a device's own copy of the frame");
	struct bench_result *res = calloc(2, sizeof *res);
	struct bench_sender *stack = NULL;
	struct shunt_err err = {.code = 0};
	char spec[96];

	snprintf(spec, sizeof spec, "packet:" BENCH_FAR "?mode=mmsg&netns=%s", run->lab.far_path);
	if (t && res) {
		t->expected = N;
		int rc = bench_sender_open(&stack, spec, run->cores.generator, &err);
		if (!rc)
			rc = positive(run, stack, "xdp:" BENCH_NEAR "?attach=native&wait=spin",
				&res[0], &err);
		if (!rc && !run->filled.packet_generator)
			rc = positive(run, run->sender,
				"xdp:" BENCH_NEAR "?attach=native&wait=spin", &res[1], &err);
		struct shunt_metric f = get_hidden(&res[0].trace.counts),
				    g = get_hidden(&res[1].trace.counts);
		t->sent = res[0].sent;
		t->negative_sent = res[1].sent;
		if (rc) {
			snprintf(t->reason, sizeof t->reason, "%.190s", err.what);
		} else {
			t->got = value_of(t, &f);
			t->negative_got = run->filled.packet_generator ? 0 : value_of(t, &g);
		}
		bench_selftest_judge(t);
	}
	bench_sender_close(stack);
	free(res);
}

/* NAPI polls: N packets of our device; and of another device, which is nobody's here, none. */
static void test_softirq(struct bench_run *run, struct bench_sender *sender)
{
	struct bench_selftest *t =
		bench_selftest_add(run, "xdp-drop", "packets in NAPI polls of a device");
	struct shunt_identity id = {.kind = SHUNT_KIND_XDP, .fd = -1};
	struct bench_result *res = calloc(1, sizeof *res);
	struct shunt_err err = {.code = 0};
	int rc = 0;

	if (!t || !res) {
		free(res);
		return;
	}
	snprintf(t->probe, sizeof t->probe, "tp_btf/napi_poll");
	t->expected = N;
	for (int ours = 1; ours >= 0 && !rc; ours--) {
		id.ifindex = run->lab.near_ifindex + (ours ? 0 : 1000);
		id.netns = shunt_netns_inode(run->lab.near_ns);
		rc = negative(run, sender, NULL, &id, res, &err);
		if (!rc)
			*(ours ? &t->got : &t->negative_got) = (int64_t)res->trace.counts.napi_work;
	}
	t->sent = t->negative_sent = N;
	if (rc)
		snprintf(t->reason, sizeof t->reason, "%.190s", err.what);
	bench_selftest_judge(t);
	free(res);
}

int bench_selftests(struct bench_run *run, struct shunt_err *err)
{
	struct bench_sender *s = run->sender;

	bench_selftest_threads(run);
	test_softirq(run, s);
	test_path(run, s, "packet-recv", "packet:" BENCH_NEAR "?mode=recv&wait=poll",
		"copies out of a socket", get_copies, "fexit/skb_copy_datagram_iter");
	test_path(run, s, "packet-ring", "packet:" BENCH_NEAR "?mode=ring&wait=poll",
		"copies into a TPACKET ring", get_copies, "fentry/skb_copy_bits");
	test_path(run, s, "packet-spin", "packet:" BENCH_NEAR "?mode=ring&wait=spin",
		"the same, of a thread that makes no call", get_copies, "fentry/skb_copy_bits");
	test_path(run, s, "xdp-native", "xdp:" BENCH_NEAR "?attach=native&wait=spin",
		"copies into an AF_XDP socket, native", get_own_copies, "fexit/__xsk_rcv");
	test_path(run, s, "xdp-skb", "xdp:" BENCH_NEAR "?attach=skb&wait=spin",
		"copies into an AF_XDP socket, skb mode", get_own_copies, "fexit/__xsk_rcv");
	test_hidden(run);
	for (unsigned i = 0; i < run->nselftests; i++)
		if (!run->selftest[i].passed)
			bench_warn(run, "self-test of %s (%s) failed: %.120s",
				run->selftest[i].counts, run->selftest[i].path,
				run->selftest[i].reason);
	return bench_interrupted(run, err);
}
#else
int bench_selftests(struct bench_run *run, struct shunt_err *err)
{
	(void)err;
	bench_warn(run, "built without tracing: no system calls, copies or softirq time");
	return 0;
}
#endif
