/* SPDX-License-Identifier: BSD-2-Clause
 * May this interface's own traffic be measured?
 */
#ifndef BENCH_IFACE_H
#define BENCH_IFACE_H

#include <shunt/err.h>

/* In the caller's namespace. Usage error when there is no such interface, or when a default route,
 * IPv4 or IPv6, leads through it: a run could cut off whoever started it. */
int bench_iface_check(const char *name, struct shunt_err *err);

#endif
