/* SPDX-License-Identifier: BSD-2-Clause
 * AF_XDP receives: exact counts, exact ledgers. Frames come from a raw packet socket beside far0,
 * so that nothing of the driver checks itself.
 */
#include "tests/drivers/xdp.h"

#include <errno.h>

static void byte_for_byte(const char *keys, const char *attach)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, keys);
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	uint32_t total = 0;
	uint8_t f[2048];

	cr_assert_str_eq(fact(dev, "attach"), attach);
	cr_assert_str_eq(fact(dev, "mode"), "copy");
	for (unsigned round = 0; round < 20; round++) {
		for (uint32_t i = total; i < total + 500; i++) {
			uint32_t len = raw_frame(f, i, raw_length(i));
			cr_assert_eq(send(fd, f, len, 0), (ssize_t)len);
		}
		total += receive(dev, total, true);
	}
	cr_assert_eq(total, 10000);
	struct shunt_ledger l = closed_ledger(dev);
	cr_assert_eq(l.received, 10000);
	cr_assert_eq(l.delivered, 10000);
	end(dev, fd);
}

Test(af_xdp, native_spin)
{
	byte_for_byte("attach=native", "native");
}

Test(af_xdp, skb_spin)
{
	byte_for_byte("attach=skb&mode=copy", "skb");
}

Test(af_xdp, native_poll)
{
	byte_for_byte("wait=poll&attach=native&wakeup=off", "native");
}

Test(af_xdp, skb_poll)
{
	byte_for_byte("wait=poll&attach=skb", "skb");
}

/* Nobody receives while 2000 frames meet a room of 64: the rest is lost by name, and exactly. */
static void overload(const char *keys)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, keys);
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);

	send_frames(fd, 0, 2000, 60);
	usleep(20000);
	uint32_t got = receive(dev, 0, false);
	send_frames(fd, 0, 1000, 60);
	got += receive(dev, 0, false);
	struct shunt_ledger l = closed_ledger(dev);
	cr_assert_eq(l.received, 3000);
	cr_assert_eq(l.delivered, got);
	cr_assert_eq(got, 128);
	cr_assert_eq(loss(&l, "ring_full"), 3000 - 128);
	cr_assert_eq(loss(&l, "fill_empty"), 0);
	end(dev, fd);
}

Test(af_xdp, overload_native)
{
	overload("depth=64&attach=native");
}

Test(af_xdp, overload_skb)
{
	overload("depth=64&attach=skb");
}

/* The application keeps every packet: FILL runs dry when the reserve is used up. */
Test(af_xdp, fill_empty_is_counted)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, "depth=64");
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	struct shunt_pkt p[2000];
	unsigned got = 0;

	for (unsigned i = 0; i < 100; i++) {
		send_frames(fd, i * 10, 10, 60);
		for (unsigned idle = 0; idle < 2000;) {
			int n = shunt_rx(q, p + got, SHUNT_BURST);
			got += (unsigned)n;
			idle += n == 0;
		}
	}
	cr_assert_eq(got, 64 + 256 + 512);
	cr_assert_eq(shunt_close(dev, NULL), -EBUSY);
	shunt_release(q, p, got);
	struct shunt_ledger l = closed_ledger(dev);
	cr_assert_eq(l.received, 1000);
	cr_assert_eq(l.delivered, 64 + 256 + 512);
	cr_assert_eq(loss(&l, "fill_empty"), 1000 - 64 - 256 - 512);
	end(dev, fd);
}

/* Frames that were in RX when the device was stopped can still be had; until then they are lost. */
Test(af_xdp, stop_keeps_what_waits)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, "");
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);

	send_frames(fd, 0, 700, 60);
	usleep(20000);
	struct shunt_ledger l = closed_ledger(dev);
	cr_assert_eq(l.received, 700);
	cr_assert_eq(l.delivered, 0);
	cr_assert_eq(loss(&l, "shutdown"), 700);
	send_frames(fd, 0, 100, 60);
	cr_assert_eq(receive(dev, 0, false), 700);
	l = closed_ledger(dev);
	cr_assert_eq(l.received, 700);
	cr_assert_eq(loss(&l, "shutdown"), 0);
	end(dev, fd);
}

