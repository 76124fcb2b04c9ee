/* SPDX-License-Identifier: BSD-2-Clause
 * Where a modern virtio device keeps its structures: vendor capabilities (virtio 1.2, 4.1.4). The
 * first of a type that makes sense counts, as the specification has it.
 */
#include "drivers/virtio/transport.h"

#include <endian.h>
#include <string.h>

#define CAP_LEN    16u
#define NOTIFY_LEN 20u /* with notify_off_multiplier */
#define CAPS_MAX   64u

static uint32_t le32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return le32toh(v);
}

static void read_part(const uint8_t *cap, size_t room, struct virtio_part parts[VIRTIO_PARTS])
{
	uint8_t type = cap[3], bar = cap[4];

	if (type < VIRTIO_COMMON || type >= VIRTIO_PARTS || bar >= PCI_BARS ||
		parts[type].bar < PCI_BARS || cap[2] < CAP_LEN)
		return;
	if (type == VIRTIO_NOTIFY && (cap[2] < NOTIFY_LEN || room < NOTIFY_LEN))
		return;
	parts[type] = (struct virtio_part){.bar = bar,
		.offset = le32(cap + 8),
		.length = le32(cap + 12),
		.multiplier = type == VIRTIO_NOTIFY ? le32(cap + 16) : 0};
}

void virtio_parts(const uint8_t *cfg, size_t len, struct virtio_part parts[VIRTIO_PARTS])
{
	struct pci_cap caps[CAPS_MAX];
	unsigned n = pci_caps(cfg, len, caps, CAPS_MAX);

	for (unsigned i = 0; i < VIRTIO_PARTS; i++)
		parts[i] = (struct virtio_part){.bar = PCI_BARS};
	for (unsigned i = 0; i < n; i++)
		if (!caps[i].extended && caps[i].id == PCI_CAP_VENDOR &&
			caps[i].at + CAP_LEN <= len)
			read_part(cfg + caps[i].at, len - caps[i].at, parts);
}
