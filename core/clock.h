/* SPDX-License-Identifier: BSD-2-Clause
 * Clocks, in ns. A read takes tens of ns through the vDSO (clock source tsc), else a system call.
 */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t shunt_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t shunt_now(void)
{
	return shunt_clock(CLOCK_MONOTONIC);
}

/* A system call: not for the fast path. */
static inline uint64_t shunt_thread_cpu(void)
{
	return shunt_clock(CLOCK_THREAD_CPUTIME_ID);
}

#endif
