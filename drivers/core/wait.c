/* SPDX-License-Identifier: BSD-2-Clause
 * Waiting for several queues at once. Each is armed first, so that a packet that comes in between
 * is not slept over; poll(2) needs no set-up that could get out of step with the caller's queues.
 */
#include "drivers/core/driver.h"

#include <errno.h>
#include <poll.h>

static int queue_fd(const struct shunt_queue *q)
{
	const struct shunt_driver *drv = q->dev->drv;

	return drv->queue_fd ? drv->queue_fd((struct shunt_queue *)q) : -ENOTSUP;
}

int shunt_queue_fd(struct shunt_queue *q)
{
	int fd = queue_fd(q);

	q->waits |= fd >= 0;
	return fd;
}

int shunt_arm(struct shunt_queue *q)
{
	return q->dev->drv->arm ? q->dev->drv->arm(q) : 0;
}

/* 1 when one of them has packets already. All descriptors are known to be there. */
static int arm_all(struct shunt_queue *const *queues, unsigned n)
{
	int ready = 0;

	for (unsigned i = 0; i < n; i++)
		ready |= queues[i]->error || shunt_arm(queues[i]);
	return ready;
}

int shunt_wait(struct shunt_queue *const *queues, unsigned n, int timeout_ms)
{
	struct pollfd p[SHUNT_QUEUES];

	if (!n || n > SHUNT_QUEUES)
		return -EINVAL;
	for (unsigned i = 0; i < n; i++) {
		p[i] = (struct pollfd){.fd = shunt_queue_fd(queues[i]), .events = POLLIN};
		if (p[i].fd < 0)
			return p[i].fd;
	}
	if (arm_all(queues, n))
		return 1;
	SHUNT_COUNT(queues[0], syscalls, 1);
	int rc = poll(p, n, timeout_ms);
	if (rc < 0)
		return errno == EINTR ? 0 : -errno;
	/* Nothing at all, or POLLERR: only the driver knows what it means. */
	for (unsigned i = 0; i < n; i++)
		if (!(p[i].revents & POLLIN) && (p[i].revents || !rc) && queues[i]->dev->drv->idle)
			queues[i]->dev->drv->idle(queues[i]);
	return rc > 0 || arm_all(queues, n);
}
