/* SPDX-License-Identifier: BSD-2-Clause
 * Regions: memory that packets lie in.
 * A region is ours (a memfd, of huge pages where there are any; created first, then attached to
 * devices) or lent (exported by a device: TPACKET blocks, mbufs, guest memory). A packet can be
 * sent without a copy by every device that its region is attached to; any other device copies it
 * and counts user_copies. An own region is cut into chunks of equal size that its devices share.
 */
#ifndef SHUNT_MEM_H
#define SHUNT_MEM_H

#include <shunt/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shunt_dev;
struct shunt_region;

#define SHUNT_CHUNK                                                                                \
	2048u /* bytes; the default chunk: one frame of up to 1522 bytes and head-room */

struct shunt_region_opts {
	uint32_t chunk;    /* bytes per chunk, a power of two from 2048 to 4096; 0 = SHUNT_CHUNK */
	uint32_t chunks;   /* how many, at most 4 Mi; 0 = 8192 */
	bool no_huge;      /* do not even try huge pages */
	bool require_huge; /* fail with -ENOMEM where there are too few */
};

struct shunt_region_info {
	uint16_t id; /* the value of shunt_pkt.region; unique in the process */
	bool lent;
	bool huge; /* backed by huge pages */
	void *base;
	size_t len;
	size_t page; /* bytes per page of the backing memory */
	int fd;      /* memfd, owned by the region; -1 for lent regions */
	uint32_t chunk, chunks;
	uint32_t free;  /* chunks in the pool now; others are with devices or applications */
	char note[160]; /* why a fall-back was taken, "" if none was */
};

/* Create an own region. -EINVAL on bad sizes, -ENOMEM. Falls back from huge to normal pages and
 * says so in the info. Thread: any. */
SHUNT_API int shunt_region_create(
	struct shunt_region **region, const struct shunt_region_opts *opts, struct shunt_err *err);
/* -EBUSY while it is attached to a device or chunks are out.
 * Thread: any; nobody may use the region beside it or afterwards. */
SHUNT_API int shunt_region_destroy(struct shunt_region *region, struct shunt_err *err);
/* A copy. Thread: any, as long as the region is there. */
SHUNT_API void shunt_region_info(const struct shunt_region *region, struct shunt_region_info *info);

/* Attach before shunt_start; a device without one creates its own. -EBUSY once started
 * where the device can't, -ENOTSUP where the device only lends. Several devices may be attached to
 * one region, and started on it, at the same time.
 * Thread: control, of the device; before start. */
SHUNT_API int shunt_attach(
	struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err);
/* The reverse; -EINVAL where another one is attached. Thread: control, of the device; before start,
 * or after one that failed. */
SHUNT_API int shunt_detach(
	struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err);

#ifdef __cplusplus
}
#endif
#endif
