/* SPDX-License-Identifier: BSD-2-Clause
 * bench/races/instructions runs this under callgrind: virtio-net's bursts over a device's side in
 * plain memory. What is counted are the measured_ functions alone, so that the device costs
 * nothing. Usage: virtio-loop split|packed FRAMES BURST receive|send|echo|forward; prints how many
 * frames moved. forward: to another card, by the burst that `shunt fwd` runs, with a byte of each
 * touched.
 */
#include "bench/loops/forward.h"
#include "tests/drivers/model/virtio_dev.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__ /* it clones nothing, and does not know the word */
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

typedef int measured(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);
KEPT measured measured_receive, measured_send, measured_echo, measured_forward;

static struct bench_forward fwd = {.touch = true};
static struct shunt_queue *far; /* where measured_forward sends */

int measured_receive(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	int got = shunt_rx(q, pkts, n);

	if (got > 0)
		shunt_release(q, pkts, (unsigned)got);
	return got;
}

int measured_send(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	unsigned got = shunt_alloc(q, pkts, n);

	for (unsigned i = 0; i < got; i++)
		pkts[i].len = 60;
	return shunt_tx(q, pkts, got);
}

int measured_echo(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	int got = shunt_rx(q, pkts, n);

	return got > 0 ? shunt_tx(q, pkts, (unsigned)got) : got;
}

int measured_forward(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	(void)pkts;
	return (int)bench_forward_burst(&fwd, &fwd.way[0], q, far, n);
}

int main(int argc, char **argv)
{
	static struct vmodel b, second;
	struct shunt_region_opts opts = {.chunks = 8192, .no_huge = true};
	struct shunt_region *region;
	struct shunt_pkt pkts[SHUNT_BURST_MAX];

	if (argc != 5 || shunt_region_create(&region, &opts, NULL))
		return 2;
	bool packed = !strcmp(argv[1], "packed");
	if (vmodel_make(&b, region, packed) || vmodel_make(&second, region, packed))
		return 2;
	unsigned frames = (unsigned)atoi(argv[2]), burst = (unsigned)atoi(argv[3]), done = 0;
	measured *loop = !strcmp(argv[4], "receive") ? measured_receive
			 : !strcmp(argv[4], "send")  ? measured_send
			 : !strcmp(argv[4], "echo")  ? measured_echo
						     : measured_forward;
	fwd.region_id = region->info.id;
	far = &second.net.queue->q;
	while (done < frames) {
		if (loop != measured_send)
			vmodel_deliver(&b, burst);
		int n = loop(&b.net.queue->q, pkts, burst);
		if (n <= 0)
			return 1;
		vmodel_send(loop == measured_forward ? &second : &b);
		done += (unsigned)n;
	}
	if (far->stats.user_copies)
		return 1;
	printf("%u\n", done);
	return 0;
}
