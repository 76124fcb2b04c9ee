/* SPDX-License-Identifier: BSD-2-Clause
 * A virtio device over modern PCI (virtio 1.2, 4.1): capabilities, status, features, queues.
 * Control calls, one thread; the only register that a burst writes is a queue's doorbell.
 */
#ifndef DRIVERS_VIRTIO_TRANSPORT_H
#define DRIVERS_VIRTIO_TRANSPORT_H

#include "drivers/pci/pci.h"

#define VIRTIO_BIT(n) (UINT64_C(1) << (n))

/* Reserved feature bits, 6 */
#define VIRTIO_F_EVENT_IDX       VIRTIO_BIT(29)
#define VIRTIO_F_VERSION_1       VIRTIO_BIT(32)
#define VIRTIO_F_ACCESS_PLATFORM VIRTIO_BIT(33)
#define VIRTIO_F_RING_PACKED     VIRTIO_BIT(34)
#define VIRTIO_F_IN_ORDER        VIRTIO_BIT(35)
#define VIRTIO_F_ORDER_PLATFORM  VIRTIO_BIT(36)

/* Device status, 2.1 */
#define VIRTIO_ACKNOWLEDGE 0x01u
#define VIRTIO_DRIVER      0x02u
#define VIRTIO_DRIVER_OK   0x04u
#define VIRTIO_FEATURES_OK 0x08u
#define VIRTIO_NEEDS_RESET 0x40u
#define VIRTIO_FAILED      0x80u

#define VIRTIO_NO_VECTOR 0xffffu

/* A structure of the device inside a BAR, 4.1.4: types 1 to 4 are common configuration,
 * notifications, ISR and device configuration. */
enum { VIRTIO_COMMON = 1, VIRTIO_NOTIFY, VIRTIO_ISR, VIRTIO_DEVICE, VIRTIO_PARTS };

struct virtio_part {
	uint8_t bar; /* PCI_BARS: absent */
	uint32_t offset, length;
	uint32_t multiplier; /* VIRTIO_NOTIFY */
};

struct virtio_pci {
	struct pci_dev *pci;
	volatile uint8_t *common, *notify, *device;
	volatile uint8_t *isr; /* with INTx alone */
	uint32_t notify_len, device_len, multiplier;
	uint64_t offered, features;
	/* Tests put a model of the device behind common configuration: called after a write and
	 * before a read. NULL with a device. */
	void (*model)(const struct virtio_pci *v, uint32_t at, bool write);
};

/* caps.c. Pure: finds the parts in len bytes of config space. What is absent or makes no sense has
 * the BAR PCI_BARS. */
void virtio_parts(const uint8_t *cfg, size_t len, struct virtio_part parts[VIRTIO_PARTS]);

/* transport.c */
int virtio_pci_map(struct virtio_pci *v, struct pci_dev *pci, struct shunt_err *err);
/* 3.1.1 steps 1 to 3; waits for the device to have reset. */
int virtio_pci_reset(struct virtio_pci *v, struct shunt_err *err);
/* 3.1.1 steps 4 to 6, with the features of wanted that are offered; VERSION_1 is required, and
 * behind an IOMMU ACCESS_PLATFORM. */
int virtio_pci_negotiate(struct virtio_pci *v, uint64_t wanted, struct shunt_err *err);
uint16_t virtio_pci_queue_max(struct virtio_pci *v, uint16_t queue); /* 0: there is none */
/* 4.1.5.1.3; device addresses of the three parts. doorbell gets the address to notify at. */
struct virtio_place {
	uint16_t queue, size, vector;
	uint64_t desc, driver, device;
};
int virtio_pci_queue_enable(struct virtio_pci *v, const struct virtio_place *place,
	volatile uint8_t **doorbell, struct shunt_err *err);
void virtio_pci_driver_ok(struct virtio_pci *v); /* 3.1.1 step 8 */
uint8_t virtio_pci_status(const struct virtio_pci *v);
/* Device configuration, read consistently (2.5.1); false when it is not there. */
bool virtio_pci_config(const struct virtio_pci *v, uint32_t at, void *to, uint32_t len);

#endif
