/* SPDX-License-Identifier: BSD-2-Clause
 * Interfaces that were named: may they be used, and what are they?
 */
#ifndef BENCH_LAB_IFACE_H
#define BENCH_LAB_IFACE_H

#include "core/link_list.h"
#include <shunt/err.h>

/* In the caller's namespace. Usage error when there is no such interface, or when a default route,
 * IPv4 or IPv6, leads through it: a run could cut off whoever started it. */
int bench_iface_check(const char *name, struct shunt_err *err);

/* What the kernel says of it, by its name or an alternative one. In the caller's namespace. */
bool bench_iface_find(const char *name, struct shunt_link *found);

#endif
