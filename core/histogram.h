/* SPDX-License-Identifier: BSD-2-Clause
 * Log-linear histogram of u64 values: 32 linear steps per power of two, so at most 3.2 % error.
 * One writer; merge to combine threads.
 */
#ifndef CORE_HISTOGRAM_H
#define CORE_HISTOGRAM_H

#include <stdint.h>

#define SHUNT_HIST_STEP_BITS 5u
#define SHUNT_HIST_BUCKETS   ((64u - SHUNT_HIST_STEP_BITS + 1u) << SHUNT_HIST_STEP_BITS)

struct shunt_hist {
	uint64_t count, max;
	uint64_t bucket[SHUNT_HIST_BUCKETS];
};

static inline unsigned shunt_hist_index(uint64_t v)
{
	const unsigned b = SHUNT_HIST_STEP_BITS;

	if (v < (1u << b))
		return (unsigned)v;
	unsigned shift = 63u - (unsigned)__builtin_clzll(v) - b;
	return ((shift + 1u) << b) + (unsigned)((v >> shift) - (1u << b));
}

static inline void shunt_hist_add(struct shunt_hist *h, uint64_t v)
{
	h->bucket[shunt_hist_index(v)]++;
	h->count++;
	if (v > h->max)
		h->max = v;
}

void shunt_hist_merge(struct shunt_hist *into, const struct shunt_hist *from);
/* Upper edge of the bucket that holds quantile q (0..1), never above max; 0 when empty. */
uint64_t shunt_hist_quantile(const struct shunt_hist *h, double q);

#endif
