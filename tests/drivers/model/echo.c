/* SPDX-License-Identifier: BSD-2-Clause
 * For bench/races/instructions: model-echo igb|e1000e FRAMES BURST echo|forward, over cards in
 * plain memory. Only the measured_ functions are counted: receive a burst and send it on the same
 * card, or on another one that has the same region, by the burst that `shunt fwd` runs, with a byte
 * of each frame touched, as ixy's forwarder does. The device's side runs outside of them.
 */
#include "bench/loops/forward.h"
#include "tests/drivers/model/intel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING 1024u

struct cards {
	struct intel_model *from, *to; /* the same one for an echo */
	struct bench_forward f;
};

typedef int measured(struct cards *c, struct shunt_pkt *pkts, unsigned n);
measured measured_echo, measured_forward;

static struct shunt_queue *queue(struct intel_model *m)
{
	return &m->n.queue[0].q;
}

__attribute__((noinline)) int measured_echo(struct cards *c, struct shunt_pkt *pkts, unsigned n)
{
	struct shunt_queue *q = queue(c->from);
	int got = shunt_rx(q, pkts, n);

	return got > 0 ? shunt_tx(q, pkts, (unsigned)got) : got;
}

__attribute__((noinline)) int measured_forward(struct cards *c, struct shunt_pkt *pkts, unsigned n)
{
	(void)pkts;
	return (int)bench_forward_burst(&c->f, &c->f.way[0], queue(c->from), queue(c->to), n);
}

static void arrive(struct intel_model *m, unsigned n)
{
	static const uint8_t frame[60] = {1};

	while (n--)
		model_receive(m, 0, frame, sizeof frame);
}

/* Of the frames that arrive each is sent by the other card, as it lies. */
static unsigned run(struct cards *c, measured *loop, unsigned frames, unsigned burst)
{
	struct shunt_pkt pkts[SHUNT_BURST_MAX];
	unsigned done = 0;

	while (done < frames) {
		arrive(c->from, burst);
		if (loop(c, pkts, burst) != (int)burst || model_transmit(c->to, 0) != burst)
			return 0;
		done += burst;
	}
	return queue(c->to)->stats.user_copies ? 0 : done;
}

/* The first lap is not like the others, and not under the name that is counted. */
static int warm_up(struct cards *c, struct shunt_pkt *pkts, unsigned n)
{
	int got = shunt_rx(queue(c->from), pkts, n);

	shunt_move(queue(c->from), queue(c->to), (unsigned)got);
	return shunt_tx(queue(c->to), pkts, (unsigned)got);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	unsigned frames = (unsigned)atoi(argv[2]), burst = (unsigned)atoi(argv[3]), done;
	bool forward = !strcmp(argv[4], "forward");
	struct model_opts o = {.chip = strcmp(argv[1], "igb") ? &intel_82574 : &intel_82576,
		.rx = RING,
		.tx = RING,
		.spare = 2 * RING + 2 * PCI_CACHE};
	struct cards c = {.from = model_new(&o), .f = {.touch = true}};

	if (!burst || burst > SHUNT_BURST_MAX)
		return 2;
	o.region = c.from->region;
	c.to = forward ? model_new(&o) : c.from;
	c.f.region_id = c.from->region->info.id;
	model_start(c.from);
	if (forward)
		model_start(c.to);
	if (!run(&c, warm_up, RING, burst))
		return 1;
	done = run(&c, forward ? measured_forward : measured_echo, frames, burst);
	printf("%u frames\n", done);
	return !done;
}
