/* SPDX-License-Identifier: BSD-2-Clause
 * The interface goes down or is deleted. The kernel then detaches the socket and leaves ENETDOWN
 * as its pending error, in both cases; frames that are queued stay readable.
 * Queue's thread. Not for the fast path.
 */
#include "drivers/packet/packet.h"

#include <errno.h>

bool packet_link_error(int error)
{
	/* Transmit reports ENXIO once the interface is gone. */
	return error == ENETDOWN || error == ENODEV || error == ENXIO;
}

void packet_link_lost(struct packet_queue *pq)
{
	if (pq->lost)
		return;
	pq->lost = true;
	/* An interface that comes up again would fill a queue that is no longer read. */
	packet_socket_stop(pq);
}

void packet_link_poll(struct packet_queue *pq)
{
	int error = 0;
	socklen_t len = sizeof error;

	SHUNT_COUNT(&pq->q, syscalls, 1);
	if (!getsockopt(pq->fd, SOL_SOCKET, SO_ERROR, &error, &len) && packet_link_error(error))
		packet_link_lost(pq);
}

int packet_link_gone(struct packet_queue *pq)
{
	struct shunt_dev *dev = pq->q.dev;
	struct packet_mreq none = {.mr_ifindex = -1, .mr_type = PACKET_MR_MULTICAST};

	if (pq->q.error)
		return pq->q.error;
	/* An interface goes down before it is deleted, both under the kernel's RTNL lock. Dropping
	 * a membership that does not exist takes that lock, changes nothing, and so waits for it.
	 */
	setsockopt(pq->fd, SOL_PACKET, PACKET_DROP_MEMBERSHIP, &none, sizeof none);
	int state = shunt_link_state(dev);
	if (state == -ENODEV)
		return shunt_gone(&pq->q, -ENODEV, "interface '%s' was deleted", dev->info.ifname);
	return shunt_gone(&pq->q, -ENETDOWN, "the link of '%s' went down%s", dev->info.ifname,
		state ? "" : "; it is up again, open it again");
}
