/* SPDX-License-Identifier: BSD-2-Clause
 * The windows that are compared: the same for every contender. Usage:
 *   PROGRAM OPTIONS-OF-THE-PORT LOOP,LOOP... BURST,BURST...
 * with the loops send, receive and echo. Prints "LOOP BURST windows=N packets=N short=N" for each,
 * in the order of the plugin's reports.
 * Between windows it sleeps, so that the card has sent all and the host has filled the ring again:
 * longer after each window that was short. No window is left out of the sums.
 */
#include "mark.h"
#include "port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOWS  320u             /* at least; and */
#define PACKETS  1024u            /* at least: some things are done once in many packets */
#define LAP      (2u * PORT_RING) /* packets of a warm-up: more than the ring has */
#define TRIALS   4u
#define SHORT    50u    /* one window in so many may be short of packets */
#define SLEEP_US 20000u /* the longest */
#define EMPTY    500u   /* windows without a packet: the link is dead */

static const struct loop {
	const char *name;
	int (*window)(unsigned n);
} loops[] = {{"send", port_send}, {"receive", port_receive}, {"echo", port_echo}};

struct tally {
	unsigned windows, packets, shorter, empty, sleep_us;
};

/* One window, and the sleep before it. A ring holds a descriptor less than it has, so that of a
 * burst of half a ring one packet may be missing: that is not short. */
static int window(const struct loop *l, unsigned burst, struct tally *t)
{
	usleep(t->sleep_us);
	MARK(MARK_BEGIN);
	int n = l->window(burst);
	MARK(MARK_END);
	if (n < 0)
		return n;
	t->windows++;
	t->packets += (unsigned)n;
	t->empty = n ? 0 : t->empty + 1;
	if ((unsigned)n * 16 < burst * 15) {
		t->shorter++;
		t->sleep_us += t->sleep_us / 2;
		if (t->sleep_us > SLEEP_US)
			t->sleep_us = SLEEP_US;
	}
	return t->empty == EMPTY ? -1 : 0;
}

static int run_packets(
	const struct loop *l, unsigned burst, unsigned windows, unsigned packets, struct tally *t)
{
	int rc = 0;

	*t = (struct tally){.sleep_us = t->sleep_us};
	while (!rc && (t->windows < windows || t->packets < packets))
		rc = window(l, burst, t);
	return rc;
}

static int run(const struct loop *l, unsigned burst)
{
	struct tally t = {.sleep_us = 200};

	/* The first lap is not like the others. Then until the sleep is long enough. */
	int rc = run_packets(l, burst, 0, LAP, &t);
	unsigned trial = 0;
	do {
		MARK(MARK_FORGET);
		rc = rc ? rc : run_packets(l, burst, WINDOWS, PACKETS, &t);
	} while (!rc && t.shorter * SHORT > t.windows && ++trial < TRIALS);
	if (rc)
		return rc;
	MARK(MARK_REPORT);
	printf("%s %u windows=%u packets=%u short=%u\n", l->name, burst, t.windows, t.packets,
		t.shorter);
	fflush(stdout);
	return 0;
}

static int run_bursts(const struct loop *l, const char *bursts)
{
	for (const char *at = bursts; at; at = strchr(at, ','), at += !!at) {
		unsigned burst = (unsigned)atoi(at);
		if (!burst || burst > PORT_BURST || run(l, burst)) {
			fprintf(stderr, "%s %u: the card moves nothing\n", l->name, burst);
			return -1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	int rc = 0, used = port_open(argc, argv);

	if (used < 0)
		return 1;
	if (argc - used != 3) {
		fprintf(stderr, "usage: OPTIONS LOOPS BURSTS, see windows.c\n");
		return 2;
	}
	for (unsigned i = 0; !rc && i < sizeof loops / sizeof *loops; i++)
		if (strstr(argv[used + 1], loops[i].name))
			rc = run_bursts(&loops[i], argv[used + 2]);
	port_close();
	return rc ? 1 : 0;
}
