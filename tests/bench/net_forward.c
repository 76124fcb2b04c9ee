/* SPDX-License-Identifier: BSD-2-Clause
 * The forwarder over pairs, whose every packet can be counted, and between two labs.
 */
#include "bench/loops/forward.h"

#include "bench/compare/pass.h"
#include "tests/drivers/raw.h"
#include "tests/net.h"

#include <unistd.h>

#define N 1000u

static struct shunt_queue *first(struct shunt_dev *dev)
{
	return shunt_get_queue(dev, 0);
}

static void open_forward(struct bench_forward *f, const char *a, const char *b)
{
	struct shunt_err err = {.code = 0};

	if (!f->burst)
		f->burst = SHUNT_BURST;
	if (!f->duration_ns)
		f->duration_ns = 100000000;
	cr_assert_eq(bench_forward_open(f, a, b, &err), 0, "%s", err.what);
}

static void close_forward(struct bench_forward *f)
{
	struct shunt_err err = {.code = 0};

	cr_assert_eq(bench_forward_close(f, &err), 0, "%s", err.what);
}

static void send_frames(struct shunt_dev *dev, uint32_t from, uint32_t n, uint32_t flags)
{
	for (uint32_t i = from; i < from + n; i++) {
		struct shunt_pkt p;
		cr_assert_eq(shunt_alloc(first(dev), &p, 1), 1u);
		p.len = raw_frame(p.data, i, raw_length(i));
		p.flags = flags;
		cr_assert_eq(shunt_tx(first(dev), &p, 1), 1);
	}
}

static void expect(struct shunt_dev *dev, uint32_t from, uint32_t n, bool swapped)
{
	uint8_t want[RAW_MOST];
	struct shunt_pkt p;

	for (uint32_t i = from; i < from + n; i++) {
		cr_assert_eq(shunt_rx(first(dev), &p, 1), 1, "%u", i);
		cr_assert_eq(p.len, raw_frame(want, i, raw_length(i)));
		if (swapped) {
			memcpy(want, bench_far_mac, 6);
			memcpy(want + 6, bench_other_mac, 6);
		}
		cr_assert_arr_eq(p.data, want, p.len);
		shunt_release(first(dev), &p, 1);
	}
	cr_assert_leq(shunt_rx(first(dev), &p, 1), 0, "more than %u", n);
}

static uint64_t copies(const struct bench_forward *f)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct shunt_qstats s;
		shunt_get_stats(f->dev[i], &s);
		sum += s.user_copies;
	}
	return sum;
}

/* received = delivered + the one loss that is named. */
static void ledger_is(const struct bench_forward *f, unsigned way, uint64_t received,
	uint64_t delivered, const char *name)
{
	struct shunt_ledger l;

	bench_forward_ledger(f, way, &l);
	cr_assert_eq(l.received, received, "%lu received", l.received);
	cr_assert_eq(l.delivered, delivered, "%lu delivered", l.delivered);
	cr_assert_eq(l.unaccounted, 0, "%ld unaccounted", l.unaccounted);
	for (unsigned i = 0; i < l.losses; i++)
		cr_assert_eq(l.loss[i].count,
			name && !strcmp(l.loss[i].name, name) ? received - delivered : 0, "%s %lu",
			l.loss[i].name, l.loss[i].count);
	cr_assert_eq(f->way[way].received, received);
}

/* The peers are opened second, so that they use the region that the forwarder attached. */
Test(forward, pairs_both_ways_in_one_region)
{
	static const unsigned bursts[] = {1, 7, 32, 256};

	for (unsigned b = 0; b < 4; b++) {
		struct bench_forward f = {.burst = bursts[b], .touch = b & 1};
		open_forward(&f, "pair:one", "pair:two");
		cr_assert(f.region && f.region_id && !*f.apart, "%s", f.apart);
		struct shunt_dev *src = must_open(SHUNT_RXTX, "pair:one");
		struct shunt_dev *dst = must_open(SHUNT_RXTX, "pair:two");
		send_frames(src, 0, N, 0);
		send_frames(dst, N, N + 1, 0);
		bench_forward_run(&f);
		bench_forward_stop(&f);
		cr_assert_eq(f.error, 0);
		expect(dst, 0, N, false);
		expect(src, N, N + 1, false);
		ledger_is(&f, 0, N, N, NULL);
		ledger_is(&f, 1, N + 1, N + 1, NULL);
		cr_assert_eq(copies(&f), 0u);
		cr_assert_eq(f.way[0].kept + f.way[1].kept, 0u);
		cr_assert_eq(shunt_close(src, NULL), 0);
		cr_assert_eq(shunt_close(dst, NULL), 0);
		close_forward(&f); /* fails if a chunk is missing */
	}
}

