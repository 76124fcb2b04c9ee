/* SPDX-License-Identifier: BSD-2-Clause
 * Insert a VLAN tag where it was on the wire. The kernel removes the outer tag of every frame
 * before a packet socket sees it, and reports it beside the frame (IEEE 802.1Q, 9.5).
 */
#ifndef DRIVERS_PACKET_VLAN_H
#define DRIVERS_PACKET_VLAN_H

#include <shunt/pkt.h>
#include <string.h>

#define VLAN_TAG_LEN 4u
#define VLAN_MACS    12u

/* p->data must have VLAN_TAG_LEN bytes of head-room. Only the two addresses move. */
static inline void packet_vlan_insert(struct shunt_pkt *p, uint16_t tci, uint16_t tpid)
{
	uint8_t *at = (uint8_t *)p->data - VLAN_TAG_LEN;
	const uint8_t tag[VLAN_TAG_LEN] = {
		(uint8_t)(tpid >> 8), (uint8_t)tpid, (uint8_t)(tci >> 8), (uint8_t)tci};

	if (p->len < VLAN_MACS)
		return; /* no Ethernet header: nowhere to put it */
	memmove(at, p->data, VLAN_MACS);
	memcpy(at + VLAN_MACS, tag, sizeof tag);
	p->data = at;
	p->len += VLAN_TAG_LEN;
	p->wire_len += VLAN_TAG_LEN;
	p->vlan_tci = tci;
	p->vlan_tpid = tpid;
	p->flags |= SHUNT_PKT_VLAN;
}

#endif
