/* SPDX-License-Identifier: BSD-2-Clause
 * Sleeping until the NIC raises a queue's vector. Armed first and looked at again, so that a packet
 * that came in between is not slept over; at most SHUNT_POLL_MS, so that a lost interrupt costs
 * that.
 */
#include "drivers/pci/nic.h"

#include <poll.h>
#include <unistd.h>

void pci_sleep_init(struct pci_sleep *s, const struct shunt_dev *dev, unsigned vector)
{
	const struct pci_port *port = dev->priv;

	*s = (struct pci_sleep){.fd = vector < port->pci->nirqs ? port->pci->irq[vector] : -1,
		.limit = port->wait == PCI_ADAPTIVE ? PCI_ADAPTIVE_EMPTY : 0};
}

bool pci_sleep(struct pci_sleep *s, struct shunt_queue *q)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	const struct pci_port *port = q->dev->priv;
	uint64_t raised;

	if (s->fd < 0 || q->error || ++s->empty <= s->limit)
		return false;
	if (port->nic->arm(q))
		return true;
	SHUNT_COUNT(q, syscalls, 1);
	if (poll(&p, 1, SHUNT_POLL_MS) <= 0)
		return true;
	SHUNT_COUNT(q, syscalls, 1);
	return read(s->fd, &raised, sizeof raised) == sizeof raised;
}
