/* SPDX-License-Identifier: BSD-2-Clause
 * The device's counters, and the ledger. "Statistics Registers" of both sheets: cleared by reading,
 * and stuck at 2^32 - 1, so that they are to be read at least every 48 minutes at a gigabit of
 * short frames. TPR counts every frame on the wire while receive is on, GPRC the good ones that
 * passed the filters, MPC those that found no room in the device's buffer. RNBC is no loss: the
 * frame waited.
 */
#include "drivers/intel/intel.h"

void intel_ledger_read(struct intel *n)
{
	static const uint32_t bad[] = {R_CRCERRS, R_RXERRC, R_RUC, R_RFC, R_ROC, R_RJC};
	struct intel_counts *c = &n->counts;

	if (intel_read(n, R_STATUS) == UINT32_MAX)
		return; /* gone: what was read before stands */
	/* Good before seen: a frame in between is seen and not good, never the other way round. */
	c->good += intel_read(n, R_GPRC);
	c->seen += intel_read(n, R_TPR);
	c->missed += intel_read(n, R_MPC);
	c->no_room += intel_read(n, R_RNBC);
	c->sent += intel_read(n, R_GPTC);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		c->bad += intel_read(n, bad[i]);
	if (n->chip->dropped)
		c->dropped += n->chip->dropped(n);
}

int intel_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct intel *n = pci_port(dev)->priv;
	const struct intel_counts *c = &n->counts;
	uint64_t bad_descriptor = 0, waiting = 0;

	(void)err;
	if (dev->state == SHUNT_STARTED)
		intel_ledger_read(n);
	uint64_t refused = c->seen > c->good ? c->seen - c->good : 0;
	uint64_t bad = c->bad < refused ? c->bad : refused;
	for (unsigned i = 0; i < n->nqueues; i++) {
		bad_descriptor += __atomic_load_n(&n->queue[i].bad_descriptor, __ATOMIC_RELAXED);
		/* Before stop a refill may be writing the descriptors. */
		if (SHUNT_GET(n->queue[i].stopped))
			waiting += intel_rx_waiting(&n->queue[i]);
	}
	ledger->received = c->good + refused + c->missed;
	ledger->received_source = "the device: TPR + MPC";
	shunt_add_loss(
		ledger, "device_drop", c->missed, "found no room in the device's own buffer (MPC)");
	shunt_add_loss(ledger, "ring_full", c->dropped,
		"found no descriptor: the application was too slow (RQDPC)");
	shunt_add_loss(ledger, "bad_frame", bad,
		"came damaged, too short or too long (CRCERRS, RXERRC, RUC, RFC, ROC, RJC)");
	shunt_add_loss(ledger, "filter", refused - bad,
		"were for another address (TPR less GPRC less bad ones)");
	shunt_add_loss(ledger, "bad_descriptor", bad_descriptor,
		"the device wrote an impossible length or status (driver)");
	shunt_add_loss(ledger, "shutdown", waiting, "were in the ring, and not handed out");
	return 0;
}
