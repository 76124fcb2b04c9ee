/* SPDX-License-Identifier: BSD-2-Clause
 * PHY and link, the same on both chips: start brings the link up, a queue that is idle checks it.
 * 82574: 10.2.2.7 (MDIC), 4.6.3 (link set-up); 82576 by the same names. PHY: IEEE 802.3, 22.2.4.
 * Every wait is bounded by time.
 */
#include "core/clock.h"
#include "drivers/intel/intel.h"

#include <errno.h>
#include <string.h>

#define MDIC_MS 10 /* a transaction takes 64 us */

static int mdic(struct intel *n, uint32_t op, unsigned reg, uint16_t *value)
{
	intel_write(n, R_MDIC, op | MDIC_PHY | MDIC_REG(reg) | *value);
	int rc = intel_wait(n, R_MDIC, MDIC_READY, MDIC_READY, MDIC_MS);
	uint32_t v = intel_read(n, R_MDIC);
	*value = (uint16_t)v;
	return rc ? rc : v & MDIC_ERROR ? -EIO : 0;
}

static int phy_read(struct intel *n, unsigned reg, uint16_t *value)
{
	*value = 0;
	return mdic(n, MDIC_READ, reg, value);
}

static int phy_write(struct intel *n, unsigned reg, uint16_t value)
{
	return mdic(n, MDIC_WRITE, reg, &value);
}

/* Both, because the MAC's bit lags behind when negotiation starts again. */
static int is_up(struct intel *n, bool *up)
{
	uint16_t bmsr;
	int rc = phy_read(n, PHY_BMSR, &bmsr);

	*up = !rc && bmsr & BMSR_AUTONEG_DONE && intel_read(n, R_STATUS) & STATUS_LU;
	return rc;
}

static int wait_for_link(struct intel *n)
{
	uint64_t end = shunt_now() + n->link_ms * UINT64_C(1000000);
	bool up, late = false;

	for (;;) {
		int rc = is_up(n, &up);
		if (rc || up || late)
			return rc ? rc : up ? 0 : -ENETDOWN;
		intel_sleep_us(5000);
		late = shunt_now() >= end;
	}
}

/* 82574 4.6.3: MAC and PHY settle speed and duplex between themselves. A link that
 * is up survived the MAC's reset; otherwise negotiation is started again, which some PHYs wait for.
 */
int intel_link_up(struct intel *n, struct shunt_err *err)
{
	uint16_t bmcr;
	bool up;

	intel_set(n, R_CTRL, CTRL_FRCSPD | CTRL_FRCDPX | CTRL_RFCE | CTRL_TFCE, CTRL_SLU);
	int rc = is_up(n, &up);
	if (!rc && up)
		return 0;
	if (!rc)
		rc = phy_read(n, PHY_BMCR, &bmcr);
	if (!rc)
		rc = phy_write(n, PHY_BMCR, bmcr | BMCR_AUTONEG | BMCR_AUTONEG_AGAIN);
	if (!rc)
		rc = wait_for_link(n);
	if (rc == -ENETDOWN)
		return shunt_fail(err, rc, "check the cable, and the other end",
			"%s has no link after %u ms", n->addr, n->link_ms);
	if (rc)
		return shunt_fail(
			err, rc, NULL, "the PHY of %s does not answer: %s", n->addr, strerror(-rc));
	return 0;
}

/* One register read, and whether the kernel requests the card's release. All ones: it is gone. */
int intel_link_check(struct intel_queue *iq)
{
	const struct pci_port *port = pci_port(iq->q.dev);

	iq->idle = iq->stuck = 0;
	if (iq->q.error || __atomic_load_n(&iq->stopped, __ATOMIC_RELAXED))
		return iq->q.error;
	uint32_t status = mmio_read32(iq->status);
	if (status == UINT32_MAX)
		return shunt_gone(&iq->q, -ENODEV, "%s is gone: its registers read all ones",
			port->info.addr);
	if (!(status & STATUS_LU))
		return shunt_gone(&iq->q, -ENETDOWN,
			"the link of %s went down: open it again when it is up", port->info.addr);
	if (pci_requested(port->pci))
		return shunt_gone(&iq->q, -ENODEV, PCI_REQUESTED, port->info.addr);
	return 0;
}
