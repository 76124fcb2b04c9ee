/* SPDX-License-Identifier: BSD-2-Clause
 * Counters of a queue, the loss ledger of a device, and the names of losses and of facts.
 * A queue's counters are written by the queue's thread with relaxed atomic stores, and may be
 * read by any thread at any time.
 */
#ifndef SHUNT_STATS_H
#define SHUNT_STATS_H

#include <shunt/err.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shunt_qstats {
	uint64_t rx_packets, rx_bytes; /* handed to the application */
	uint64_t rx_bursts;            /* shunt_rx calls that returned packets */
	uint64_t rx_empty;             /* shunt_rx calls that returned none */
	uint64_t tx_packets, tx_bytes; /* taken from the application */
	uint64_t tx_bursts;
	uint64_t tx_short;    /* shunt_tx calls that took fewer than they were offered */
	uint64_t tx_errors;   /* frames that were taken and then refused by the device */
	uint64_t user_copies; /* packets that the driver itself copied (a region it is not attached
				 to) */
	uint64_t user_copied_bytes;
	uint64_t syscalls; /* system calls that the driver made in bursts: its own count */
};

#define SHUNT_LEDGER_MAX 16

/* Keys of facts (struct shunt_info). A key means the same on every driver that has it;
 * tests/docs/names.sh holds drivers to this list.
 *
 *   action           what the XDP program does: redirect, drop, pass, none
 *   attach           how the XDP program is attached: native, skb, none
 *   busy             busy polling: its budget, or off
 *   depth            frames that wait for the application at most, as granted, and where they wait;
 *                    of a receiving device it begins with their number
 *   direction        in, or both: whether frames that leave the interface are seen, too
 *   dma              iommu, or phys: how the card's addresses are made
 *   event_idx        virtio: VIRTIO_F_EVENT_IDX was negotiated
 *   huge_pages       the region's memory is of huge pages: yes, no
 *   in_order         virtio: VIRTIO_F_IN_ORDER was negotiated
 *   iommu_group      of the PCI function
 *   link             speed
 *   longest          bytes of the longest frame that is received
 *   mac              address
 *   mergeable        virtio: VIRTIO_NET_F_MRG_RXBUF was negotiated
 *   mode             AF_XDP: copy, zero-copy
 *   napi_id          of the first queue's NAPI instance, 0 = none
 *   need_wakeup      AF_XDP: XDP_USE_NEED_WAKEUP is on, off
 *   nic              the driver of the card, and its PCI ids
 *   order            virtio: how rings are ordered: platform (VIRTIO_F_ORDER_PLATFORM), smp
 *   promisc          the interface receives what is addressed to others, too
 *   qdisc            bypassed, kept
 *   queues           how many, or which
 *   receive          the system call or ring: recvmsg, recvmmsg, TPACKET_V3
 *   refused_counted  xdpgen: the interface counts XDP frames that it refuses
 *   ring             virtio: split, packed
 *   sent_by_device   frames that the card counted as sent
 *   socket           where it came from, if it was given
 *   spare_veth       xdpgen: it made a veth of its own
 *   stamp            where time stamps come from: kernel, none
 *   transmit         the system call: sendto, sendmmsg
 *   tx_budget        AF_XDP: frames per call of sendto in copy mode
 *   waited_for_descriptor  times that the card found no descriptor
 *   wait             what an empty receive does: spin, poll, adaptive, block */

/* Classes of loss. A name means the same on every driver that has the class; tests/docs/names.sh
 * holds drivers to this list.
 *   bad_descriptor  the device wrote a length or status that cannot be
 *   bad_frame       damaged, too short or too long: dropped by the card
 *   device_drop     no room in the device's own buffer
 *   fill_empty      no free chunk for the kernel to receive into: the application held too many
 *   filter          addressed to another station
 *   no_socket       arrived on a queue that the device does not cover
 *   ring_full       no free descriptor: the application was too slow
 *   shutdown        received, and not fetched by rx before the end
 *   socket_full     the socket's buffer was full: the application was too slow
 *   too_long        longer than a chunk, or than the chunks of a burst
 *   xdp_drop        dropped by the XDP program, as asked (action=drop) */
struct shunt_loss {
	const char *name;
	const char *what; /* one sentence for people: who lost it, where the count was read */
	uint64_t count;
};

/* received = delivered + every loss + unaccounted. received is counted independently of
 * delivered (by kernel, BPF program or card), so that unaccounted can be wrong: it must be 0 once a
 * device is stopped, and it is negative when more was delivered than received. */
struct shunt_ledger {
	uint64_t received;
	const char *received_source; /* who counted it */
	uint64_t delivered;
	struct shunt_loss loss[SHUNT_LEDGER_MAX];
	unsigned losses;
	int64_t unaccounted;
};

#ifdef __cplusplus
}
#endif
#endif
