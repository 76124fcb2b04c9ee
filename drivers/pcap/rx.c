/* SPDX-License-Identifier: BSD-2-Clause
 * Receive: the file's frames in their order, as fast as they are asked for, and then -ENODATA.
 */
#include "drivers/core/burst.h"
#include "drivers/pcap/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void read_tag(struct shunt_pkt *p)
{
	const uint8_t *d = p->data;
	unsigned type = p->len >= 18 ? (unsigned)d[12] << 8 | d[13] : 0;

	if (type != 0x8100 && type != 0x88a8)
		return;
	p->flags |= SHUNT_PKT_VLAN;
	p->vlan_tpid = (uint16_t)type;
	p->vlan_tci = (uint16_t)(d[14] << 8 | d[15]);
}

static void fill(struct capture_queue *cq, struct shunt_pkt *p, const struct capture_frame *f)
{
	memcpy(p->data, f->data, f->len);
	p->len = f->len;
	p->wire_len = f->wire_len;
	p->ts_ns = f->ts_ns;
	p->flags = SHUNT_PKT_TS_FILE | (f->len < f->wire_len ? SHUNT_PKT_TRUNC : 0);
	if (cq->file.linktype == DLT_EN10MB)
		read_tag(p);
}

/* What is after the last frame: the end, or damage. Sticky. */
static void end(struct capture_queue *cq, int rc, const struct shunt_err *err)
{
	if (rc)
		shunt_gone(&cq->q, rc, "%.158s", err->what);
	else
		shunt_gone(&cq->q, -ENODATA, "%.100s ended after %" PRIu64 " frames", cq->file.path,
			cq->file.frames);
}

int capture_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct capture_queue *cq = capture_of(q);
	struct shunt_err err = {.code = 0};
	struct capture_frame f;
	unsigned got = 0, room = q->error ? 0 : shunt_chunks_lend(&cq->chunks, q, pkts, n, 0);
	uint64_t bytes = 0;

	for (; got < room; got++) {
		int rc = capture_file_next(&cq->file, &f, &err);
		if (rc <= 0) {
			end(cq, rc, &err);
			break;
		}
		fill(cq, &pkts[got], &f);
		bytes += f.len;
	}
	shunt_chunks_return(&cq->chunks, pkts + got, room - got);
	return got ? shunt_rx_done(q, got, bytes) : shunt_rx_none(q, q->error);
}
