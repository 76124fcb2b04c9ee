/* SPDX-License-Identifier: BSD-2-Clause
 * The device table: one line per driver. An optional driver that was not built is not in it;
 * meson's summary says why.
 */
#include "drivers/core/driver.h"

extern const struct shunt_driver shunt_driver_null;
extern const struct shunt_driver shunt_driver_packet;
extern const struct shunt_driver shunt_driver_xdp;
extern const struct shunt_driver shunt_driver_xdpgen;
extern const struct shunt_driver shunt_driver_pci;
extern const struct shunt_driver shunt_driver_pcap;
extern const struct shunt_driver shunt_driver_pair;

static const struct shunt_driver *const table[] = {
#ifdef DRIVER_PACKET
	&shunt_driver_packet,
#endif
#ifdef DRIVER_XDP
	&shunt_driver_xdp,
#endif
#ifdef DRIVER_PCI
	&shunt_driver_pci,
#endif
#ifdef DRIVER_XDPGEN
	&shunt_driver_xdpgen,
#endif
#ifdef DRIVER_PCAP
	&shunt_driver_pcap,
#endif
#ifdef DRIVER_PAIR
	&shunt_driver_pair,
#endif
	&shunt_driver_null,
};

const struct shunt_driver *shunt_driver_table(unsigned index)
{
	return index < sizeof table / sizeof *table ? table[index] : NULL;
}
