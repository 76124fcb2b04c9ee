/* SPDX-License-Identifier: BSD-2-Clause
 * The tracer counts what plain sockets do, exactly, and nothing of what others do. No driver is
 * used: what is traced is made here.
 */
#include "tests/net/net.h"

#ifdef HAVE_TRACING
#include "drivers/core/netns.h"
#include "tracing/tracer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAMES 1000

static struct shunt_trace_thread self(void)
{
	return (struct shunt_trace_thread){
		.pid = getpid(), .tid = (pid_t)syscall(SYS_gettid), .role = SHUNT_THREAD_APP};
}

static struct shunt_tracer *must_trace(unsigned what, const struct shunt_identity *ids, unsigned n)
{
	struct shunt_trace_thread me = self();
	struct shunt_trace_opts opts = {
		.what = what, .queues = ids, .nqueues = n, .threads = &me, .nthreads = 1};
	struct shunt_err err = {.code = 0};
	struct shunt_tracer *t;
	int rc = shunt_tracer_open(&t, &opts, &err);

	if (rc == -EPERM || rc == -ENOTSUP)
		cr_skip_test("no tracing: %s", err.what);
	cr_assert_eq(rc, 0, "%s", err.what);
	return t;
}

static void start(struct shunt_tracer *t)
{
	struct shunt_err err;

	cr_assert_eq(shunt_tracer_start(t, &err), 0, "%s", err.what);
}

static struct shunt_trace_counts stop(struct shunt_tracer *t)
{
	struct shunt_trace_counts c;

	cr_assert_eq(shunt_tracer_stop(t, NULL), 0);
	cr_assert_eq(shunt_tracer_read(t, &c, NULL), 0);
	cr_assert_eq(c.missed, 0u);
	return c;
}

static void is(const struct shunt_figure *f, double value, enum shunt_how how)
{
	cr_assert_eq(f->how, how, "%s: %s", shunt_how_name(f->how), f->reason);
	cr_assert_eq(f->bound, SHUNT_EXACT, "%s", f->reason);
	cr_assert_eq(f->value, value, "%.0f, not %.0f", f->value, value);
}

/* A packet socket of a namespace, bound to an interface; proto 0 for one that only sends. */
static int packet_socket(int ns, unsigned ifindex, int proto)
{
	struct sockaddr_ll to = {.sll_family = AF_PACKET,
		.sll_ifindex = (int)ifindex,
		.sll_protocol = htons((uint16_t)proto)};
	int room = 64 << 20, back = shunt_netns_enter(ns);
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	cr_assert_geq(fd, 0);
	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room), 0);
	cr_assert_eq(bind(fd, (struct sockaddr *)&to, sizeof to), 0);
	cr_assert_eq(shunt_netns_leave(back), 0);
	return fd;
}

static void send_frames(int fd, unsigned n, uint32_t size)
{
	uint8_t f[1514];

	udp_frame(f, size);
	for (unsigned i = 0; i < n; i++)
		cr_assert_eq(send(fd, f, size, 0), (ssize_t)size);
}

static struct shunt_identity identity(enum shunt_kind kind, int fd, const struct bench_lab *lab)
{
	struct shunt_identity id = {.kind = kind, .fd = fd, .pid = getpid()};

	id.tid = (pid_t)syscall(SYS_gettid);
	if (lab) {
		id.ifindex = lab->near_ifindex;
		id.netns = shunt_netns_inode(lab->near_ns);
	}
	return id;
}

static unsigned drain(int fd, uint32_t size)
{
	uint8_t f[2048];
	unsigned n = 0;

	while (recv(fd, f, sizeof f, MSG_DONTWAIT) == (ssize_t)size)
		n++;
	return n;
}

Test(tracer, counts_every_recv_of_a_packet_socket)
{
	static const uint32_t sizes[] = {60, 512, 1514};
	NEED_LAB(lab);
	int near = packet_socket(lab.near_ns, lab.near_ifindex, ETH_P_IP);
	int far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	struct shunt_identity id = identity(SHUNT_KIND_PACKET, near, &lab);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_ALL, &id, 1);

	for (unsigned i = 0; i < 3; i++) {
		start(t);
		send_frames(far, FRAMES, sizes[i]);
		cr_assert_eq(drain(near, sizes[i]), FRAMES);
		struct shunt_trace_counts c = stop(t);
		is(&c.copies, FRAMES, SHUNT_MEASURED);
		is(&c.copied_bytes, (double)FRAMES * sizes[i], SHUNT_MEASURED);
		cr_assert_eq(c.by_nr[SYS_recvfrom], FRAMES + 1u);
		cr_assert_eq(c.by_nr[SYS_sendto], (unsigned)FRAMES);
	}
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

Test(tracer, counts_system_calls_by_number)
{
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_SYSCALLS, NULL, 0);

	start(t);
	for (int i = 0; i < FRAMES; i++)
		syscall(SYS_getppid);
	struct shunt_trace_counts c = stop(t);
	cr_assert_eq(c.by_nr[SYS_getppid], (unsigned)FRAMES);
	is(&c.syscalls, FRAMES, SHUNT_MEASURED);
	start(t);
	c = stop(t);
	is(&c.syscalls, 0, SHUNT_MEASURED);
	shunt_tracer_close(t);
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
	struct shunt_trace_counts c = stop(t);
	cr_assert_gt(c.softirq_ns.value, 0);
	cr_assert_eq(c.softirq_ns.value, c.softirq_in_app_ns.value +
						 c.softirq_in_generator_ns.value +
						 c.softirq_elsewhere_ns.value);
	cr_assert_gt(c.softirq_in_app_ns.value, 0);
	cr_assert_lt(c.softirq_ns.value, (double)c.elapsed_ns * 2);
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

#else

Test(tracer, is_built)
{
	cr_skip_test("built without tracing");
}

#endif
