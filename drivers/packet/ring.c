/* SPDX-License-Identifier: BSD-2-Clause
 * A TPACKET_V3 ring: made in the order of Documentation/networking/packet_mmap.rst (version,
 * head-room, ring, map), waited for, and unmade. The walk over it: block.h.
 */
#include "core/clock.h"
#include "drivers/packet/packet.h"
#include "drivers/packet/vlan.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FRAME      2048u
#define HEAD       256u /* before the first frame of a block, and before each frame, at most */
#define BLOCK_MIN  (16u << 10)
#define BLOCK_LOW  (32u << 10)
#define BLOCK_MAX  (128u << 10) /* holds the longest frame that GRO merges, 64 KiB */
#define BLOCKS_MIN 8u
#define RETIRE_MS  1      /* a block with something in it is closed after so long */
#define ASK_EVERY  32768u /* empty polls between two looks at the link, when spinning */

/* Many small blocks. The timer closes a block however little is in it, so that of a slow stream
 * the ring holds so many blocks, not frames; but sixteen of the longest frame should fit in one. */
static struct tpacket_req3 shape(uint64_t room, uint32_t longest)
{
	uint64_t bytes = room * FRAME;
	uint32_t size = BLOCK_LOW;

	while (size < BLOCK_MAX && size < 16 * longest)
		size *= 2;
	while (size > BLOCK_MIN && bytes / size < 2 * BLOCKS_MIN && size / 2 >= longest + HEAD)
		size /= 2;
	uint32_t count = (uint32_t)((bytes + size - 1) / size);
	if (count < BLOCKS_MIN)
		count = BLOCKS_MIN;
	return (struct tpacket_req3){.tp_block_size = size,
		.tp_block_nr = count,
		.tp_frame_size = FRAME,
		.tp_frame_nr = size / FRAME * count,
		.tp_retire_blk_tov = RETIRE_MS};
}

/* As many blocks as memory gives: half as many each time that it refuses. */
static int ask_ring(struct packet_queue *pq, struct tpacket_req3 *req, struct shunt_err *err)
{
	uint32_t asked = req->tp_block_nr;

	while (setsockopt(pq->fd, SOL_PACKET, PACKET_RX_RING, req, sizeof *req)) {
		int rc = -errno;
		if (rc != -ENOMEM || req->tp_block_nr <= BLOCKS_MIN)
			return shunt_fail(err, rc, rc == -ENOMEM ? "ask for less: depth=N" : NULL,
				"packet: no ring of %u blocks of %u KiB: %s", req->tp_block_nr,
				req->tp_block_size >> 10, strerror(-rc));
		req->tp_block_nr /= 2;
		req->tp_frame_nr = req->tp_block_size / FRAME * req->tp_block_nr;
	}
	if (req->tp_block_nr < asked)
		shunt_note(pq->q.dev, "%u blocks instead of %u: out of memory", req->tp_block_nr,
			asked);
	return 0;
}

/* A given socket may be receiving: making the ring discards what is queued, which is from
 * before start. Detach, then zero the counts; start binds it again. */
static int forget_before(struct packet_queue *pq, struct shunt_err *err)
{
	struct tpacket_stats_v3 stats;
	socklen_t len = sizeof stats;
	int rc = packet_socket_detach(pq);

	if (!rc && getsockopt(pq->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len))
		rc = -errno;
	return rc ? shunt_fail(err, rc, NULL, "packet: cannot start fd=%d anew: %s", pq->q.dev->fd,
			    strerror(-rc))
		  : 0;
}

static int map_ring(struct packet_queue *pq, const struct tpacket_req3 *req, struct shunt_err *err)
{
	struct packet_blocks *b = &pq->blocks;
	size_t len = (size_t)req->tp_block_size * req->tp_block_nr;
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, pq->fd, 0);

	if (map == MAP_FAILED)
		return shunt_fail(err, -errno, NULL, "packet: cannot map a ring of %zu MiB: %s",
			len >> 20, strerror(errno));
	b->map = map;
	b->size = req->tp_block_size;
	b->count = req->tp_block_nr;
	b->held = calloc(b->count, sizeof *b->held);
	return b->held ? shunt_region_lend(&pq->lent, map, len, b->size, err)
		       : shunt_fail(err, -ENOMEM, NULL, "out of memory");
}

