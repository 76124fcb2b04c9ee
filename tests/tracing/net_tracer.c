/* SPDX-License-Identifier: BSD-2-Clause
 * The tracer's system calls, context switches and softirq time, compared with other counters of the
 * kernel; nothing of other threads and devices is counted.
 */
#include "tests/net.h"

#ifdef HAVE_TRACING
#include "tests/tracing/tracing.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>

static void call(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static void *call_elsewhere(void *ctx)
{
	(void)ctx;
	call(FRAMES);
	return NULL;
}

Test(tracer, counts_system_calls_by_number)
{
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_SYSCALLS, NULL, 0);

	start(t);
	call(FRAMES);
	struct shunt_trace_counts c = stop(t);
	cr_assert_eq(c.by_nr[SYS_getppid], (unsigned)FRAMES);
	is(&c.syscalls, FRAMES, SHUNT_MEASURED);
	start(t);
	c = stop(t);
	is(&c.syscalls, 0, SHUNT_MEASURED);
	cr_assert_eq(c.copies.provenance, SHUNT_UNAVAILABLE);
	shunt_tracer_close(t);
}

Test(tracer, leaves_other_threads_out)
{
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_SYSCALLS, NULL, 0);
	pthread_t other;

	start(t);
	cr_assert_eq(pthread_create(&other, NULL, call_elsewhere, NULL), 0);
	pthread_join(other, NULL);
	struct shunt_trace_counts c = stop(t);
	cr_assert_eq(c.by_nr[SYS_getppid], 0u);
	shunt_tracer_close(t);
}

/* A number of a /proc/self/task/TID file. */
static unsigned long from_proc(const char *file, const char *key)
{
	char path[64], line[256];
	unsigned long value = 0;

	snprintf(path, sizeof path, "/proc/self/task/%ld/%s", syscall(SYS_gettid), file);
	FILE *in = fopen(path, "r");
	cr_assert_not_null(in);
	while (fgets(line, sizeof line, in))
		if (!strncmp(line, key, strlen(key)))
			value = strtoul(line + strlen(key), NULL, 10);
	fclose(in);
	return value;
}

Test(tracer, agrees_with_proc_on_reads)
{
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_SYSCALLS, NULL, 0);
	int zero = open("/dev/zero", O_RDONLY);
	char c;

	/* Reading the file is counted, too: the second count includes the reads of the first. */
	start(t);
	unsigned long before = from_proc("io", "syscr: ");
	for (int i = 0; i < FRAMES; i++)
		cr_assert_eq(read(zero, &c, 1), 1);
	unsigned long after = from_proc("io", "syscr: ");
	struct shunt_trace_counts counts = stop(t);
	unsigned long own = counts.by_nr[SYS_read] - (after - before);
	cr_assert_geq(after - before, (unsigned long)FRAMES);
	/* The file takes one read for its text and one that returns 0; those of the second time are
	 * not in that text. */
	cr_assert_leq(own, 2ul, "%lu reads more than /proc says", own);
	shunt_tracer_close(t);
}

Test(tracer, agrees_with_proc_on_switches)
{
	struct timespec nap = {.tv_nsec = 100000};
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_SWITCHES, NULL, 0);

	start(t);
	unsigned long before = from_proc("status", "voluntary_ctxt_switches:");
	unsigned long before_in = from_proc("status", "nonvoluntary_ctxt_switches:");
	for (int i = 0; i < 200; i++)
		nanosleep(&nap, NULL);
	unsigned long after = from_proc("status", "voluntary_ctxt_switches:");
	unsigned long after_in = from_proc("status", "nonvoluntary_ctxt_switches:");
	struct shunt_trace_counts c = stop(t);
	cr_assert_geq(c.switches_voluntary, 200u);
	cr_assert_leq(labs((long)(c.switches_voluntary - (after - before))), 8);
	cr_assert_leq(labs((long)(c.switches_involuntary - (after_in - before_in))), 8);
	is(&c.switches, (double)(c.switches_voluntary + c.switches_involuntary), SHUNT_MEASURED);
	start(t);
	c = stop(t);
	cr_assert_leq(c.switches.value, 4); /* attached, but no sleep between */
	shunt_tracer_close(t);
}

/* Exit status: 0 if what this process, the first of its PID namespace, calls is counted. */
static int count_as_init(void)
{
	struct shunt_trace_thread me = self();
	struct shunt_trace_opts opts = {
		.what = SHUNT_TRACE_SYSCALLS, .threads = &me, .nthreads = 1};
	struct shunt_trace_counts c;
	struct shunt_tracer *t;

	if (me.tid != 1 || shunt_tracer_open(&t, &opts, NULL) || shunt_tracer_start(t, NULL))
		return 1;
	call(FRAMES);
	shunt_tracer_stop(t, NULL);
	shunt_tracer_read(t, &c, NULL);
	shunt_tracer_close(t);
	return c.by_nr[SYS_getppid] == FRAMES ? 0 : 2;
}

