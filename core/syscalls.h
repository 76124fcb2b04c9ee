/* SPDX-License-Identifier: BSD-2-Clause
 * Names of system calls by number, generated from the C library's headers when building.
 */
#ifndef CORE_SYSCALLS_H
#define CORE_SYSCALLS_H

/* "recvmmsg"; NULL for a number that these headers don't name. */
const char *shunt_syscall_name(unsigned nr);

#endif
