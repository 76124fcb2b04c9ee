/* SPDX-License-Identifier: BSD-2-Clause
 * pcap: what the driver's files share. Names begin with capture_: pcap_ is libpcap's.
 */
#ifndef DRIVERS_PCAP_CAPTURE_H
#define DRIVERS_PCAP_CAPTURE_H

#include "drivers/core/chunks.h"
#include "drivers/core/driver.h"
#include "drivers/pcap/file.h"

#define CAPTURE_CHUNKS 1024u

struct capture_queue {
	struct shunt_queue q;
	struct shunt_region *region; /* lent: chunks of CAPTURE_FRAME_MAX bytes */
	struct shunt_chunks chunks;
	/* Receive. */
	struct capture_file file;
	/* Transmit. */
	pcap_t *dead;
	pcap_dumper_t *out;
	off_t written; /* bytes that are safely in the file */
};

static inline struct capture_queue *capture_of(struct shunt_queue *q)
{
	return (struct capture_queue *)q;
}

/* rx.c, tx.c */
int capture_rx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
int capture_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
int capture_tx_open(struct shunt_dev *dev, struct shunt_err *err);
void capture_tx_close(struct capture_queue *cq);

/* bufs.c */
int capture_bufs_open(struct capture_queue *cq, struct shunt_err *err);
void capture_bufs_close(struct capture_queue *cq);
void capture_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n);
unsigned capture_bufs_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);

#endif
