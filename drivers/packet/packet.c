/* SPDX-License-Identifier: BSD-2-Clause
 * packet: control calls. `packet:IF?mode=recv|mmsg|ring`, one queue per device.
 */
#include "drivers/packet/packet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct shunt_key keys[] = {
	{"mode", SHUNT_KEY_CHOICE, "recv|mmsg|ring", 0, 0},
	{"direction", SHUNT_KEY_CHOICE, "in|both", 0, 0},
	{"qdisc", SHUNT_KEY_CHOICE, "bypass|keep", 0, 0},
	{"stamp", SHUNT_KEY_CHOICE, "kernel|none", 0, 0},
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

/* A socket's buffer is a limit: what does not wait takes no memory. A ring's blocks are used in
 * turn, but fewer blocks are less time, too: docs/packet.md, "Depth". */
#define DEPTH 8192u

static int packet_usable(struct shunt_err *err)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return shunt_fail(err, -errno, PACKET_REMEDY,
			"packet: sockets need CAP_NET_RAW: %s", strerror(errno));
	close(fd);
	return 0;
}

static int packet_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct packet_queue *pq = calloc(1, sizeof *pq);

	if (!pq)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	pq->fd = -1;
	pq->mode = shunt_spec_is(&dev->spec, "mode", "ring", false)   ? PACKET_RING
		   : shunt_spec_is(&dev->spec, "mode", "mmsg", false) ? PACKET_MMSG
								      : PACKET_RECV;
	pq->spin = dev->info.wait == SHUNT_WAIT_SPIN;
	pq->both = shunt_spec_is(&dev->spec, "direction", "both", false);
	pq->stamp = shunt_spec_is(&dev->spec, "stamp", "kernel", true);
	pq->bypass = shunt_spec_is(&dev->spec, "qdisc", "bypass", true);
	dev->priv = pq;
	dev->nqueues = 1;
	return 0;
}

static bool uses_chunks(const struct shunt_dev *dev)
{
	const struct packet_queue *pq = dev->priv;

	return pq->mode != PACKET_RING || dev->dir & SHUNT_TX;
}

static int packet_attach(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err)
{
	(void)region;
	return uses_chunks(dev)
		       ? 0
		       : shunt_fail(err, -ENOTSUP, "use mode=mmsg",
				 "packet: a ring lends its own blocks, none can be attached");
}

/* Undo start, whatever part of it was done. */
static void undo(struct shunt_dev *dev)
{
	struct packet_queue *pq = dev->priv;

	packet_tx_close(pq);
	packet_ring_close(pq);
	packet_socket_close(pq);
	packet_bufs_close(pq);
	shunt_region_undo(dev);
}

static void describe(struct packet_queue *pq)
{
	static const char *const rx[] = {"recvmsg", "recvmmsg", "TPACKET_V3"};
	struct shunt_dev *dev = pq->q.dev;
	const char *tx = pq->mode == PACKET_RECV ? "sendto" : "sendmmsg";
	const char *wait = pq->spin ? "spin" : pq->mode == PACKET_RING ? "poll" : "block";

	if (dev->dir & SHUNT_RX) {
		shunt_fact(dev, "receive", "%s", rx[pq->mode]);
		shunt_fact(dev, "wait", "%s", wait);
		shunt_fact(dev, "stamp", pq->stamp || pq->mode == PACKET_RING ? "kernel" : "none");
		shunt_fact(dev, "queues", "1 socket, all of the interface's");
		snprintf(dev->info.mode, sizeof dev->info.mode, "%s, %s", rx[pq->mode], wait);
		if (pq->blocks.map)
			snprintf(dev->info.mode, sizeof dev->info.mode,
				"%s, %u blocks of %u KiB, %s", rx[pq->mode], pq->blocks.count,
				pq->blocks.size >> 10, wait);
	}
	if (dev->dir & SHUNT_TX) {
		shunt_fact(dev, "transmit", "%s", tx);
		size_t at = strlen(dev->info.mode);
		snprintf(dev->info.mode + at, sizeof dev->info.mode - at, "%s%s", at ? ", " : "",
			tx);
	}
	if ((dev->dir & SHUNT_RX) && !pq->stamp && pq->mode == PACKET_RING)
		shunt_note(dev, "stamp=none: a ring's stamps can't be left out");
	if (pq->slots && packet_longest_frame(dev) > pq->longest)
		shunt_note(dev,
			"frames of up to %u bytes may arrive (GRO merges them), those above %u "
			"are cut: mode=ring, or ethtool -K gro off",
			packet_longest_frame(dev), pq->longest);
}

