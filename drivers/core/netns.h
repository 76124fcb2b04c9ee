/* SPDX-License-Identifier: BSD-2-Clause
 * Enter a network namespace and return. Affects the calling thread only.
 */
#ifndef DRIVERS_CORE_NETNS_H
#define DRIVERS_CORE_NETNS_H

#include <stdint.h>

/* Enter ns (an open namespace fd; -1 does nothing). Returns what leave needs to return, -1 when
 * nothing was done, or -errno below -1. */
int shunt_netns_enter(int ns);
/* Closes back. On failure the thread is still in the wrong namespace: the error is
 * returned, and the caller must give up. */
int shunt_netns_leave(int back);
/* Inode of a namespace fd, or of the calling thread's own with ns = -1. 0 when unknown. */
uint64_t shunt_netns_inode(int ns);

#endif
