/* SPDX-License-Identifier: BSD-2-Clause
 * Capability lists: PCI Local Bus 3.0, 6.7 (pointer in 0x34, status bit 4, id and next a byte each)
 * and PCI Express 5.0, 7.6.3 (from 0x100, id in bits 15:0, next in 31:20). Config space is written
 * by the device: both walks make no more steps than there are places, and never leave the buffer.
 */
#include "drivers/pci/pci.h"

#include <endian.h>
#include <string.h>

#define STATUS      0x06u
#define STATUS_CAPS 0x10u
#define FIRST       0x34u
#define HEADER      0x40u /* capabilities lie behind the header */
#define EXTENDED    0x100u

static uint32_t le32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return le32toh(v);
}

static unsigned walk(const uint8_t *cfg, size_t len, struct pci_cap *caps, unsigned max)
{
	unsigned n = 0, steps = (EXTENDED - HEADER) / 4; /* more is a loop */
	unsigned at = cfg[FIRST] & ~3u;

	if (!(cfg[STATUS] & STATUS_CAPS))
		return 0;
	for (; at >= HEADER && at + 4 <= len && steps && n < max; steps--) {
		if (cfg[at] == 0xff) /* a device that is gone reads as ones */
			break;
		caps[n++] = (struct pci_cap){.id = cfg[at], .at = (uint16_t)at};
		at = cfg[at + 1] & ~3u;
	}
	return n;
}

static unsigned walk_extended(const uint8_t *cfg, size_t len, struct pci_cap *caps, unsigned max)
{
	unsigned n = 0, steps = (PCI_CONFIG - EXTENDED) / 4, at = EXTENDED;

	for (; at >= EXTENDED && at + 4 <= len && steps && n < max; steps--) {
		uint32_t head = le32(cfg + at);
		if (!head || head == UINT32_MAX)
			break;
		caps[n++] = (struct pci_cap){
			.id = (uint16_t)head, .at = (uint16_t)at, .extended = true};
		at = (head >> 20) & ~3u;
	}
	return n;
}

unsigned pci_caps(const uint8_t *cfg, size_t len, struct pci_cap *caps, unsigned max)
{
	if (len < HEADER)
		return 0;
	unsigned n = walk(cfg, len < EXTENDED ? len : EXTENDED, caps, max);

	return n + walk_extended(cfg, len < PCI_CONFIG ? len : PCI_CONFIG, caps + n, max - n);
}
