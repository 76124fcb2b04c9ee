/* SPDX-License-Identifier: BSD-2-Clause
 * Self-tests of the probes, in the lab, before anything is measured. Positive: send 1000 frames and
 * expect a count of 1000. Negative: drop 1000 frames in XDP and expect 0. A probe that counts
 * wrongly is worse than none.
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
#define WAIT_MAX 500 /* times WAIT_NS: one second */

#ifdef HAVE_TRACING

struct test;
/* Fills counts of t and up to two results. */
typedef int body_fn(struct bench_run *run, const struct test *test, struct bench_selftest *t,
	struct bench_result *res, struct shunt_err *err);
typedef struct shunt_metric get_fn(const struct shunt_trace_counts *);

struct test {
	const char *path, *counts;
	body_fn *body;
	const char *spec;
	get_fn *get;
	const char *function; /* NULL, or the probe at the function that copies: a row of its own */
};

static struct shunt_metric get_copies(const struct shunt_trace_counts *c)
{
	return c->copies;
}

/* Copies without the hidden ones: those of the path itself. */
static struct shunt_metric get_own_copies(const struct shunt_trace_counts *c)
{
	struct shunt_metric m = c->copies;

	if (c->hidden_copies.provenance != SHUNT_UNAVAILABLE)
		m.value -= c->hidden_copies.value;
	return m;
}

static struct shunt_metric get_hidden(const struct shunt_trace_counts *c)
{
	return c->hidden_copies;
}

/* What get finds in a result; -1 with the reason in t where that is unavailable. */
static int64_t value_of(struct bench_selftest *t, get_fn *get, const struct bench_result *res)
{
	struct shunt_metric m = get(&res->trace.counts);

	if (m.provenance == SHUNT_UNAVAILABLE) {
		snprintf(t->reason, sizeof t->reason, "%s", m.reason);
		return -1;
	}
	if (!*t->probe)
		snprintf(t->probe, sizeof t->probe, "%.60s", m.source);
	return llround(m.value);
}

/* Send N frames with all probes attached. */
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
		.stop = run->opts.stop,
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

static int send_dropped(struct bench_sender *sender, struct shunt_dev *drop, struct shunt_err *err)
{
	struct bench_workload work = {.nframes = 0};
	struct shunt_flood_result sent;
	struct shunt_flood flood;
	struct shunt_ledger ledger = {.received = 0};
	struct timespec ts = {.tv_nsec = WAIT_NS};
	int rc = bench_workload_synthetic(&work, BENCH_FRAME_MIN, 1, err);

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

/* Drop N frames in XDP while the tracer watches id, with the path's own device open where both can
 * share the interface. */
static int negative(struct bench_run *run, const char *spec, const struct shunt_identity *id,
	struct bench_result *res, struct shunt_err *err)
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
			&run->watch, SHUNT_TRACE_ALL, &own, 1, bench_sender_tid(run->sender), err);
	if (!rc)
		rc = bench_watch_start(run->watch, err);
	if (!rc)
		rc = send_dropped(run->sender, drop, err);
	if (!rc)
		rc = bench_watch_stop(run->watch, &res->trace, err);
	shunt_close(dev, NULL);
	shunt_close(drop, NULL);
	return rc;
}

/* -1: no such probe, or it is not attached, for the reason in *why. */
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

/* The function that copies, by its own hits in both runs. No row where the kernel has no such
 * probe. */
static void test_function(
	struct bench_run *run, const struct test *test, const struct bench_result *res)
{
	const char *why;
	int64_t got = hits_of(&res[0], test->function, &why);

	if (got < 0 && !why)
		return;
	struct bench_selftest *t = bench_selftest_add(run, test->path, test->counts);
	if (!t)
		return;
	snprintf(t->probe, sizeof t->probe, "%s", test->function);
	snprintf(t->reason, sizeof t->reason, "%.190s", why ? why : "");
	t->sent = res[0].sent;
	t->expected = t->negative_sent = N;
	t->got = got;
	t->negative_got = hits_of(&res[1], test->function, &why);
	bench_selftest_judge(t);
}

static int test_path(struct bench_run *run, const struct test *test, struct bench_selftest *t,
	struct bench_result *res, struct shunt_err *err)
{
	int rc = positive(run, run->sender, test->spec, &res[0], err);

