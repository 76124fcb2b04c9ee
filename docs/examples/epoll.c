/* SPDX-License-Identifier: BSD-2-Clause
 * Two devices and a timer in one epoll loop: epoll SECONDS SPEC... A device whose spec begins with
 * + is transmitted on: a burst at each tick of the timer.
 *
 * The loop's rules: before it sleeps it arms every queue, and does not sleep where one has packets
 * already; a queue gets a few bursts per turn, so that the timer is not late under load; and once a
 * second shunt_wait() with 0 ms looks whether the links are there. With a device that can't sleep
 * (wait=spin on pci:, null:) there is no descriptor: the program says so.
 * It prints what it received, and how late its timer was: 10 ms, median and 99th percentile.
 */
#include <shunt/shunt.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define DEVICES  8
#define QUEUES   64
#define BUDGET   8          /* bursts of a queue per turn */
#define TICK_NS  10000000u  /* the timer's period */
#define LOOK     100        /* ticks between two looks at the links */
#define TICKS    100000     /* whose lateness is kept */
#define NO_QUEUE UINT32_MAX /* the timer's mark in epoll */

static struct shunt_dev *devs[DEVICES];
static struct shunt_queue *queues[QUEUES], *senders[DEVICES];
static unsigned ndevs, nqueues, nsenders, ticks;
static uint64_t received, sent, late_ns[TICKS];
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void must(int rc, const char *what)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "epoll: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Open and start, and put the descriptor of each queue into the epoll set. */
static int add_device(int ep, const char *spec, struct shunt_err *err)
{
	bool sends = *spec == '+';
	struct shunt_dev *dev;
	int rc = shunt_open(&dev, spec + sends, sends ? SHUNT_TX : SHUNT_RX, err);

	if (rc)
		return rc;
	devs[ndevs++] = dev;
	rc = shunt_start(dev, err);
	if (!rc && sends)
		senders[nsenders++] = shunt_get_queue(dev, 0);
	for (unsigned i = 0; !rc && !sends && i < shunt_nqueues(dev) && nqueues < QUEUES; i++) {
		struct epoll_event ev = {.events = EPOLLIN, .data.u32 = nqueues};
		queues[nqueues] = shunt_get_queue(dev, i);
		int fd = shunt_queue_fd(queues[nqueues++]);
		if (fd < 0) {
			fprintf(stderr, "epoll: %s: no descriptor to wait for: use wait=poll\n",
				spec);
			exit(2);
		}
		must(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), spec);
	}
	return rc;
}

static int add_timer(int ep, uint64_t first)
{
	struct itimerspec every = {.it_interval = {.tv_nsec = TICK_NS},
		.it_value = {.tv_sec = (time_t)(first / 1000000000u),
			.tv_nsec = (long)(first % 1000000000u)}};
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = NO_QUEUE};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	must(fd, "timerfd_create");
	must(timerfd_settime(fd, TFD_TIMER_ABSTIME, &every, NULL), "timerfd_settime");
	must(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), "epoll_ctl");
	return fd;
}

/* What tx does not take is not kept for later: it is released, and not counted as sent. */
static void send_burst(struct shunt_queue *q)
{
	static const uint8_t frame[60] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5};
	struct shunt_pkt pkts[SHUNT_BURST];
	unsigned n = shunt_alloc(q, pkts, SHUNT_BURST);

	for (unsigned i = 0; i < n; i++) {
		memcpy(pkts[i].data, frame, sizeof frame);
		pkts[i].len = sizeof frame;
	}
	int k = shunt_tx(q, pkts, n);
	unsigned taken = k > 0 ? (unsigned)k : 0;
	sent += taken;
	shunt_release(q, pkts + taken, n - taken);
}

/* A few bursts; the rest waits for the next turn. Negative: a sticky error. */
static int serve(struct shunt_queue *q)
{
	struct shunt_pkt pkts[SHUNT_BURST];

	for (unsigned i = 0; i < BUDGET; i++) {
		int n = shunt_rx(q, pkts, SHUNT_BURST);
		if (n <= 0)
			return n;
		shunt_release(q, pkts, (unsigned)n);
		received += (unsigned)n;
	}
	return 0;
}

/* 1 when a queue has packets: the loop must not sleep then. */
static int arm_all(void)
{
	int ready = 0;

	for (unsigned i = 0; i < nqueues; i++)
		ready |= shunt_arm(queues[i]);
	return ready;
}

/* The expirations since the last read: the oldest of them is the one that was late. */
static void on_timer(int timer, uint64_t *due)
{
	uint64_t n;

	if (read(timer, &n, sizeof n) != sizeof n)
		return;
	if (ticks < TICKS)
		late_ns[ticks++] = now() - *due;
	*due += n * TICK_NS;
	for (unsigned i = 0; i < nsenders; i++)
		send_burst(senders[i]);
	if (nqueues && ticks % LOOK == 0)
		shunt_wait(queues, nqueues, 0);
}

static int loop(int ep, double seconds)
{
	uint64_t start = now(), end = start + (uint64_t)(seconds * 1e9), due = start + TICK_NS;
	int timer = add_timer(ep, due), rc = 0;
	struct epoll_event ev[QUEUES];

	while (!stop && !rc && now() < end) {
		bool busy = arm_all();
		int n = epoll_wait(ep, ev, QUEUES, busy ? 0 : -1);
		for (int i = 0; i < n; i++)
			if (ev[i].data.u32 == NO_QUEUE)
				on_timer(timer, &due);
		/* All of them: an armed queue that was ready has raised nothing. */
		for (unsigned i = 0; i < nqueues && rc >= 0; i++)
			rc = serve(queues[i]);
	}
	close(timer);
	return rc;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct shunt_err err = {.code = 0};
	char *rest;
	double seconds = argc > 1 ? strtod(argv[1], &rest) : 0;

	if (argc < 2 || *rest || seconds <= 0 || argc > 2 + DEVICES) {
		fprintf(stderr, "usage: epoll SECONDS [SPEC...], at most %u\n", DEVICES);
		return 2;
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	must(ep, "epoll_create1");
	for (int i = 2; i < argc; i++)
		if (add_device(ep, argv[i], &err)) {
			fprintf(stderr, "epoll: %s\n", err.what);
			return err.kind == SHUNT_ERR_USAGE ? 2 : 1;
		}
	int rc = loop(ep, seconds);
	/* Senders were named last; what is queued for the receivers is still to be had. */
	for (unsigned i = ndevs; i--;)
		shunt_stop(devs[i], NULL);
	for (unsigned i = 0; i < nqueues; i++)
		for (uint64_t before = received + 1; before != received && serve(queues[i]) >= 0;)
			before = received;
	for (unsigned i = 0; i < ndevs; i++)
		shunt_close(devs[i], NULL);
	qsort(late_ns, ticks, sizeof *late_ns, compare);
	printf("received=%llu sent=%llu ticks=%u late_p50_us=%.1f late_p99_us=%.1f error=%d\n",
		(unsigned long long)received, (unsigned long long)sent, ticks,
		ticks ? (double)late_ns[ticks / 2] / 1e3 : 0.0,
		ticks ? (double)late_ns[ticks * 99 / 100] / 1e3 : 0.0, rc);
	return rc ? 1 : 0;
}
