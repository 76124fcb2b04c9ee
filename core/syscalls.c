/* SPDX-License-Identifier: BSD-2-Clause
 * The table itself is generated: see meson.build.
 */
#include "core/syscalls.h"

#include <stddef.h>
#include <sys/syscall.h>

static const char *const names[] = {
#include "syscall_names.inc"
};

const char *shunt_syscall_name(unsigned nr)
{
	return nr < sizeof names / sizeof *names ? names[nr] : NULL;
}
