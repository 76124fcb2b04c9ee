/* SPDX-License-Identifier: BSD-2-Clause
 * Modern virtio over PCI: virtio 1.2, 4.1.4.3 (common configuration), 4.1.5 (initialization), 3.1.1
 * (the status steps). Every offset that comes from the device is held against the BAR's size first.
 */
#include "drivers/virtio/transport.h"
#include "core/clock.h"
#include "drivers/pci/mmio.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* struct virtio_pci_common_cfg */
#define FEATURE_SELECT 0x00u
#define FEATURE        0x04u
#define DRIVER_SELECT  0x08u
#define DRIVER_FEATURE 0x0cu
#define CONFIG_VECTOR  0x10u
#define NUM_QUEUES     0x12u
#define STATUS         0x14u
#define GENERATION     0x15u
#define QUEUE_SELECT   0x16u
#define QUEUE_SIZE     0x18u
#define QUEUE_VECTOR   0x1au
#define QUEUE_ENABLE   0x1cu
#define QUEUE_NOTIFY   0x1eu
#define QUEUE_DESC     0x20u
#define QUEUE_DRIVER   0x28u
#define QUEUE_DEVICE   0x30u
#define COMMON_LEN     0x38u

#define RESET_NS (UINT64_C(1000) * 1000 * 1000)

/* Common configuration. */
#define ACCESS(bits)                                                                               \
	static uint##bits##_t get##bits(const struct virtio_pci *v, uint32_t at)                   \
	{                                                                                          \
		if (v->model)                                                                      \
			v->model(v, at, false);                                                    \
		return mmio_read##bits(v->common + at);                                            \
	}                                                                                          \
	static void put##bits(const struct virtio_pci *v, uint32_t at, uint##bits##_t value)       \
	{                                                                                          \
		mmio_write##bits(v->common + at, value);                                           \
		if (v->model)                                                                      \
			v->model(v, at, true);                                                     \
	}
ACCESS(8)
ACCESS(16)
ACCESS(32)

/* BAR and bounds of one part; NULL where it does not fit. */
static volatile uint8_t *part_base(
	struct pci_dev *pci, const struct virtio_part *p, uint32_t least, struct shunt_err *err)
{
	if (p->bar >= PCI_BARS || p->length < least)
		return NULL;
	if (pci_bar_map(pci, p->bar, err))
		return NULL;
	const struct pci_bar *bar = &pci->bar[p->bar];
	if (p->offset > bar->len || p->length > bar->len - p->offset)
		return NULL;
	return bar->base + p->offset;
}

int virtio_pci_map(struct virtio_pci *v, struct pci_dev *pci, struct shunt_err *err)
{
	struct virtio_part parts[VIRTIO_PARTS];
	struct shunt_err why = {.code = 0};
	uint8_t cfg[PCI_CONFIG];

	memset(v, 0, sizeof *v);
	v->pci = pci;
	pci_read_all(pci, cfg);
	virtio_parts(cfg, sizeof cfg, parts);
	if (parts[VIRTIO_COMMON].bar == PCI_BARS)
		return shunt_fail(err, -ENOTSUP, "QEMU: disable-legacy=on",
			"%s is a legacy virtio device: it has no capabilities of virtio 1",
			pci->info.addr);
	v->common = part_base(pci, &parts[VIRTIO_COMMON], COMMON_LEN, &why);
	v->notify = part_base(pci, &parts[VIRTIO_NOTIFY], 2, &why);
	v->device = part_base(pci, &parts[VIRTIO_DEVICE], 6, &why);
	if (pci->phys)
		v->isr = part_base(pci, &parts[VIRTIO_ISR], 1, &why);
	v->notify_len = parts[VIRTIO_NOTIFY].length;
	v->device_len = parts[VIRTIO_DEVICE].length;
	v->multiplier = parts[VIRTIO_NOTIFY].multiplier;
	if (v->common && v->notify && v->device && (v->isr || !pci->phys))
		return 0;
	return shunt_fail(err, -EPROTO, NULL, "%s: a structure of the device is %s%s",
		pci->info.addr, why.code ? "out of reach: " : "missing, or outside of its BAR",
		why.what);
}

uint8_t virtio_pci_status(const struct virtio_pci *v)
{
	return get8(v, STATUS);
}

static void add_status(struct virtio_pci *v, uint8_t bit)
{
	put8(v, STATUS, virtio_pci_status(v) | bit);
}

/* 3.1.1: reset, then the guest has noticed it, then it knows how to drive it. 4.1.4.3.2: after
 * writing 0 the driver waits for a read of 0. */
int virtio_pci_reset(struct virtio_pci *v, struct shunt_err *err)
{
	uint64_t end = shunt_now() + RESET_NS;
	uint8_t status;

	put8(v, STATUS, 0);
	while ((status = virtio_pci_status(v))) {
		if (status == UINT8_MAX) /* 2.1 defines no such status: nobody answers */
			return shunt_fail(err, -ENODEV, NULL,
				"%s is gone: its registers read all ones", v->pci->info.addr);
		if (shunt_now() > end)
			return shunt_fail(err, -ETIMEDOUT, NULL, "%s sticks in reset: status %#x",
				v->pci->info.addr, status);
		sched_yield();
	}
	return 0;
}

