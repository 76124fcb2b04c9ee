/* SPDX-License-Identifier: BSD-2-Clause
 * Is the link up, and the device well? Register reads cost a microsecond and more, so that only a
 * queue that has nothing to do looks.
 */
#include "drivers/virtio/net.h"

#include <errno.h>

bool net_link_up(const struct virtio_pci *v)
{
	uint16_t status = 0;

	if (!(v->features & NET_F_STATUS))
		return true; /* 5.1.4.2: it has no way to say, and is to be assumed active */
	virtio_config(v, NET_CONFIG_STATUS, &status, sizeof status);
	return le16toh(status) & NET_LINK_UP;
}

int net_check_link(struct net_queue *nq)
{
	const struct virtio_pci *v = &nq->net->v;
	const char *addr = nq->q.dev->spec.target;

	nq->idle = 0;
	if (nq->stopped || nq->q.error)
		return nq->q.error;
	uint8_t status = virtio_status(v);
	if (status == UINT8_MAX)
		return shunt_gone(&nq->q, -ENODEV, "%s is gone: its registers read as ones", addr);
	if (status & VIRTIO_NEEDS_RESET)
		return shunt_gone(&nq->q, -ENODEV,
			"%s had an error and asks for a reset: open it again", addr);
	if (!(status & VIRTIO_DRIVER_OK))
		return shunt_gone(&nq->q, -ENODEV, "%s was reset by somebody else", addr);
	if (!net_link_up(v))
		return shunt_gone(
			&nq->q, -ENETDOWN, "the link of %s went down: open it again", addr);
	if (pci_requested(v->pci))
		return shunt_gone(&nq->q, -ENODEV, PCI_REQUESTED, addr);
	return 0;
}
