/* SPDX-License-Identifier: BSD-2-Clause
 * Interfaces that the user named: whether they may be used, and their attributes.
 */
#ifndef BENCH_LAB_IFACE_H
#define BENCH_LAB_IFACE_H

#include "core/link_list.h"
#include <shunt/err.h>

/* In the caller's namespace. Usage error when there is no such interface, or when a default route,
 * IPv4 or IPv6, leads through it: a run could disconnect the user. */
int bench_iface_check(const char *name, struct shunt_err *err);

/* The link with this name or alternative name, in the caller's namespace. */
bool bench_iface_find(const char *name, struct shunt_link *found);

#endif
