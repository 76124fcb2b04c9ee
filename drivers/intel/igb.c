/* SPDX-License-Identifier: BSD-2-Clause
 * igb: 82576, as "82576EB Gigabit Ethernet Controller Datasheet", revision 2.63, has it in
 * "Initialization Sequence", in its order: interrupts off, reset, link, statistics, receive,
 * transmit, interrupts on. Control calls only. Sections are cited by their titles.
 */
#include "drivers/intel/intel.h"

#include <errno.h>

/* One key for both directions of a flow: 0x6d5a, repeated. */
#define RSS_KEY 0x5a6d5a6du

/* Interrupts During Initialization */
static void mask(struct intel *n)
{
	intel_write(n, IGB_EIMC, ~0u);
	intel_write(n, R_IMC, ~0u);
	intel_read(n, R_ICR);
}

/* Global Reset and General Configuration: VLAN tags stay in the frame. */
static int general(struct intel *n, struct shunt_err *err)
{
	int rc = intel_reset(n, err);

	mask(n); /* the reset left them as the EEPROM says */
	if (rc)
		return rc;
	intel_set(n, R_CTRL, CTRL_VME, CTRL_FD);
	intel_set(n, R_CTRL_EXT, 0, CTRL_EXT_DRV_LOAD);
	return 0;
}

/* 7.1.1.7 Receive-Side Scaling; MRQC, RETA, RSSRK. What is not hashed goes to queue 0. */
static void rss(struct intel *n)
{
	bool many = n->nqueues > 1;

	for (uint32_t i = 0; many && i < RSSRK_WORDS; i++)
		intel_write(n, R_RSSRK(i), RSS_KEY);
	for (uint32_t i = 0; many && i < RETA_WORDS; i++) {
		uint32_t four = 0;
		for (uint32_t j = 0; j < 4; j++)
			four |= (4 * i + j) % n->nqueues << 8 * j;
		intel_write(n, R_RETA(i), four);
	}
	intel_write(n, R_RXCSUM, many ? RXCSUM_PCSD : 0);
	intel_write(n, R_MRQC,
		many ? MRQC_RSS | MRQC_TCP4 | MRQC_IP4 | MRQC_IP6 | MRQC_TCP6 | MRQC_UDP4 |
				MRQC_UDP6
		     : 0);
}

/* Dynamic Enabling and Disabling of Receive Queues, and the same for transmit: the bit reads as 1
 * when the queue is really on. */
static int enable_queue(struct intel *n, uint32_t block, uint32_t thresholds, const char *what,
	struct shunt_err *err)
{
	intel_write(n, block + Q_DCTL, thresholds | DCTL_ENABLE);
	int rc = intel_wait(n, block + Q_DCTL, DCTL_ENABLE, DCTL_ENABLE, INTEL_RESET_MS);
	return rc ? shunt_fail(err, rc, NULL, "a %s queue of %s does not start", what, n->addr) : 0;
}

/* Receive Initialization. RCTL.EN comes last, when the rings are full (intel_go). SRRCTL: a
 * buffer is what is left of a chunk, in KiB. DROP_EN where there are several queues: one that is
 * not read must not stop the others. WTHRESH 1: each frame is written back at once. */
static int receive(struct intel *n, struct shunt_err *err)
{
	int rc = 0;

	intel_write(n, R_RCTL, 0);
	intel_address_filters(n);
	rss(n);
	for (unsigned i = 0; !rc && n->rx && i < n->nqueues; i++) {
		uint32_t block = IGB_RX(i);
		intel_write(n, block + Q_DCTL, 0); /* queue 0 is on after a reset */
		intel_ring_registers(n, block, n->rx_iova[i], n->rx_size);
		intel_write(n, block + Q_SRRCTL,
			SRRCTL_BSIZE(n->queue[i].buffer >> 10) | SRRCTL_ADVANCED |
				(n->nqueues > 1 ? SRRCTL_DROP : 0));
		rc = enable_queue(n, block, DCTL_PTHRESH(16) | DCTL_HTHRESH(8) | DCTL_WTHRESH(1),
			"receive", err);
	}
	return rc;
}

/* Transmit Initialization. TIPG's defaults are right for copper. WTHRESH 0, as head
 * write-back is off and every INTEL_BATCH-th descriptor asks for its write-back. */
static int transmit(struct intel *n, struct shunt_err *err)
{
	int rc = 0;

	intel_write(n, R_TCTL, TCTL_PSP | TCTL_CT(0xf) | TCTL_COLD(0x40));
	for (unsigned i = 0; !rc && n->tx && i < n->nqueues; i++) {
		uint32_t block = IGB_TX(i);
		intel_write(n, block + Q_DCTL, 0);
		intel_ring_registers(n, block, n->tx_iova[i], n->tx_size);
		rc = enable_queue(n, block, DCTL_PTHRESH(8) | DCTL_HTHRESH(1), "transmit", err);
	}
	return rc;
}

/* MSI-X; GPIE, IVAR: receive queue i raises vector i. EIAC clears the cause and EIAM masks it when
 * its interrupt is sent, so that one comes for each arming. */
static void interrupts(struct intel *n)
{
	uint32_t all = BIT(n->nqueues) - 1;

	intel_write(n, IGB_GPIE, GPIE_NSICR | GPIE_MULTIPLE_MSIX | GPIE_EIAME | GPIE_PBA);
	for (unsigned i = 0; i < n->nqueues; i++)
		intel_set(n, IGB_IVAR(i), 0xffu << IGB_IVAR_RX(i),
			(IGB_IVAR_VALID | i) << IGB_IVAR_RX(i));
	intel_write(n, IGB_EIAC, all);
	intel_write(n, IGB_EIAM, all);
}

static int init(struct intel *n, struct shunt_err *err)
{
	mask(n);
	int rc = general(n, err);
	if (!rc)
		rc = intel_link_up(n, err); /* and no flow control */
	if (rc)
		return rc;
	intel_ledger_read(n); /* Initialization of Statistics: reading clears */
	n->counts = (struct intel_counts){.seen = 0};
	rc = receive(n, err);
	if (!rc)
		rc = transmit(n, err);
	if (!rc && n->sleeps && !n->intx)
		interrupts(n);
	return rc;
}

static void arm(struct intel *n, unsigned queue)
{
	mmio_write32(n->bar + IGB_EIMS, BIT(queue));
}

/* RQDPC: a queue's count of frames dropped because of SRRCTL.DROP_EN. */
static uint64_t dropped(struct intel *n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n->nqueues; i++)
		sum += intel_read(n, IGB_RQDPC(i));
	return sum;
}

const struct intel_chip intel_82576 = {
	.name = "82576",
	.queues = 8,
	.tx_word = TXD_EOP | TXD_IFCS | TXD_ADVANCED,
	.tx_len = 1 + TXD_PAYLEN,
	.rx_regs = IGB_RX(0),
	.tx_regs = IGB_TX(0),
	.stride = IGB_RX(1) - IGB_RX(0),
	.init = init,
	.mask = mask,
	.arm = arm,
	.dropped = dropped,
};
