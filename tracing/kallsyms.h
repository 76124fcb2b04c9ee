/* SPDX-License-Identifier: BSD-2-Clause
 * Address ranges of kernel functions, for probes that distinguish callers by return address.
 */
#ifndef TRACING_KALLSYMS_H
#define TRACING_KALLSYMS_H

#include "tracing/shared.h"

#include <stdint.h>

/* Ranges of n named functions; that of a name that is not found is empty. 0 if any was found, else
 * -ENOENT, or -EPERM where addresses are hidden (kptr_restrict). */
int shunt_kallsyms_find(const char *const *names, struct trace_range *ranges, unsigned n);

#endif
