/* SPDX-License-Identifier: BSD-2-Clause
 * Buffers for frames of a capture file. Each holds the longest frame that there is, in memory that
 * is only reserved: of it, the kernel provides what frames in flight really fill.
 */
#include "drivers/pcap/capture.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int capture_bufs_open(struct capture_queue *cq, struct shunt_err *err)
{
	size_t len = (size_t)CAPTURE_CHUNKS * CAPTURE_FRAME_MAX;
	void *base = mmap(NULL, len, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return shunt_fail(
			err, -errno, NULL, "no address space for frames: %s", strerror(errno));
	int rc = shunt_region_lend(&cq->region, base, len, (size_t)sysconf(_SC_PAGESIZE), err);
	if (rc) {
		munmap(base, len);
		return rc;
	}
	rc = shunt_region_cut(cq->region, CAPTURE_FRAME_MAX, err);
	if (!rc && shunt_chunks_init(&cq->chunks, cq->region, SHUNT_BURST_MAX, 0))
		rc = shunt_fail(err, -ENOMEM, NULL, "out of memory");
	return rc;
}

void capture_bufs_close(struct capture_queue *cq)
{
	shunt_chunks_drain(&cq->chunks);
	if (!cq->region)
		return;
	munmap(cq->region->info.base, cq->region->info.len);
	shunt_region_discard(cq->region);
	cq->region = NULL;
}

void capture_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	shunt_chunks_return(&capture_of(q)->chunks, pkts, n);
	q->out -= n;
}

unsigned capture_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	n = shunt_chunks_lend(&capture_of(q)->chunks, q, pkts, n, 0);
	q->out += n;
	return n;
}
