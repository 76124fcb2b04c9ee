/* SPDX-License-Identifier: BSD-2-Clause
 * Frames of several pieces, for the test of each driver: made on a queue, sent, and what every
 * driver must say of them.
 */
#ifndef TESTS_DRIVERS_PIECES_H
#define TESTS_DRIVERS_PIECES_H

#include "drivers/core/driver.h"

#include <criterion/criterion.h>
#include <string.h>

#define PIECES     3u
#define PIECES_LEN 350u /* 100 + 200 + 50 */

static inline uint8_t pieces_byte(unsigned at)
{
	return (uint8_t)(at < 12 ? 2 : at == 12 ? 0x88 : at == 13 ? 0xb5 : at * 7);
}

/* One frame in three buffers of the queue's own. */
static inline void pieces_make(struct shunt_queue *q, struct shunt_pkt p[PIECES])
{
	static const uint32_t len[PIECES] = {100, 200, 50};
	unsigned at = 0;

	cr_assert_eq(shunt_alloc(q, p, PIECES), PIECES);
	for (unsigned i = 0; i < PIECES; i++) {
		p[i].len = len[i];
		p[i].flags |= i + 1 < PIECES ? SHUNT_PKT_MORE : 0;
		for (unsigned k = 0; k < len[i]; k++)
			((uint8_t *)p[i].data)[k] = pieces_byte(at++);
	}
}

static inline void pieces_check(const void *data, uint32_t len)
{
	cr_assert_eq(len, PIECES_LEN, "%u", len);
	for (unsigned i = 0; i < len; i++)
		cr_assert_eq(((const uint8_t *)data)[i], pieces_byte(i), "byte %u", i);
}

/* Sent between two plain frames of 60 bytes, all in one burst; then one whose end is missing. What
 * comes out: 60 bytes, PIECES_LEN, 60 bytes. */
static inline void pieces_send(struct shunt_queue *q)
{
	struct shunt_pkt p[PIECES + 2];
	struct shunt_qstats was, now;

	shunt_queue_stats(q, &was);
	cr_assert_eq(shunt_alloc(q, p, 1), 1);
	pieces_make(q, p + 1);
	cr_assert_eq(shunt_alloc(q, p + PIECES + 1, 1), 1);
	for (unsigned i = 0; i < PIECES + 2; i += PIECES + 1) {
		p[i].len = 60;
		memset(p[i].data, 2, 60);
	}
	cr_assert_eq(shunt_tx(q, p, PIECES + 2), PIECES + 2);
	shunt_queue_stats(q, &now);
	cr_assert_eq(now.tx_packets - was.tx_packets, 3, "frames, not pieces");
	cr_assert_eq(now.tx_bytes - was.tx_bytes, PIECES_LEN + 120);
	cr_assert_eq(now.tx_errors, was.tx_errors);
	cr_assert_geq(now.user_copies - was.user_copies, 1);
	cr_assert_eq(q->out, 0);
	pieces_make(q, p);
	shunt_release(q, p + PIECES - 1, 1);
	cr_assert_eq(shunt_tx(q, p, PIECES - 1), PIECES - 1);
	shunt_queue_stats(q, &was);
	cr_assert_eq(was.tx_errors - now.tx_errors, 1, "refused whole, and counted once");
	cr_assert_eq(was.tx_packets - now.tx_packets, 1);
	cr_assert_eq(q->out, 0);
}

/* Longer than any buffer of the queue: refused, and its pieces, which lie elsewhere, are kept. */
static inline void pieces_too_long(struct shunt_queue *q, uint32_t each)
{
	static uint8_t memory[300000];
	struct shunt_pkt p[PIECES];
	uint64_t was = q->stats.tx_errors;

	for (unsigned i = 0; i < PIECES; i++)
		p[i] = (struct shunt_pkt){
			.data = memory, .len = each, .flags = i + 1 < PIECES ? SHUNT_PKT_MORE : 0};
	cr_assert_eq(shunt_tx(q, p, PIECES), PIECES);
	cr_assert_eq(q->stats.tx_errors - was, 1);
	for (unsigned i = 0; i < PIECES; i++)
		cr_assert(p[i].flags & SHUNT_PKT_KEPT);
	cr_assert_eq(q->out, 0);
}

#endif
