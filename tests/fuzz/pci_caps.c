/* SPDX-License-Identifier: BSD-2-Clause
 * Config space as a device may write it: the capability walk stays inside and makes no more steps
 * than there are places, and what virtio makes of vendor capabilities names BARs that exist, or
 * none.
 */
#include "drivers/virtio/transport.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX 2048u

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check_walk(const uint8_t *cfg, size_t len, unsigned max)
{
	static struct pci_cap caps[MAX];
	unsigned n = pci_caps(cfg, len, caps, max);
	unsigned plain = 0, extended = 0;

	must(n <= max);
	for (unsigned i = 0; i < n; i++) {
		must(caps[i].at % 4 == 0 && caps[i].at + 4u <= len);
		must(caps[i].extended == (caps[i].at >= 0x100));
		must(caps[i].at >= 0x40);
		plain += !caps[i].extended;
		extended += caps[i].extended;
	}
	must(plain <= 48 && extended <= 960);
}

static void check_parts(const uint8_t *cfg, size_t len)
{
	struct virtio_part parts[VIRTIO_PARTS];

	virtio_parts(cfg, len, parts);
	for (unsigned i = 0; i < VIRTIO_PARTS; i++)
		must(parts[i].bar <= PCI_BARS);
}

/* The first two bytes choose the length, so that short spaces are tried, too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size > 2 ? 64 + (data[0] | (size_t)data[1] << 8) % (PCI_CONFIG - 63) : 0;
	uint8_t *cfg = calloc(1, len ? len : 1); /* of its own: a sanitizer sees each byte beyond */

	if (len)
		memcpy(cfg, data + 2, size - 2 < len ? size - 2 : len);
	check_walk(cfg, len, MAX);
	check_walk(cfg, len, 3);
	check_walk(cfg, len < 64 ? len : 63, MAX);
	check_parts(cfg, len);
	free(cfg);
	return 0;
}
