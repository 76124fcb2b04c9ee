/* SPDX-License-Identifier: BSD-2-Clause
 * The ledger. virtio-net has no counters: what the device dropped for want of a buffer is nowhere
 * to be read, and received begins with its used index.
 */
#include "drivers/virtio/virtio.h"

int virtio_ledger(struct shunt_dev *dev, struct shunt_ledger *l, struct shunt_err *err)
{
	struct virtio_net *net = pci_port(dev)->priv;
	uint64_t taken = 0, bad_descriptor = 0, too_long = 0, waiting = 0, held = 0;

	(void)err;
	for (unsigned i = 0; i < net->nqueues; i++) {
		struct virtio_queue *vq = &net->queue[i];
		taken += vq->taken - vq->parts;
		bad_descriptor += vq->bad_descriptor;
		too_long += vq->too_long;
		waiting += virtio_rx_waiting(vq);
		held += vq->held.buffers > 0;
	}
	l->received = taken + waiting;
	l->received_source = "the device's used index";
	shunt_add_loss(l, "bad_descriptor", bad_descriptor,
		"the device wrote a length or a number of buffers that can't be");
	shunt_add_loss(l, "too_long", too_long, "lay in more buffers than a burst takes");
	shunt_add_loss(l, "shutdown", waiting + held, "in the ring, and not handed out");
	return 0;
}
