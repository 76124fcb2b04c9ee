/* SPDX-License-Identifier: BSD-2-Clause
 * AF_PACKET in a lab: what is sent arrives, byte for byte, once; what does not has a name.
 */
#include "tests/drivers/packet.h"

#define DEPTH 8192u /* the default of depth= on packet: */

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
		/* One frame over and over, fast: a ring's room is in blocks, which time closes. */
		send_steps(tx, 1, 0, DEPTH, sizes[s]);
		for (uint32_t i = 0; i < DEPTH; i++)
			expect_run(rx, 1, 1, sizes[s]);
		check_ledger(rx, DEPTH, DEPTH);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

/* Blocks are as small as the longest frame allows, which GRO makes long. */
Test(packet, room_is_cut_for_merged_frames)
{
	struct shunt_info info;

	for (unsigned merge = 0; merge < 2; merge++) {
		struct bench_lab lab;
		struct bench_lab_opts opts = {.merge = merge};
		struct shunt_err err;
		if (bench_lab_open(&lab, &opts, &err))
			cr_skip_test("no lab: %s", err.what);
		struct shunt_dev *rx = rx_dev(&lab, "mode=ring");
		shunt_get_info(rx, &info);
		cr_assert(strstr(info.mode, merge ? "128 KiB" : "32 KiB"), "%s", info.mode);
		cr_assert_eq(info.memory, DEPTH * 2048u);
		must_close(rx);
		rx = rx_dev(&lab, "mode=mmsg");
		shunt_get_info(rx, &info);
		bool said = false;
		for (unsigned i = 0; i < info.nnotes; i++)
			said |= strstr(info.notes[i], "are cut") != NULL;
		cr_assert_eq(said, merge == 1);
		must_close(rx);
		bench_lab_close(&lab);
	}
}

#ifdef HAVE_XDPGEN
/* A frame that a driver or XDP made takes a page of the room, however short it is. */
Test(packet, room_holds_frames_in_pages)
{
	static const uint32_t sizes[] = {60, 1514};
	char rest[64];
	uint8_t f[2048];
	NEED_LAB(lab);
	struct shunt_dev *tx = must_open(SHUNT_TX, "xdpgen:far0?netns=%s", lab.far_path);

	EACH(m, modes)
	EACH(s, sizes)
	{
		struct shunt_err err;
		struct shunt_flood_result r;
		struct shunt_frame frame = {.data = f, .len = sizes[s]};
		struct shunt_flood flood = {.frames = &frame, .nframes = 1, .packets = DEPTH};
		make(f, sizes[s], 1);
		snprintf(rest, sizeof rest, "mode=%s", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		cr_assert_eq(shunt_flood(queue_of(tx), &flood, &r, &err), 0, "%s", err.what);
		cr_assert_eq(r.sent, DEPTH);
		for (uint32_t i = 0; i < DEPTH; i++)
			expect_run(rx, 1, 1, sizes[s]);
		check_ledger(rx, DEPTH, DEPTH);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}
#endif

Test(packet, what_overflows_has_a_name)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	{
		struct shunt_pkt pkts[4096];
		snprintf(rest, sizeof rest, "mode=%s&depth=64", modes[m]);
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
		snprintf(rest, sizeof rest, "mode=%s&wait=%s", modes[m], waits[w]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, 1000, 60);
		struct shunt_ledger l = stop_and_read(rx);
		cr_assert_eq(l.received, 1000u);
		cr_assert_eq(loss(&l, "shutdown"), 1000u, "nothing was asked for yet");
		cr_assert_eq(l.unaccounted, 0);
		send_run(tx, 5000, 100, 60);
		int got = take_rest(rx);
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

/* A stamp a packet unless it was not wanted; a ring's can't be left out. */
Test(packet, stamps)
{
	static const char *const stamps[] = {"kernel", "none"};
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *far = tx_dev(&lab);

	EACH(m, modes)
	EACH(k, stamps)
	{
		struct shunt_pkt p;
		bool want = k == 0 || !strcmp(modes[m], "ring");
		snprintf(rest, sizeof rest, "mode=%s&stamp=%s", modes[m], stamps[k]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(far, 0, 1, 60);
		cr_assert_eq(receive(rx, &p, 1, 150), 1, "%s", rest);
		cr_assert_eq(p.flags & SHUNT_PKT_TS_MASK,
			want ? SHUNT_PKT_TS_KERNEL : SHUNT_PKT_TS_NONE, "%s", rest);
		uint64_t now = shunt_clock(CLOCK_REALTIME);
		if (want)
			cr_assert(p.ts_ns <= now && now - p.ts_ns < 60000000000u, "%s", rest);
		else
			cr_assert_eq(p.ts_ns, 0u, "%s", rest);
		shunt_release(queue_of(rx), &p, 1);
		must_close(rx);
	}
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