static int status_of(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* In a PID namespace, where thread ids differ from the initial one's. A child creates it: its
 * creator cannot fork any more once the first process of the namespace has ended. */
Test(tracer, finds_threads_in_a_pid_namespace)
{
	shunt_tracer_close(must_trace(SHUNT_TRACE_SYSCALLS, NULL, 0));
	pid_t maker = fork();
	if (!maker) {
		if (unshare(CLONE_NEWPID))
			_exit(77);
		pid_t init = fork();
		if (!init)
			_exit(count_as_init());
		_exit(status_of(init));
	}
	int rc = status_of(maker);
	if (rc == 77)
		cr_skip_test("no PID namespace here");
	cr_assert_eq(rc, 0);
}

Test(tracer, refuses_what_it_cannot_trace)
{
	struct shunt_trace_thread many[100] = {{0}};
	struct shunt_trace_opts opts = {.threads = many, .nthreads = 100, .what = SHUNT_TRACE_ALL};
	struct shunt_err err;
	struct shunt_tracer *t;

	cr_assert_eq(shunt_tracer_open(&t, &opts, &err), -E2BIG);
	opts.nthreads = 1;
	opts.what = 0;
	cr_assert_eq(shunt_tracer_open(&t, &opts, &err), -EINVAL);
	cr_assert_eq(err.kind, SHUNT_ERR_USAGE);
	shunt_tracer_close(must_trace(SHUNT_TRACE_SYSCALLS, NULL, 0));
	many[0] = (struct shunt_trace_thread){.pid = getpid(), .tid = 0x3ffffffe};
	opts.what = SHUNT_TRACE_SYSCALLS;
	cr_assert_eq(shunt_tracer_open(&t, &opts, &err), -ESRCH, "%s", err.what);
}

Test(tracer, knows_its_level)
{
	shunt_tracer_close(must_trace(SHUNT_TRACE_SYSCALLS, NULL, 0));
	enum shunt_trace_level level = shunt_trace_level();
	cr_assert_geq(level, SHUNT_LEVEL_T);
	cr_assert_neq(shunt_trace_level_gap(level)[0], 0);
}

/* A plausible value, or the reason why there is none: the machine may be too noisy. */
Test(tracer, calibrates_or_says_why_not)
{
	shunt_tracer_close(must_trace(SHUNT_TRACE_SYSCALLS, NULL, 0));
	for (unsigned what = 0; what <= SHUNT_TRACE_SWITCHES; what = what ? what * 2 : 1) {
		struct shunt_metric f = what ? shunt_trace_probe_cost(what) : shunt_null_syscall();
		if (f.provenance == SHUNT_UNAVAILABLE)
			cr_assert_neq(f.reason[0], 0);
		else
			cr_assert(f.value > 5 && f.value < 20000, "%u: %.0f ns", what, f.value);
	}
	cr_assert_eq(shunt_trace_probe_cost(SHUNT_TRACE_ALL).provenance, SHUNT_UNAVAILABLE);
}

Test(tracer, splits_softirq_time)
{
	NEED_LAB(lab);
	int near = packet_socket(lab.near_ns, lab.near_ifindex, ETH_P_IP);
	int far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	struct shunt_identity id = identity(SHUNT_KIND_PACKET, near, &lab);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_SOFTIRQ, &id, 1);

	start(t);
	send_frames(far, FRAMES, 60);
	usleep(100000);
	struct shunt_trace_counts c = stop(t);
	cr_assert_eq(c.softirq_ns.value, c.softirq_in_app_ns.value +
						 c.softirq_in_generator_ns.value +
						 c.softirq_elsewhere_ns.value);
	/* veth receives an skb without NAPI: all time is the backlog's, split in proportion to
	 * frames. */
	cr_assert_eq(c.napi_work, 0u);
	cr_assert_gt(c.softirq_in_app_ns.value, 0);
	cr_assert_lt(c.softirq_ns.value, (double)c.elapsed_ns * 2);
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

#ifdef HAVE_XDPGEN
/* Frames go to near0. With far0 traced, only the overhead of raising the softirq is left. */
Test(tracer, leaves_polls_of_other_devices_out)
{
	NEED_LAB(lab);
	struct shunt_identity id = identity(SHUNT_KIND_XDP, -1, &lab);
	struct shunt_trace_thread me = self();
	struct shunt_trace_opts opts = {.what = SHUNT_TRACE_SOFTIRQ,
		.queues = &id,
		.nqueues = 1,
		.threads = &me,
		.nthreads = 1};
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_SOFTIRQ, &id, 1);
	struct shunt_trace_counts ours, others;

	for (int other = 0; other < 2; other++) {
		struct shunt_dev *live = must_open(SHUNT_TX, "xdpgen:far0?netns=%s", lab.far_path);
		id.ifindex = other ? lab.far_ifindex : lab.near_ifindex;
		id.netns = shunt_netns_inode(other ? lab.far_ns : lab.near_ns);
		cr_assert_eq(shunt_tracer_retarget(t, &opts, NULL), 0);
		start(t);
		send_live(live, FRAMES, 60);
		usleep(100000);
		*(other ? &others : &ours) = stop(t);
		shunt_close(live, NULL);
	}
	cr_assert_geq(ours.napi_work, (unsigned)FRAMES);
	cr_assert_eq(others.napi_work, 0u);
	cr_assert_gt(ours.softirq_ns.value, 2 * others.softirq_ns.value);
	cr_assert_gt(others.softirq_other_ns.value, 2 * others.softirq_ns.value);
	cr_assert_gt(ours.softirq_in_app_ns.value, others.softirq_in_app_ns.value);
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}
#endif

#else

Test(tracer, is_built)
{
	cr_skip_test("built without tracing");
}

#endif
