/* SPDX-License-Identifier: BSD-2-Clause
 * pcap: a capture file as a device. It returns the frames of a file in their order, as fast as they
 * are asked for, and then -ENODATA; or it writes what it is sent. One queue, no timing:
 * time stamps are the file's.
 */
#include "drivers/pcap/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct shunt_key keys[] = {
	{"linktype", SHUNT_KEY_CHOICE, "ethernet|any", 0, 0},
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

static int capture_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct capture_queue *cq;
	int rc;

	if (dev->fd >= 0)
		return shunt_fail_usage(err, -EINVAL, "use pcap:/dev/fd/N", "pcap: takes no fd=");
	if (!*dev->spec.target)
		return shunt_fail_usage(err, -EINVAL, NULL, "pcap: which file?");
	if (dev->dir == SHUNT_RXTX)
		return shunt_fail_usage(
			err, -EINVAL, NULL, "pcap: a file is read or written, not both at once");
	cq = calloc(1, sizeof *cq);
	if (!cq)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	dev->priv = cq;
	dev->nqueues = 1;
	if (dev->dir == SHUNT_TX) {
		dev->info.max_frame = CAPTURE_FRAME_MAX;
		return 0;
	}
	rc = capture_file_open(&cq->file, dev->spec.target,
		shunt_spec_is(&dev->spec, "linktype", "any", false), err);
	if (rc)
		free(cq);
	return rc;
}

static int capture_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct capture_queue *cq = dev->priv;
	const char *name = cq->file.pcap ? pcap_datalink_val_to_name(cq->file.linktype) : NULL;
	int rc = capture_bufs_open(cq, err);

	if (!rc && dev->dir == SHUNT_TX)
		rc = capture_tx_open(dev, err);
	if (rc) {
		capture_bufs_close(cq);
		return rc;
	}
	shunt_queue_init(&cq->q, dev, 0);
	cq->q.alloc = capture_bufs_alloc;
	cq->q.release = capture_bufs_release;
	if (dev->dir == SHUNT_TX) {
		cq->q.tx = capture_tx;
		strcpy(dev->info.mode, "writes nanosecond pcap");
	} else {
		cq->q.rx = capture_rx;
		snprintf(dev->info.mode, sizeof dev->info.mode, "reads, link type %s",
			name ? name : "unknown");
	}
	return 0;
}

static void capture_stop(struct shunt_dev *dev)
{
	struct capture_queue *cq = dev->priv;

	/* What was not read was never received. */
	shunt_queue_end_rx(&cq->q);
	shunt_queue_end_tx(&cq->q);
	capture_tx_close(cq);
}

static void capture_close(struct shunt_dev *dev)
{
	struct capture_queue *cq = dev->priv;

	capture_tx_close(cq);
	capture_file_close(&cq->file);
	capture_bufs_close(cq);
	free(cq);
}

static int capture_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct capture_queue *cq = dev->priv;

	(void)err;
	ledger->received = cq->file.frames;
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
	.depth = 8192, /* without effect: frames wait in the file */
	.memory = (uint64_t)CAPTURE_CHUNKS * SHUNT_CHUNK,
	.open = capture_open,
	.start = capture_start,
	.stop = capture_stop,
	.close = capture_close,
	.ledger = capture_ledger,
};
