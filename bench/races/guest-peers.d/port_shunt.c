/* SPDX-License-Identifier: BSD-2-Clause
 * shunt as a contender. Arguments: the device's spec.
 */
#include "port.h"

#include <shunt/shunt.h>
#include <stdio.h>

static struct shunt_dev *dev;
static struct shunt_queue *q;
static struct shunt_pkt pkts[PORT_BURST];

int port_open(int argc, char **argv)
{
	struct shunt_err err = {.code = 0};

	if (argc < 2 || shunt_open(&dev, argv[1], SHUNT_RXTX, &err) || shunt_start(dev, &err)) {
		fprintf(stderr, "shunt: %s\n", argc < 2 ? "no device" : err.what);
		return -1;
	}
	q = shunt_get_queue(dev, 0);
	return 1;
}

void port_close(void)
{
	shunt_close(dev, NULL);
}

/* What a ring does not take goes back. */
static int transmit(unsigned n)
{
	int sent = shunt_tx(q, pkts, n);

	if (sent >= 0 && (unsigned)sent < n)
		shunt_release(q, pkts + sent, n - (unsigned)sent);
	return sent;
}

int port_send(unsigned n)
{
	n = shunt_alloc(q, pkts, n);
	for (unsigned i = 0; i < n; i++)
		pkts[i].len = PORT_FRAME;
	return transmit(n);
}

/* A driver may give less than it has: until the burst is full, or nothing more comes. */
static int receive(unsigned n)
{
	unsigned got = 0;
	int some;

	do {
		some = shunt_rx(q, pkts + got, n - got);
		got += some > 0 ? (unsigned)some : 0;
	} while (got < n && some > 0);
	return some < 0 ? some : (int)got;
}

int port_receive(unsigned n)
{
	int got = receive(n);

	if (got > 0)
		shunt_release(q, pkts, (unsigned)got);
	return got;
}

int port_echo(unsigned n)
{
	int got = receive(n);

	return got > 0 ? transmit((unsigned)got) : got;
}
