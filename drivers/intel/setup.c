/* SPDX-License-Identifier: BSD-2-Clause
 * Steps of initialization that are the same in both data sheets, and the teardown. 82574: 10.2.2.1
 * (CTRL.RST), 4.6.5 (receive), 4.6.6 (transmit), 3.1.3.10 ("master disable"); 82576 by the same
 * titles. Every wait is bounded by time.
 */
#include "core/clock.h"
#include "drivers/intel/intel.h"

#include <errno.h>

#define EEPROM_MS 10

void intel_sleep_us(unsigned us)
{
	struct timespec t = {.tv_nsec = (long)us * 1000};

	nanosleep(&t, NULL);
}

int intel_wait(struct intel *n, uint32_t reg, uint32_t mask, uint32_t want, unsigned ms)
{
	uint64_t end = shunt_now() + ms * UINT64_C(1000000);

	for (;;) {
		bool late = shunt_now() >= end;
		uint32_t v = intel_read(n, reg);
		if (v == UINT32_MAX && intel_read(n, R_STATUS) == UINT32_MAX)
			return -ENODEV;
		if ((v & mask) == want)
			return 0;
		if (late)
			return -ETIMEDOUT;
		intel_sleep_us(100);
	}
}

/* "Global Reset and General Configuration". DMA is ended first, as 82574 3.1.3.10 ("master
 * disable") and CTRL's description (10.2.2.1) have it: a device that is reset in the middle of a
 * read may never answer it. */
int intel_reset(struct intel *n, struct shunt_err *err)
{
	intel_set(n, R_CTRL, 0, CTRL_MASTER_DISABLE);
	intel_wait(n, R_STATUS, STATUS_MASTER, 0, INTEL_QUIET_MS); /* the reset ends it otherwise */
	intel_set(n, R_CTRL, 0, CTRL_RST);
	intel_sleep_us(
		1000); /* registers must not be touched for 1 us; the reset takes up to 1 ms */
	int rc = intel_wait(n, R_CTRL, CTRL_RST, 0, INTEL_RESET_MS);
	/* The MAC's address comes from the EEPROM. A card without one never says that it is read.
	 */
	if (!rc && intel_wait(n, R_EEC, EEC_AUTO_RD, EEC_AUTO_RD, EEPROM_MS) == -ENODEV)
		rc = -ENODEV;
	if (rc == -ENODEV)
		return shunt_fail(
			err, rc, NULL, "%s is gone: its registers read all ones", n->addr);
	if (rc)
		return shunt_fail(err, rc, "unbind it, remove and rescan it, or power-cycle",
			"%s (%s) sticks in reset", n->addr, n->chip->name);
	return 0;
}

/* "Program the Receive Address Registers", "Set up the Multicast Table Array": our own address came
 * from the EEPROM with the reset, and stays; all other filters are empty. */
void intel_address_filters(struct intel *n)
{
	intel_set(n, R_RAH(0), 0, RAH_AV);
	for (uint32_t i = 1; i < 16; i++) {
		intel_write(n, R_RAH(i), 0);
		intel_write(n, R_RAL(i), 0);
	}
	for (uint32_t i = 0; i < MTA_WORDS; i++)
		intel_write(n, R_MTA(i), 0);
}

/* "Program the descriptor base address, the length, head and tail": both are 0, the ring is empty.
 */
void intel_ring_registers(struct intel *n, uint32_t block, uint64_t iova, uint32_t size)
{
	intel_write(n, block + Q_BAL, (uint32_t)iova);
	intel_write(n, block + Q_BAH, (uint32_t)(iova >> 32));
	intel_write(n, block + Q_LEN, size * (uint32_t)sizeof(struct intel_desc));
	intel_write(n, block + Q_HEAD, 0);
	intel_write(n, block + Q_TAIL, 0);
}

/* All multicast frames, because there is no interface to ask for groups on. SBP stays off: what is
 * damaged is counted, not delivered. LPE too: a frame always fits into one buffer. */
static uint32_t rctl(const struct intel *n)
{
	return RCTL_EN | RCTL_BAM | RCTL_MPE | RCTL_BSIZE_2K | RCTL_SECRC |
	       (n->promisc ? RCTL_UPE : 0);
}

int intel_go(struct intel *n, struct shunt_err *err)
{
	for (unsigned i = 0; n->rx && i < n->nqueues; i++) {
		struct intel_queue *iq = &n->queue[i];
		intel_bufs_fill(iq);
		if (intel_ring_free(&iq->rx))
			return shunt_fail(err, -ENOMEM, "make the region larger, or depth= smaller",
				"no chunks for %u of %u receive descriptors of queue %u",
				intel_ring_free(&iq->rx), n->rx_size - 1, i);
	}
	if (n->tx)
		intel_set(n, R_TCTL, 0, TCTL_EN);
	if (n->rx)
		intel_write(n, R_RCTL, rctl(n));
	return 0;
}

/* Frames that were accepted before receive was disabled may still be in flight to memory: wait
 * until their counter stands still. */
static void drain_receive(struct intel *n)
{
	uint64_t end = shunt_now() + INTEL_QUIET_MS * UINT64_C(1000000), before;

	intel_set(n, R_RCTL, RCTL_EN, 0);
	do {
		before = n->counts.good;
		intel_sleep_us(1000);
		intel_ledger_read(n);
	} while (n->counts.good != before && shunt_now() < end);
}

void intel_halt(struct intel *n)
{
	n->chip->mask(n);
	for (unsigned i = 0; i < n->nqueues; i++) {
		SHUNT_SET(n->queue[i].stopped, true);
		shunt_queue_end_tx(&n->queue[i].q);
	}
	if (intel_read(n, R_STATUS) == UINT32_MAX)
		return;
	if (n->rx)
		drain_receive(n);
	if (n->tx)
		intel_tx_flush(n);
	intel_ledger_read(n);
	intel_reset(n, NULL); /* queues, DMA and interrupts are off after it */
	n->chip->mask(n);
}
