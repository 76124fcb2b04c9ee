/* SPDX-License-Identifier: BSD-2-Clause
 * pcap as a transmit device: a nanosecond pcap file, Ethernet. Each burst is flushed, so that a
 * write that fails (disk full, reader gone) is known while the frames that it lost can be told
 * from those that are safe; a file is then cut after the last whole frame and stays readable.
 */
#include "drivers/pcap/capture.h"

#include "core/clock.h"
#include "drivers/core/burst.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_HEADER  24 /* pcap_file_header */
#define FRAME_HEADER 16 /* pcap_sf_pkthdr */

static int cannot(struct shunt_dev *dev, int rc, struct shunt_err *err)
{
	return shunt_fail(
		err, rc, NULL, "cannot write %.120s: %s", dev->spec.target, strerror(-rc));
}

int capture_tx_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct capture_queue *cq = dev->priv;
	int fd = strcmp(dev->spec.target, "-") ? -1 : dup(STDOUT_FILENO);
	FILE *file = fd < 0 ? fopen(dev->spec.target, "wbe") : fdopen(fd, "wb");

	if (!file)
		return cannot(dev, -errno, err);
	cq->dead = pcap_open_dead_with_tstamp_precision(
		DLT_EN10MB, CAPTURE_FRAME_MAX, PCAP_TSTAMP_PRECISION_NANO);
	if (cq->dead)
		cq->out = pcap_dump_fopen(cq->dead, file);
	if (!cq->out) {
		fclose(file);
		capture_tx_close(cq);
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	}
	cq->written = FILE_HEADER;
	if (!pcap_dump_flush(cq->out))
		return 0;
	int rc = -errno;
	capture_tx_close(cq);
	return cannot(dev, rc, err);
}

static void write_one(struct capture_queue *cq, const struct shunt_pkt *p, uint64_t now)
{
	uint64_t ts = p->flags & SHUNT_PKT_TS_MASK ? p->ts_ns : now;
	struct pcap_pkthdr h = {.ts = {.tv_sec = (time_t)(ts / 1000000000u),
					.tv_usec = (suseconds_t)(ts % 1000000000u)},
		.caplen = p->len,
		.len = p->wire_len > p->len ? p->wire_len : p->len};

	pcap_dump((u_char *)cq->out, &h, p->data);
}

/* How many of the burst's frames are whole in the file; cut off what is behind them. */
static unsigned safe(struct capture_queue *cq, const struct shunt_pkt *pkts, unsigned n)
{
	int fd = fileno(pcap_dump_file(cq->out));
	struct stat st;
	unsigned k = 0;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	for (; k < n && cq->written + FRAME_HEADER + pkts[k].len <= st.st_size; k++)
		cq->written += FRAME_HEADER + pkts[k].len;
	if (ftruncate(fd, cq->written))
		return k; /* a torn frame stays at the end: readers say so */
	return k;
}

static void failed(struct capture_queue *cq, const struct shunt_pkt *pkts, unsigned n, int code)
{
	unsigned lost = n - safe(cq, pkts, n);

	SHUNT_COUNT(&cq->q, tx_errors, lost);
	shunt_gone(&cq->q, -EIO, "cannot write %.80s: %s, %u frames of the last burst lost",
		cq->q.dev->spec.target, strerror(code), lost);
}

/* The file has a copy: our own buffers are free again, the caller's stay the caller's. */
static void finish(struct capture_queue *cq, struct shunt_pkt *p)
{
	if (p->region == cq->region->info.id) {
		capture_bufs_release(&cq->q, p, 1);
		return;
	}
	shunt_tx_copied(&cq->q, p);
}

int capture_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct capture_queue *cq = capture_of(q);
	uint64_t now = n ? shunt_clock(CLOCK_REALTIME) : 0;
	off_t size = 0;
	unsigned k = 0;

	if (q->error)
		return q->error;
	for (; k < n && !(pkts[k].flags & SHUNT_PKT_MORE); k++) {
		write_one(cq, &pkts[k], now);
		size += FRAME_HEADER + pkts[k].len;
	}
	errno = 0;
	if (pcap_dump_flush(cq->out) || ferror(pcap_dump_file(cq->out)))
		failed(cq, pkts, k, errno ? errno : EIO);
	else
		cq->written += size;
	for (unsigned i = 0; i < k; i++)
		finish(cq, &pkts[i]);
	return shunt_tx_done(q, pkts, k, n, (uint64_t)(size - (off_t)k * FRAME_HEADER));
}

void capture_tx_close(struct capture_queue *cq)
{
	/* Nothing is left to flush: a failure was seen in the burst that it belonged to. */
	if (cq->out)
		pcap_dump_close(cq->out);
	if (cq->dead)
		pcap_close(cq->dead);
	cq->out = NULL;
	cq->dead = NULL;
}
