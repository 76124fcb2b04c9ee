/* SPDX-License-Identifier: BSD-2-Clause
 * What identifies a queue to a tracer, which knows no driver.
 */
#ifndef SHUNT_TRACE_H
#define SHUNT_TRACE_H

#include <shunt/queue.h>
#include <stdbool.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum shunt_kind {
	SHUNT_KIND_NONE,   /* nothing in the kernel belongs to it (file, pair, null) */
	SHUNT_KIND_PACKET, /* AF_PACKET socket read by recv or recvmmsg */
	SHUNT_KIND_RING,   /* AF_PACKET socket with a TPACKET_V3 ring */
	SHUNT_KIND_XSK,    /* AF_XDP socket */
	SHUNT_KIND_XDP,    /* an XDP program alone: no socket, no packet reaches user space */
	SHUNT_KIND_XDPGEN, /* frames made by a BPF test run */
	SHUNT_KIND_UDP,    /* UDP socket */
	SHUNT_KIND_USER,   /* a device that the process drives itself: no socket, no copy in the
			      kernel */
};

struct shunt_identity {
	enum shunt_kind kind;
	int fd; /* socket, -1 if none */
	uint32_t ifindex;
	uint32_t queue; /* the device's queue number, not the index of the handle */
	uint64_t netns; /* inode number of the network namespace */
	pid_t pid, tid; /* of the thread that asks */
	bool zero_copy; /* XSK: as read back */
	bool skb_mode;  /* XSK, XDP: generic attach */
};

/* pid and tid are the caller's. Thread: queue. */
SHUNT_API void shunt_queue_identity(const struct shunt_queue *q, struct shunt_identity *id);

#ifdef __cplusplus
}
#endif
#endif