/* Longer than a chunk's room: lost and named. The MTU that lets them through is for skb mode. */
Test(af_xdp, too_long_is_counted)
{
	LAB();
	uint8_t f[3000];

	set_mtu(&the_lab, 3000);
	struct shunt_dev *dev = near_dev(SHUNT_RX, "");
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	for (uint32_t i = 0; i < 100; i++) {
		uint32_t len = i % 2 ? 1792 : 1793 + i * 10;
		udp_frame(f, len);
		cr_assert_eq(send(fd, f, len, 0), (ssize_t)len);
	}
	cr_assert_eq(receive(dev, 0, false), 50);
	struct shunt_ledger l = closed_ledger(dev);
	cr_assert_eq(l.received, 100);
	cr_assert_eq(loss(&l, "too_long"), 50);
	end(dev, fd);
}

Test(af_xdp, all_queues_are_covered)
{
	LAB(.queues = 4);
	struct shunt_dev *dev = near_dev(SHUNT_RX, "");
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	struct shunt_qstats s;
	unsigned used = 0;

	cr_assert_eq(shunt_nqueues(dev), 4);
	for (uint32_t i = 0; i < 8; i++) {
		send_frames(fd, 0, 1000, 60);
		cr_assert_eq(receive(dev, 0, false), 1000);
	}
	for (unsigned i = 0; i < 4; i++) {
		shunt_queue_stats(shunt_get_queue(dev, i), &s);
		used += s.rx_packets > 0;
	}
	cr_assert_gt(used, 1, "the flows of the test went to one queue");
	struct shunt_ledger l = closed_ledger(dev);
	cr_assert_eq(l.received, 8000);
	cr_assert_eq(loss(&l, "no_socket"), 0);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	/* Half of the queues: only their frames are the device's. */
	dev = near_dev(SHUNT_RX, "queues=0-1");
	cr_assert_eq(shunt_nqueues(dev), 2);
	send_frames(fd, 0, 1000, 60);
	uint32_t got = receive(dev, 0, false);
	l = closed_ledger(dev);
	cr_assert_eq(l.received, got);
	cr_assert_lt(got, 1000);
	cr_assert_eq(loss(&l, "no_socket"), 0);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	struct shunt_err err;
	cr_assert_lt(refused(SHUNT_RX, "queues=0-4", &err), 0);
	cr_assert_eq(err.kind, SHUNT_ERR_USAGE);
	close(fd);
	bench_lab_close(&the_lab);
}

Test(af_xdp, drop_counts_twice)
{
	LAB(.queues = 4);
	struct shunt_dev *dev = near_dev(SHUNT_RX, "action=drop");
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	struct shunt_identity id;

	send_frames(fd, 0, 3000, 60);
	usleep(20000);
	shunt_queue_identity(shunt_get_queue(dev, 0), &id);
	cr_assert_eq(id.kind, SHUNT_KIND_XDP);
	cr_assert_eq(id.fd, -1);
	cr_assert_eq(receive(dev, 0, false), 0);
	struct shunt_ledger l = closed_ledger(dev);
	cr_assert_eq(l.received, 3000);
	cr_assert_eq(loss(&l, "xdp_drop"), 3000);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	dev = near_dev(SHUNT_RX, "action=drop&queues=1,3&attach=skb");
	send_frames(fd, 0, 1000, 60);
	usleep(20000);
	l = closed_ledger(dev);
	cr_assert_gt(l.received, 0);
	cr_assert_lt(l.received, 1000);
	cr_assert_eq(loss(&l, "no_socket"), 0);
	end(dev, fd);
}

/* With traffic, spinning makes no system call at all. */
Test(af_xdp, spinning_calls_nothing)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, "");
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	struct shunt_qstats s;

	for (int i = 0; i < 100; i++) {
		send_frames(fd, 0, 50, 60);
		cr_assert_eq(receive(dev, 0, false), 50);
	}
	shunt_queue_stats(shunt_get_queue(dev, 0), &s);
	cr_assert_eq(s.syscalls, 0);
	cr_assert_eq(s.rx_packets, 5000);
	cr_assert_eq(s.rx_bytes, 5000 * 60);
	end(dev, fd);
}
