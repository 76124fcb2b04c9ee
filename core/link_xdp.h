/* SPDX-License-Identifier: BSD-2-Clause
 * The XDP features that the driver of an interface reports. They can change: a veth accepts XDP
 * frames only while NAPI is enabled on its peer.
 */
#ifndef CORE_LINK_XDP_H
#define CORE_LINK_XDP_H

#include <stdint.h>

enum {
	SHUNT_XDP_BASIC = 1,    /* programs, natively */
	SHUNT_XDP_REDIRECT = 2, /* XDP_REDIRECT from a program on it */
	SHUNT_XDP_NDO_XMIT = 4, /* takes frames that are redirected to it */
	SHUNT_XDP_ZEROCOPY = 8, /* AF_XDP zero-copy */
};

/* Feature bits of an interface in the calling thread's network namespace. -ENOTSUP before
 * Linux 6.3, which does not report them; -ENODEV. */
int shunt_link_xdp_features(unsigned ifindex, uint64_t *features);

#endif
