/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/net.h"

#include "xdp/xdpgen.h"

#include "bench/traffic/frames.h"
#include "core/clock.h"
#include "core/link.h"
#include "core/netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_PORT 1024 /* of the synthetic flows */

/* A test's own: Criterion runs each in a process. */
static struct bench_lab lab;
static struct shunt_dev *dev; /* at far0 */
static struct shunt_queue *q;
static struct shunt_frame *flows; /* frames of 60 bytes, a flow each */
static struct shunt_flood_result r;

#define FLOOD(...)                                                                                 \
	shunt_flood(q, &(struct shunt_flood){__VA_ARGS__}, &r, &(struct shunt_err){.code = 0})
#define FLOWS(n) .frames = flows, .nframes = n

static void set_up(void)
{
	struct shunt_err why;

	if (bench_lab_open(&lab, NULL, &why))
		cr_skip_test("no lab: %s", why.what);
	dev = must_open(SHUNT_TX, "xdpgen:" BENCH_FAR "?netns=%s&depth=1024", lab.far_path);
	q = shunt_get_queue(dev, 0);
	cr_assert_eq(bench_frames_make(&flows, 60, 3, NULL), 0);
}

static void tear_down(void)
{
	free(flows);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	bench_lab_close(&lab);
}

/* Everything that arrives at near0, by a socket that is no part of shunt. */
static int sniff(void)
{
	int back = shunt_netns_enter(lab.near_ns), size = 256 << 20;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	struct sockaddr_ll at = {.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)lab.near_ifindex};

	cr_assert_geq(fd, 0);
	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size), 0);
	cr_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	cr_assert_eq(shunt_netns_leave(back), 0);
	return fd;
}

static ssize_t next(int fd, uint8_t *buf, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 200) == 1 ? recv(fd, buf, size, MSG_DONTWAIT) : -1;
}

static unsigned count(int fd)
{
	uint8_t buf[2048];
	unsigned n = 0;

	while (next(fd, buf, sizeof buf) > 0)
		n++;
	return n;
}

static uint64_t le64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static void expect_stamps(int fd, unsigned n, uint64_t from, uint64_t to, unsigned ports)
{
	uint8_t buf[2048];
	uint64_t last = from;

	for (unsigned i = 0; i < n; i++) {
		ssize_t len = next(fd, buf, sizeof buf);
		cr_assert_eq(len, 60, "frame %u of %u: %zd bytes", i, n, len);
		cr_assert_eq(le64(buf + 42), i);
		cr_assert_geq(le64(buf + 50), last);
		cr_assert_eq(ntohs(*(uint16_t *)(buf + 34)), FIRST_PORT + i % ports);
		last = le64(buf + 50);
	}
	cr_assert_leq(last, to);
	cr_assert_eq(count(fd), 0);
}

Test(xdpgen, stamped_frames_arrive_in_order)
{
	set_up();
	int fd = sniff();

	/* As fast as can be, then paced inside the program, then paced in user space. */
	const double pps[] = {0, 50000, 1000};
	const unsigned packets[] = {20000, 5000, 100};
	for (unsigned i = 0; i < 3; i++) {
		uint64_t from = shunt_now();
		int rc = FLOOD(FLOWS(3), .packets = packets[i], .pps = pps[i], .stamp = true);
		cr_assert_eq(rc, 0);
		cr_assert_eq(r.sent, packets[i]);
		cr_assert_eq(r.sent_bytes, packets[i] * 60u);
		cr_assert_eq(r.refused + r.unsendable, 0);
		cr_assert_gt(r.cpu_ns, 0);
		cr_assert_eq(r.batch, pps[i] > 0 ? 1 : 64);
		expect_stamps(fd, packets[i], from, shunt_now(), 3);
	}
	tear_down();
}

struct list {
	struct shunt_source src;
	uint8_t data[4096];
	unsigned at, n, bytes;
};