int packet_ring_open(struct packet_queue *pq, struct shunt_err *err)
{
	struct shunt_dev *dev = pq->q.dev;
	struct tpacket_req3 req = shape(dev->depth, packet_longest_frame(dev));
	int version = TPACKET_V3;
	unsigned head = VLAN_TAG_LEN;

	if (setsockopt(pq->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof version) ||
		setsockopt(pq->fd, SOL_PACKET, PACKET_RESERVE, &head, sizeof head))
		return shunt_fail(err, -errno, NULL, "packet: socket refuses TPACKET_V3: %s",
			strerror(errno));
	int rc = dev->fd >= 0 ? forget_before(pq, err) : 0;
	if (!rc)
		rc = ask_ring(pq, &req, err);
	if (!rc)
		rc = map_ring(pq, &req, err);
	if (rc)
		return rc;
	uint64_t bytes = (uint64_t)req.tp_block_size * req.tp_block_nr;
	dev->info.memory += bytes;
	shunt_fact(dev, "depth", "%u frames or %u ms: %u blocks of %u KiB",
		(unsigned)(bytes / FRAME), req.tp_block_nr * RETIRE_MS, req.tp_block_nr,
		req.tp_block_size >> 10);
	return 0;
}

int packet_ring_arm(struct packet_queue *pq)
{
	return pq->blocks.left || packet_block_ready(&pq->blocks, pq->blocks.next);
}

/* Nothing arrives any more, but the block that the kernel was filling is closed by a timer only. */
static void wait_last_block(struct packet_queue *pq)
{
	const struct timespec nap = {.tv_nsec = 100000};
	uint64_t end = shunt_now() + SHUNT_POLL_MS * 1000000u;

	while (packet_blocks_filling(&pq->blocks) && shunt_now() < end) {
		SHUNT_COUNT(&pq->q, syscalls, 1);
		nanosleep(&nap, NULL);
	}
}

static void wait_block(struct packet_queue *pq)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	struct pollfd p = {.fd = pq->fd, .events = POLLIN};

	SHUNT_COUNT(&pq->q, syscalls, 1);
	int n = poll(&p, 1, SHUNT_POLL_MS);
	if (n > 0 && p.revents & POLLERR)
		packet_link_poll(pq);
	/* The kernel calls the ring readable while the last block that it closed is ours. With
	 * packets out poll() does not sleep then: bound the spinning. */
	else if (n > 0 && pq->blocks.held_packets && !packet_ring_arm(pq)) {
		SHUNT_COUNT(&pq->q, syscalls, 1);
		nanosleep(&nap, NULL);
	}
}

/* No block is ready. Returns what rx returns when there is still none afterwards. */
int packet_ring_idle(struct packet_queue *pq, bool poll)
{
	if (packet_stopped(pq)) {
		wait_last_block(pq);
		return pq->lost && !packet_ring_arm(pq) ? packet_link_gone(pq) : 0;
	}
	if (poll)
		wait_block(pq);
	else if (++pq->idle % ASK_EVERY == 0)
		packet_link_poll(pq);
	return 0;
}

void packet_ring_close(struct packet_queue *pq)
{
	struct packet_blocks *b = &pq->blocks;
	struct tpacket_req3 none = {.tp_block_size = 0};

	if (pq->lent)
		shunt_region_destroy(pq->lent, NULL);
	free(b->held);
	if (b->map)
		munmap(b->map, (size_t)b->size * b->count);
	/* A given socket lives on: its giver may want to receive otherwise. */
	if (pq->fd >= 0)
		setsockopt(pq->fd, SOL_PACKET, PACKET_RX_RING, &none, sizeof none);
	pq->lent = NULL;
	*b = (struct packet_blocks){.map = NULL};
}
