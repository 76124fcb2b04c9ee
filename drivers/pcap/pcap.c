/* SPDX-License-Identifier: BSD-2-Clause
 * pcap: a capture file as a device. It gives the frames of a file in their order, as fast as they
 * are asked for, and then -ENODATA for ever; or it writes what it is sent. One queue, no timing:
 * time stamps are the file's.
 */
#include "drivers/pcap/dev.h"

#include "drivers/core/probe.h"
#include "drivers/core/region.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Each slot holds the longest frame that there is, in memory that is only promised: what is used
 * of it is what the frames in flight need. */
#define SLOTS 1024u

static const struct shunt_key keys[] = {
	{"linktype", SHUNT_KEY_CHOICE, "ethernet|any", 0, 0},
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

static unsigned pcap_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct pcap_queue *pq = (struct pcap_queue *)q;

	if (n > pq->nfree)
		n = pq->nfree;
	for (unsigned i = 0; i < n; i++) {
		uint32_t slot = pq->free[--pq->nfree];
		pkts[i] = (struct shunt_pkt){
			.data = (uint8_t *)pq->region->info.base + (size_t)slot * PCAP_FRAME_MAX,
			.len = PCAP_FRAME_MAX,
			.cookie = slot,
			.region = pq->region->info.id,
			.queue = q->index};
	}
	q->out += n;
	return n;
}

void shunt_pcap_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	struct pcap_queue *pq = (struct pcap_queue *)q;

	for (unsigned i = 0; i < n; i++)
		pq->free[pq->nfree++] = (uint32_t)pkts[i].cookie;
	q->out -= n;
}

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

static void fill(struct pcap_queue *pq, struct shunt_pkt *p, const struct pcap_frame *f)
{
	memcpy(p->data, f->data, f->len);
	p->len = f->len;
	p->wire_len = f->wire_len;
	p->ts_ns = f->ts_ns;
	p->flags = SHUNT_PKT_TS_FILE | (f->len < f->wire_len ? SHUNT_PKT_TRUNC : 0);
	if (pq->file.linktype == DLT_EN10MB)
		read_tag(p);
}

/* What is after the last frame: the end, or damage. Sticky. */
static void end(struct pcap_queue *pq, int rc, const struct shunt_err *err)
{
	if (rc)
		shunt_gone(&pq->q, rc, "%.158s", err->what);
	else
		shunt_gone(&pq->q, -ENODATA, "%.100s ended after %" PRIu64 " frames", pq->file.path,
			pq->file.frames);
}

static int pcap_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct pcap_queue *pq = (struct pcap_queue *)q;
	struct shunt_err err = {.code = 0};
	struct pcap_frame f;
	unsigned got = 0, room = q->error ? 0 : pcap_alloc(q, pkts, n);
	uint64_t bytes = 0;

	for (; got < room; got++) {
		int rc = shunt_pcap_file_next(&pq->file, &f, &err);
		if (rc <= 0) {
			end(pq, rc, &err);
			break;
		}
		fill(pq, &pkts[got], &f);
		bytes += f.len;
	}
	shunt_pcap_release(q, pkts + got, room - got);
	SHUNT_COUNT(q, rx_packets, got);
	SHUNT_COUNT(q, rx_bytes, bytes);
	SHUNT_COUNT(q, rx_bursts, got > 0);
	SHUNT_COUNT(q, rx_empty, got == 0);
	SHUNT_PROBE_RX(q, got);
	return got ? (int)got : q->error;
}

static int pcap_open_dev(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pcap_queue *pq;
	int rc;

	if (dev->fd >= 0)
		return shunt_fail_usage(err, -EINVAL, "use pcap:/dev/fd/N", "pcap: takes no fd=");
	if (!*dev->spec.target)
		return shunt_fail_usage(err, -EINVAL, NULL, "pcap: which file?");
	if (dev->dir == SHUNT_RXTX)
		return shunt_fail_usage(
			err, -EINVAL, NULL, "pcap: a file is read or written, not both at once");
	pq = calloc(1, sizeof *pq);
	if (!pq)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	dev->priv = pq;
	dev->nqueues = 1;
	if (dev->dir == SHUNT_TX) {
		dev->info.max_frame = PCAP_FRAME_MAX;
		return 0;
	}
	rc = shunt_pcap_file_open(&pq->file, dev->spec.target,
		shunt_spec_is(&dev->spec, "linktype", "any", false), err);
	if (rc)
		free(pq);
	return rc;
}

static int make_slots(struct pcap_queue *pq, struct shunt_err *err)
{
	size_t len = (size_t)SLOTS * PCAP_FRAME_MAX;
	void *base = mmap(NULL, len, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return shunt_fail(
			err, -errno, NULL, "no address space for frames: %s", strerror(errno));
	int rc = shunt_region_lend(&pq->region, base, len, (size_t)sysconf(_SC_PAGESIZE), err);
	if (rc) {
		munmap(base, len);
		return rc;
	}
	pq->free = malloc(SLOTS * sizeof *pq->free);
	if (!pq->free)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	for (uint32_t i = SLOTS; i;)
		pq->free[pq->nfree++] = --i;
	return 0;
}

static void free_slots(struct pcap_queue *pq)
{
	if (pq->region)
		munmap(pq->region->info.base, pq->region->info.len);
	shunt_region_destroy(pq->region, NULL);
	pq->region = NULL;
	free(pq->free);
	pq->free = NULL;
	pq->nfree = 0;
}

static int pcap_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pcap_queue *pq = dev->priv;
	const char *name = pq->file.pcap ? pcap_datalink_val_to_name(pq->file.linktype) : NULL;
	int rc = make_slots(pq, err);

	if (!rc && dev->dir == SHUNT_TX)
		rc = shunt_pcap_writer_open(dev, err);
	if (rc) {
		free_slots(pq);
		return rc;
	}
	shunt_queue_init(&pq->q, dev, 0);
	pq->q.alloc = pcap_alloc;
	pq->q.release = shunt_pcap_release;
	if (dev->dir == SHUNT_TX) {
		pq->q.tx = shunt_pcap_writer_tx;
		strcpy(dev->info.mode, "writes nanosecond pcap");
	} else {
		pq->q.rx = pcap_rx;
		snprintf(dev->info.mode, sizeof dev->info.mode, "reads, link type %s",
			name ? name : "unknown");
	}
	return 0;
}

static void pcap_stop(struct shunt_dev *dev)
{
	struct pcap_queue *pq = dev->priv;

	/* What was not read was never received. */
	pq->q.rx = shunt_no_rx;
	pq->q.tx = shunt_no_tx;
	shunt_pcap_writer_close(pq);
}

static void pcap_close_dev(struct shunt_dev *dev)
{
	struct pcap_queue *pq = dev->priv;

	shunt_pcap_writer_close(pq);
	shunt_pcap_file_close(&pq->file);
	free_slots(pq);
	free(pq);
}

static int pcap_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct pcap_queue *pq = dev->priv;

	(void)err;
	ledger->received = pq->file.frames;
	ledger->received_source = "frames read from the file by libpcap";
	return 0;
}

const struct shunt_driver shunt_driver_pcap = {
	.name = "pcap",
	.scheme = "pcap",
	.summary = "capture files: reads pcap and pcapng, writes nanosecond pcap",
	.example = "pcap:trace.pcapng",
	.dirs = SHUNT_RX | SHUNT_TX,
	.keys = keys,
	.memory = (uint64_t)SLOTS * SHUNT_CHUNK,
	.open = pcap_open_dev,
	.start = pcap_start,
	.stop = pcap_stop,
	.close = pcap_close_dev,
	.ledger = pcap_ledger,
};
