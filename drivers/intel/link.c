/* SPDX-License-Identifier: BSD-2-Clause
 * Reset, PHY and link, the same on both chips. 82574: 10.2.2.1 (CTRL.RST), 10.2.2.7 (MDIC), 4.6.3
 * (link set-up); 82576 by the same names. PHY: IEEE 802.3, 22.2.4. Every wait is bounded by time.
 */
#include "core/clock.h"
#include "drivers/intel/intel.h"

#include <errno.h>
#include <string.h>

#define MDIC_MS   10 /* a transaction takes 64 us */
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
		return shunt_fail(err, rc, "look at the cable, and at the other end",
			"%s has no link after %u ms", n->addr, n->link_ms);
	if (rc)
		return shunt_fail(
			err, rc, NULL, "the PHY of %s does not answer: %s", n->addr, strerror(-rc));
	return 0;
}