static uint32_t size_at(unsigned i)
{
	static const uint32_t sizes[] = {14, 15, 60, 61, 128, 512, 1500, 1514, 1518, 1522, 1526};

	return sizes[i % (sizeof sizes / sizeof *sizes)];
}

static uint8_t byte_at(unsigned frame, unsigned i)
{
	return i < 12 ? 2 : i < 14 ? 0x88 : (uint8_t)(frame * 7 + i);
}

/* One buffer for all frames: a driver that keeps the pointers past the next call is found out. */
static int list_next(struct shunt_source *src, struct shunt_frame *frames, unsigned n)
{
	struct list *l = (struct list *)src;

	if (!n || l->at == l->n)
		return 0;
	uint32_t len = size_at(l->at);
	for (unsigned i = 0; i < len; i++)
		l->data[i] = byte_at(l->at, i);
	frames[0] = (struct shunt_frame){.data = l->data, .len = len, .due_ns = l->at * 20000ull};
	l->at++;
	return 1;
}

static void expect_list(int fd, unsigned n)
{
	uint8_t buf[4096];

	for (unsigned f = 0; f < n; f++) {
		ssize_t len = next(fd, buf, sizeof buf);
		cr_assert_eq(len, size_at(f), "frame %u: %zd bytes", f, len);
		for (unsigned i = 0; i < (unsigned)len; i++)
			cr_assert_eq(buf[i], byte_at(f, i), "frame %u, byte %u", f, i);
	}
	cr_assert_eq(count(fd), 0);
}

Test(xdpgen, mixed_sizes_from_a_source_arrive_byte_for_byte)
{
	set_up();
	int fd = sniff();

	for (unsigned timed = 0; timed < 2; timed++) {
		/* More than there are slots. */
		struct list l = {.src.next = list_next, .n = 3000};
		cr_assert_eq(FLOOD(.source = &l.src, .timed = timed), 0);
		cr_assert_eq(r.sent, 3000);
		cr_assert_eq(r.refused + r.unsendable, 0);
		if (timed)
			cr_assert_geq(r.elapsed_ns, 2999 * 20000ull);
		expect_list(fd, 3000);
	}
	tear_down();
}

Test(xdpgen, frames_above_the_limit_are_never_offered)
{
	set_up();
	static uint8_t data[2048];
	const struct shunt_frame frames[] = {
		{data, BENCH_MTU + 19, 0}, {data, 60, 0}, {data, BENCH_MTU + 18, 0}, {data, 13, 0}};
	int fd = sniff();

	udp_frame(data, 1522);
	cr_assert_eq(FLOOD(.frames = frames, .nframes = 4, .packets = 402), 0);
	cr_assert_eq(r.sent, 201);
	cr_assert_eq(r.unsendable, 201);
	cr_assert_eq(r.refused, 0);
	cr_assert_eq(count(fd), 201);
	/* Nothing else, and no end: it must not spin for ever. */
	cr_assert_eq(FLOOD(.frames = frames, .nframes = 1), -EMSGSIZE);
	cr_assert_eq(FLOOD(.frames = frames, .nframes = 1, .packets = 9), 0);
	cr_assert_eq(r.unsendable, 9);
	tear_down();
}

Test(xdpgen, frames_that_the_peer_refuses_are_not_sent)
{
	set_up();
	static uint8_t data[2048];
	const struct shunt_frame frames[] = {{data, 60, 0}, {data, 1400, 0}};
	int back = shunt_netns_enter(lab.near_ns);

	cr_assert_eq(system("ip link set " BENCH_NEAR " mtu 1000"), 0);
	shunt_netns_leave(back);
	int fd = sniff();
	udp_frame(data, 1400);
	cr_assert_eq(FLOOD(.frames = frames, .nframes = 2, .packets = 1000, .pps = 100000), 0);
	cr_assert_eq(r.sent, 500);
	cr_assert_eq(r.refused, 500);
	cr_assert_eq(count(fd), 500);
	struct shunt_qstats stats;
	shunt_queue_stats(q, &stats);
	cr_assert_eq(stats.tx_packets, 1000);
	cr_assert_eq(stats.tx_errors, 500);
	tear_down();
}

