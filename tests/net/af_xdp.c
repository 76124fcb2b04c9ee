/* SPDX-License-Identifier: BSD-2-Clause
 * AF_XDP in a lab: exact counts, exact ledgers. Frames come from a raw packet socket beside far0,
 * so that nothing of the driver checks itself.
 */
#include "tests/net/net.h"
#include "tests/net/raw.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct bench_lab the_lab;

#define LAB(...)                                                                                   \
	do {                                                                                       \
		struct shunt_err why_;                                                             \
		struct bench_lab_opts opts_ = {__VA_ARGS__};                                       \
		if (bench_lab_open(&the_lab, &opts_, &why_))                                       \
			cr_skip_test("no lab: %s", why_.what);                                     \
	} while (0)

static struct shunt_dev *near_dev(enum shunt_dir dir, const char *keys)
{
	return must_open(dir, "xdp:near0?netns=%s%s%s", the_lab.near_path, *keys ? "&" : "", keys);
}

static int refused(enum shunt_dir dir, const char *keys, struct shunt_err *err)
{
	char spec[200];
	struct shunt_dev *dev;

	*err = (struct shunt_err){.code = 0};
	snprintf(spec, sizeof spec, "xdp:near0?netns=%s&%s", the_lab.near_path, keys);
	int rc = shunt_open(&dev, spec, dir, err);
	if (rc)
		return rc;
	rc = shunt_start(dev, err);
	shunt_close(dev, NULL);
	return rc;
}

static void send_frames(int fd, uint32_t from, uint32_t n, uint32_t len)
{
	uint8_t f[2048];

	for (uint32_t i = from; i < from + n; i++) {
		raw_frame(f, i, len);
		cr_assert_eq(send(fd, f, len, 0), (ssize_t)len, "%s", strerror(errno));
	}
}

/* Receive until none came for a while; checks bytes where len is 0 (mixed lengths). */
static uint32_t receive(struct shunt_dev *dev, uint32_t from, bool check)
{
	uint32_t got = from, idle = 0;
	uint8_t want[2048];
	struct shunt_info info;

	shunt_get_info(dev, &info);
	uint32_t enough = strstr(info.spec, "wait=poll") ? 2 : 3000;
	while (idle < enough) {
		for (unsigned k = 0; k < shunt_nqueues(dev); k++) {
			struct shunt_queue *q = shunt_get_queue(dev, k);
			struct shunt_pkt p[SHUNT_BURST];
			int n = shunt_rx(q, p, SHUNT_BURST);
			if (n <= 0) {
				idle++;
				continue;
			}
			idle = 0;
			for (int i = 0; check && i < n; i++) {
				uint32_t len = raw_frame(
					want, got + (uint32_t)i, raw_length(got + (uint32_t)i));
				cr_assert_eq(p[i].len, len);
				cr_assert_eq(p[i].wire_len, len);
				cr_assert_arr_eq((uint8_t *)p[i].data, want, len);
			}
			got += (uint32_t)n;
			shunt_release(q, p, (unsigned)n);
		}
	}
	return got - from;
}

static uint64_t loss(const struct shunt_ledger *l, const char *name)
{
	for (unsigned i = 0; i < l->losses; i++)
		if (!strcmp(l->loss[i].name, name))
			return l->loss[i].count;
	cr_assert(false, "the ledger has no %s", name);
	return 0;
}

static struct shunt_ledger closed_ledger(struct shunt_dev *dev)
{
	struct shunt_ledger l;

	cr_assert_eq(shunt_stop(dev, NULL), 0);
	cr_assert_eq(shunt_get_ledger(dev, &l, NULL), 0);
	cr_assert_eq(l.unaccounted, 0, "received %lu delivered %lu unaccounted %ld", l.received,
		l.delivered, l.unaccounted);
	return l;
}

static const char *fact(struct shunt_dev *dev, const char *key)
{
	static struct shunt_info info;

	shunt_get_info(dev, &info);
	for (unsigned i = 0; i < info.nfacts; i++)
		if (!strcmp(info.facts[i].key, key))
			return info.facts[i].value;
	return "";
}

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
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&the_lab);
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
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&the_lab);
}

Test(af_xdp, overload_native)
{
	overload("room=64&attach=native");
}

Test(af_xdp, overload_skb)
{
	overload("room=64&attach=skb");
}

/* The application keeps every packet: FILL runs dry when the reserve is used up. */
Test(af_xdp, fill_empty_is_counted)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, "room=64");
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
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&the_lab);
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
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&the_lab);
}

