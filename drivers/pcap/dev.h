/* SPDX-License-Identifier: BSD-2-Clause
 * pcap: what the driver's files share.
 */
#ifndef DRIVERS_PCAP_DEV_H
#define DRIVERS_PCAP_DEV_H

#include "drivers/core/driver.h"
#include "drivers/pcap/file.h"

struct pcap_queue {
	struct shunt_queue q;
	struct shunt_region *region; /* lent: slots of PCAP_FRAME_MAX bytes */
	uint32_t *free;              /* slots that nobody holds, the last used on top */
	uint32_t nfree;
	/* Receive. */
	struct pcap_file file;
	/* Transmit. */
	pcap_t *dead;
	pcap_dumper_t *out;
	off_t written; /* bytes that are safely in the file */
};

int shunt_pcap_writer_open(struct shunt_dev *dev, struct shunt_err *err);
int shunt_pcap_writer_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
void shunt_pcap_writer_close(struct pcap_queue *pq);

void shunt_pcap_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n);

#endif
