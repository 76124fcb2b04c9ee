/* SPDX-License-Identifier: BSD-2-Clause
 * Where a kernel function's code is, for probes that tell callers apart by return address.
 */
#ifndef TRACING_KALLSYMS_H
#define TRACING_KALLSYMS_H

#include "tracing/shared.h"

#include <stdint.h>

/* Ranges of n named functions; a name that isn't found has an empty one. 0 if any was found, else
 * -errno: -ENOENT, or -EPERM where addresses are hidden (kptr_restrict). */
int shunt_kallsyms_find(const char *const *names, struct trace_range *ranges, unsigned n);

#endif
