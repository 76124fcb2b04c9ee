/* SPDX-License-Identifier: BSD-2-Clause
 * The ledger. virtio-net has no counters: what the device dropped for want of a buffer is nowhere
 * to be read, and received begins with its used index. It runs beside the bursts, and writes
 * nothing.
 */
#include "drivers/virtio/virtio.h"

int virtio_ledger(struct shunt_dev *dev, struct shunt_ledger *l, struct shunt_err *err)
{
	struct virtio_net *net = pci_port(dev)->priv;
	uint64_t taken = 0, bad_descriptor = 0, too_long = 0, waiting = 0, held = 0;

	(void)err;
	for (unsigned i = 0; i < net->nqueues; i++) {
		const struct virtio_queue *vq = &net->queue[i];
		taken += SHUNT_GET(vq->taken) - SHUNT_GET(vq->parts);
		bad_descriptor += SHUNT_GET(vq->bad_descriptor);
		too_long += SHUNT_GET(vq->too_long);
		waiting += virtio_rx_waiting(vq);
		held += SHUNT_GET(vq->held.buffers) > 0;
	}
	l->received = taken + waiting;
	l->received_source = "the device's used index";
	shunt_add_loss(l, "bad_descriptor", bad_descriptor,
		"the device wrote a length or a number of buffers that can't be");
	shunt_add_loss(l, "too_long", too_long, "lay in more buffers than a burst takes");
	shunt_add_loss(l, "shutdown", waiting + held, "in the ring, and not handed out");
	return 0;
}
