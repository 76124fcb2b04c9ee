/* SPDX-License-Identifier: BSD-2-Clause
 * The AF_PACKET socket: opened without a protocol, so that nothing arrives before everything is
 * set, then bound to the interface by index; unbound at stop, while what is queued stays.
 * packet(7).
 */
#include "drivers/core/netdev.h"
#include "drivers/packet/packet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <string.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING /* Linux 4.20 */
#define PACKET_IGNORE_OUTGOING 23
#endif

/* A number that the kernel gives to no frame of an Ethernet device (it is below 0x600). */
#define NEVER_ON_ETHERNET 0x0009 /* ETH_P_LOCALTALK */

static int report(int rc, const char *what, struct shunt_err *err)
{
	return rc ? shunt_fail(err, rc, NULL, "packet: socket refuses %s: %s", what, strerror(-rc))
		  : 0;
}

static int opt(struct packet_queue *pq, int level, int name, const void *value, socklen_t len,
	const char *what, struct shunt_err *err)
{
	return report(setsockopt(pq->fd, level, name, value, len) ? -errno : 0, what, err);
}

static int open_own(struct packet_queue *pq, struct shunt_err *err)
{
	pq->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (pq->fd >= 0)
		return 0;
	bool refused = errno == EPERM || errno == EACCES;
	return shunt_fail(err, -errno,
		refused ? PACKET_REMEDY : "the kernel needs CONFIG_PACKET (modprobe af_packet)",
		refused ? "packet: sockets need CAP_NET_RAW: %s"
			: "packet: cannot open a socket: %s",
		strerror(errno));
}

/* A socket made by a helper with more rights. Ours is a duplicate: the giver keeps its own. */
static int open_given(struct packet_queue *pq, struct shunt_err *err)
{
	struct shunt_dev *dev = pq->q.dev;
	struct sockaddr_ll ll = {.sll_family = 0};
	socklen_t len = sizeof ll, tlen = sizeof(int);
	int type = 0, v1 = TPACKET_V1;

	pq->fd = fcntl(dev->fd, F_DUPFD_CLOEXEC, 3);
	if (pq->fd < 0)
		return shunt_fail_usage(
			err, -errno, NULL, "packet: fd=%d: %s", dev->fd, strerror(errno));
	if (getsockname(pq->fd, (struct sockaddr *)&ll, &len) || ll.sll_family != AF_PACKET ||
		getsockopt(pq->fd, SOL_SOCKET, SO_TYPE, &type, &tlen) || type != SOCK_RAW)
		return shunt_fail_usage(err, -EINVAL, "open it with socket(AF_PACKET, SOCK_RAW, 0)",
			"packet: fd=%d is no AF_PACKET raw socket", dev->fd);
	if (ll.sll_ifindex && (unsigned)ll.sll_ifindex != dev->info.ifindex)
		return shunt_fail_usage(err, -EINVAL, NULL,
			"packet: fd=%d is bound to interface %d, but '%.40s' is %u", dev->fd,
			ll.sll_ifindex, dev->info.ifname, dev->info.ifindex);
	/* The version can't be set while there is a ring: the only way to ask. */
	if (setsockopt(pq->fd, SOL_PACKET, PACKET_VERSION, &v1, sizeof v1) && errno == EBUSY)
		return shunt_fail_usage(
			err, -EBUSY, NULL, "packet: fd=%d has a ring of another owner", dev->fd);
	shunt_fact(dev, "socket", "given, fd %d", dev->fd);
	return 0;
}

int packet_socket_open(struct packet_queue *pq, struct shunt_err *err)
{
	return pq->q.dev->fd >= 0 ? open_given(pq, err) : open_own(pq, err);
}

/* Addressed to others, too: that is what a capture and a path under test are for. */
static int promiscuous(struct packet_queue *pq, struct shunt_err *err)
{
	int rc = shunt_netdev_membership(pq->fd, pq->q.dev->info.ifindex, true);

	shunt_fact(pq->q.dev, "promisc", "yes");
	return report(rc, "promiscuous mode", err);
}

