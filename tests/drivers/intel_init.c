/* SPDX-License-Identifier: BSD-2-Clause
 * What initialization and tear-down leave in the registers of 82576 and 82574, and what becomes of
 * devices that stick, stay silent or go.
 */
#include "core/clock.h"
#include "tests/drivers/model/intel.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const struct intel_chip *const chips[] = {&intel_82576, &intel_82574};
#define EACH_CHIP(c) for (unsigned c = 0; c < 2; c++)

static void common_registers(struct intel_model *m)
{
	const struct intel *n = &m->n;

	cr_assert_eq(model_reg(m, R_CTRL) & (CTRL_VME | CTRL_RFCE | CTRL_TFCE | CTRL_FRCSPD |
						    CTRL_FRCDPX | CTRL_MASTER_DISABLE),
		0, "CTRL %#x", model_reg(m, R_CTRL));
	cr_assert(model_reg(m, R_CTRL) & CTRL_SLU);
	cr_assert(model_reg(m, R_CTRL_EXT) & CTRL_EXT_DRV_LOAD);
	cr_assert_eq(model_reg(m, R_RCTL), RCTL_EN | RCTL_UPE | RCTL_MPE | RCTL_BAM | RCTL_SECRC,
		"RCTL %#x", model_reg(m, R_RCTL));
	cr_assert_eq(model_reg(m, R_TCTL) & (TCTL_EN | TCTL_PSP), TCTL_EN | TCTL_PSP);
	cr_assert_eq(model_reg(m, R_RAL(0)), 0x00005452, "the address of the EEPROM is gone");
	cr_assert_eq(model_reg(m, R_RAH(0)), 0x0100 | RAH_AV);
	for (uint32_t i = 0; i < MTA_WORDS; i++)
		cr_assert_eq(model_reg(m, R_MTA(i)), 0, "MTA %u", i);
	for (unsigned q = 0; q < n->nqueues; q++) {
		uint32_t rx = n->chip->rx_regs + q * n->chip->stride;
		uint32_t tx = n->chip->tx_regs + q * n->chip->stride;
		cr_assert_eq(model_reg(m, rx + Q_LEN), n->rx_size * 16);
		cr_assert_eq(model_reg(m, tx + Q_LEN), n->tx_size * 16);
		cr_assert_eq(model_reg(m, rx + Q_TAIL), n->rx_size - 1, "the ring is not full");
		cr_assert_eq(model_reg(m, tx + Q_TAIL), 0);
	}
}

Test(intel_init, registers_as_the_data_sheets_want_them)
{
	EACH_CHIP(c)
	{
		struct intel_model *m = model_new(&(struct model_opts){.chip = chips[c]});
		model_start(m);
		common_registers(m);
		cr_assert_eq(m->resets, 1);
		cr_assert_geq(m->masks, 2, "interrupts off before the reset and after it");
		if (!c) {
			cr_assert_eq(model_reg(m, IGB_RX(0) + Q_SRRCTL), 2 | SRRCTL_ADVANCED);
			cr_assert(model_reg(m, IGB_RX(0) + Q_DCTL) & DCTL_ENABLE);
			cr_assert(model_reg(m, IGB_TX(0) + Q_DCTL) & DCTL_ENABLE);
			cr_assert_eq(model_reg(m, R_MRQC), 0);
		} else {
			cr_assert_eq(model_reg(m, R_RFCTL), RFCTL_EXSTEN);
			cr_assert(model_reg(m, E1000E_TX + Q_DCTL) & DCTL_ONE);
			cr_assert_eq(model_reg(m, R_TIPG), TIPG_COPPER);
		}
		cr_assert_eq(model_reg(m, R_RXCSUM), 0, "checksums are left alone");
		model_free(m);
	}
}

Test(intel_init, without_promiscuous_only_its_own_address)
{
	EACH_CHIP(c)
	{
		struct intel_model *m = model_new(&(struct model_opts){.chip = chips[c]});
		m->n.promisc = false;
		model_start(m);
		cr_assert_eq(model_reg(m, R_RCTL) & RCTL_UPE, 0);
		model_free(m);
	}
}

