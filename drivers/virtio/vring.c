/* SPDX-License-Identifier: BSD-2-Clause
 * What split and packed rings share off the fast path: the table of what is out.
 */
#include "drivers/virtio/vring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int vring_init(struct vring *v, uint16_t size, bool in_order, bool event)
{
	memset(v, 0, sizeof *v);
	v->mask = size - 1u;
	v->in_order = in_order;
	v->event = event;
	v->chunk = malloc(size * sizeof *v->chunk);
	v->ids = malloc(size * sizeof *v->ids);
	if (!v->chunk || !v->ids) {
		vring_free(v);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < size; i++)
		v->ids[i] = (uint16_t)i;
	return 0;
}

void vring_free(struct vring *v)
{
	free(v->chunk);
	free(v->ids);
	v->chunk = NULL;
	v->ids = NULL;
}

bool vring_overtaken(uint16_t *ids, uint32_t mask, uint32_t seen, uint32_t next, uint32_t id)
{
	for (uint32_t at = seen; at != next; at++)
		if (ids[at & mask] == id) {
			ids[at & mask] = ids[seen & mask];
			ids[seen & mask] = (uint16_t)id;
			return true;
		}
	return false;
}
