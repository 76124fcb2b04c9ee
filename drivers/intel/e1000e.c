/* SPDX-License-Identifier: BSD-2-Clause
 * e1000e: 82574, as "82574 GbE Controller Family Datasheet", revision 3.4, section 4.6 ("Software
 * Initialization Sequence") has it, in its order: interrupts off, reset, link, statistics, receive,
 * transmit, interrupts on. One queue each way. Control calls only.
 */
#include "drivers/intel/intel.h"

/* 4.6.1 Interrupts During Initialization */
static void mask(struct intel *n)
{
	intel_write(n, R_IMC, ~0u);
	intel_read(n, R_ICR);
}

/* Global Reset and General Configuration: VLAN tags stay in the frame. */
static int general(struct intel *n, struct shunt_err *err)
{
	int rc = intel_reset(n, err);

	mask(n);
	if (rc)
		return rc;
	intel_set(n, R_CTRL, CTRL_VME, CTRL_FD);
	intel_set(n, R_CTRL_EXT, 0, CTRL_EXT_DRV_LOAD);
	return 0;
}

/* 4.6.5 Receive Initialization. RCTL.EN comes last, when the ring is full (intel_go). RFCTL.EXSTEN
 * asks for the descriptors that 82576 has, too ("Extended Rx Descriptor"). WTHRESH 1: each frame is
 * written back at once. */
static void receive(struct intel *n)
{
	intel_write(n, R_RCTL, 0);
	intel_address_filters(n);
	intel_write(n, R_MRQC, 0); /* one queue */
	intel_write(n, R_RXCSUM, 0);
	intel_write(n, R_RFCTL, RFCTL_EXSTEN);
	if (!n->rx)
		return;
	intel_ring_registers(n, E1000E_RX, n->rx_iova[0], n->rx_size);
	intel_write(n, E1000E_RX + Q_DCTL,
		DCTL_GRAN | DCTL_PTHRESH(16) | DCTL_HTHRESH(4) | DCTL_WTHRESH(1));
}

/* 4.6.6 Transmit Initialization. WTHRESH 0: every INTEL_BATCH-th descriptor asks for its
 * write-back, which is not to wait for others. */
static void transmit(struct intel *n)
{
	intel_write(n, R_TCTL, TCTL_PSP | TCTL_CT(0xf) | TCTL_COLD(0x3f));
	intel_write(n, R_TIPG, TIPG_COPPER);
	if (!n->tx)
		return;
	intel_ring_registers(n, E1000E_TX, n->tx_iova[0], n->tx_size);
	intel_write(
		n, E1000E_TX + Q_DCTL, DCTL_GRAN | DCTL_ONE | DCTL_PTHRESH(8) | DCTL_HTHRESH(1));
}

/* 10.2.4.9 IVAR: receive queue 0 raises vector 0; 7.4.3: EIAC clears the cause when its interrupt
 * is sent. */
static void interrupts(struct intel *n)
{
	intel_set(n, R_CTRL_EXT, 0, CTRL_EXT_PBA);
	intel_write(n, E1000E_IVAR, E1000E_IVAR_RXQ0);
	intel_write(n, E1000E_EIAC, E1000E_CAUSE_RXQ0);
}

static int init(struct intel *n, struct shunt_err *err)
{
	mask(n); /* 4.6.1 */
	int rc = general(n, err);
	if (!rc)
		rc = intel_link_up(n, err); /* 4.6.3 */
	if (rc)
		return rc;
	intel_ledger_read(n); /* "Initialization of Statistics": reading clears */
	n->counts = (struct intel_counts){.seen = 0};
	receive(n);  /* 4.6.5 */
	transmit(n); /* 4.6.6 */
	if (n->sleeps && !n->intx)
		interrupts(n);
	return 0;
}

static void arm(struct intel *n, unsigned queue)
{
	(void)queue;
	mmio_write32(n->bar + R_IMS, E1000E_CAUSE_RXQ0);
}

const struct intel_chip intel_82574 = {
	.name = "82574",
	.queues = 1,
	.tx_word = TXD_EOP | TXD_IFCS,
	.tx_len = 1,
	.rx_regs = E1000E_RX,
	.tx_regs = E1000E_TX,
	.stride = 0x100,
	.init = init,
	.mask = mask,
	.arm = arm,
};
