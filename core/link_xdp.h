/* SPDX-License-Identifier: BSD-2-Clause
 * What the driver of an interface says that it can do with XDP. It can change: a veth takes XDP
 * frames only while its peer has NAPI on.
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

/* Bits of the interface in the thread's network namespace. -ENOTSUP before Linux 6.3: nothing is
 * known then; -ENODEV. */
int shunt_link_xdp_features(unsigned ifindex, uint64_t *features);

#endif