Test(xdpgen, says_that_the_peer_has_no_napi)
{
	set_up();
	struct shunt_err err = {.code = 0};
	int back = shunt_netns_enter(lab.near_ns);

	cr_assert_eq(shunt_link_set_gro(BENCH_NEAR, false, 0, NULL), 0);
	shunt_netns_leave(back);
	struct shunt_flood f = {FLOWS(1), .packets = 100};
	cr_assert_eq(shunt_flood(q, &f, &r, &err), -ENOTCONN);
	cr_assert(strstr(err.what, "NAPI") && strstr(err.remedy, "gro on"), "%s", err.what);
	cr_assert_eq(r.sent, 0);
	cr_assert_eq(r.refused, 100);
	tear_down();
}

static volatile bool halt;

static void *halt_soon(void *link)
{
	struct timespec t = {.tv_nsec = 150000000};

	nanosleep(&t, NULL);
	if (link) {
		int back = shunt_netns_enter(lab.far_ns);
		shunt_link_set_up(BENCH_FAR, false, NULL);
		shunt_netns_leave(back);
	} else {
		__atomic_store_n(&halt, true, __ATOMIC_RELAXED);
	}
	return NULL;
}

Test(xdpgen, stop_ends_every_pace)
{
	set_up();
	pthread_t t;

	for (unsigned i = 0; i < 3; i++) {
		halt = false;
		cr_assert_eq(pthread_create(&t, NULL, halt_soon, NULL), 0);
		uint64_t t0 = shunt_now();
		cr_assert_eq(
			FLOOD(FLOWS(1), .pps = (double[]){0, 1e5, 1}[i], .stop = &halt), -EINTR);
		cr_assert_lt(shunt_now() - t0, 2000000000u);
		pthread_join(t, NULL);
		cr_assert_gt(r.sent, 0);
	}
	tear_down();
}

static void nothing(int sig)
{
	(void)sig;
}

struct kicker {
	pthread_t thread;
	atomic_bool over;
};

/* To the flood's thread: a signal to the process may be taken by any. Again and again, since one
 * that comes between two calls to the kernel interrupts nothing; a real caller's handler sets
 * *stop. */
static void *kick(void *arg)
{
	struct kicker *k = arg;
	struct timespec t = {.tv_nsec = 100000000};

	for (; !atomic_load(&k->over); nanosleep(&t, NULL))
		pthread_kill(k->thread, SIGUSR1);
	return NULL;
}

Test(xdpgen, a_signal_ends_it_and_the_count_is_right)
{
	set_up();
	struct sigaction sa = {.sa_handler = nothing};
	struct kicker k = {.thread = pthread_self()};
	pthread_t t;
	int fd = sniff();

	sigaction(SIGUSR1, &sa, NULL);
	cr_assert_eq(pthread_create(&t, NULL, kick, &k), 0);
	cr_assert_eq(FLOOD(FLOWS(1), .pps = 20000), -EINTR);
	atomic_store(&k.over, true);
	pthread_join(t, NULL);
	cr_assert_eq(count(fd), r.sent);
	tear_down();
}

Test(xdpgen, link_down_under_way)
{
	set_up();
	struct shunt_info info;
	pthread_t t;

	int fd = sniff();
	cr_assert_eq(pthread_create(&t, NULL, halt_soon, &lab), 0);
	cr_assert_eq(FLOOD(FLOWS(1), .pps = 10000), -ENETDOWN);
	pthread_join(t, NULL);
	shunt_get_info(dev, &info);
	cr_assert(*info.gone);
	cr_assert_eq(count(fd), r.sent);
	cr_assert_eq(shunt_tx(q, NULL, 0), -ENETDOWN);
	tear_down();
}

