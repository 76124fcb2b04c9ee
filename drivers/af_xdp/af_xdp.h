/* SPDX-License-Identifier: BSD-2-Clause
 * af_xdp's own structures. A queue is one AF_XDP socket with its four rings; all queues of a
 * device share one UMEM, so that a packet received on one can be sent on another without a copy,
 * and its pages are pinned (and, with zero-copy, mapped for the NIC) once. A chunk has one owner at
 * a time: the region's pool, a queue's cache, the application (q.out), or the kernel (FILL, RX, TX,
 * COMPLETION and what lies between them).
 */
#ifndef DRIVERS_AF_XDP_AF_XDP_H
#define DRIVERS_AF_XDP_AF_XDP_H

#include "drivers/core/chunks.h"
#include "drivers/core/driver.h"
#include "xdp/redirect.h"

#include <xdp/xsk.h>

#define AFXDP_HEADROOM 256u  /* XDP_PACKET_HEADROOM: the kernel keeps it before a received frame */
#define AFXDP_RESERVE  512u  /* chunks per queue that applications may hold without starving FILL */
#define AFXDP_TX_ROOM  2048u /* TX and COMPLETION descriptors */
#define AFXDP_ZC_CHUNK 4096u /* bytes, the most that a UMEM may have */
#define AFXDP_TX_FILL  64u   /* chunks in a transmit-only queue's FILL: some drivers leak at none */

enum afxdp_mode { AFXDP_AUTO, AFXDP_COPY, AFXDP_ZC };

/* The queue's thread owns it all; stopped is written by the control thread. */
struct xsk_queue {
	struct shunt_queue q;
	struct xsk_ring_cons rx;
	struct xsk_ring_prod fill;
	uint8_t *base; /* of the UMEM */
	uint64_t chunk_mask;
	uint32_t level;  /* chunks in FILL, with the kernel and in RX */
	uint32_t target; /* what level should be */
	uint32_t idle;   /* empty receives in a row */
	struct shunt_chunks chunks;
	uint8_t *held; /* attached region: which chunks the kernel has, by number; else NULL */
	uint16_t region;
	uint8_t shift; /* of a chunk */
	bool zc, wakeup, stopped;
	int fd;
	struct xsk_ring_prod tx;
	struct xsk_ring_cons comp;
	uint32_t tx_out; /* chunks in TX, with the kernel and in COMPLETION */
	uint32_t budget; /* descriptors that a copy-mode sendto takes: reported */
	bool kicked;
	struct xsk_socket *sock;
	uint32_t id; /* the interface's queue number */
} __attribute__((aligned(64)));

struct afxdp {
	enum afxdp_mode mode;
	enum shunt_xdp_attach attach;
	bool drop, all, wakeup, promisc;
	int promisc_fd; /* holds the interface in promiscuous mode, -1 if not */
	uint32_t busy;
	uint64_t queues;  /* covered, bit i = queue i */
	uint32_t devring; /* descriptors in the device's own receive ring; 0 unknown or none */
	uint32_t chunk;   /* bytes, of a region of our own */
	uint32_t rx_size, fill_size, target;
	bool refused; /* the kernel refused zero-copy and fell back */
	struct xsk_umem *umem;
	struct shunt_redirect *prog;
	struct xsk_queue *queue; /* dev->nqueues of them */
};

static inline bool afxdp_can(const struct shunt_dev *dev, enum shunt_dir dir)
{
	return ((unsigned)dev->dir & (unsigned)dir) != 0;
}

/* channels.c: in the thread's network namespace. */
uint32_t afxdp_channels(const char *ifname);
uint32_t afxdp_device_ring(const char *ifname);
/* Does a card take VLAN tags out of frames? Virtual devices say so and do not. */
bool afxdp_strips_tags(const char *ifname);
/* A number below /sys/class/net/IF, -1 if it can't be known. */
long afxdp_setting(const struct shunt_dev *dev, const char *name);

/* socket.c: UMEM, sockets, options. Undone by afxdp_sockets_close, also after a failure. */
int afxdp_sockets_open(struct shunt_dev *dev, struct shunt_err *err);
void afxdp_sockets_close(struct shunt_dev *dev);
int afxdp_statistics(const struct xsk_queue *xq, struct xdp_statistics *stats);
uint32_t afxdp_napi_id(const struct xsk_queue *xq);

/* options.c: optional settings: a note where the kernel refuses. */
void afxdp_set_busy(struct shunt_dev *dev, struct xsk_queue *xq);
void afxdp_set_budget(struct shunt_dev *dev, struct xsk_queue *xq);

/* program.c: the XDP program, closed by shunt_redirect_close. */
int afxdp_program_load(struct shunt_dev *dev, struct shunt_err *err);
int afxdp_program_attach(struct shunt_dev *dev, struct shunt_err *err);

/* bufs.c: the region, the chunks of a queue, and its FILL ring. */
int afxdp_bufs_open(struct shunt_dev *dev, struct shunt_err *err);
void afxdp_bufs_close(struct shunt_dev *dev);
void afxdp_bufs_refill(struct xsk_queue *xq);
void afxdp_bufs_choose(struct xsk_queue *xq);

/* rx.c, tx.c: choose the bursts; send what is left. */
void afxdp_rx_choose(struct xsk_queue *xq);
void afxdp_tx_choose(struct xsk_queue *xq);
void afxdp_tx_stop(struct xsk_queue *xq);
int afxdp_flood(struct shunt_queue *q, const struct shunt_flood *flood,
	struct shunt_flood_result *result, struct shunt_err *err);

/* link.c: has the link gone? One system call; makes the error sticky. look: unless it is known or
 * the device is stopped. wait: at start, for a carrier, some seconds at most. */
int afxdp_link_check(struct xsk_queue *xq);
void afxdp_link_look(struct xsk_queue *xq);
void afxdp_link_wait(struct shunt_dev *dev);

/* ledger.c, info.c */
int afxdp_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err);
void afxdp_describe(struct shunt_dev *dev);
int afxdp_usable(struct shunt_err *err);

#endif