Test(intel_init, rss_reaches_every_queue_and_no_other)
{
	struct model_opts o = {.chip = &intel_82576, .nqueues = 3};
	struct intel_model *m = model_new(&o);
	unsigned seen[3] = {0};

	model_start(m);
	common_registers(m);
	for (uint32_t i = 0; i < RETA_WORDS; i++)
		for (unsigned j = 0; j < 4; j++) {
			unsigned q = model_reg(m, R_RETA(i)) >> 8 * j & 0xff;
			cr_assert_lt(q, 3);
			seen[q]++;
		}
	for (unsigned q = 0; q < 3; q++) {
		cr_assert_geq(seen[q], 42, "queue %u: %u of 128", q, seen[q]);
		cr_assert(model_reg(m, IGB_RX(q) + Q_SRRCTL) & SRRCTL_DROP);
		cr_assert(model_reg(m, IGB_RX(q) + Q_DCTL) & DCTL_ENABLE);
	}
	cr_assert_eq(model_reg(m, R_MRQC) & 7, MRQC_RSS);
	cr_assert_eq(model_reg(m, R_RXCSUM), RXCSUM_PCSD);
	cr_assert_neq(model_reg(m, R_RSSRK(9)), 0);
	model_free(m);
}

Test(intel_init, one_direction_leaves_the_other_off)
{
	EACH_CHIP(c)
	{
		struct model_opts o = {.chip = chips[c], .dir = SHUNT_RX};
		struct intel_model *m = model_new(&o);
		model_start(m);
		cr_assert_eq(model_reg(m, R_TCTL) & TCTL_EN, 0);
		intel_halt(&m->n);
		model_free(m);
		o.dir = SHUNT_TX;
		m = model_new(&o);
		model_start(m);
		cr_assert_eq(model_reg(m, R_RCTL) & RCTL_EN, 0);
		intel_halt(&m->n);
		model_free(m);
	}
}

Test(intel_init, vectors)
{
	struct model_opts o = {.chip = &intel_82576, .nqueues = 2};
	struct intel_model *m = model_new(&o);

	m->n.sleeps = true;
	model_start(m);
	cr_assert_eq(model_reg(m, IGB_IVAR(0)) & 0xff, 0x80);
	cr_assert_eq(model_reg(m, IGB_IVAR(1)) & 0xff, 0x81);
	cr_assert_eq(model_reg(m, IGB_EIAC), 3);
	cr_assert_eq(model_reg(m, IGB_EIAM), 3);
	cr_assert_eq(model_reg(m, IGB_EIMS), 0, "armed before anybody sleeps");
	m->n.chip->arm(&m->n, 1);
	cr_assert_eq(model_reg(m, IGB_EIMS), 2);
	model_free(m);
	o = (struct model_opts){.chip = &intel_82574};
	m = model_new(&o);
	m->n.sleeps = true;
	model_start(m);
	cr_assert_eq(model_reg(m, E1000E_IVAR), 8);
	cr_assert_eq(model_reg(m, E1000E_EIAC), E1000E_CAUSE_RXQ0);
	cr_assert_eq(model_reg(m, R_IMS), 0);
	m->n.chip->arm(&m->n, 0);
	cr_assert_eq(model_reg(m, R_IMS), E1000E_CAUSE_RXQ0);
	model_free(m);
}

/* In a chunk of 4 KiB there is room before a frame, and still no way into the next chunk. */
Test(intel_init, a_buffer_never_leaves_its_chunk)
{
	static const uint32_t chunks[] = {2048, 4096};
	uint8_t frame[60] = {1};

	EACH_CHIP(c)
	for (unsigned k = 0; k < 2; k++) {
		struct model_opts o = {.chip = chips[c], .chunk = chunks[k]};
		struct intel_model *m = model_new(&o);
		struct shunt_pkt p;
		model_start(m); /* the model looks at each buffer that it uses */
		cr_assert_eq(m->n.queue[0].head, k ? PCI_HEAD : 0);
		cr_assert(model_receive(m, 0, frame, sizeof frame));
		cr_assert_eq(shunt_rx(&m->n.queue[0].q, &p, 1), 1);
		cr_assert_arr_eq(p.data, frame, sizeof frame);
		shunt_release(&m->n.queue[0].q, &p, 1);
		model_free(m);
	}
}

Test(intel_init, a_link_that_is_up_stays)
{
	EACH_CHIP(c)
	{
		struct intel_model *m = model_new(&(struct model_opts){.chip = chips[c]});
		*(uint32_t *)(m->bar + R_STATUS) |= STATUS_LU;
		model_start(m);
		cr_assert_eq(m->negotiations, 0);
		model_free(m);
		m = model_new(&(struct model_opts){.chip = chips[c]});
		model_start(m);
		cr_assert_eq(m->negotiations, 1, "the PHY waits to be told");
		cr_assert(model_reg(m, R_STATUS) & STATUS_LU);
		model_free(m);
	}
}