Test(forward, swaps_addresses_and_nothing_else)
{
	struct bench_forward f = {.swap = true, .touch = true, .one_way = true};

	open_forward(&f, "pair:from", "pair:to");
	struct shunt_dev *src = must_open(SHUNT_RXTX, "pair:from");
	struct shunt_dev *dst = must_open(SHUNT_RXTX, "pair:to");
	send_frames(src, 0, N, 0);
	bench_forward_run(&f);
	bench_forward_stop(&f);
	expect(dst, 0, N, true);
	ledger_is(&f, 0, N, N, NULL);
	shunt_close(src, NULL);
	shunt_close(dst, NULL);
	close_forward(&f);
}

/* Pairs that already have regions can't share one: each packet is copied once, and counted. */
Test(forward, copies_are_counted_and_explained)
{
	struct bench_forward f = {.one_way = true};
	struct shunt_dev *src = must_open(SHUNT_RXTX, "pair:own1");
	struct shunt_dev *dst = must_open(SHUNT_RXTX, "pair:own2");

	open_forward(&f, "pair:own1", "pair:own2");
	cr_assert(!f.region && strstr(f.apart, "pair:own1"), "%s", f.apart);
	send_frames(src, 0, N, 0);
	bench_forward_run(&f);
	bench_forward_stop(&f);
	expect(dst, 0, N, false);
	ledger_is(&f, 0, N, N, NULL);
	cr_assert_eq(copies(&f), N);
	cr_assert_eq(f.way[0].kept, N);
	shunt_close(src, NULL);
	shunt_close(dst, NULL);
	close_forward(&f);
}

/* The far side is not read: as many frames as its ring holds are forwarded, the rest is counted. */
static void full(bool shared)
{
	struct bench_forward f = {.one_way = true, .burst = 48};
	struct shunt_dev *src, *dst;

	if (shared)
		open_forward(&f, "pair:brook", "pair:pond");
	src = must_open(SHUNT_RXTX, "pair:brook");
	dst = must_open(SHUNT_RXTX, "pair:pond?depth=64");
	if (!shared)
		open_forward(&f, "pair:brook", "pair:pond");
	cr_assert_eq(f.region != NULL, shared);
	send_frames(src, 0, N, 0);
	bench_forward_run(&f);
	bench_forward_stop(&f);
	cr_assert_eq(f.error, 0);
	expect(dst, 0, 64, false);
	ledger_is(&f, 0, N, 64, "tx_full");
	shunt_close(src, NULL);
	shunt_close(dst, NULL);
	close_forward(&f);
}

Test(forward, a_full_far_side_is_a_named_loss)
{
	full(true);
	full(false);
}

Test(forward, a_far_side_that_closes_ends_the_run)
{
	struct bench_forward f = {.one_way = true, .duration_ns = 5000000000};

	open_forward(&f, "pair:here", "pair:gone");
	struct shunt_dev *src = must_open(SHUNT_RXTX, "pair:here");
	struct shunt_dev *dst = must_open(SHUNT_RXTX, "pair:gone");
	shunt_close(dst, NULL);
	send_frames(src, 0, N, 0);
	bench_forward_run(&f);
	cr_assert_eq(f.error, -ENETDOWN);
	cr_assert_eq(f.failed, 1u);
	cr_assert_lt(f.elapsed_ns, 1000000000u);
	bench_forward_stop(&f);
	cr_assert_eq(f.error, -ENETDOWN);
	ledger_is(&f, 0, N, 0, "tx_gone");
	shunt_close(src, NULL);
	close_forward(&f);
}

/* A truncated frame must not be forwarded as a whole one. */
Test(forward, unfit_frames_are_not_forwarded)
{
	struct bench_forward f = {.one_way = true};

	open_forward(&f, "pair:whole", "pair:out");
	struct shunt_dev *src = must_open(SHUNT_RXTX, "pair:whole");
	struct shunt_dev *dst = must_open(SHUNT_RXTX, "pair:out");
	send_frames(src, 0, 10, SHUNT_PKT_VLAN);
	send_frames(src, 10, 20, SHUNT_PKT_TRUNC);
	send_frames(src, 10, 10, 0);
	send_frames(src, 20, 32, SHUNT_PKT_MORE);
	bench_forward_run(&f);
	bench_forward_stop(&f);
	expect(dst, 0, 20, false);
	/* Frames without an end are not sent by a pair. */
	ledger_is(&f, 0, 40, 20, "unfit");
	shunt_close(src, NULL);
	shunt_close(dst, NULL);
	close_forward(&f);
}

