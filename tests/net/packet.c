/* SPDX-License-Identifier: BSD-2-Clause
 * AF_PACKET in a lab: what is sent arrives, byte for byte, once; what does not has a name.
 */
#include "core/clock.h"
#include "core/link.h"
#include "drivers/core/driver.h"
#include "drivers/core/netns.h"
#include "tests/net/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const modes[] = {"recv", "mmsg", "ring"};
static const char *const waits[] = {"spin", "poll"};

#define EACH(var, array) for (unsigned var = 0; var < sizeof array / sizeof *array; var++)

static struct shunt_queue *queue_of(struct shunt_dev *dev)
{
	return shunt_get_queue(dev, 0);
}

static struct shunt_dev *rx_dev(const struct bench_lab *lab, const char *rest)
{
	return must_open(SHUNT_RX, "packet:near0?netns=%s&%s", lab->near_path, rest);
}

static struct shunt_dev *tx_dev(const struct bench_lab *lab)
{
	return must_open(SHUNT_TX, "packet:far0?netns=%s&mode=mmsg", lab->far_path);
}

static void must_close(struct shunt_dev *dev)
{
	struct shunt_err err = {.code = 0};

	cr_assert_eq(shunt_close(dev, &err), 0, "%s", err.what);
}

/* Frame number seq of a run: its bytes follow from seq and len. */
static void make(uint8_t *f, uint32_t len, uint32_t seq)
{
	udp_frame(f, len);
	for (uint32_t i = SHUNT_STAMP_AT; i < len; i++)
		f[i] = (uint8_t)(seq * 7 + i * 3);
	if (len >= 46)
		memcpy(f + 42, &seq, sizeof seq);
}

static void send_one(struct shunt_dev *tx, const void *frame, uint32_t len)
{
	struct shunt_pkt p;

	cr_assert_eq(shunt_alloc(queue_of(tx), &p, 1), 1u);
	cr_assert_geq(p.len, len);
	memcpy(p.data, frame, len);
	p.len = len;
	int got = 0;
	for (int tries = 0; tries < 1000 && !got; tries++)
		got = shunt_tx(queue_of(tx), &p, 1);
	cr_assert_eq(got, 1);
	cr_assert_eq(queue_of(tx)->out, 0u);
}

static void send_run(struct shunt_dev *tx, uint32_t first, uint32_t n, uint32_t len)
{
	uint8_t f[2048];

	for (uint32_t i = 0; i < n; i++) {
		make(f, len, first + i);
		send_one(tx, f, len);
	}
}

/* Receive until there are `most`, or nothing for `quiet` ms. Returns packets, or the error. */
static int receive(struct shunt_dev *rx, struct shunt_pkt *pkts, int most, unsigned quiet)
{
	uint64_t last = shunt_now();
	int have = 0;

	while (have < most && shunt_now() - last < quiet * 1000000u) {
		int n = most - have < 32 ? most - have : 32;
		n = shunt_rx(queue_of(rx), pkts + have, (unsigned)n);
		if (n < 0)
			return have ? have : n;
		if (n)
			last = shunt_now();
		have += n;
	}
	return have;
}

static void check_frame(const struct shunt_pkt *p, const void *want, uint32_t len)
{
	cr_assert_eq(p->len, len, "%u bytes instead of %u", p->len, len);
	cr_assert_eq(p->wire_len, len);
	cr_assert_eq(memcmp(p->data, want, len), 0, "bytes differ");
	cr_assert_eq(p->flags & SHUNT_PKT_TS_MASK, SHUNT_PKT_TS_KERNEL);
	uint64_t now = shunt_clock(CLOCK_REALTIME);
	cr_assert(p->ts_ns <= now && now - p->ts_ns < 10000000000u, "stamp is off");
}

