/* SPDX-License-Identifier: BSD-2-Clause
 * How many frames may wait in the kernel: depth=N frames of 2 KiB. A socket's buffer is charged
 * with the memory that a frame takes (skb->truesize), not with its length: a frame made by a driver
 * or by XDP occupies a page of its own, whatever its length.
 */
#include "drivers/packet/packet.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* A page, and the sk_buff itself rounded up: the most that a frame of up to 2 KiB is charged. */
#define CHARGE 4608u

int packet_depth_socket(struct packet_queue *pq, struct shunt_err *err)
{
	struct shunt_dev *dev = pq->q.dev;
	uint64_t want = (uint64_t)dev->depth * CHARGE;
	/* The kernel doubles the value, which may be INT_MAX / 2 at most. */
	int half = want / 2 > INT_MAX / 2 ? INT_MAX / 2 : (int)(want / 2), got = 0;
	socklen_t len = sizeof got;
	const char *why = "that is the most that a socket takes";

	if (setsockopt(pq->fd, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof half)) {
		why = "SO_RCVBUFFORCE needs CAP_NET_ADMIN; sysctl net.core.rmem_max bounds it";
		if (setsockopt(pq->fd, SOL_SOCKET, SO_RCVBUF, &half, sizeof half))
			return shunt_fail(err, -errno, NULL,
				"packet: socket refuses a receive buffer of %d bytes: %s", half,
				strerror(errno));
	}
	if (getsockopt(pq->fd, SOL_SOCKET, SO_RCVBUF, &got, &len))
		return shunt_fail(err, -errno, NULL, "packet: cannot read the receive buffer: %s",
			strerror(errno));
	unsigned frames = (unsigned)got / CHARGE;
	shunt_fact(dev, "depth", "%u frames, SO_RCVBUF %d", frames, got);
	if (frames < dev->depth)
		shunt_note(dev, "a depth of %u frames instead of %u: %s", frames, dev->depth, why);
	return 0;
}
