/* SPDX-License-Identifier: BSD-2-Clause
 * pcap as a transmit device: a nanosecond pcap file, Ethernet. Each burst is flushed, so that a
 * write that fails (disk full, reader gone) is known while the frames that it lost can be told
 * from those that are safe; a file is then cut after the last whole frame and stays readable.
 */
#include "drivers/pcap/dev.h"

#include "core/clock.h"
#include "drivers/core/probe.h"
#include "drivers/core/region.h"

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

int shunt_pcap_writer_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct pcap_queue *pq = dev->priv;
	int fd = strcmp(dev->spec.target, "-") ? -1 : dup(STDOUT_FILENO);
	FILE *file = fd < 0 ? fopen(dev->spec.target, "wbe") : fdopen(fd, "wb");

	if (!file)
		return cannot(dev, -errno, err);
	pq->dead = pcap_open_dead_with_tstamp_precision(
		DLT_EN10MB, PCAP_FRAME_MAX, PCAP_TSTAMP_PRECISION_NANO);
	if (pq->dead)
		pq->out = pcap_dump_fopen(pq->dead, file);
	if (!pq->out) {
		fclose(file);
		shunt_pcap_writer_close(pq);
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	}
	pq->written = FILE_HEADER;
	if (!pcap_dump_flush(pq->out))
		return 0;
	int rc = -errno;
	shunt_pcap_writer_close(pq);
	return cannot(dev, rc, err);
}

static void write_one(struct pcap_queue *pq, const struct shunt_pkt *p, uint64_t now)
{
	uint64_t ts = p->flags & SHUNT_PKT_TS_MASK ? p->ts_ns : now;
	struct pcap_pkthdr h = {.ts = {.tv_sec = (time_t)(ts / 1000000000u),
					.tv_usec = (suseconds_t)(ts % 1000000000u)},
		.caplen = p->len,
		.len = p->wire_len > p->len ? p->wire_len : p->len};

	pcap_dump((u_char *)pq->out, &h, p->data);
}

/* How many of the burst's frames are whole in the file; cut off what is behind them. */
static unsigned safe(struct pcap_queue *pq, const struct shunt_pkt *pkts, unsigned n)
{
	int fd = fileno(pcap_dump_file(pq->out));
	struct stat st;
	unsigned k = 0;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	for (; k < n && pq->written + FRAME_HEADER + pkts[k].len <= st.st_size; k++)
		pq->written += FRAME_HEADER + pkts[k].len;
	if (ftruncate(fd, pq->written))
		return k; /* a torn frame stays at the end: readers say so */
	return k;
}

static void failed(struct pcap_queue *pq, const struct shunt_pkt *pkts, unsigned n, int code)
{
	unsigned lost = n - safe(pq, pkts, n);

	SHUNT_COUNT(&pq->q, tx_errors, lost);
	shunt_gone(&pq->q, -EIO, "cannot write %.80s: %s, %u frames of the last burst lost",
		pq->q.dev->spec.target, strerror(code), lost);
}

/* The pages were copied to the file: our own go back, the caller's stay the caller's. */
static void give_back(struct pcap_queue *pq, struct shunt_pkt *p)
{
	if (p->region == pq->region->info.id) {
		shunt_pcap_release(&pq->q, p, 1);
		return;
	}
	p->flags |= SHUNT_PKT_KEPT;
	SHUNT_COUNT(&pq->q, user_copies, 1);
	SHUNT_COUNT(&pq->q, user_copied_bytes, p->len);
}

int shunt_pcap_writer_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct pcap_queue *pq = (struct pcap_queue *)q;
	uint64_t now = n ? shunt_clock(CLOCK_REALTIME) : 0;
	off_t size = 0;

	if (q->error)
		return q->error;
	for (unsigned i = 0; i < n; i++) {
		write_one(pq, &pkts[i], now);
		size += FRAME_HEADER + pkts[i].len;
	}
	errno = 0;
	if (pcap_dump_flush(pq->out) || ferror(pcap_dump_file(pq->out)))
		failed(pq, pkts, n, errno ? errno : EIO);
	else
		pq->written += size;
	for (unsigned i = 0; i < n; i++)
		give_back(pq, &pkts[i]);
	SHUNT_COUNT(q, tx_packets, n);
	SHUNT_COUNT(q, tx_bytes, (uint64_t)(size - (off_t)n * FRAME_HEADER));
	SHUNT_COUNT(q, tx_bursts, n > 0);
	SHUNT_PROBE_TX(q, n);
	return (int)n;
}

void shunt_pcap_writer_close(struct pcap_queue *pq)
{
	/* Nothing is left to flush: a failure was seen in the burst that it belonged to. */
	if (pq->out)
		pcap_dump_close(pq->out);
	if (pq->dead)
		pcap_close(pq->dead);
	pq->out = NULL;
	pq->dead = NULL;
}
