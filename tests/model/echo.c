/* SPDX-License-Identifier: BSD-2-Clause
 * Echo over a card in plain memory, for bench/instructions: model-echo igb|e1000e FRAMES BURST.
 * Only measured_echo() is counted: receive a burst, send it. The device's side runs outside it.
 */
#include "tests/model/intel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING 1024u

int measured_echo(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n);

__attribute__((noinline)) int measured_echo(
	struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	int got = shunt_rx(q, pkts, n);

	return got > 0 ? shunt_tx(q, pkts, (unsigned)got) : got;
}

static void arrive(struct intel_model *m, unsigned n)
{
	static const uint8_t frame[60] = {1};

	while (n--)
		model_receive(m, 0, frame, sizeof frame);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	unsigned frames = (unsigned)atoi(argv[2]), burst = (unsigned)atoi(argv[3]), done = 0;
	struct model_opts o = {.chip = strcmp(argv[1], "igb") ? &intel_82574 : &intel_82576,
		.rx = RING,
		.tx = RING};
	struct intel_model *m = model_new(&o);
	struct shunt_queue *q = &m->n.queue[0].q;
	struct shunt_pkt pkts[SHUNT_BURST_MAX];

	if (!burst || burst > SHUNT_BURST_MAX)
		return 2;
	model_start(m);
	for (unsigned lap = 0; lap < RING;
		lap += burst) { /* the first lap is not like the others */
		arrive(m, burst);
		shunt_tx(q, pkts, (unsigned)shunt_rx(q, pkts, burst));
		model_transmit(m, 0);
	}
	while (done < frames) {
		arrive(m, burst);
		if (measured_echo(q, pkts, burst) != (int)burst)
			return 1;
		done += burst;
		model_transmit(m, 0);
	}
	printf("%u frames\n", done);
	return 0;
}
