/* SPDX-License-Identifier: BSD-2-Clause
 * A flood under way, and its frames in the slots that the kernel's program reads.
 */
#ifndef DRIVERS_XDPGEN_SLOTS_H
#define DRIVERS_XDPGEN_SLOTS_H

#include "drivers/xdpgen/xdpgen.h"

struct xdpgen_flood {
	struct xdpgen_queue *xq;
	const struct shunt_flood *f;
	struct shunt_flood_result *r;
	struct shunt_err *err;
	uint32_t longest; /* of the frames in the slots */
	uint32_t have;    /* slots of this chunk not sent yet; templates never run out */
	uint64_t left;    /* frames that may still be offered; UINT64_MAX = no end */
	uint64_t taken;   /* frames taken from the source, unsendable ones included */
	uint32_t budget;  /* frames a stretch, so that it lasts about STRETCH_NS */
	uint32_t chunk;   /* slots filled at a time from a source */
	bool ended;       /* the source has no more */
	/* Templates: how many can't be sent before the i-th that can, and in a round of all. */
	uint32_t *skipped;
	uint32_t sendable, unsendable;
};

/* All templates that can be sent, and the number of frames that are left; -E2BIG, -EMSGSIZE when
 * none can be. */
int xdpgen_load_templates(struct xdpgen_flood *w);
/* Unsendable templates that a run passes until it has offered n frames. */
uint64_t xdpgen_passed(const struct xdpgen_flood *w, uint64_t n);
/* The next chunk of the source into the slots from 0 on. */
int xdpgen_refill(struct xdpgen_flood *w);

#endif