static int start_parts(struct packet_queue *pq, struct shunt_err *err)
{
	struct shunt_dev *dev = pq->q.dev;
	bool rx = dev->dir & SHUNT_RX, ring = pq->mode == PACKET_RING;
	int rc = packet_socket_open(pq, err);

	if (!rc)
		rc = packet_socket_setup(pq, err);
	if (!rc && uses_chunks(dev))
		rc = packet_bufs_open(pq, err);
	if (!rc && rx)
		rc = ring ? packet_ring_open(pq, err) : packet_bufs_slots(pq, err);
	if (!rc && dev->dir & SHUNT_TX)
		rc = packet_tx_open(pq, err);
	return rc;
}

static int packet_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct packet_queue *pq = dev->priv;

	/* Not what an earlier start that failed had to say. */
	dev->info.nfacts = dev->info.nnotes = 0;
	dev->info.memory = 0;
	shunt_queue_init(&pq->q, dev, 0);
	int rc = start_parts(pq, err);
	if (!rc) {
		packet_bufs_choose(pq);
		if (dev->dir & SHUNT_RX)
			packet_rx_choose(pq);
		if (dev->dir & SHUNT_TX)
			packet_tx_choose(pq);
		/* Last: from here on frames arrive. */
		rc = packet_socket_bind(pq, err);
	}
	if (rc) {
		undo(dev);
		return rc;
	}
	describe(pq);
	return 0;
}

static void packet_stop(struct shunt_dev *dev)
{
	struct packet_queue *pq = dev->priv;

	shunt_queue_end_tx(&pq->q);
	packet_socket_stop(pq);
	if (dev->dir & SHUNT_RX)
		packet_ledger_final(pq);
}

static void packet_close(struct shunt_dev *dev)
{
	undo(dev);
	free(dev->priv);
}

static void packet_identity(const struct shunt_queue *q, struct shunt_identity *id)
{
	const struct packet_queue *pq = packet_of(q);

	id->kind = pq->mode == PACKET_RING ? SHUNT_KIND_RING : SHUNT_KIND_PACKET;
	id->fd = pq->fd;
	id->queue = 0;
}

static int packet_queue_fd(struct shunt_queue *q)
{
	return packet_of(q)->fd;
}

static int packet_arm(struct shunt_queue *q)
{
	struct packet_queue *pq = packet_of(q);

	return pq->blocks.map ? packet_ring_arm(pq) : 0; /* a socket is level-triggered */
}

/* A read of the socket finds its error by itself; of a ring nothing does. */
static void packet_idle(struct shunt_queue *q)
{
	struct packet_queue *pq = packet_of(q);

	if (pq->blocks.map && !packet_stopped(pq))
		packet_link_poll(pq);
}

const struct shunt_driver shunt_driver_packet = {
	.name = "packet",
	.scheme = "packet",
	.summary = "the kernel's path: AF_PACKET by recv, recvmmsg or a TPACKET_V3 ring",
	.example = "packet:near0?mode=mmsg",
	.dirs = SHUNT_RXTX,
	.is_netdev = true,
	.takes_region = true,
	.keys = keys,
	.depth = DEPTH,
	.memory = (uint64_t)DEPTH * SHUNT_CHUNK,
	.usable = packet_usable,
	.open = packet_open,
	.attach = packet_attach,
	.start = packet_start,
	.stop = packet_stop,
	.close = packet_close,
	.ledger = packet_ledger,
	.identity = packet_identity,
	.queue_fd = packet_queue_fd,
	.arm = packet_arm,
	.idle = packet_idle,
};
