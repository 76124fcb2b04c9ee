/* SPDX-License-Identifier: BSD-2-Clause
 * The PCI functions of this machine: where they are, who drives them, and how to hand one over.
 * sysfs alone: nothing is claimed. Control calls, any thread.
 */
#ifndef DRIVERS_PCI_CARDS_H
#define DRIVERS_PCI_CARDS_H

#include <shunt/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCI_ADDR 16u /* bytes of "0000:01:00.0", with room for a longer domain */
#define PCI_VFIO "vfio-pci"
#define PCI_UIO  "uio_pci_generic"

/* Where it is and who has it: sysfs alone, nothing is claimed. */
struct pci_info {
	char addr[PCI_ADDR];
	uint16_t vendor, device;
	uint32_t class;  /* 0x020000 is an Ethernet controller */
	char driver[32]; /* kernel driver bound to it, "" if none */
	int group;       /* IOMMU group, -1 without an IOMMU */
	char ifname[16]; /* the kernel driver's interface, "" if none */
};

/* sysfs.c. pci_find: -EINVAL "not a PCI address" (usage), -ENODEV "no such device" (usage). */
bool pci_is_address(const char *text);
int pci_find(struct pci_info *info, const char *addr, struct shunt_err *err);
/* Is it ready for pci_open? Usage errors: a driver still bound (named), no IOMMU, the group not
 * viable (names the others); with phys, an IOMMU that translates. */
int pci_check(const struct pci_info *info, bool phys, struct shunt_err *err);
/* Every function whose class is an Ethernet or network controller; the count may exceed max. */
int pci_list(struct pci_info *list, unsigned max, struct shunt_err *err);
/* One word or a short phrase: "ready", "ready, by dma=phys", "no IOMMU", "group not viable". */
const char *pci_state(const struct pci_info *info);
/* Members of the group that keep it from being viable: "0000:00:1f.2 (ahci), ..."; "" if none. */
void pci_group_others(const struct pci_info *info, char *buf, size_t size);

/* bind.c: hand a function to PCI_VFIO or PCI_UIO, and back to the kernel driver that would have it.
 */
int pci_bind(const char *addr, const char *driver, struct shunt_err *err);
int pci_unbind(const char *addr, struct shunt_err *err);

#endif