	if (rc)
		return rc;
	t->sent = res[0].sent;
	t->got = value_of(t, test->get, &res[0]);
	rc = negative(run, test->spec, &res[0].id, &res[1], err);
	if (rc)
		return rc;
	t->negative_sent = N;
	t->negative_got = value_of(t, test->get, &res[1]);
	return 0;
}

/* The device's own copy: one of each frame that arrives as an skb, none of an XDP frame. */
static int test_hidden(struct bench_run *run, const struct test *test, struct bench_selftest *t,
	struct bench_result *res, struct shunt_err *err)
{
	struct bench_sender *stack = NULL;
	char spec[96];

	snprintf(spec, sizeof spec, "packet:" BENCH_FAR "?mode=mmsg&netns=%s", run->lab.far_path);
	int rc = bench_sender_open(&stack, spec, run->cores.generator, err);
	if (!rc)
		rc = positive(run, stack, test->spec, &res[0], err);
	if (!rc && !run->opts.packet_generator)
		rc = positive(run, run->sender, test->spec, &res[1], err);
	bench_sender_close(stack);
	t->sent = res[0].sent;
	t->negative_sent = res[1].sent;
	if (rc)
		return rc;
	t->got = value_of(t, test->get, &res[0]);
	t->negative_got = run->opts.packet_generator ? 0 : value_of(t, test->get, &res[1]);
	return 0;
}

/* NAPI polls: N packets of the lab's device, and none of an interface that does not exist. */
static int test_softirq(struct bench_run *run, const struct test *test, struct bench_selftest *t,
	struct bench_result *res, struct shunt_err *err)
{
	struct shunt_identity id = {.kind = SHUNT_KIND_XDP,
		.fd = -1,
		.ifindex = run->lab.near_ifindex,
		.netns = shunt_netns_inode(run->lab.near_ns)};

	snprintf(t->probe, sizeof t->probe, "tp_btf/napi_poll");
	t->sent = t->negative_sent = N;
	int rc = negative(run, test->spec, &id, &res[0], err);
	if (rc)
		return rc;
	t->got = (int64_t)res[0].trace.counts.napi_work;
	id.ifindex += 1000;
	rc = negative(run, test->spec, &id, &res[1], err);
	if (!rc)
		t->negative_got = (int64_t)res[1].trace.counts.napi_work;
	return rc;
}

static const struct test tests[] = {
	{"xdp-drop", "packets in NAPI polls of a device", test_softirq, NULL, NULL, NULL},
	{"packet-recv", "copies out of a socket", test_path,
		"packet:" BENCH_NEAR "?mode=recv&wait=poll", get_copies,
		"fexit/skb_copy_datagram_iter"},
	{"packet-ring", "copies into a TPACKET ring", test_path,
		"packet:" BENCH_NEAR "?mode=ring&wait=poll", get_copies, "fentry/skb_copy_bits"},
	{"packet-spin", "copies into a TPACKET ring, busy-polling", test_path,
		"packet:" BENCH_NEAR "?mode=ring&wait=spin", get_copies, "fentry/skb_copy_bits"},
	{"xdp-native", "copies into an AF_XDP socket, native", test_path,
		"xdp:" BENCH_NEAR "?attach=native&wait=spin", get_own_copies, "fexit/__xsk_rcv"},
	{"xdp-skb", "copies into an AF_XDP socket, skb mode", test_path,
		"xdp:" BENCH_NEAR "?attach=skb&wait=spin", get_own_copies, "fexit/__xsk_rcv"},
	{"xdp-native", "a device's own copy of the frame", test_hidden,
		"xdp:" BENCH_NEAR "?attach=native&wait=spin", get_hidden, NULL},
};

static void run_test(struct bench_run *run, const struct test *test)
{
	struct bench_selftest *t = bench_selftest_add(run, test->path, test->counts);
	struct bench_result *res = calloc(2, sizeof *res);
	struct shunt_err err = {.code = 0};

	if (t && res) {
		t->expected = N;
		int rc = test->body(run, test, t, res, &err);
		if (rc)
			snprintf(t->reason, sizeof t->reason, "%.190s", err.what);
		bench_selftest_judge(t);
		if (!rc && test->function)
			test_function(run, test, res);
	}
	free(res);
}

int bench_selftests(struct bench_run *run, struct shunt_err *err)
{
	bench_selftest_threads(run);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		run_test(run, &tests[i]);
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
