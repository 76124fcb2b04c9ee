/* SPDX-License-Identifier: BSD-2-Clause
 * One pass. The order matters: the tracer covers only the window in which packets flow, and the
 * ledger is read once the path has drained.
 */
#include "bench/compare/pass.h"

#include "bench/loops/receiver.h"

#include <errno.h>
#include <string.h>

const char *const bench_pass_names[BENCH_KINDS] = {"rate", "pace", "cost", "count"};

uint64_t bench_lost(const struct bench_result *r)
{
	return r->sent > r->delivered ? r->sent - r->delivered : 0;
}

static unsigned wanted(enum bench_pass_kind kind)
{
	return kind == BENCH_COST ? SHUNT_TRACE_SOFTIRQ : kind == BENCH_COUNT ? SHUNT_TRACE_ALL : 0;
}

struct ticks {
	struct bench_ticks app, generator;
};

static void read_ticks(const struct bench_cores *cores, struct ticks *t)
{
	bench_ticks_read(cores->app, &t->app);
	bench_ticks_read(cores->generator, &t->generator);
}

static double share(uint64_t part, uint64_t total)
{
	return total ? (double)part / (double)total : 0;
}

static void fill_shares(
	const struct bench_pass *pass, const struct ticks *then, struct bench_result *res)
{
	struct ticks now;

	read_ticks(&pass->cores, &now);
	struct bench_ticks gen = bench_ticks_since(&now.generator, &then->generator);
	uint64_t app = pass->kind == BENCH_RATE && res->busy_ns ? res->busy_ns : res->app_cpu_ns;

	res->app_share = share(app, res->elapsed_ns);
	res->generator_share = share(gen.busy, gen.total);
	res->softirq_share = share(gen.softirq, gen.total);
}

/* Packets flow: tracer on, flood, receive, tracer off. */
static int flow(const struct bench_pass *pass, struct shunt_dev *dev, struct bench_receiver *rx,
	struct bench_result *res, struct shunt_err *err)
{
	unsigned what = wanted(pass->kind);
	struct ticks then;
	int rc = 0;

	read_ticks(
		&pass->cores, &then); /* before the tracer: its system calls are not the path's */
	if (what) {
		rc = bench_watch_dev(pass->watch, what, dev,
			pass->sender ? bench_sender_tid(pass->sender) : 0, err);
		if (!rc)
			rc = bench_watch_start(*pass->watch, err);
		if (rc)
			return rc;
	}
	if (pass->sender)
		bench_sender_go(pass->sender, pass->flood);
	bench_receive(rx);
	if (what)
		rc = bench_watch_stop(*pass->watch, &res->trace, err);
	if (pass->sender) {
		struct shunt_err e;
		int sent = bench_sender_wait(pass->sender, &res->flood, &e);
		if (sent && !rc) {
			rc = sent;
			if (err)
				*err = e;
		}
	}
	res->window = rx->delivered;
	res->elapsed_ns = rx->elapsed_ns;
	res->app_cpu_ns = rx->cpu_ns;
	/* A blocking path has no empty polls to exclude, and its bursts include the wait in poll.
	 */
	shunt_get_info(dev, &res->info);
	res->busy_ns = res->info.wait == SHUNT_WAIT_SPIN ? rx->busy_ns : 0;
	fill_shares(pass, &then, res);
	return rc;
}

/* After the flow: drain, then read statistics and ledger. */
static int settle(const struct bench_pass *pass, struct shunt_dev *dev, struct bench_receiver *rx,
	struct bench_result *res, struct shunt_err *err)
{
	shunt_stop(dev, NULL);
	bench_drain(rx);
	shunt_get_stats(dev, &res->stats);
	shunt_get_info(dev, &res->info);
	int rc = shunt_get_ledger(dev, &res->ledger, err);
	if (rc)
		return rc;
	res->bytes = rx->bytes;
	res->delivered =
		res->id.kind == SHUNT_KIND_XDP ? res->ledger.received : res->ledger.delivered;
	res->sent = pass->sender ? res->flood.sent : res->ledger.received;
	res->unsendable = res->flood.unsendable;
	res->offered = res->sent + res->flood.refused + res->unsendable;
	if (res->sent > res->ledger.received)
		res->before_device = res->sent - res->ledger.received;
	if (rx->error && !(pass->stop && *pass->stop))
		return shunt_fail(err, rx->error, NULL, "%s",
			*res->info.gone ? res->info.gone : strerror(-rx->error));
	return 0;
}

int bench_pass_run(const struct bench_pass *pass, struct bench_result *res, struct shunt_err *err)
{
	struct bench_receiver rx = {.sender = pass->sender,
		.expected = pass->frames,
		.duration_ns = pass->duration_ns,
		.touch = true,
		.stop = pass->stop,
		.latency = pass->latency};
	struct shunt_err ignored;

	memset(res, 0, sizeof *res);
	int rc = shunt_open(&rx.dev, pass->spec, SHUNT_RX, err);
	if (rc)
		return rc;
	rc = shunt_start(rx.dev, err);
	if (!rc)
		rc = shunt_wait_link(rx.dev, BENCH_LINK_S, err);
	if (!rc) {
		shunt_queue_identity(shunt_get_queue(rx.dev, 0), &res->id);
		rc = flow(pass, rx.dev, &rx, res, err);
		int settled = settle(pass, rx.dev, &rx, res, rc ? &ignored : err);
		rc = rc ? rc : settled;
	}
	shunt_close(rx.dev, NULL);
	return rc;
}
