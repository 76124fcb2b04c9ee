/* SPDX-License-Identifier: BSD-2-Clause
 * Histogram: merge and quantiles.
 */
#include "core/histogram.h"

static uint64_t upper_edge(unsigned index)
{
	const unsigned b = SHUNT_HIST_STEP_BITS;

	if (index < (1u << b))
		return index;
	unsigned shift = (index >> b) - 1u;
	uint64_t low = (uint64_t)((index & ((1u << b) - 1u)) + (1u << b)) << shift;
	return low + ((uint64_t)1 << shift) - 1u;
}

void shunt_hist_merge(struct shunt_hist *into, const struct shunt_hist *from)
{
	for (unsigned i = 0; i < SHUNT_HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
	into->count += from->count;
	if (from->max > into->max)
		into->max = from->max;
}

uint64_t shunt_hist_quantile(const struct shunt_hist *h, double q)
{
	uint64_t want = (uint64_t)(q * (double)h->count + 0.5), seen = 0;

	if (want == 0)
		want = 1;
	for (unsigned i = 0; i < SHUNT_HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= want) {
			uint64_t edge = upper_edge(i);
			return edge < h->max ? edge : h->max;
		}
	}
	return h->max;
}