static int setup_rx(struct packet_queue *pq, struct shunt_err *err)
{
	struct timeval longest = {.tv_usec = SHUNT_POLL_MS * 1000};
	int one = 1, ignore = !pq->both;

	int rc = opt(pq, SOL_PACKET, PACKET_IGNORE_OUTGOING, &ignore, sizeof ignore,
		"PACKET_IGNORE_OUTGOING", err);
	if (!rc)
		rc = promiscuous(pq, err);
	if (rc || pq->mode == PACKET_RING)
		return rc;
	/* The VLAN tag, the length on the wire and the checksum's state are beside the frame. */
	rc = opt(pq, SOL_PACKET, PACKET_AUXDATA, &one, sizeof one, "PACKET_AUXDATA", err);
	/* A stamp per packet, as the ring has: one clock read in softirq, 32 bytes of control data
	 * in recvmsg. It costs about a seventh of a recvmmsg's packet, so it can be left out. */
	if (!rc && pq->stamp)
		rc = opt(pq, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one, "time stamps", err);
	if (!rc)
		rc = opt(pq, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest, "a time-out", err);
	return rc ? rc : packet_depth_socket(pq, err);
}

int packet_socket_setup(struct packet_queue *pq, struct shunt_err *err)
{
	struct shunt_dev *dev = pq->q.dev;
	int on = pq->bypass;

	if (dev->dir & SHUNT_TX) {
		shunt_fact(dev, "qdisc", pq->bypass ? "bypassed" : "kept");
		int rc = opt(pq, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on,
			"PACKET_QDISC_BYPASS", err);
		if (rc)
			return rc;
	}
	if (!(dev->dir & SHUNT_RX))
		return 0;
	shunt_fact(dev, "direction", pq->both ? "both" : "in");
	return setup_rx(pq, err);
}

static int bind_to(struct packet_queue *pq, unsigned protocol)
{
	struct sockaddr_ll ll = {.sll_family = AF_PACKET,
		.sll_protocol = htons((uint16_t)protocol),
		.sll_ifindex = (int)pq->q.dev->info.ifindex};

	return bind(pq->fd, (struct sockaddr *)&ll, sizeof ll) ? -errno : 0;
}

int packet_socket_bind(struct packet_queue *pq, struct shunt_err *err)
{
	struct shunt_dev *dev = pq->q.dev;
	int rc = bind_to(pq, dev->dir & SHUNT_RX ? ETH_P_ALL : 0); /* 0: transmit only */

	return rc ? shunt_fail(err, rc, NULL, "packet: cannot bind to '%.40s': %s",
			    dev->info.ifname, strerror(-rc))
		  : 0;
}

/* Binding to another protocol waits until no frame is on its way into the socket, and leaves those
 * in it alone. To protocol 0 it would do nothing: that means "as before" (6.18). */
int packet_socket_detach(struct packet_queue *pq)
{
	int rc = bind_to(pq, NEVER_ON_ETHERNET);

	return rc == -ENODEV ? 0 : rc; /* deleted: the kernel detached it */
}

void packet_socket_stop(struct packet_queue *pq)
{
	int rc = packet_socket_detach(pq);

	if (rc)
		shunt_note(pq->q.dev, "the socket could not be detached: %s", strerror(-rc));
	/* Release: orders the detaching before the flag that makes an empty socket the end; pairs
	 * with packet_stopped(). */
	__atomic_store_n(&pq->stopped, true, __ATOMIC_RELEASE);
}

/* A given socket lives on with its giver: leave no option set, and nothing in it that was counted
 * as lost. */
static void restore_given(struct packet_queue *pq)
{
	uint8_t byte;

	shunt_netdev_membership(pq->fd, pq->q.dev->info.ifindex, false);
	if (pq->final)
		while (recv(pq->fd, &byte, sizeof byte, MSG_DONTWAIT) >= 0)
			continue;
}

void packet_socket_close(struct packet_queue *pq)
{
	if (pq->fd < 0)
		return;
	if (pq->q.dev->fd >= 0 && pq->q.dev->dir & SHUNT_RX)
		restore_given(pq);
	close(pq->fd);
	pq->fd = -1;
}
