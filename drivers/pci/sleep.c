/* SPDX-License-Identifier: BSD-2-Clause
 * Sleeping until the NIC raises a queue's vector. Armed first, then the ring is checked again, so
 * that a packet that came in between is not slept over; at most SHUNT_POLL_MS, so that a lost
 * interrupt costs that.
 */
#include "drivers/pci/nic.h"

#include <poll.h>
#include <unistd.h>

void pci_sleep_init(struct pci_sleep *s, const struct shunt_dev *dev, unsigned vector)
{
	const struct pci_port *port = dev->priv;

	*s = (struct pci_sleep){.fd = vector < port->pci->nirqs ? port->pci->irq[vector] : -1,
		.width = port->phys ? sizeof(uint32_t) : sizeof(uint64_t),
		.limit = dev->info.wait == SHUNT_WAIT_ADAPTIVE ? PCI_ADAPTIVE_EMPTY : 0};
}

/* Of a queue whose caller waits nobody else reads the descriptor. /dev/uioN blocks where nothing
 * was raised. */
static void clear_raised(const struct pci_port *port, struct shunt_queue *q)
{
	struct pollfd p = {.fd = port->pci->irq[q->index], .events = POLLIN};
	uint64_t raised;

	SHUNT_COUNT(q, syscalls, 1);
	if (poll(&p, 1, 0) <= 0)
		return;
	SHUNT_COUNT(q, syscalls, 1);
	if (read(p.fd, &raised, port->phys ? sizeof(uint32_t) : sizeof raised) < 0)
		return; /* somebody else was faster: it is clear */
}

/* The line is level-triggered: what came after the NIC released it is raised when it is unmasked.
 */
int pci_arm(struct shunt_queue *q)
{
	const struct pci_port *port = q->dev->priv;

	if (q->waits)
		clear_raised(port, q);
	int rc = port->nic->arm(q);

	if (!rc && port->phys) {
		SHUNT_COUNT(q, syscalls, 2);
		pci_irq_unmask(port->pci);
	}
	return rc;
}

bool pci_sleep(struct pci_sleep *s, struct shunt_queue *q)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	uint64_t raised;

	if (s->fd < 0 || q->waits || q->error || ++s->empty <= s->limit)
		return false;
	if (pci_arm(q))
		return true;
	SHUNT_COUNT(q, syscalls, 1);
	if (poll(&p, 1, SHUNT_POLL_MS) <= 0)
		return true;
	SHUNT_COUNT(q, syscalls, 1);
	return read(s->fd, &raised, s->width) == (ssize_t)s->width;
}
