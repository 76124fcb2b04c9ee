/* SPDX-License-Identifier: BSD-2-Clause
 * AF_XDP transmits, forwards and shares a region. A raw packet socket beside far0 sees what came.
 */
#include "tests/drivers/raw.h"
#include "tests/net.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

static const char *const near_spec = "xdp:near0?netns=%s%s";

static uint64_t own_copies(struct shunt_queue *q)
{
	struct shunt_qstats s;

	shunt_queue_stats(q, &s);
	return s.user_copies;
}

/* n frames through alloc and tx, in bursts. */
static void transmit(struct shunt_queue *q, uint32_t n)
{
	for (uint32_t i = 0, idle = 0; i < n && idle < 100000;) {
		struct shunt_pkt p[SHUNT_BURST];
		uint32_t want = n - i < SHUNT_BURST ? n - i : SHUNT_BURST;
		uint32_t got = shunt_alloc(q, p, want), k = 0;
		for (uint32_t j = 0; j < got; j++)
			p[j].len = raw_frame(p[j].data, i + j, raw_length(i + j));
		while (k < got && idle++ < 100000) {
			int sent = shunt_tx(q, p + k, got - k);
			cr_assert_geq(sent, 0);
			k += (uint32_t)sent;
		}
		cr_assert_eq(k, got);
		shunt_tx(q, p, 0); /* reaps, so that alloc goes on */
		i += got;
	}
}

static void all_arrive(const char *keys)
{
	NEED_LAB(lab);
	struct shunt_dev *dev = must_open(SHUNT_TX, near_spec, lab.near_path, keys);
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	int fd = raw_open(lab.far_ns, BENCH_FAR);
	struct shunt_qstats s;
	uint32_t seen = 0;

	/* More than all chunks and all descriptors: completions must come back. */
	for (uint32_t round = 0; round < 80; round++) {
		transmit(q, 100);
		seen += raw_expect(fd, 0, 100);
	}
	cr_assert_eq(seen, 8000);
	cr_assert_eq(shunt_stop(dev, NULL), 0);
	shunt_queue_stats(q, &s);
	cr_assert_eq(s.tx_packets, 8000);
	cr_assert_eq(s.tx_errors, 0);
	cr_assert_eq(s.user_copies, 0);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&lab);
}

Test(af_xdp_tx, all_arrive)
{
	all_arrive("");
}

Test(af_xdp_tx, all_arrive_without_need_wakeup)
{
	all_arrive("&wakeup=off&mode=copy");
}

Test(af_xdp_tx, transmit_only_attaches_nothing)
{
	NEED_LAB(lab);
	struct shunt_dev *dev = must_open(SHUNT_TX, near_spec, lab.near_path, "");
	uint32_t id = 0;
	int back = shunt_netns_enter(lab.near_ns);

	cr_assert_eq(bpf_xdp_query_id((int)lab.near_ifindex, 0, &id), 0);
	cr_assert_eq(id, 0u);
	shunt_netns_leave(back);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	bench_lab_close(&lab);
}

/* The generic sender: what it says it sent is what arrives, at full rate, too. */
Test(af_xdp_tx, flood_counts_what_arrives)
{
	NEED_LAB(lab);
	struct shunt_dev *dev = must_open(SHUNT_TX, near_spec, lab.near_path, "");
	int fd = raw_open(lab.far_ns, BENCH_FAR);
	uint8_t f[60];
	struct shunt_frame frame = {.data = f, .len = 60};
	struct shunt_flood flood = {
		.frames = &frame, .nframes = 1, .packets = 20000, .stamp = true};
	struct shunt_flood_result r;

	raw_frame(f, 0, 60);
	cr_assert_eq(shunt_flood(shunt_get_queue(dev, 0), &flood, &r, NULL), 0);
	cr_assert_eq(r.sent + r.refused, 20000);
	cr_assert_eq(raw_count(fd), r.sent);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&lab);
}

