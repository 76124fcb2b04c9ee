/* SPDX-License-Identifier: BSD-2-Clause
 * Step into a network namespace and back. Affects the calling thread only.
 */
#ifndef CORE_NETNS_H
#define CORE_NETNS_H

#include <stdint.h>

/* Enter ns (an open namespace fd; -1 does nothing). Returns the way back for leave, -1 when
 * nothing was done, or -errno below -1. */
int shunt_netns_enter(int ns);
/* Closes back. Failing to return would run the caller in the wrong place: it aborts nothing, the
 * error is returned and the caller must give up. */
int shunt_netns_leave(int back);
/* Inode of a namespace fd, or of the calling thread's own with ns = -1. 0 when unknown. */
uint64_t shunt_netns_inode(int ns);

#endif
