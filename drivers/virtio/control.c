/* SPDX-License-Identifier: BSD-2-Clause
 * The control queue (virtio 1.2, 5.1.6.5): class, command, its data, and a byte that the device
 * answers with. One command at a time, by the control thread, with a bound on the wait.
 */
#include "core/clock.h"
#include "drivers/virtio/virtio.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#define CLASS_RX     0u
#define RX_PROMISC   0u
#define CLASS_MQ     4u
#define MQ_PAIRS_SET 0u
#define ANSWER_OK    0u
#define ANSWER_NONE  0xffu /* what we put there before */

#define ANSWER_AT 64u /* offset in the page, on a line of its own */
#define DATA_MAX  32u
#define RING      64u
#define WAIT_NS   UINT64_C(1000000000)

int virtio_control_open(struct shunt_dev *dev, struct shunt_err *err)
{
	const struct pci_port *port = pci_port(dev);
	struct virtio_net *net = port->priv;
	/* 5.1.2: behind the last pair that the device has, or behind the only one. */
	uint16_t number = net->v.features & VIRTIO_NET_F_MQ ? (uint16_t)(2 * net->pairs_max) : 2;
	uint16_t size = virtio_pci_queue_max(&net->v, number);

	if (!(net->v.features & VIRTIO_NET_F_CTRL_VQ))
		return 0;
	if (size < 2)
		return shunt_fail(err, -EPROTO, NULL, "%s offers a control queue and has none",
			port->info.addr);
	int rc = pci_mem_alloc(port->pci, &net->ctrl_mem, ANSWER_AT + 1, err);
	if (!rc)
		rc = virtio_ring_enable(
			&net->ctrl, net, number, size < RING ? size : RING, VIRTIO_NO_VECTOR, err);
	net->has_ctrl = !rc;
	return rc;
}

static bool done(struct virtio_net *net)
{
	return net->packed ? packed_chain_done(&net->ctrl.vring)
			   : split_chain_done(&net->ctrl.vring);
}

static int command(
	struct virtio_net *net, uint8_t class, uint8_t cmd, const void *data, uint32_t len)
{
	uint8_t *page = net->ctrl_mem.base;
	uint64_t iova = net->ctrl_mem.iova, end = shunt_now() + WAIT_NS;

	if (len > DATA_MAX)
		return -EINVAL;
	page[0] = class;
	page[1] = cmd;
	memcpy(page + 2, data, len);
	page[ANSWER_AT] = ANSWER_NONE;
	if (net->packed)
		packed_chain(&net->ctrl.vring, iova, len + 2, iova + ANSWER_AT, 1);
	else
		split_chain(&net->ctrl.vring, iova, len + 2, iova + ANSWER_AT, 1);
	virtio_notify(&net->ctrl);
	while (!done(net)) {
		if (net->ctrl.vring.broken)
			return -EPROTO;
		if (shunt_now() > end)
			return -ETIMEDOUT;
		sched_yield();
	}
	return *(volatile uint8_t *)(page + ANSWER_AT) == ANSWER_OK ? 0 : -EIO;
}

int virtio_control_pairs(struct virtio_net *net, uint16_t pairs, struct shunt_err *err)
{
	uint16_t data = htole16(pairs);
	int rc = command(net, CLASS_MQ, MQ_PAIRS_SET, &data, sizeof data);

	return rc ? shunt_fail(err, rc, "queues=1", "%s does not switch %u queue pairs on: %s",
			    net->v.pci->info.addr, pairs, strerror(-rc))
		  : 0;
}

int virtio_control_promisc(struct virtio_net *net, bool on, struct shunt_err *err)
{
	uint8_t data = on;
	int rc = command(net, CLASS_RX, RX_PROMISC, &data, sizeof data);

	return rc ? shunt_fail(err, rc, NULL, "%s does not switch promiscuous mode %s: %s",
			    net->v.pci->info.addr, on ? "on" : "off", strerror(-rc))
		  : 0;
}