static void fails(struct intel_model *m, int code, const char *word, unsigned ms)
{
	struct shunt_err err = {.code = 0};
	uint64_t t0 = shunt_now();
	int rc = m->n.chip->init(&m->n, &err);

	cr_assert_eq(rc, code, "%s: %d, %s", m->n.chip->name, rc, err.what);
	cr_assert(strstr(err.what, word), "%s", err.what);
	cr_assert_null(strchr(err.what, '\n'));
	cr_assert_lt((shunt_now() - t0) / 1000000, ms + 2000);
	cr_assert_eq(model_reg(m, R_RCTL) & RCTL_EN, code == -ENODEV ? RCTL_EN : 0);
	intel_halt(&m->n); /* close after it must not hang either */
	model_free(m);
}

Test(intel_init, waits_are_bounded)
{
	EACH_CHIP(c)
	{
		struct model_opts o = {.chip = chips[c]};
		struct intel_model *m = model_new(&o);
		m->stuck_reset = true;
		fails(m, -ETIMEDOUT, "sticks in reset", INTEL_RESET_MS);
		m = model_new(&o);
		m->no_link = true;
		fails(m, -ENETDOWN, "no link", 200);
		m = model_new(&o);
		m->dead_phy = true;
		fails(m, -ETIMEDOUT, "PHY", 100);
		m = model_new(&o);
		memset(m->bar, 0xff, MODEL_BAR);
		fails(m, -ENODEV, "gone", 100);
		m = model_new(&o);
		m->no_master_end = true; /* the reset ends it */
		model_start(m);
		intel_halt(&m->n);
		cr_assert_eq(model_reg(m, R_RCTL) & RCTL_EN, 0);
		model_free(m);
	}
}

Test(intel_init, too_few_chunks_is_said)
{
	struct shunt_region_opts few = {.chunks = 40, .no_huge = true};
	struct model_opts o = {.chip = &intel_82576};
	struct shunt_err err;

	cr_assert_eq(shunt_region_create(&o.region, &few, NULL), 0);
	struct intel_model *m = model_new(&o);
	cr_assert_eq(m->n.chip->init(&m->n, &err), 0);
	cr_assert_eq(intel_go(&m->n, &err), -ENOMEM);
	cr_assert(strstr(err.what, "23 of 63"), "%s", err.what);
	cr_assert_eq(model_reg(m, R_RCTL) & RCTL_EN, 0);
	model_free(m);
}

Test(intel_init, halt_leaves_nothing_running)
{
	EACH_CHIP(c)
	{
		struct intel_model *m = model_new(&(struct model_opts){.chip = chips[c]});
		struct shunt_ledger l = {.received = 0};
		struct shunt_pkt p[4];
		uint8_t frame[60] = {7};
		model_start(m);
		for (unsigned i = 0; i < 4; i++)
			cr_assert(model_receive(m, 0, frame, sizeof frame));
		cr_assert_eq(shunt_rx(&m->n.queue[0].q, p, 1), 1);
		cr_assert_eq(shunt_alloc(&m->n.queue[0].q, p + 1, 3), 3);
		p[1].len = p[2].len = p[3].len = 60;
		cr_assert_eq(shunt_tx(&m->n.queue[0].q, p + 1, 3), 3);
		intel_halt(&m->n); /* the model does not send: after a while it is given up */
		cr_assert_eq(m->resets, 2);
		cr_assert_eq(model_reg(m, R_RCTL) & RCTL_EN, 0);
		cr_assert_eq(model_reg(m, R_TCTL) & TCTL_EN, 0);
		cr_assert_eq(m->n.queue[0].q.stats.tx_errors, 3, "not sent, and not said");
		cr_assert_eq(shunt_alloc(&m->n.queue[0].q, p + 1, 1), 1);
		p[1].len = 60;
		cr_assert_eq(shunt_tx(&m->n.queue[0].q, p + 1, 1), 0, "nothing after stop");
		cr_assert_eq(m->n.queue[0].q.stats.tx_packets, 3);
		shunt_release(&m->n.queue[0].q, p, 2);
		cr_assert_eq(intel_ledger(&m->dev, &l, NULL), 0);
		cr_assert_eq(l.received, 4);
		cr_assert_eq(l.loss[l.losses - 1].count, 3, "%s", l.loss[l.losses - 1].name);
		/* What is there can still be had; the tail is not touched any more. */
		cr_assert_eq(shunt_rx(&m->n.queue[0].q, p, 4), 3);
		cr_assert_eq(shunt_rx(&m->n.queue[0].q, p + 3, 1), 0);
		shunt_release(&m->n.queue[0].q, p, 3);
		cr_assert_eq(m->n.queue[0].q.out, 0);
		cr_assert_eq(model_reg(m, m->n.chip->rx_regs + Q_TAIL), 0);
		model_free(m);
	}
}