/* Packets of another region are copied, counted, and stay with the caller. */
Test(af_xdp_tx, foreign_memory_is_copied_and_kept)
{
	NEED_LAB(lab);
	struct shunt_dev *dev = must_open(SHUNT_RXTX, near_spec, lab.near_path, "");
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	int fd = raw_open(lab.far_ns, BENCH_FAR);
	static uint8_t f[SHUNT_BURST][2048];
	struct shunt_pkt p[SHUNT_BURST];

	for (uint32_t i = 0; i < SHUNT_BURST; i++)
		p[i] = (struct shunt_pkt){.data = f[i], .len = raw_frame(f[i], i, raw_length(i))};
	cr_assert_eq(shunt_tx(q, p, SHUNT_BURST), SHUNT_BURST);
	for (uint32_t i = 0; i < SHUNT_BURST; i++)
		cr_assert(p[i].flags & SHUNT_PKT_KEPT);
	cr_assert_eq(own_copies(q), SHUNT_BURST);
	cr_assert_eq(raw_expect(fd, 0, SHUNT_BURST), SHUNT_BURST);
	/* A frame that no chunk holds is refused by name, and not sent. */
	p[0].len = 1793;
	p[0].flags = 0;
	cr_assert_eq(shunt_tx(q, p, 1), 1);
	cr_assert_eq(q->stats.tx_errors, 1);
	cr_assert(p[0].flags & SHUNT_PKT_KEPT);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	bench_lab_close(&lab);
}

static uint32_t forward(struct shunt_queue *from, struct shunt_queue *to)
{
	uint32_t moved = 0;

	for (uint32_t idle = 0; idle < 3000;) {
		struct shunt_pkt p[SHUNT_BURST];
		int n = shunt_rx(from, p, SHUNT_BURST);
		cr_assert_geq(n, 0);
		if (!n) {
			idle++;
			continue;
		}
		idle = 0;
		shunt_move(from, to, (unsigned)n);
		for (int k = 0; k < n;)
			k += shunt_tx(to, p + k, (unsigned)(n - k));
		moved += (uint32_t)n;
	}
	return moved;
}

/* far0 -> near0 (lab a), out of near0 of lab b, far0 of lab b: no copy, and every chunk comes back.
 */
