/* SPDX-License-Identifier: BSD-2-Clause
 * Receive and transmit as the data sheets have them, and no more: docs/intel.md shows the part
 * between the marks, and tests/docs/plain.sh compares them. A frame at a time and a copy each: what
 * drivers/intel/ adds is told there. Tried here against the same model as the driver.
 */
#include "tests/drivers/model/intel.h"

#include <criterion/criterion.h>
#include <string.h>

/* begin */
#define SIZE 64 /* descriptors in a ring; the length registers have it in bytes */

struct desc { /* 82576 7.1.5; 82574 7.2.10 */
	uint64_t addr, word;
};

struct card {
	volatile struct desc *rx, *tx; /* the rings, in memory that the card reads and writes */
	uint8_t (*rx_buf)[2048], (*tx_buf)[2048];
	uint64_t rx_dma, tx_dma;              /* the card's addresses of the first buffers */
	volatile uint32_t *rx_tail, *tx_tail; /* the registers RDT and TDT */
	uint32_t rx_next, tx_next;
	bool is_82576;
};

/* The next frame: its length, or 0 when none has come. */
static uint32_t plain_receive(struct card *c, void *frame)
{
	uint32_t i = c->rx_next;
	uint64_t word = __atomic_load_n(&c->rx[i].word, __ATOMIC_ACQUIRE);

	if (!(word & 1)) /* DD, descriptor done: the card sets it when all else is written */
		return 0;
	uint32_t len = word >> 32 & 0xffff;
	memcpy(frame, c->rx_buf[i], len);
	c->rx[i].addr = c->rx_dma + i * 2048; /* the card has written over it */
	c->rx[i].word = 0;
	__atomic_thread_fence(__ATOMIC_RELEASE); /* the descriptor before the register */
	*c->rx_tail = i; /* the card may fill descriptors up to this one, without it */
	c->rx_next = (i + 1) % SIZE;
	return len;
}

/* False when the ring is full: one descriptor stays free, since head == tail means empty. */
static bool plain_transmit(struct card *c, const void *frame, uint32_t len)
{
	uint32_t i = c->tx_next, next = (i + 1) % SIZE;
	uint64_t last = __atomic_load_n(&c->tx[next].word, __ATOMIC_ACQUIRE);

	if (last && !(last & 1ull << 32)) /* in use, and DD is not set */
		return false;
	memcpy(c->tx_buf[i], frame, len);
	c->tx[i].addr = c->tx_dma + i * 2048;
	c->tx[i].word = len | 1ull << 24 | 1ull << 25 | 1ull << 27; /* EOP, IFCS; RS: set DD */
	if (c->is_82576) /* advanced: DTYP = data, DEXT, and PAYLEN */
		c->tx[i].word |= 3ull << 20 | 1ull << 29 | (uint64_t)len << 46;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	*c->tx_tail = c->tx_next = next;
	return true;
}
/* end */

/* The driver initializes the model, and its rings are used with buffers of our own. */
static struct card card_of(struct intel_model *m)
{
	struct intel_queue *iq = &m->n.queue[0];
	uint8_t(*buf)[2048] = m->region->info.base;
	struct card c = {.rx = (struct desc *)iq->rx.desc,
		.tx = (struct desc *)iq->tx.desc,
		.rx_buf = buf,
		.tx_buf = buf + SIZE,
		.rx_dma = MODEL_IOVA,
		.tx_dma = MODEL_IOVA + SIZE * 2048,
		.rx_tail = iq->rx.tail_reg,
		.tx_tail = iq->tx.tail_reg,
		.is_82576 = m->n.chip == &intel_82576};

	for (uint32_t i = 0; i < SIZE; i++)
		c.rx[i].addr = c.rx_dma + i * 2048;
	return c;
}

static void moves_frames(const struct intel_chip *chip)
{
	struct intel_model *m = model_new(&(struct model_opts){.chip = chip});
	uint8_t frame[INTEL_FRAME], got[2048];
	uint32_t in = 0, out = 0;

	model_start(m);
	struct card c = card_of(m);
	cr_assert_eq(plain_receive(&c, got), 0);
	for (unsigned round = 0; round < 200; round++) {
		for (unsigned i = 0; i < 1 + round % 63; i++, in++) {
			memset(frame, (int)in, sizeof frame);
			cr_assert(model_receive(m, 0, frame, 60 + in % 1400));
		}
		for (uint32_t len; (len = plain_receive(&c, got)); out++) {
			cr_assert_eq(len, 60 + out % 1400);
			cr_assert_eq(got[0], (uint8_t)out);
			cr_assert_eq(got[len - 1], (uint8_t)out);
			cr_assert(plain_transmit(&c, got, len));
			cr_assert_eq(model_transmit(m, 0), 1);
			cr_assert_eq(m->sent[out % MODEL_SENT].len, len);
			cr_assert_eq(m->sent[out % MODEL_SENT].data[0], (uint8_t)out);
		}
		cr_assert_eq(out, in);
	}
	unsigned taken = 0;
	while (plain_transmit(&c, frame, 60))
		taken++;
	cr_assert_eq(taken, SIZE - 1, "%u frames in a ring of %u", taken, SIZE);
	cr_assert_eq(model_transmit(m, 0), SIZE - 1);
	model_free(m);
}

Test(plain_intel, moves_frames_by_82574s_sheet)
{
	moves_frames(&intel_82574);
}

Test(plain_intel, moves_frames_by_82576s_sheet)
{
	moves_frames(&intel_82576);
}
