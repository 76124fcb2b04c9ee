/* SPDX-License-Identifier: BSD-2-Clause
 * What windows.c asks of a contender: one card, one queue pair, rings of PORT_RING descriptors (or
 * as many as the device has), 60-byte frames. One thread.
 */
#ifndef BENCH_RACES_GUEST_PEERS_D_PORT_H
#define BENCH_RACES_GUEST_PEERS_D_PORT_H

#define PORT_RING  512
#define PORT_FRAME 60
#define PORT_BURST 256 /* the most that is asked for */

/* Opens the card that the arguments name and waits for its link; returns how many arguments it
 * used, or says why not and returns -1. */
int port_open(int argc, char **argv);
void port_close(void);

/* A window each: how many packets moved, n at most. A negative result ends the run. */
int port_send(unsigned n);    /* allocate, set the length, transmit */
int port_receive(unsigned n); /* receive, free */
int port_echo(unsigned n);    /* receive, transmit what came */

#endif