Test(af_xdp_tx, two_devices_on_one_region_forward_without_a_copy)
{
	NEED_LAB(a);
	NEED_LAB(b);
	struct shunt_region *region;
	struct shunt_region_opts opts = {.chunks = 2048};
	struct shunt_region_info info;
	struct shunt_dev *in, *out;
	char spec[128];
	struct shunt_err err = {.code = 0};

	cr_assert_eq(shunt_region_create(&region, &opts, NULL), 0);
	snprintf(spec, sizeof spec, "xdp:near0?netns=%s&depth=256", a.near_path);
	cr_assert_eq(shunt_open(&in, spec, SHUNT_RX, &err), 0, "%s", err.what);
	snprintf(spec, sizeof spec, "xdp:near0?netns=%s&depth=256", b.near_path);
	cr_assert_eq(shunt_open(&out, spec, SHUNT_TX, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_attach(in, region, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_attach(out, region, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_region_destroy(region, NULL), -EBUSY);
	cr_assert_eq(shunt_start(in, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_start(out, &err), 0, "%s", err.what);
	struct shunt_queue *from = shunt_get_queue(in, 0), *to = shunt_get_queue(out, 0);
	int source = raw_open(a.far_ns, BENCH_FAR), sink = raw_open(b.far_ns, BENCH_FAR);

	for (uint32_t round = 0; round < 100; round++) { /* 10000 frames through 2048 chunks */
		raw_send(source, 0, 100);
		cr_assert_eq(forward(from, to), 100);
		cr_assert_eq(raw_expect(sink, 0, 100), 100);
	}
	cr_assert_eq(own_copies(to), 0);
	cr_assert_eq(from->out, 0);
	cr_assert_eq(to->out, 0);
	struct shunt_ledger l;
	shunt_stop(in, NULL);
	cr_assert_eq(shunt_get_ledger(in, &l, NULL), 0);
	cr_assert_eq(l.received, 10000);
	cr_assert_eq(l.delivered, 10000);
	cr_assert_eq(l.unaccounted, 0);
	cr_assert_eq(shunt_close(in, NULL), 0);
	cr_assert_eq(shunt_close(out, NULL), 0);
	shunt_region_info(region, &info);
	cr_assert_eq(info.free, info.chunks);
	cr_assert_eq(shunt_region_destroy(region, NULL), 0);
	close(source);
	close(sink);
	bench_lab_close(&a);
	bench_lab_close(&b);
}

/* A cookie may be another driver's of the region: what returns is the chunk that the packet lies
 * in. */
Test(af_xdp_tx, a_chunk_is_found_by_the_packets_place)
{
	NEED_LAB(lab);
	struct shunt_region *region;
	struct shunt_region_info info;
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;
	char spec[128];

	cr_assert_eq(
		shunt_region_create(&region, &(struct shunt_region_opts){.chunks = 2048}, NULL), 0);
	snprintf(spec, sizeof spec, "xdp:near0?netns=%s&depth=256", lab.near_path);
	cr_assert_eq(shunt_open(&dev, spec, SHUNT_RX, &err), 0);
	cr_assert_eq(shunt_attach(dev, region, &err), 0);
	cr_assert_eq(shunt_start(dev, &err), 0, "%s", err.what);
	int fd = raw_open(lab.far_ns, BENCH_FAR);
	raw_send(fd, 0, 100);
	for (unsigned got = 0; got < 100;) {
		struct shunt_pkt p[SHUNT_BURST];
		int n = shunt_rx(shunt_get_queue(dev, 0), p, SHUNT_BURST);
		cr_assert_geq(n, 0);
		for (int i = 0; i < n; i++)
			p[i].cookie = 0;
		shunt_release(shunt_get_queue(dev, 0), p, (unsigned)n);
		got += (unsigned)n;
	}
	cr_assert_eq(shunt_close(dev, NULL), 0);
	shunt_region_info(region, &info);
	cr_assert_eq(info.free, info.chunks);
	cr_assert_eq(
		shunt_region_destroy(region, NULL), 0, "no chunk is missing, none is there twice");
	close(fd);
	bench_lab_close(&lab);
}

/* Closed with the kernel's rings full of chunks, of both kinds: none is missing in the region. */
Test(af_xdp_tx, a_region_gets_all_chunks_back)
{
	NEED_LAB(lab);
	struct shunt_region *region;
	struct shunt_region_info info;
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;
	char spec[128];

	cr_assert_eq(
		shunt_region_create(&region, &(struct shunt_region_opts){.chunks = 4096}, NULL), 0);
	snprintf(spec, sizeof spec, "xdp:near0?netns=%s&depth=256", lab.near_path);
	cr_assert_eq(shunt_open(&dev, spec, SHUNT_RXTX, &err), 0);
	cr_assert_eq(shunt_attach(dev, region, &err), 0);
	cr_assert_eq(shunt_start(dev, &err), 0, "%s", err.what);
	int fd = raw_open(lab.far_ns, BENCH_FAR);
	raw_send(fd, 0, 500); /* fills RX, and has the kernel drop some */
	transmit(shunt_get_queue(dev, 0), 300);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	shunt_region_info(region, &info);
	cr_assert_eq(info.free, info.chunks);
	cr_assert_eq(shunt_region_destroy(region, NULL), 0);
	/* A region that is too small says what it would take. */
	cr_assert_eq(
		shunt_region_create(&region, &(struct shunt_region_opts){.chunks = 256}, NULL), 0);
	cr_assert_eq(shunt_open(&dev, spec, SHUNT_RX, &err), 0);
	cr_assert_eq(shunt_attach(dev, region, &err), 0);
	cr_assert_eq(shunt_start(dev, &err), -ENOMEM);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	cr_assert_eq(shunt_region_destroy(region, NULL), 0);
	close(fd);
	bench_lab_close(&lab);
}

/* The other end down: no carrier, so the device drops, and says so one frame a call. */
Test(af_xdp_tx, what_the_device_drops_is_counted)
{
	NEED_LAB(lab);
	struct shunt_dev *dev = must_open(SHUNT_TX, near_spec, lab.near_path, "");
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	int back = shunt_netns_enter(lab.far_ns);

	cr_assert_eq(shunt_link_set_up(BENCH_FAR, false, NULL), 0);
	shunt_netns_leave(back);
	usleep(50000);
	transmit(q, 100);
	cr_assert_eq(shunt_stop(dev, NULL), 0);
	cr_assert_eq(q->stats.tx_packets, 100);
	cr_assert_eq(q->stats.tx_errors, 100);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	bench_lab_close(&lab);
}
