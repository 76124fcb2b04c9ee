/* SPDX-License-Identifier: BSD-2-Clause
 * What the tests of the packet driver share: frames that follow from a number, sent from far0 and
 * compared byte for byte at near0.
 */
#ifndef TESTS_DRIVERS_PACKET_H
#define TESTS_DRIVERS_PACKET_H

#include "core/clock.h"
#include "drivers/core/driver.h"
#include "tests/net.h"

#include <errno.h>

static const char *const modes[] = {"recv", "mmsg", "ring"};
static const char *const waits[] = {"spin", "poll"};

#define EACH(var, array) for (unsigned var = 0; var < sizeof array / sizeof *array; var++)

static inline struct shunt_queue *queue_of(struct shunt_dev *dev)
{
	return shunt_get_queue(dev, 0);
}

static inline struct shunt_dev *rx_dev(const struct bench_lab *lab, const char *rest)
{
	return must_open(SHUNT_RX, "packet:near0?netns=%s&%s", lab->near_path, rest);
}

static inline struct shunt_dev *tx_dev(const struct bench_lab *lab)
{
	return must_open(SHUNT_TX, "packet:far0?netns=%s&mode=mmsg", lab->far_path);
}

static inline void must_close(struct shunt_dev *dev)
{
	struct shunt_err err = {.code = 0};

	cr_assert_eq(shunt_close(dev, &err), 0, "%s", err.what);
}

/* Frame number seq of a run: its bytes follow from seq and len. */
static inline void make(uint8_t *f, uint32_t len, uint32_t seq)
{
	udp_frame(f, len);
	for (uint32_t i = SHUNT_STAMP_AT; i < len; i++)
		f[i] = (uint8_t)(seq * 7 + i * 3);
	if (len >= 46)
		memcpy(f + 42, &seq, sizeof seq);
}

static inline void send_one(struct shunt_dev *tx, const void *frame, uint32_t len)
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

/* Frames first, first + step, ... of a run, in bursts. */
static inline void send_steps(
	struct shunt_dev *tx, uint32_t first, uint32_t step, uint32_t n, uint32_t len)
{
	struct shunt_pkt pkts[32];
	uint8_t f[2048];

	make(f, len, first);
	for (uint32_t at = 0; at < n;) {
		uint32_t k = n - at < 32 ? n - at : 32, sent = 0;
		cr_assert_eq(shunt_alloc(queue_of(tx), pkts, k), k);
		for (uint32_t i = 0; i < k; i++) {
			if (step)
				make(f, len, first + step * (at + i));
			memcpy(pkts[i].data, f, pkts[i].len = len);
		}
		for (int tries = 0; tries < 1000 && sent < k; tries++) {
			int got = shunt_tx(queue_of(tx), pkts + sent, k - sent);
			cr_assert_geq(got, 0);
			sent += (uint32_t)got;
		}
		cr_assert_eq(sent, k);
		at += k;
	}
	cr_assert_eq(queue_of(tx)->out, 0u);
}

static inline void send_run(struct shunt_dev *tx, uint32_t first, uint32_t n, uint32_t len)
{
	send_steps(tx, first, 1, n, len);
}

/* Receive until there are `most`, or nothing for `quiet` ms. Returns packets, or the error. */
static inline int receive(struct shunt_dev *rx, struct shunt_pkt *pkts, int most, unsigned quiet)
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

static inline void check_frame(const struct shunt_pkt *p, const void *want, uint32_t len)
{
	cr_assert_eq(p->len, len, "%u bytes instead of %u", p->len, len);
	cr_assert_eq(p->wire_len, len);
	cr_assert_eq(memcmp(p->data, want, len), 0, "bytes differ");
	cr_assert_eq(p->flags & SHUNT_PKT_TS_MASK, SHUNT_PKT_TS_KERNEL);
	uint64_t now = shunt_clock(CLOCK_REALTIME);
	cr_assert(p->ts_ns <= now && now - p->ts_ns < 10000000000u, "stamp is off");
}

/* Receive [first, first + n) in order, compare and release. */
static inline void expect_run(struct shunt_dev *rx, uint32_t first, uint32_t n, uint32_t len)
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

/* After a stop: all that is left; how many. */
static inline int take_rest(struct shunt_dev *rx)
{
	struct shunt_pkt pkts[32];
	int got = 0;

	for (int n; (n = shunt_rx(queue_of(rx), pkts, 32)) > 0; got += n)
		shunt_release(queue_of(rx), pkts, (unsigned)n);
	return got;
}

static inline uint64_t loss(const struct shunt_ledger *l, const char *name)
{
	for (unsigned i = 0; i < l->losses; i++)
		if (!strcmp(l->loss[i].name, name))
			return l->loss[i].count;
	return 0;
}

static inline struct shunt_ledger stop_and_read(struct shunt_dev *rx)
{
	struct shunt_ledger l;

	cr_assert_eq(shunt_stop(rx, NULL), 0);
	cr_assert_eq(shunt_get_ledger(rx, &l, NULL), 0);
	return l;
}

static inline void check_ledger(struct shunt_dev *rx, uint64_t received, uint64_t delivered)
{
	struct shunt_ledger l = stop_and_read(rx);

	cr_assert_eq(l.received, received, "%s: %lu received", rx->spec.text, l.received);
	cr_assert_eq(l.delivered, delivered, "%s: %lu delivered", rx->spec.text, l.delivered);
	cr_assert_eq(l.unaccounted, 0, "%s: %ld unaccounted", rx->spec.text, l.unaccounted);
}

#endif