/* Receive [first, first + n) in order, compare and release. */
static void expect_run(struct shunt_dev *rx, uint32_t first, uint32_t n, uint32_t len)
{
	struct shunt_pkt pkts[64];
	uint8_t f[2048];

	for (uint32_t at = 0; at < n;) {
		int want = n - at < 64 ? (int)(n - at) : 64;
		int got = receive(rx, pkts, want, 1000);
		cr_assert_eq(got, want, "%s: %d of %d at %u", rx->spec.text, got, want, at);
		for (int i = 0; i < got; i++) {
			make(f, len, first + at + (uint32_t)i);
			check_frame(&pkts[i], f, len);
		}
		shunt_release(queue_of(rx), pkts, (unsigned)got);
		at += (uint32_t)got;
	}
}

static uint64_t loss(const struct shunt_ledger *l, const char *name)
{
	for (unsigned i = 0; i < l->losses; i++)
		if (!strcmp(l->loss[i].name, name))
			return l->loss[i].count;
	return 0;
}

static struct shunt_ledger stop_and_read(struct shunt_dev *rx)
{
	struct shunt_ledger l;

	cr_assert_eq(shunt_stop(rx, NULL), 0);
	cr_assert_eq(shunt_get_ledger(rx, &l, NULL), 0);
	return l;
}

static void check_ledger(struct shunt_dev *rx, uint64_t received, uint64_t delivered)
{
	struct shunt_ledger l = stop_and_read(rx);

	cr_assert_eq(l.received, received, "%s: %lu received", rx->spec.text, l.received);
	cr_assert_eq(l.delivered, delivered, "%s: %lu delivered", rx->spec.text, l.delivered);
	cr_assert_eq(l.unaccounted, 0, "%s: %ld unaccounted", rx->spec.text, l.unaccounted);
}

Test(packet, what_is_sent_arrives_in_every_mode_and_size)
{
	static const uint32_t sizes[] = {60, 512, 1514};
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	EACH(w, waits)
	{
		snprintf(rest, sizeof rest, "mode=%s&wait=%s", modes[m], waits[w]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		EACH(s, sizes)
		for (uint32_t i = 0; i < 10; i++) {
			send_run(tx, i * 50, 50, sizes[s]);
			expect_run(rx, i * 50, 50, sizes[s]);
		}
		cr_assert_eq(queue_of(rx)->stats.rx_bytes, 500u * (60 + 512 + 1514));
		check_ledger(rx, 1500, 1500);
		must_close(rx);
	}
	cr_assert_eq(queue_of(tx)->stats.tx_errors, 0u);
	must_close(tx);
	bench_lab_close(&lab);
}

Test(packet, tx_modes_send_the_same)
{
	char spec[96];
	NEED_LAB(lab);
	struct shunt_dev *rx = rx_dev(&lab, "mode=mmsg");

	EACH(m, modes)
	for (unsigned keep = 0; keep < 2; keep++) {
		snprintf(spec, sizeof spec, "mode=%s&qdisc=%s", modes[m], keep ? "keep" : "bypass");
		struct shunt_dev *tx =
			must_open(SHUNT_TX, "packet:far0?netns=%s&%s", lab.far_path, spec);
		struct shunt_pkt pkts[32];
		cr_assert_eq(shunt_alloc(queue_of(tx), pkts, 32), 32u);
		for (uint32_t i = 0; i < 32; i++)
			make(pkts[i].data, pkts[i].len = 300, i);
		cr_assert_eq(shunt_tx(queue_of(tx), pkts, 32), 32);
		cr_assert_eq(queue_of(tx)->stats.syscalls, m ? 1u : 32u);
		expect_run(rx, 0, 32, 300);
		must_close(tx);
	}
	must_close(rx);
	bench_lab_close(&lab);
}

/* A burst of one is one system call, and recvmmsg one a burst. */
Test(packet, system_calls_are_as_few_as_said)
{
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);
	struct shunt_dev *rx = rx_dev(&lab, "mode=recv&wait=poll");
	send_run(tx, 0, 100, 60);
	expect_run(rx, 0, 100, 60);
	cr_assert_eq(queue_of(rx)->stats.syscalls, 100u);
	must_close(rx);

	rx = rx_dev(&lab, "mode=mmsg&wait=poll");
	send_run(tx, 0, 64, 60);
	expect_run(rx, 0, 64, 60);
	cr_assert_eq(queue_of(rx)->stats.syscalls, 2u);
	must_close(rx);

	rx = rx_dev(&lab, "mode=ring&wait=spin");
	send_run(tx, 0, 100, 60);
	expect_run(rx, 0, 100, 60);
	cr_assert_leq(queue_of(rx)->stats.syscalls, 20u);
	must_close(rx);
	must_close(tx);
	bench_lab_close(&lab);
}

