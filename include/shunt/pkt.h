/* SPDX-License-Identifier: BSD-2-Clause
 * A packet descriptor. A burst moves these, never the bytes they point to.
 * The bytes belong to a region (mem.h); a received packet is lent by its queue until it is
 * released to that queue, on that queue's thread, in any order.
 */
#ifndef SHUNT_PKT_H
#define SHUNT_PKT_H

#include <stdint.h>

/* Bursts of this size by default; a driver is never asked for more than SHUNT_BURST_MAX. */
#define SHUNT_BURST     32
#define SHUNT_BURST_MAX 256

/* Where ts_ns came from. CLOCK_REALTIME unless SHUNT_PKT_TS_FILE. */
#define SHUNT_PKT_TS_MASK   0x0000000fu
#define SHUNT_PKT_TS_NONE   0x00000000u /* ts_ns is 0 */
#define SHUNT_PKT_TS_BURST  0x00000001u /* one clock read for the burst: late by up to a burst */
#define SHUNT_PKT_TS_KERNEL 0x00000002u /* kernel software stamp of this packet */
#define SHUNT_PKT_TS_DEVICE 0x00000003u /* hardware stamp */
#define SHUNT_PKT_TS_FILE   0x00000004u /* read from a capture file */

/* What is known of the L4 checksum; unknown when neither bit is set. */
#define SHUNT_PKT_CSUM_GOOD    0x00000010u /* verified by card or kernel */
#define SHUNT_PKT_CSUM_PARTIAL 0x00000020u /* left unfinished by the sender's stack */

#define SHUNT_PKT_OUT   0x00000100u /* seen leaving the interface, not arriving */
#define SHUNT_PKT_VLAN  0x00000400u /* vlan_tci and vlan_tpid are valid; the tag is in data, too */
#define SHUNT_PKT_TRUNC 0x00000800u /* len < wire_len */
#define SHUNT_PKT_HASH  0x00001000u /* hash is valid */
#define SHUNT_PKT_KEPT  0x00002000u /* set by tx: it copied the packet, the caller still has it */

/* The frame goes on in the next packet: all of them are its pieces, each with bytes and a buffer of
 * its own, and come in one burst. The upper half of flags is 0 for a frame of one piece. */
#define SHUNT_PKT_MORE 0x00010000u

struct shunt_pkt {
	void *data;        /* first byte of the Ethernet header */
	uint32_t len;      /* bytes at data, no FCS */
	uint32_t wire_len; /* bytes the frame had on the wire, no FCS */
	uint64_t cookie;   /* the owning queue's; keep it unchanged until release */
	uint64_t ts_ns;    /* see SHUNT_PKT_TS_* */
	uint32_t flags;
	uint16_t region; /* id of the region that data lies in (mem.h) */
	uint16_t queue;  /* index of the queue that owns it */
	uint32_t hash;
	uint16_t vlan_tci;
	uint16_t vlan_tpid; /* host byte order, 0x8100 or 0x88a8 */
};

/* How many frames n packets of a burst are. */
static inline unsigned shunt_frames(const struct shunt_pkt *pkts, unsigned n)
{
	unsigned frames = 0;

	for (unsigned i = 0; i < n; i++)
		frames += !(pkts[i].flags & SHUNT_PKT_MORE);
	return frames;
}

#endif