static uint64_t read_offered(struct virtio_pci *v)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < 2; i++) {
		put32(v, FEATURE_SELECT, i);
		bits |= (uint64_t)get32(v, FEATURE) << (32 * i);
	}
	return bits;
}

static int require(struct virtio_pci *v, struct shunt_err *err)
{
	const char *addr = v->pci->info.addr;

	if (!(v->offered & VIRTIO_F_VERSION_1))
		return shunt_fail(err, -ENOTSUP, "QEMU: disable-legacy=on",
			"%s does not offer VIRTIO_F_VERSION_1: it is a legacy device", addr);
	/* 6.1: without it the device takes physical addresses, which is what dma=phys gives. */
	if (!(v->offered & VIRTIO_F_ACCESS_PLATFORM) && !v->pci->phys)
		return shunt_fail(err, -ENOTSUP, "QEMU: iommu_platform=on",
			"%s does not offer VIRTIO_F_ACCESS_PLATFORM: it bypasses the IOMMU, and "
			"a process has no physical addresses to give it",
			addr);
	return 0;
}

int virtio_pci_negotiate(struct virtio_pci *v, uint64_t wanted, struct shunt_err *err)
{
	add_status(v, VIRTIO_ACKNOWLEDGE); /* step 2 */
	add_status(v, VIRTIO_DRIVER);      /* step 3 */
	v->offered = read_offered(v);      /* step 4 */
	int rc = require(v, err);
	if (rc) {
		add_status(v, VIRTIO_FAILED);
		return rc;
	}
	v->features = v->offered & (wanted | VIRTIO_F_VERSION_1 | VIRTIO_F_ACCESS_PLATFORM);
	if (v->features & VIRTIO_F_RING_PACKED)
		v->features &= ~VIRTIO_F_EVENT_IDX; /* packed.h says why */
	for (uint32_t i = 0; i < 2; i++) {
		put32(v, DRIVER_SELECT, i);
		put32(v, DRIVER_FEATURE, (uint32_t)(v->features >> (32 * i)));
	}
	add_status(v, VIRTIO_FEATURES_OK);             /* step 5 */
	if (virtio_pci_status(v) & VIRTIO_FEATURES_OK) /* step 6 */
		return 0;
	add_status(v, VIRTIO_FAILED);
	return shunt_fail(err, -ENOTSUP, NULL, "%s refuses the features %#llx of its %#llx",
		v->pci->info.addr, (unsigned long long)v->features, (unsigned long long)v->offered);
}

uint16_t virtio_pci_queue_max(struct virtio_pci *v, uint16_t queue)
{
	if (queue >= get16(v, NUM_QUEUES))
		return 0;
	put16(v, QUEUE_SELECT, queue);
	return get16(v, QUEUE_SIZE);
}

/* 4.1.3.1: a 64-bit field is written as two halves. */
static void put64(const struct virtio_pci *v, uint32_t at, uint64_t value)
{
	put32(v, at, (uint32_t)value);
	put32(v, at + 4, (uint32_t)(value >> 32));
}

static int set_vector(struct virtio_pci *v, uint16_t vector, struct shunt_err *err)
{
	put16(v, QUEUE_VECTOR, vector);
	if (get16(v, QUEUE_VECTOR) == vector) /* 4.1.5.1.2.2 */
		return 0;
	return shunt_fail(err, -ENOSPC, "use wait=spin", "%s refuses MSI-X vector %u",
		v->pci->info.addr, vector);
}

int virtio_pci_queue_enable(struct virtio_pci *v, const struct virtio_place *p,
	volatile uint8_t **doorbell, struct shunt_err *err)
{
	put16(v, QUEUE_SELECT, p->queue);
	put16(v, QUEUE_SIZE, p->size);
	int rc = set_vector(v, p->vector, err);
	if (rc)
		return rc;
	put64(v, QUEUE_DESC, p->desc);
	put64(v, QUEUE_DRIVER, p->driver);
	put64(v, QUEUE_DEVICE, p->device);
	/* 4.1.4.4 */
	uint64_t at = (uint64_t)get16(v, QUEUE_NOTIFY) * v->multiplier;
	if (at + sizeof(uint16_t) > v->notify_len)
		return shunt_fail(err, -EPROTO, NULL,
			"%s: the doorbell of queue %u lies outside of its BAR", v->pci->info.addr,
			p->queue);
	*doorbell = v->notify + at;
	put16(v, QUEUE_ENABLE, 1);
	return 0;
}

void virtio_pci_driver_ok(struct virtio_pci *v)
{
	put16(v, CONFIG_VECTOR, VIRTIO_NO_VECTOR);
	add_status(v, VIRTIO_DRIVER_OK);
}

bool virtio_pci_config(const struct virtio_pci *v, uint32_t at, void *to, uint32_t len)
{
	uint8_t before, *bytes = to;

	if (at > v->device_len || len > v->device_len - at)
		return false;
	/* Bounded: a device whose generation never settles is taken as it is at the last try. */
	for (unsigned tries = 0; tries < 8; tries++) {
		before = get8(v, GENERATION);
		for (uint32_t i = 0; i < len; i++)
			bytes[i] = mmio_read8(v->device + at + i);
		if (get8(v, GENERATION) == before)
			break;
	}
	return true;
}
