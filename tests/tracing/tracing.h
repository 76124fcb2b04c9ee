/* SPDX-License-Identifier: BSD-2-Clause
 * Shared by tests of the tracer, which trace plain sockets of their own.
 */
#ifndef TESTS_TRACING_TRACING_H
#define TESTS_TRACING_TRACING_H

#include "core/netns.h"
#include "tests/net.h"
#include "tracing/tracer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAMES 1000

#define RING_BLOCK  (1u << 18)
#define RING_BLOCKS 8u

static inline struct shunt_trace_thread self(void)
{
	return (struct shunt_trace_thread){
		.pid = getpid(), .tid = (pid_t)syscall(SYS_gettid), .role = SHUNT_THREAD_APP};
}

static inline struct shunt_tracer *must_trace_at(
	enum shunt_trace_level most, unsigned what, const struct shunt_identity *ids, unsigned n)
{
	struct shunt_trace_thread me = self();
	struct shunt_trace_opts opts = {.what = what,
		.queues = ids,
		.nqueues = n,
		.threads = &me,
		.nthreads = 1,
		.most = most};
	struct shunt_err err = {.code = 0};
	struct shunt_tracer *t;
	int rc = shunt_tracer_open(&t, &opts, &err);

	if (rc == -EPERM || rc == -ENOTSUP)
		cr_skip_test("no tracing: %s", err.what);
	cr_assert_eq(rc, 0, "%s", err.what);
	return t;
}

/* At the best level that there is. */
static inline struct shunt_tracer *must_trace(
	unsigned what, const struct shunt_identity *ids, unsigned n)
{
	return must_trace_at(SHUNT_LEVEL_NONE, what, ids, n);
}

static inline void start(struct shunt_tracer *t)
{
	struct shunt_err err;

	cr_assert_eq(shunt_tracer_start(t, &err), 0, "%s", err.what);
}

static inline struct shunt_trace_counts stop(struct shunt_tracer *t)
{
	struct shunt_trace_counts c;

	cr_assert_eq(shunt_tracer_stop(t, NULL), 0);
	cr_assert_eq(shunt_tracer_read(t, &c, NULL), 0);
	cr_assert_eq(c.missed, 0u);
	return c;
}

static inline void is(const struct shunt_metric *f, double value, enum shunt_provenance how)
{
	cr_assert_eq(f->provenance, how, "%s: %s", shunt_provenance_name(f->provenance), f->reason);
	cr_assert_eq(f->bound, SHUNT_EXACT, "%s", f->reason);
	cr_assert_eq(f->value, value, "%.0f, not %.0f", f->value, value);
}

/* A packet socket of a namespace, bound to an interface; proto 0 for one that only sends. */
static inline int packet_socket(int ns, unsigned ifindex, int proto)
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

/* Blocks are not returned to the kernel, so they must not be retired before they are full. */
static inline int ring_socket(const struct bench_lab *lab)
{
	struct tpacket_req3 req = {.tp_block_size = RING_BLOCK,
		.tp_block_nr = RING_BLOCKS,
		.tp_frame_size = 2048,
		.tp_frame_nr = RING_BLOCK / 2048 * RING_BLOCKS,
		.tp_retire_blk_tov = 60000};
	int v3 = TPACKET_V3, fd = packet_socket(lab->near_ns, lab->near_ifindex, ETH_P_IP);

	cr_assert_eq(setsockopt(fd, SOL_PACKET, PACKET_VERSION, &v3, sizeof v3), 0);
	cr_assert_eq(setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof req), 0);
	return fd;
}

static inline void send_frames(int fd, unsigned n, uint32_t size)
{
	uint8_t f[4096];

	udp_frame(f, size);
	for (unsigned i = 0; i < n; i++)
		cr_assert_eq(send(fd, f, size, 0), (ssize_t)size);
}

static inline struct shunt_identity identity(
	enum shunt_kind kind, int fd, const struct bench_lab *lab)
{
	struct shunt_identity id = {.kind = kind, .fd = fd, .pid = getpid()};

	id.tid = (pid_t)syscall(SYS_gettid);
	if (lab) {
		id.ifindex = lab->near_ifindex;
		id.netns = shunt_netns_inode(lab->near_ns);
	}
	return id;
}

/* On a loaded machine softirq is deferred: frames arrive some time after send has returned. Waits
 * for that many copies; if 0, long enough to see an unexpected one. */
static inline void settle(struct shunt_tracer *t, double copies)
{
	struct shunt_trace_counts c;
	int tries = 0;

	do {
		usleep(10000);
		cr_assert_eq(shunt_tracer_read(t, &c, NULL), 0);
	} while (++tries < 500 && (copies > 0 ? c.copies.value < copies : tries < 10));
}

/* n receive calls, and one that must return EAGAIN. */
static inline void drain(int fd, unsigned n, uint32_t size)
{
	struct timeval wait = {.tv_sec = 5};
	uint8_t f[2048];

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
	for (unsigned i = 0; i < n; i++)
		cr_assert_eq(recv(fd, f, sizeof f, 0), (ssize_t)size, "frame %u", i);
	cr_assert_eq(recv(fd, f, sizeof f, MSG_DONTWAIT), -1);
}

/* n live frames: never an skb on the sending side. */
static inline void send_live(struct shunt_dev *live, unsigned n, uint32_t size)
{
	uint8_t f[1514];
	struct shunt_frame frame = {.data = f, .len = size};
	struct shunt_flood flood = {.frames = &frame, .nframes = 1, .packets = n, .pps = 50000};
	struct shunt_flood_result r;

	udp_frame(f, size);
	cr_assert_eq(shunt_flood(shunt_get_queue(live, 0), &flood, &r, NULL), 0);
	cr_assert_eq(r.sent, n);
}

/* Attach a filter that drops every packet. */
static inline void refuse_all(int fd)
{
	struct sock_filter ret0 = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog prog = {.len = 1, .filter = &ret0};

	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof prog), 0);
}

#endif
