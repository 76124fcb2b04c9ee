/* SPDX-License-Identifier: BSD-2-Clause
 * Create, move and configure links by rtnetlink(7), in the calling thread's network namespace. Used
 * by the lab, and by drivers that create an interface.
 */
#ifndef CORE_LINK_H
#define CORE_LINK_H

#include <shunt/err.h>
#include <stdbool.h>
#include <stdint.h>

struct shunt_veth {
	const char *name, *peer;
	int peer_ns; /* fd of the peer's namespace, -1 for the calling thread's */
	uint32_t mtu;
	uint32_t queues; /* receive and transmit queues at both ends; 0 = 1 */
	uint8_t mac[6], peer_mac[6];
};

/* Both ends are created down. -EEXIST, -EPERM, ... */
int shunt_veth_create(const struct shunt_veth *veth, struct shunt_err *err);

int shunt_link_set_up(const char *name, bool up, struct shunt_err *err);
/* Generic receive offload, merging frames up to max_size bytes: 1 enables NAPI and merges nothing,
 * 65536 is the kernel's default. */
int shunt_link_set_gro(const char *name, bool on, uint32_t max_size, struct shunt_err *err);
/* Into another network namespace, where it is down and has no addresses. A physical device returns
 * to the initial network namespace when that one ends (network_namespaces(7)). */
int shunt_link_move(const char *name, int ns, struct shunt_err *err);
int shunt_link_rename(const char *name, const char *to, struct shunt_err *err);
int shunt_link_delete(const char *name, struct shunt_err *err);

#endif