/* The room that is promised is there: 8192 frames, small and large, with nobody reading. */
Test(packet, room_holds_what_it_says)
{
	static const uint32_t sizes[] = {60, 1514};
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	EACH(s, sizes)
	{
		snprintf(rest, sizeof rest, "mode=%s", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, SHUNT_ROOM, sizes[s]);
		expect_run(rx, 0, SHUNT_ROOM, sizes[s]);
		check_ledger(rx, SHUNT_ROOM, SHUNT_ROOM);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

Test(packet, what_overflows_has_a_name)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	{
		struct shunt_pkt pkts[4096];
		snprintf(rest, sizeof rest, "mode=%s&room=64", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, 4000, 1514);
		cr_assert_eq(shunt_stop(rx, NULL), 0);
		/* The application's hands hold no more than the region has. */
		uint64_t got = 0;
		for (int n; (n = receive(rx, pkts, 32, 20)) > 0; got += (uint64_t)n)
			shunt_release(queue_of(rx), pkts, (unsigned)n);
		struct shunt_ledger l = stop_and_read(rx);
		cr_assert_eq(l.received, 4000u, "%s: %lu", modes[m], l.received);
		cr_assert_eq(l.delivered, got);
		cr_assert_geq(got, 64u);
		cr_assert_gt(loss(&l, "socket_full"), 0u, "%s", modes[m]);
		cr_assert_eq(l.unaccounted, 0);
		cr_assert_eq(got + loss(&l, "socket_full"), 4000u);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

/* The last second is not lost: 1000 frames, then stop at once. Nothing comes after it. */
Test(packet, stop_then_drain_keeps_all)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	EACH(w, waits)
	{
		struct shunt_pkt pkts[64];
		snprintf(rest, sizeof rest, "mode=%s&wait=%s", modes[m], waits[w]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, 1000, 60);
		struct shunt_ledger l = stop_and_read(rx);
		cr_assert_eq(l.received, 1000u);
		cr_assert_eq(loss(&l, "shutdown"), 1000u, "nothing was asked for yet");
		cr_assert_eq(l.unaccounted, 0);
		send_run(tx, 5000, 100, 60);
		int got = 0;
		for (int n; (n = shunt_rx(queue_of(rx), pkts, 64)) > 0; got += n)
			shunt_release(queue_of(rx), pkts, (unsigned)n);
		cr_assert_eq(got, 1000, "%s: %d", rest, got);
		check_ledger(rx, 1000, 1000);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

Test(packet, what_is_left_at_stop_is_counted)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	{
		struct shunt_pkt pkts[10];
		snprintf(rest, sizeof rest, "mode=%s", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, 100, 60);
		cr_assert_eq(receive(rx, pkts, 10, 1000), 10);
		struct shunt_ledger l = stop_and_read(rx);
		cr_assert_eq(loss(&l, "shutdown"), 90u);
		cr_assert_eq(l.unaccounted, 0);
		cr_assert_eq(shunt_close(rx, NULL), -EBUSY, "10 packets are out");
		for (unsigned i = 10; i-- > 0;)
			shunt_release(queue_of(rx), &pkts[i], 1);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

/* Hold every seventh packet while thousands pass, over several turns of a small ring. */
Test(packet, release_in_any_order)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	{
		struct shunt_pkt held[64], p;
		uint8_t f[2048];
		uint32_t nheld = 0;
		snprintf(rest, sizeof rest, "mode=%s&room=256", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		for (uint32_t seq = 0; seq < 3000; seq++) {
			if (seq % 20 == 0)
				send_run(tx, seq, 20, 1000);
			cr_assert_eq(receive(rx, &p, 1, 1000), 1, "%s at %u", rest, seq);
			make(f, 1000, seq);
			check_frame(&p, f, 1000);
			if (seq % 7) {
				shunt_release(queue_of(rx), &p, 1);
				continue;
			}
			held[nheld++] = p;
			/* A ring gives its blocks back in order: hold few, and not for long. */
			if (nheld < (m == 2 ? 3 : 64))
				continue;
			while (nheld) {
				uint32_t k = (seq * 31) % nheld;
				shunt_release(queue_of(rx), &held[k], 1);
				held[k] = held[--nheld];
			}
		}
		shunt_release(queue_of(rx), held, nheld);
		check_ledger(rx, 3000, 3000);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

Test(packet, tags_are_where_they_were)
{
	static const char *const heads[] = {"\x81\0\x60\x07\x08\0", "\x88\xa8\x0f\xff\x08\0",
		"\x88\xa8\x20\x64\x81\0\x60\x07\x08\0", "\x81\0\0\0\x81\0\0\x05\x08\0"};
	static const uint16_t tpid[] = {0x8100, 0x88a8, 0x88a8, 0x8100};
	static const uint16_t tci[] = {0x6007, 0x0fff, 0x2064, 0};
	static const unsigned lens[] = {6, 6, 10, 10};
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	{
		snprintf(rest, sizeof rest, "mode=%s", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		EACH(i, heads)
		for (unsigned big = 0; big < 2; big++) {
			uint32_t len = (big ? 1514 : 60) + lens[i] - 2;
			uint8_t f[2048];
			struct shunt_pkt p;
			make(f + lens[i] - 2, len - lens[i] + 2, i);
			memmove(f, f + lens[i] - 2, 12);
			memcpy(f + 12, heads[i], lens[i]);
			send_one(tx, f, len);
			cr_assert_eq(receive(rx, &p, 1, 1000), 1);
			check_frame(&p, f, len);
			cr_assert(p.flags & SHUNT_PKT_VLAN);
			cr_assert_eq(p.vlan_tpid, tpid[i]);
			cr_assert_eq(p.vlan_tci, tci[i]);
			shunt_release(queue_of(rx), &p, 1);
		}
		check_ledger(rx, 8, 8);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

Test(packet, direction)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *far = tx_dev(&lab);
	/* Bypassing the qdisc would hide the frames from every other packet socket. */
	struct shunt_dev *out =
		must_open(SHUNT_TX, "packet:near0?netns=%s&qdisc=keep", lab.near_path);

	EACH(m, modes)
	for (unsigned both = 0; both < 2; both++) {
		struct shunt_pkt p[2];
		snprintf(rest, sizeof rest, "mode=%s&direction=%s", modes[m], both ? "both" : "in");
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(out, 0, 1, 60);
		send_run(far, 1, 1, 60);
		int got = receive(rx, p, 2, 150);
		cr_assert_eq(got, both ? 2 : 1, "%s: %d", rest, got);
		if (both)
			cr_assert(p[0].flags & SHUNT_PKT_OUT);
		cr_assert_not(p[got - 1].flags & SHUNT_PKT_OUT);
		shunt_release(queue_of(rx), p, (unsigned)got);
		check_ledger(rx, (unsigned)got, (unsigned)got);
		must_close(rx);
	}
	must_close(out);
	must_close(far);
	bench_lab_close(&lab);
}

static void in_near(const struct bench_lab *lab, void (*what)(struct shunt_err *))
{
	struct shunt_err err = {.code = 0};
	int back = shunt_netns_enter(lab->near_ns);

	cr_assert_geq(back, 0);
	what(&err);
	cr_assert_eq(shunt_netns_leave(back), 0);
	cr_assert_eq(err.code, 0, "%s", err.what);
}

static void set_down(struct shunt_err *err)
{
	shunt_link_set_up(BENCH_NEAR, false, err);
}
static void set_up(struct shunt_err *err)
{
	shunt_link_set_up(BENCH_NEAR, true, err);
}
static void rename_it(struct shunt_err *err)
{
	if (shunt_link_rename(BENCH_NEAR, "other0", err) == -EBUSY) { /* before Linux 6.x: down */
		err->code = 0;
	}
}
static void name_back(struct shunt_err *err)
{
	shunt_link_rename("other0", BENCH_NEAR, err);
}
static void delete_it(struct shunt_err *err)
{
	shunt_link_delete(BENCH_NEAR, err);
}

/* rx until it fails, at most two seconds; counts what came before. */
static int until_error(struct shunt_dev *rx, unsigned *got)
{
	uint64_t end = shunt_now() + 2000000000u;
	struct shunt_pkt pkts[32];
	int n = 0;

	for (*got = 0; n >= 0 && shunt_now() < end;) {
		n = shunt_rx(queue_of(rx), pkts, 32);
		if (n > 0) {
			*got += (unsigned)n;
			shunt_release(queue_of(rx), pkts, (unsigned)n);
		}
	}
	return n;
}

static void lose_link(void (*how)(struct shunt_err *), int error, const char *text, bool deleted)
{
	char rest[64];

	EACH(m, modes)
	EACH(w, waits)
	{
		NEED_LAB(lab);
		struct shunt_info info;
		unsigned got;
		struct shunt_dev *tx = tx_dev(&lab);
		snprintf(rest, sizeof rest, "mode=%s&wait=%s", modes[m], waits[w]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, 100, 60);
		in_near(&lab, how);
		int rc = until_error(rx, &got);
		cr_assert_eq(rc, error, "%s: %d", rest, rc);
		cr_assert_eq(got, 100u, "%s: %u of what was there before", rest, got);
		if (!deleted) { /* sticky: a link that comes back changes nothing */
			in_near(&lab, set_up);
			send_run(tx, 0, 1, 60);
		}
		cr_assert_eq(until_error(rx, &got), error);
		cr_assert_eq(got, 0u);
		shunt_get_info(rx, &info);
		cr_assert(strstr(info.gone, text), "%s", info.gone);
		check_ledger(rx, 100, 100);
		must_close(rx);
		must_close(tx);
		bench_lab_close(&lab);
	}
}

Test(packet, link_down)
{
	lose_link(set_down, -ENETDOWN, "went down", false);
}

Test(packet, link_deleted)
{
	lose_link(delete_it, -ENODEV, "was deleted", true);
}

/* The link went and nobody looked: what was there before is still handed out after the stop. */
Test(packet, link_lost_unseen)
{
	char rest[64];

	EACH(m, modes)
	for (unsigned del = 0; del < 2; del++) {
		NEED_LAB(lab);
		struct shunt_pkt pkts[32];
		int got = 0;
		struct shunt_dev *tx = tx_dev(&lab);
		snprintf(rest, sizeof rest, "mode=%s", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, 100, 60);
		in_near(&lab, del ? delete_it : set_down);
		cr_assert_eq(shunt_stop(rx, NULL), 0);
		for (int n; (n = shunt_rx(queue_of(rx), pkts, 32)) > 0; got += n)
			shunt_release(queue_of(rx), pkts, (unsigned)n);
		cr_assert_eq(got, 100, "%s: %d", rest, got);
		check_ledger(rx, 100, 100);
		must_close(rx);
		must_close(tx);
		bench_lab_close(&lab);
	}
}

Test(packet, link_lost_in_transmit)
{
	EACH(m, modes)
	for (unsigned del = 0; del < 2; del++) {
		NEED_LAB(lab);
		struct shunt_pkt p;
		int want = del ? -ENODEV : -ENETDOWN;
		struct shunt_dev *tx = must_open(
			SHUNT_TX, "packet:near0?netns=%s&mode=%s", lab.near_path, modes[m]);
		cr_assert_eq(shunt_alloc(queue_of(tx), &p, 1), 1u);
		make(p.data, p.len = 60, 0);
		in_near(&lab, del ? delete_it : set_down);
		cr_assert_eq(shunt_tx(queue_of(tx), &p, 1), want);
		cr_assert_eq(shunt_tx(queue_of(tx), &p, 1), want);
		shunt_release(queue_of(tx), &p, 1);
		must_close(tx);
		bench_lab_close(&lab);
	}
}

Test(packet, renamed_goes_on)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	{
		snprintf(rest, sizeof rest, "mode=%s", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, 10, 60);
		in_near(&lab, rename_it);
		send_run(tx, 10, 10, 60);
		expect_run(rx, 0, 20, 60);
		in_near(&lab, name_back);
		check_ledger(rx, 20, 20);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

/* Two devices on one region: what near0 receives leaves through near1's pair... here, far0. */
Test(packet, forwards_without_a_copy)
{
	NEED_LAB(lab);
	struct shunt_region *region;
	struct shunt_region_info info;
	struct shunt_region_opts opts = {.chunks = 1024};
	struct shunt_err err;
	struct shunt_dev *a, *b;
	char spec[128];
	struct shunt_pkt pkts[50];

	cr_assert_eq(shunt_region_create(&region, &opts, &err), 0);
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&mode=mmsg", lab.near_path);
	cr_assert_eq(shunt_open(&a, spec, SHUNT_RXTX, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_attach(a, region, &err), 0);
	cr_assert_eq(shunt_attach(a, region, &err), -EBUSY);
	cr_assert_eq(shunt_start(a, &err), 0, "%s", err.what);
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&mode=recv", lab.near_path);
	cr_assert_eq(shunt_open(&b, spec, SHUNT_TX, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_attach(b, region, &err), 0);
	cr_assert_eq(shunt_start(b, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_attach(b, region, &err), -EBUSY);
	cr_assert_eq(shunt_region_destroy(region, &err), -EBUSY);

	struct shunt_dev *far =
		must_open(SHUNT_RXTX, "packet:far0?netns=%s&mode=mmsg", lab.far_path);
	for (uint32_t round = 0; round < 100; round++) {
		send_run(far, round * 50, 50, 700);
		cr_assert_eq(receive(a, pkts, 50, 1000), 50);
		shunt_move(queue_of(a), queue_of(b), 50);
		cr_assert_eq(shunt_tx(queue_of(b), pkts, 50), 50);
		cr_assert_eq(queue_of(a)->out + queue_of(b)->out, 0u);
		expect_run(far, round * 50, 50, 700);
	}
	cr_assert_eq(queue_of(b)->stats.user_copies, 0u);
	must_close(far);
	must_close(a);
	must_close(b);
	shunt_region_info(region, &info);
	cr_assert_eq(info.free, 1024u, "%u chunks came back", info.free);
	cr_assert_eq(shunt_region_destroy(region, &err), 0, "%s", err.what);
	bench_lab_close(&lab);
}

/* From a lent region: the kernel copies from any memory, the packet stays its owner's. */
Test(packet, sends_from_foreign_memory)
{
	NEED_LAB(lab);
	struct shunt_pkt pkts[20];
	struct shunt_dev *far =
		must_open(SHUNT_RXTX, "packet:far0?netns=%s&mode=mmsg", lab.far_path);
	struct shunt_dev *near =
		must_open(SHUNT_RXTX, "packet:near0?netns=%s&mode=ring", lab.near_path);

	send_run(far, 0, 20, 200);
	cr_assert_eq(receive(near, pkts, 20, 1000), 20);
	cr_assert_eq(shunt_tx(queue_of(near), pkts, 20), 20);
	for (unsigned i = 0; i < 20; i++)
		cr_assert(pkts[i].flags & SHUNT_PKT_KEPT);
	cr_assert_eq(queue_of(near)->out, 20u);
	shunt_release(queue_of(near), pkts, 20);
	expect_run(far, 0, 20, 200);
	must_close(near);
	must_close(far);
	bench_lab_close(&lab);
}

/* One bad frame is counted and passed over, alone and in the middle of a burst. */
Test(packet, bad_frames_do_not_block)
{
	NEED_LAB(lab);
	struct shunt_dev *rx = rx_dev(&lab, "mode=mmsg");

	EACH(m, modes)
	{
		struct shunt_pkt pkts[5];
		struct shunt_dev *tx =
			must_open(SHUNT_TX, "packet:far0?netns=%s&mode=%s", lab.far_path, modes[m]);
		cr_assert_eq(shunt_alloc(queue_of(tx), pkts, 5), 5u);
		for (uint32_t i = 0; i < 5; i++)
			make(pkts[i].data, pkts[i].len = 60, i == 2 ? 9 : i > 2 ? i - 1 : i);
		pkts[2].len = 1700;
		pkts[4].len = 5;
		cr_assert_eq(shunt_tx(queue_of(tx), pkts, 5), 5);
		cr_assert_eq(queue_of(tx)->stats.tx_errors, 2u);
		cr_assert_eq(queue_of(tx)->stats.tx_packets, 5u);
		expect_run(rx, 0, 3, 60);
		must_close(tx);
	}
	check_ledger(rx, 9, 9);
	must_close(rx);
	bench_lab_close(&lab);
}

static int foreign_socket(const struct bench_lab *lab, bool bound)
{
	struct sockaddr_ll ll = {.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)lab->near_ifindex};
	int back = shunt_netns_enter(lab->near_ns);
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	cr_assert_geq(fd, 0);
	if (bound)
		cr_assert_eq(bind(fd, (struct sockaddr *)&ll, sizeof ll), 0);
	shunt_netns_leave(back);
	return fd;
}

Test(packet, uses_a_given_socket)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	for (unsigned bound = 0; bound < 2; bound++) {
		int fd = foreign_socket(&lab, bound);
		/* Sockets keep what was queued before; a ring starts anew. */
		uint32_t before = bound ? 5 : 0;
		send_run(tx, 0, before, 60);
		for (unsigned again = 0; again < 2; again++) {
			snprintf(rest, sizeof rest, "mode=%s&fd=%d", modes[m], fd);
			struct shunt_dev *rx = rx_dev(&lab, rest);
			uint32_t first = again || m == 2 ? before : 0;
			send_run(tx, before, 20, 60);
			expect_run(rx, first, before + 20 - first, 60);
			check_ledger(rx, before + 20 - first, before + 20 - first);
			must_close(rx);
		}
		close(fd);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

static void refused(const char *spec, int rc, const char *what)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;
	int got = shunt_open(&dev, spec, SHUNT_RX, &err);

	if (!got) {
		got = shunt_start(dev, &err);
		cr_assert_eq(shunt_close(dev, NULL), 0);
	}
	cr_assert_eq(got, rc, "%s: %d", spec, got);
	cr_assert(strstr(err.what, what), "%s", err.what);
	cr_assert_eq(err.kind, SHUNT_ERR_USAGE);
}

Test(packet, refuses_bad_descriptors)
{
	NEED_LAB(lab);
	char spec[128];
	int fd = foreign_socket(&lab, true);
	int p[2];

	cr_assert_eq(pipe(p), 0);
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&fd=%d", lab.near_path, p[0]);
	refused(spec, -EINVAL, "no AF_PACKET raw socket");
	close(p[0]);
	close(p[1]);
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&fd=900000", lab.near_path);
	refused(spec, -EBADF, "fd=");
	snprintf(spec, sizeof spec, "packet:lo?netns=%s&fd=%d", lab.near_path, fd);
	refused(spec, -EINVAL, "is bound to interface");
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&mode=xyz", lab.near_path);
	refused(spec, -EINVAL, "recv|mmsg|ring");
	snprintf(spec, sizeof spec, "packet:none0?netns=%s", lab.near_path);
	refused(spec, -ENODEV, "no interface");
	struct shunt_dev *rx = NULL;
	snprintf(spec, sizeof spec, "mode=ring&fd=%d", fd);
	rx = rx_dev(&lab, spec);
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&fd=%d", lab.near_path, fd);
	refused(spec, -EBUSY, "somebody else's ring");
	must_close(rx);
	close(fd);
	bench_lab_close(&lab);
}