Test(xdpgen, bursts_from_its_own_memory_are_not_copied)
{
	set_up();
	struct shunt_pkt own[64], foreign[2];
	static uint8_t data[2048];
	int fd = sniff();

	cr_assert_eq(shunt_alloc(q, own, 64), 64);
	for (unsigned i = 0; i < 64; i++) {
		own[i].len = 60 + i;
		udp_frame(own[i].data, own[i].len);
	}
	shunt_release(q, own + 32, 32);
	cr_assert_eq(shunt_tx(q, own, 32), 32);
	cr_assert_eq(q->out, 0);
	cr_assert_eq(q->stats.user_copies, 0);
	udp_frame(data, 1514);
	foreign[0] = (struct shunt_pkt){.data = data, .len = 1514};
	foreign[1] = (struct shunt_pkt){.data = data, .len = 1600};
	cr_assert_eq(shunt_tx(q, foreign, 2), 2);
	cr_assert(foreign[0].flags & foreign[1].flags & SHUNT_PKT_KEPT);
	cr_assert_eq(q->stats.user_copies, 1);
	cr_assert_eq(q->stats.tx_errors, 1);
	cr_assert_eq(count(fd), 33);
	cr_assert_eq(shunt_alloc(q, own, 1), 1);
	cr_assert_eq(shunt_close(dev, NULL), -EBUSY);
	shunt_release(q, own, 1);
	tear_down();
}

/* A packet that finds no slot is not taken, nor are its bytes. Every slot is there again after. */
Test(xdpgen, without_a_free_slot_nothing_is_taken)
{
	set_up();
	static struct shunt_pkt all[1024 + 1];
	static uint8_t data[60];
	struct shunt_pkt foreign = {.data = data, .len = sizeof data};
	unsigned n = 0, k;

	udp_frame(data, sizeof data);
	while ((k = shunt_alloc(q, all + n, 1024 + 1 - n)))
		n += k;
	cr_assert_eq(n, 1024);
	for (unsigned i = 0; i < n; i++)
		cr_assert_eq(all[i].len, XDPGEN_FRAME);
	cr_assert_eq(shunt_tx(q, &foreign, 1), 0);
	cr_assert_eq(q->stats.tx_bytes, 0);
	cr_assert_eq(q->stats.tx_short, 1);
	shunt_release(q, all, 700);
	shunt_release(q, all + 700, n - 700);
	cr_assert_eq(shunt_tx(q, &foreign, 1), 1);
	cr_assert_eq(q->stats.tx_bytes, sizeof data);
	for (n = 0; (k = shunt_alloc(q, all + n, 1024 + 1 - n)); n += k)
		;
	cr_assert_eq(n, 1024);
	shunt_release(q, all, n);
	tear_down();
}

Test(xdpgen, leaves_the_thread_where_it_was)
{
	uint64_t before = shunt_netns_inode(-1);
	set_up();
	struct shunt_info info;

	cr_assert_eq(shunt_netns_inode(-1), before);
	shunt_get_info(dev, &info);
	cr_assert_eq(info.max_frame, BENCH_MTU + 18);
	cr_assert_eq(info.nnotes, 0, "%s", info.notes[0]);
	tear_down();
	cr_assert_eq(shunt_netns_inode(-1), before);
}

Test(xdpgen, refuses_an_interface_that_takes_no_xdp_frames)
{
	set_up();
	struct shunt_err err = {.code = 0};
	struct shunt_dev *lo;
	char spec[64];

	snprintf(spec, sizeof spec, "xdpgen:lo?netns=%s", lab.far_path);
	cr_assert_eq(shunt_open(&lo, spec, SHUNT_TX, &err), 0);
	int rc = shunt_start(lo, &err);
	cr_assert_eq(shunt_close(lo, NULL), 0);
	tear_down();
	if (!rc)
		cr_skip_test("this kernel does not tell: Linux 6.3 does");
	cr_assert_eq(rc, -EOPNOTSUPP);
	cr_assert_eq(err.kind, SHUNT_ERR_USAGE);
	cr_assert(strstr(err.what, "'lo'"), "%s", err.what);
}
