/* SPDX-License-Identifier: BSD-2-Clause
 * 82576 and 82574 as register-level models in plain memory: the driver's own structures over a BAR
 * that is an array, and the device's side of the rings. Told of each access by struct intel's hook;
 * tail registers are looked at when the test lets the device run. What the driver may not do (a
 * buffer out of its chunk, a frame without its bits) is an assertion here.
 */
#ifndef TESTS_DRIVERS_MODEL_INTEL_H
#define TESTS_DRIVERS_MODEL_INTEL_H

#include "drivers/intel/intel.h"
#include "tests/drivers/model/pages.h"

#define MODEL_BAR   0x20000u
#define MODEL_SENT  4096u
#define MODEL_RINGS 0x7f000000u /* device address of the rings */
#define MODEL_IOVA  0x40000000u /* and of the region */

struct intel_model {
	struct intel n; /* first: the hook finds the model by it */
	struct shunt_dev dev;
	struct pci_port port;
	struct pci_nic nic;
	struct shunt_region *region;
	struct pages pages; /* with opts.phys */
	uint8_t *bar, *rings;
	uint32_t counter[0x100]; /* statistics from 0x4000 on, by word */
	/* What is wrong with it. */
	bool stuck_reset, no_link, dead_phy, no_master_end, stuck_tx;
	/* What happened. */
	unsigned resets, negotiations, masks;
	unsigned link_after; /* reads of the PHY's status until the link is there */
	uint16_t bmcr;
	struct {
		uint32_t len;
		uint8_t data[64];
		bool wrote_back;
	} sent[MODEL_SENT];
	unsigned nsent;
};

struct model_opts {
	const struct intel_chip *chip;
	unsigned nqueues;      /* 0: 1 */
	uint32_t rx, tx;       /* descriptors; 0: 64 */
	uint32_t chunk, spare; /* bytes per chunk; chunks on top of the rings */
	enum shunt_dir dir;    /* 0: both */
	uint32_t start;        /* where ring indices begin */
	struct shunt_region *region;
	bool phys; /* as with dma=phys */
};

struct intel_model *model_new(const struct model_opts *o);
void model_start(struct intel_model *m); /* chip->init and intel_go, which must pass */
/* Every chunk must be back in the region. */
void model_free(struct intel_model *m);

uint32_t model_reg(const struct intel_model *m, uint32_t reg);
/* A frame arrives. False when there is no descriptor for it, which is counted as missed. */
bool model_receive(struct intel_model *m, unsigned queue, const void *data, uint32_t len);
/* The same with a write-back that the test makes. */
bool model_write_back(struct intel_model *m, unsigned queue, uint64_t addr, uint64_t word);
/* Send what the tail says; how many. */
unsigned model_transmit(struct intel_model *m, unsigned queue);

#endif
