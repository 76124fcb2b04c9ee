/* SPDX-License-Identifier: BSD-2-Clause
 * Is the link up, and the device in order? Register reads cost a microsecond and more, so that only
 * a queue without traffic checks.
 */
#include "drivers/virtio/virtio.h"

#include <errno.h>

bool virtio_link_up(const struct virtio_pci *v)
{
	uint16_t status = 0;

	if (!(v->features & VIRTIO_NET_F_STATUS))
		return true; /* 5.1.4.2: it has no way to say, and is to be assumed active */
	virtio_pci_config(v, VIRTIO_NET_CONFIG_STATUS, &status, sizeof status);
	return le16toh(status) & VIRTIO_NET_S_LINK_UP;
}

int virtio_link_check(struct virtio_queue *vq)
{
	const struct virtio_pci *v = &vq->net->v;
	const char *addr = vq->q.dev->spec.target;

	vq->idle = 0;
	if (SHUNT_GET(vq->stopped) || vq->q.error)
		return vq->q.error;
	uint8_t status = virtio_pci_status(v);
	if (status == UINT8_MAX)
		return shunt_gone(&vq->q, -ENODEV, "%s is gone: its registers read all ones", addr);
	if (status & VIRTIO_NEEDS_RESET)
		return shunt_gone(&vq->q, -ENODEV,
			"%s had an error and asks for a reset: open it again", addr);
	if (!(status & VIRTIO_DRIVER_OK))
		return shunt_gone(&vq->q, -ENODEV, "%s was reset by another program", addr);
	if (!virtio_link_up(v))
		return shunt_gone(
			&vq->q, -ENETDOWN, "the link of %s went down: open it again", addr);
	if (pci_requested(v->pci))
		return shunt_gone(&vq->q, -ENODEV, PCI_REQUESTED, addr);
	return 0;
}