/* Longer than a chunk's room: lost and named. The MTU that lets them through is for skb mode. */
Test(af_xdp, too_long_is_counted)
{
	LAB();
	struct ifreq ifr = {.ifr_mtu = 3000};
	uint8_t f[3000];
	const int at[] = {the_lab.near_ns, the_lab.far_ns};

	for (int i = 0; i < 2; i++) {
		int back = shunt_netns_enter(at[i]);
		int s = socket(AF_INET, SOCK_DGRAM, 0);
		strcpy(ifr.ifr_name, i ? BENCH_FAR : BENCH_NEAR);
		cr_assert_eq(ioctl(s, SIOCSIFMTU, &ifr), 0);
		close(s);
		cr_assert_eq(shunt_netns_leave(back), 0);
	}
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
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&the_lab);
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
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&the_lab);
}

/* Programs in the kernel that are called name; ids of BPF objects only grow. */
static unsigned programs(const char *name)
{
	unsigned n = 0;

	for (uint32_t id = 0; !bpf_prog_get_next_id(id, &id);) {
		struct bpf_prog_info info = {.id = 0};
		uint32_t len = sizeof info;
		int fd = bpf_prog_get_fd_by_id(id);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len))
			n += !strcmp(info.name, name);
		if (fd >= 0)
			close(fd);
	}
	return n;
}

/* Links that hold such a program. */
static unsigned links(const char *name)
{
	unsigned n = 0;

	for (uint32_t id = 0; !bpf_link_get_next_id(id, &id);) {
		struct bpf_link_info link = {.id = 0};
		struct bpf_prog_info prog = {.id = 0};
		uint32_t llen = sizeof link, plen = sizeof prog;
		int fd = bpf_link_get_fd_by_id(id), pfd = -1;
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &link, &llen))
			pfd = bpf_prog_get_fd_by_id(link.prog_id);
		if (pfd >= 0 && !bpf_obj_get_info_by_fd(pfd, &prog, &plen))
			n += !strcmp(prog.name, name);
		if (pfd >= 0)
			close(pfd);
		if (fd >= 0)
			close(fd);
	}
	return n;
}

static int load_foreign(void)
{
	struct bpf_insn in[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT}};

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "somebody_elses", "GPL", in, 2, NULL);
}

Test(af_xdp, foreign_program_is_named_and_left_alone)
{
	static const uint32_t modes[] = {XDP_FLAGS_DRV_MODE, XDP_FLAGS_SKB_MODE};

	LAB();
	int prog = load_foreign();
	cr_assert_geq(prog, 0);
	for (int m = 0; m < 2; m++) {
		struct shunt_err err;
		uint32_t before = 0, after = 0;
		int back = shunt_netns_enter(the_lab.near_ns);
		int at = (int)the_lab.near_ifindex;
		cr_assert_eq(bpf_xdp_attach(at, prog, modes[m], NULL), 0);
		bpf_xdp_query_id(at, 0, &before);
		cr_assert_eq(refused(SHUNT_RX, "attach=auto", &err), -EBUSY);
		cr_assert(strstr(err.what, "somebody_elses"), "%s", err.what);
		cr_assert_eq(refused(SHUNT_RX, "action=drop&attach=skb", &err), -EBUSY);
		bpf_xdp_query_id(at, 0, &after);
		cr_assert_eq(before, after);
		cr_assert_neq(after, 0u);
		cr_assert_eq(bpf_xdp_detach(at, modes[m], NULL), 0);
		cr_assert_eq(shunt_netns_leave(back), 0);
	}
	close(prog);
	bench_lab_close(&the_lab);
}

/* A closed socket's tear-down is deferred: the next bind has to wait for it. */
Test(af_xdp, reopens_at_once_and_leaves_nothing)
{
	LAB(.queues = 2);
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	unsigned had = programs("shunt_redirect"), held = links("shunt_redirect");

	for (uint32_t i = 0; i < 20; i++) {
		struct shunt_dev *dev =
			near_dev(i % 3 ? SHUNT_RX : SHUNT_RXTX, i % 2 ? "attach=skb" : "room=512");
		send_frames(fd, 0, 100, 60);
		cr_assert_eq(receive(dev, 0, false), 100);
		cr_assert_eq(closed_ledger(dev).received, 100);
		cr_assert_eq(shunt_close(dev, NULL), 0);
	}
	for (int i = 0; i < 300 && programs("shunt_redirect") > had; i++)
		usleep(10000); /* freed after an RCU grace period */
	cr_assert_leq(programs("shunt_redirect"), had);
	cr_assert_leq(links("shunt_redirect"), held);
	close(fd);
	bench_lab_close(&the_lab);
}