Test(forward, stops_after_so_many_and_then_drains)
{
	struct bench_forward f = {.packets = 100, .duration_ns = 5000000000};

	open_forward(&f, "pair:some", "pair:more");
	struct shunt_dev *src = must_open(SHUNT_RXTX, "pair:some");
	struct shunt_dev *dst = must_open(SHUNT_RXTX, "pair:more");
	send_frames(src, 0, 300, 0);
	send_frames(dst, 0, 300, 0);
	bench_forward_run(&f);
	cr_assert_eq(f.way[0].received + f.way[1].received, 100u);
	cr_assert_lt(f.elapsed_ns, 1000000000u);
	uint64_t back = f.way[1].received;
	bench_forward_stop(&f);
	expect(dst, 0, 300, false);
	ledger_is(&f, 0, 300, 300, NULL);
	ledger_is(&f, 1, 300, back, "shutdown");
	shunt_close(src, NULL);
	shunt_close(dst, NULL);
	close_forward(&f);
}

static void refused(const char *a, const char *b, bool one_way, const char *word)
{
	struct bench_forward f = {.one_way = one_way, .burst = SHUNT_BURST};
	struct shunt_err err = {.code = 0};

	cr_assert_lt(bench_forward_open(&f, a, b, &err), 0, "%s %s", a, b);
	cr_assert_eq(err.kind, SHUNT_ERR_USAGE);
	cr_assert(strstr(err.what, word), "%s", err.what);
	close_forward(&f);
}

Test(forward, specs_that_cannot_forward_are_refused)
{
	refused("pair:p?wait=poll", "null:", false, "wait=poll");
	refused("null:", "nul:", true, "nul");
	refused("xdpgen:nosuch0", "null:", true, "xdpgen");
}

/* near0 of one lab to near0 of another; frames wait in the first when the run starts. */
static void between_labs(const char *from, const char *to, bool zero_copy, uint64_t copied)
{
	NEED_LAB(lab);
	struct bench_lab two;
	struct shunt_err err = {.code = 0};
	struct bench_forward f = {.packets = 2 * N, .duration_ns = 5000000000};
	char a[128], b[128];

	cr_assert_eq(bench_lab_open(&two, NULL, &err), 0, "%s", err.what);
	snprintf(a, sizeof a, from, lab.near_path);
	snprintf(b, sizeof b, to, two.near_path);
	int left = raw_open(lab.far_ns, BENCH_FAR), right = raw_open(two.far_ns, BENCH_FAR);
	open_forward(&f, a, b);
	raw_send(left, 0, N);
	raw_send(right, N, N);
	bench_forward_run(&f);
	bench_forward_stop(&f);
	cr_assert_eq(f.error, 0);
	cr_assert_eq(raw_expect(right, 0, N), N);
	cr_assert_eq(raw_expect(left, N, N), N);
	ledger_is(&f, 0, N, N, NULL);
	ledger_is(&f, 1, N, N, NULL);
	cr_assert_eq(f.way[0].kept + f.way[1].kept == 0, zero_copy);
	cr_assert_eq(copies(&f), copied, "%lu copies", copies(&f));
	for (unsigned i = 0; i < 2; i++) {
		struct shunt_ledger l;
		cr_assert_eq(shunt_get_ledger(f.dev[i], &l, NULL), 0);
		cr_assert_eq(l.delivered, N);
		cr_assert_eq(l.unaccounted, 0);
	}
	close_forward(&f);
	close(left);
	close(right);
	bench_lab_close(&two);
	bench_lab_close(&lab);
}

Test(forward, packet_to_packet)
{
	between_labs("packet:near0?mode=mmsg&netns=%s", "packet:near0?mode=recv&netns=%s", true, 0);
}

/* A ring lends its blocks: sendmmsg copies from them, user space does not. */
Test(forward, a_ring_lends_its_blocks)
{
	between_labs(
		"packet:near0?mode=ring&netns=%s", "packet:near0?mode=ring&netns=%s", false, 0);
}

#ifdef HAVE_AF_XDP
Test(forward, xdp_to_xdp_without_a_copy)
{
	between_labs("xdp:near0?netns=%s", "xdp:near0?netns=%s", true, 0);
}

Test(forward, xdp_and_packet_share_a_region)
{
	between_labs("xdp:near0?netns=%s", "packet:near0?mode=mmsg&netns=%s", true, 0);
}

/* AF_XDP can't send from a ring's blocks: one copy per packet, in that direction only. */
Test(forward, a_ring_to_xdp_is_copied)
{
	between_labs("packet:near0?mode=ring&netns=%s", "xdp:near0?netns=%s", false, N);
}
#endif
