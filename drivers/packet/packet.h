/* SPDX-License-Identifier: BSD-2-Clause
 * AF_PACKET: the kernel's own path, packet(7) and Documentation/networking/packet_mmap.rst.
 * One socket is one queue: it sees all queues of the interface. Three ways to receive: recvmsg per
 * packet, recvmmsg per burst, and a TPACKET_V3 ring whose blocks are lent without a copy.
 * Threads: rx, tx, release and alloc on the queue's thread; open, start, stop, ledger and close on
 * the controlling one. What they share is `stopped` and the counters.
 */
#ifndef DRIVERS_PACKET_PACKET_H
#define DRIVERS_PACKET_PACKET_H

#include "drivers/core/chunks.h"
#include "drivers/core/driver.h"
#include "drivers/packet/block.h"

#include <linux/if_packet.h>
#include <sys/socket.h>
#include <time.h>

#define PACKET_REMEDY "run as root, or setcap cap_net_raw+ep on the program"
#define PACKET_HEAD   64u  /* before a received frame: the VLAN tag, and a whole cache line */
#define PACKET_CACHE  512u /* chunks that the queue keeps at most, posted ones apart */
#define PACKET_CTL                                                                                 \
	(CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(struct tpacket_auxdata)))
#define PACKET_CTL_AT 80u /* PACKET_CTL rounded up */

enum packet_mode { PACKET_RECV, PACKET_MMSG, PACKET_RING };

/* Where recvmsg and recvmmsg put what they read; slots [0, posted) have a chunk each. */
struct packet_slots {
	struct mmsghdr msg[SHUNT_BURST_MAX];
	struct iovec iov[SHUNT_BURST_MAX];
	struct sockaddr_ll from[SHUNT_BURST_MAX]; /* direction=both only */
	_Alignas(8) uint8_t ctl[SHUNT_BURST_MAX][PACKET_CTL_AT];
	unsigned posted;
};

struct packet_queue {
	struct shunt_queue q;
	int fd;
	enum packet_mode mode;
	bool spin, both, bypass, stamp;
	bool lost;     /* the link went: drain, then say so. Queue's thread. */
	bool stopped;  /* atomic: nothing more arrives; set by stop, or by rx when the link went */
	bool final;    /* the kernel's counts were read; controlling thread */
	uint32_t idle; /* empty polls, to ask for the link once in many */

	struct shunt_chunks chunks; /* what alloc and the sockets' rx take from */
	uint32_t longest;           /* bytes of a frame that a chunk holds */
	struct packet_slots *slots; /* recv and mmsg */
	struct mmsghdr *tx_msg;
	struct iovec *tx_iov;

	struct packet_blocks blocks; /* ring */
	struct shunt_region *lent;

	uint32_t received, dropped; /* the kernel's counts, read at stop: modulo 2^32 */
};

/* socket.c: open it, or take the one that was given; configure; bind to the interface, and detach
 */
int packet_socket_open(struct packet_queue *pq, struct shunt_err *err);
int packet_socket_setup(struct packet_queue *pq, struct shunt_err *err);
int packet_socket_bind(struct packet_queue *pq, struct shunt_err *err);
int packet_socket_detach(struct packet_queue *pq);
void packet_socket_stop(struct packet_queue *pq);
void packet_socket_close(struct packet_queue *pq);

/* depth.c: how many frames may wait in the kernel */
int packet_depth_socket(struct packet_queue *pq, struct shunt_err *err);

/* longest.c: bytes of the longest frame that may arrive, merged ones included */
uint32_t packet_longest_frame(const struct shunt_dev *dev);

/* bufs.c: chunks of the own or attached region, and slots over them for recv and mmsg */
int packet_bufs_open(struct packet_queue *pq, struct shunt_err *err);
int packet_bufs_slots(struct packet_queue *pq, struct shunt_err *err);
void packet_bufs_close(struct packet_queue *pq);
void packet_bufs_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n);
void packet_bufs_choose(struct packet_queue *pq);

/* ring.c: blocks of a ring. idle: no block is ready; it waits, and returns what rx returns when
 * there is still none afterwards. */
int packet_ring_open(struct packet_queue *pq, struct shunt_err *err);
void packet_ring_close(struct packet_queue *pq);
int packet_ring_arm(struct packet_queue *pq);
int packet_ring_idle(struct packet_queue *pq, bool poll);

/* rx.c, tx.c */
void packet_rx_choose(struct packet_queue *pq);
int packet_tx_open(struct packet_queue *pq, struct shunt_err *err);
void packet_tx_close(struct packet_queue *pq);
void packet_tx_choose(struct packet_queue *pq);

/* link.c: is the interface still there? */
bool packet_link_error(int error);
void packet_link_lost(struct packet_queue *pq);
void packet_link_poll(struct packet_queue *pq);
int packet_link_gone(struct packet_queue *pq);

/* ledger.c */
void packet_ledger_final(struct packet_queue *pq);
int packet_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err);

static inline struct packet_queue *packet_of(const struct shunt_queue *q)
{
	return (struct packet_queue *)(uintptr_t)q;
}

/* Of the chunk that a socket's read into `data` began in. */
static inline uint64_t packet_offset(const struct packet_queue *pq, const void *data)
{
	return (uint64_t)((const uint8_t *)data - (const uint8_t *)pq->chunks.region->info.base) -
	       PACKET_HEAD;
}

static inline bool packet_stopped(const struct packet_queue *pq)
{
	/* Acquire: orders the flag before the reads of socket and ring; pairs with
	 * packet_socket_stop(). */
	return __atomic_load_n(&pq->stopped, __ATOMIC_ACQUIRE);
}

#endif