static void gone(const char *keys, int error, int (*act)(struct shunt_err *))
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, keys);
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	int fd = raw_open(the_lab.far_ns, BENCH_FAR), rc = 0;
	struct shunt_pkt p[SHUNT_BURST];
	struct shunt_info info;
	struct shunt_err err = {.code = 0};

	send_frames(fd, 0, 500, 60);
	usleep(20000);
	int back = shunt_netns_enter(the_lab.near_ns);
	cr_assert_eq(act(&err), 0, "%s", err.what);
	cr_assert_eq(shunt_netns_leave(back), 0);
	uint32_t got = 0;
	for (unsigned i = 0; i < 10000000 && !rc; i++) {
		int n = shunt_rx(q, p, SHUNT_BURST);
		if (n < 0)
			rc = n;
		else
			shunt_release(q, p, (unsigned)n);
		got += n > 0 ? (uint32_t)n : 0;
	}
	cr_assert_eq(rc, error, "%s", strerror(-rc));
	cr_assert_eq(got, strstr(keys, "drop") ? 0 : 500);
	cr_assert_eq(shunt_rx(q, p, 1), error);
	shunt_get_info(dev, &info);
	cr_assert(strstr(info.gone, BENCH_NEAR), "%s", info.gone);
	cr_assert_eq(closed_ledger(dev).received, 500);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&the_lab);
}

static int take_down(struct shunt_err *err)
{
	return shunt_link_set_up(BENCH_NEAR, false, err);
}

static int delete (struct shunt_err *err)
{
	return shunt_link_delete(BENCH_NEAR, err);
}

Test(af_xdp, down_spin)
{
	gone("", -ENETDOWN, take_down);
}

Test(af_xdp, down_poll)
{
	gone("wait=poll&attach=skb", -ENETDOWN, take_down);
}

Test(af_xdp, down_drop)
{
	gone("action=drop", -ENETDOWN, take_down);
}

Test(af_xdp, deleted_spin)
{
	gone("attach=skb", -ENODEV, delete);
}

Test(af_xdp, deleted_poll)
{
	gone("wait=poll", -ENODEV, delete);
}

Test(af_xdp, deleted_drop)
{
	gone("action=drop&wait=poll", -ENODEV, delete);
}

Test(af_xdp, a_new_name_changes_nothing)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, "");
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	int back = shunt_netns_enter(the_lab.near_ns);

	cr_assert_eq(shunt_link_set_up(BENCH_NEAR, false, NULL), 0);
	cr_assert_eq(shunt_link_rename(BENCH_NEAR, "other0", NULL), 0);
	cr_assert_eq(shunt_link_set_up("other0", true, NULL), 0);
	cr_assert_eq(shunt_netns_leave(back), 0);
	send_frames(fd, 0, 500, 60);
	cr_assert_eq(receive(dev, 0, false), 500);
	cr_assert_eq(closed_ledger(dev).received, 500);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&the_lab);
}

Test(af_xdp, refuses_what_it_cannot_do)
{
	LAB();
	static const struct {
		enum shunt_dir dir;
		const char *keys, *says;
	} bad[] = {{SHUNT_RX, "mode=zc", "zero-copy"},
		{SHUNT_RX, "mode=zc&attach=skb", "zero-copy"}, {SHUNT_RX, "fd=5", "fd=5"},
		{SHUNT_RX, "busy=8&wait=poll", "busy=8"}, {SHUNT_TX, "action=drop", "transmit"},
		{SHUNT_RX, "queues=1", "has 1"}, {SHUNT_RX, "queues=x", "queues=x"},
		{SHUNT_RX, "mode=fast", "auto|copy|zc"}};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct shunt_err err;
		cr_assert_lt(refused(bad[i].dir, bad[i].keys, &err), 0, "%s", bad[i].keys);
		cr_assert(strstr(err.what, bad[i].says), "%s: %s", bad[i].keys, err.what);
		cr_assert_eq(err.kind, SHUNT_ERR_USAGE, "%s", bad[i].keys);
	}
	bench_lab_close(&the_lab);
}

Test(af_xdp, busy_poll_says_that_it_does_nothing)
{
	LAB();
	struct shunt_dev *dev = near_dev(SHUNT_RX, "busy=64");
	int fd = raw_open(the_lab.far_ns, BENCH_FAR);
	struct shunt_info info;
	bool said = false;

	send_frames(fd, 0, 500, 60);
	cr_assert_eq(receive(dev, 0, false), 500);
	cr_assert_eq(closed_ledger(dev).received, 500);
	cr_assert_str_eq(fact(dev, "napi_id"), "0");
	shunt_get_info(dev, &info);
	for (unsigned i = 0; i < info.nnotes; i++)
		said |= strstr(info.notes[i], "no NAPI id") != NULL;
	cr_assert(said);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&the_lab);
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
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&the_lab);
}
