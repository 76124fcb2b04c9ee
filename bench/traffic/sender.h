/* SPDX-License-Identifier: BSD-2-Clause
 * The generator's thread: opens a transmit device on its own core and floods on command. One
 * control thread; the generator's queue never leaves its thread.
 */
#ifndef BENCH_TRAFFIC_SENDER_H
#define BENCH_TRAFFIC_SENDER_H

#include <shunt/shunt.h>
#include <stdbool.h>
#include <sys/types.h>

struct bench_sender;

/* Opens spec for transmit on a new thread, pinned to core (-1: not pinned). */
int bench_sender_open(
	struct bench_sender **sender, const char *spec, int core, struct shunt_err *err);
pid_t bench_sender_tid(const struct bench_sender *sender);
void bench_sender_info(const struct bench_sender *sender, struct shunt_info *info);

/* Start flooding. flood and what it points to must stay valid until bench_sender_wait returns. */
void bench_sender_go(struct bench_sender *sender, const struct shunt_flood *flood);
/* True once the flood has ended; *sent is then final. Cheap: for the receive loop. */
bool bench_sender_done(const struct bench_sender *sender, uint64_t *sent);
/* Request the flood to end early. */
void bench_sender_cancel(struct bench_sender *sender);
/* Wait for the end; 0, also for a cancelled flood, or its -errno. */
int bench_sender_wait(
	struct bench_sender *sender, struct shunt_flood_result *result, struct shunt_err *err);
void bench_sender_close(struct bench_sender *sender);

#endif
