/* SPDX-License-Identifier: BSD-2-Clause
 * The engine: open lab and generator, test the probes, warm up every path, then rounds of passes in
 * shuffled order. A path whose pass fails ends there; the other paths continue.
 */
#include "bench/compare/cards.h"
#include "bench/compare/document.h"
#include "bench/compare/run.h"
#include "bench/compare/selftest.h"
#include "bench/lab/iface.h"
#include "bench/loops/watch.h"

#include "core/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARM_UP_FRAMES 100000u

/* splitmix64. The seed is printed, so that an order can be repeated. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void shuffle(struct bench_run *run, unsigned *order, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	for (unsigned i = n; i > 1; i--) {
		unsigned j = (unsigned)(next_random(&run->rng) % i), t = order[i - 1];
		order[i - 1] = order[j];
		order[j] = t;
	}
}

static void tell(const struct bench_run *run, unsigned done, unsigned total, const char *what)
{
	if (run->opts.progress)
		run->opts.progress(run->opts.ctx, done, total, what);
}

static void give_up(struct bench_run_path *p, enum bench_status status, const char *reason)
{
	p->status = status;
	snprintf(p->reason, sizeof p->reason, "%s", reason);
}

/* Why a path that opened is still unavailable: busy-poll without a NAPI to run. */
static const char *ineffective(const struct bench_run_path *p, const struct bench_result *res)
{
	if (!p->path.busy_poll)
		return NULL;
	for (unsigned i = 0; i < res->info.nfacts; i++)
		if (!strcmp(res->info.facts[i].key, "napi_id") &&
			!strcmp(res->info.facts[i].value, "0"))
			return "SO_INCOMING_NAPI_ID stays 0: this device's driver has no busy-poll "
			       "for AF_XDP";
	if (res->trace.traced && !res->trace.counts.napi_polls_in_app)
		return "no NAPI poll ran in the application's thread: the kernel accepts busy-poll "
		       "here without effect";
	return NULL;
}

static void warm_up(struct bench_run *run, struct bench_run_path *p)
{
	struct bench_result *res = calloc(1, sizeof *res);
	struct shunt_err err = {.code = 0};

	p->record = calloc((size_t)BENCH_KINDS * run->opts.rounds, sizeof *p->record);
	/* Set in p after the warm-up: a cold path's latency is not recorded. */
	struct shunt_hist *latency = calloc(1, sizeof *latency);
	if (!res || !latency || !p->record) {
		give_up(p, BENCH_FAILED, "out of memory");
		free(latency);
		free(res);
		return;
	}
	bool paced = run->work.capture || run->opts.rate > 0;
	double pps = paced && !run->work.speed ? run->paced_pps : 0;
	if (run->opts.iface)
		run->opts.seconds /= 4;
	uint64_t frames = paced ? WARM_UP_FRAMES / 10 : WARM_UP_FRAMES;
	if (pps > 0 && pps < (double)frames)
		frames = (uint64_t)pps; /* one second is enough */
	int rc = bench_one_pass(run, p, BENCH_RATE, frames ? frames : 1, pps, res, &err);
	if (run->opts.iface)
		run->opts.seconds *= 4;
	p->latency = latency;
	const char *why = rc ? err.what : ineffective(p, res);
	if (why)
		give_up(p, BENCH_UNAVAILABLE, why);
	else if (res->elapsed_ns)
		p->max_pps = res->flood.sent_pps;
	free(res);
}

static bool wants(const struct bench_run *run, enum bench_pass_kind kind)
{
	/* A paced rate pass measures latency, too. */
	if (kind == BENCH_PACE)
		return run->opts.rate == 0 && !run->work.capture && run->sender;
#ifndef HAVE_TRACING
	if (kind == BENCH_COST || kind == BENCH_COUNT)
		return false;
#endif
	return true;
}

static void size_pass(const struct bench_run *run, const struct bench_run_path *p,
	enum bench_pass_kind kind, uint64_t *frames, double *pps)
{
	*pps = kind == BENCH_RATE ? run->opts.rate : run->paced_pps;
	if (run->work.capture)
		*pps = kind == BENCH_RATE && run->opts.rate == 0 ? 0 : run->paced_pps;
	*frames = (uint64_t)((*pps > 0 ? *pps : p->max_pps) * run->opts.seconds);
	if (!*frames)
		*frames = 1;
}

static void measure(struct bench_run *run, struct bench_run_path *p, enum bench_pass_kind kind,
	unsigned round, unsigned order)
{
	struct bench_pass_record *rec = &p->record[p->records];
	struct shunt_err err = {.code = 0};
	char what[160];
	uint64_t frames;
	double pps;

	snprintf(what, sizeof what, "round %u of %u: %s, %s", round + 1, run->opts.rounds,
		p->path.name, bench_pass_names[kind]);
	tell(run, run->done++, run->total, what);
	size_pass(run, p, kind, &frames, &pps);
	if (bench_one_pass(run, p, kind, frames, pps, &rec->result, &err)) {
		if (!bench_stopped(run))
			give_up(p, BENCH_FAILED, err.what);
		return;
	}
	if (bench_stopped(run))
		return; /* an interrupted pass is not a result */
	const char *why = ineffective(p, &rec->result);
	if (why) {
		give_up(p, BENCH_UNAVAILABLE, why);
		return;
	}
	rec->kind = kind;
	rec->round = round;
	rec->order = order;
	p->records++;
}

static void rounds(struct bench_run *run)
{
	unsigned order[BENCH_PATHS_MAX];
	unsigned kinds = 0;

	for (int k = 0; k < BENCH_KINDS; k++)
		kinds += wants(run, k);
	for (unsigned i = 0; i < run->npaths; i++)
		run->total += run->path[i].status == BENCH_OK ? kinds * run->opts.rounds : 0;
	for (unsigned round = 0; round < run->opts.rounds; round++)
		for (int k = 0; k < BENCH_KINDS; k++) {
			if (!wants(run, k))
				continue;
			shuffle(run, order, run->npaths);
			for (unsigned i = 0; i < run->npaths && !bench_stopped(run); i++)
				if (run->path[order[i]].status == BENCH_OK)
					measure(run, &run->path[order[i]], k, round, i);
		}
}

static void fill_defaults(struct bench_run *run, const struct bench_compare_opts *given)
{
	struct bench_compare_opts *opts = &run->opts;
	time_t now = time(NULL);
	struct tm tm;

	*opts = *given;
	opts->size = opts->size ? opts->size : BENCH_FRAME_MIN;
	opts->flows = opts->flows ? opts->flows : 1;
	opts->depth = opts->depth ? opts->depth : BENCH_DEPTH;
	opts->seconds = opts->seconds > 0 ? opts->seconds : 5;
	opts->rounds = opts->rounds ? opts->rounds : 5;
	opts->seed = opts->seed ? opts->seed : shunt_clock(CLOCK_REALTIME) % 1000000007u;
	run->rng = opts->seed;
	run->paced_pps = opts->rate > 0  ? opts->rate
			 : opts->traffic ? BENCH_CAPTURE_PPS
					 : BENCH_PACED_PPS;
	strftime(run->started, sizeof run->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

static int pick_paths(struct bench_run *run, struct shunt_err *err)
{
	struct bench_paths *paths = calloc(1, sizeof *paths);
	const struct bench_compare_opts *opts = &run->opts;

	if (!paths)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	int rc = bench_paths_pick(paths, opts->paths, opts->specs, opts->nspecs,
		opts->iface ? opts->iface
		: opts->nic ? opts->nic
			    : BENCH_NEAR,
		opts->depth, opts->iface && !opts->take_traffic, err);
	for (unsigned i = 0; i < paths->n; i++) {
		run->path[i].path = paths->path[i];
		run->npaths = i + 1;
		if (!rc && !opts->nic && bench_path_is_pci(&paths->path[i]))
			rc = shunt_fail_usage(err, -EINVAL,
				"--nic IF names the kernel's NIC, --via SPEC the sender to both",
				"the lab's frames reach no PCI card: '%.60s' needs a wire",
				paths->path[i].spec);
	}
	if (!rc && opts->nic)
		rc = bench_wire_check(&run->wire, opts->nic, opts->via, err);
	for (unsigned i = 0; !rc && i < run->npaths; i++)
		if (bench_path_is_pci(&run->path[i].path))
			rc = bench_wire_check_pci(run->path[i].path.spec, opts->via, err);
	free(paths);
	return rc;
}

static int open_generator(struct bench_run *run, struct shunt_err *err)
{
	const char *at = run->opts.packet_generator ? "packet:" BENCH_FAR "?mode=mmsg&netns="
						    : "xdpgen:" BENCH_FAR "?netns=";
	char spec[96];

	snprintf(spec, sizeof spec, "%s%s", at, run->lab.far_path);
	int rc = bench_sender_open(&run->sender, spec, run->cores.generator, err);
	if (rc && err && !run->opts.packet_generator && !*err->remedy)
		snprintf(err->remedy, sizeof err->remedy, "--generator packet works without BPF");
	return rc;
}

static int open_workload(struct bench_run *run, struct shunt_err *err)
{
	const struct bench_compare_opts *opts = &run->opts;

	if (opts->traffic)
		return bench_workload_capture(
			&run->work, opts->traffic, opts->speed, BENCH_MTU + 18, err);
	return bench_workload_synthetic(&run->work, opts->size, opts->flows, err);
}

static void note_machine(struct bench_run *run)
{
	bench_machine_read(&run->machine);
	bench_ticks_read(-1, &run->ticks0);
	if (run->cores.allowed < 2)
		bench_warn(run, "one core only: generator and application share it, so that no "
				"rate here is the path's");
	if (run->machine.emulated)
		bench_warn(run, "this CPU is emulated (QEMU TCG): times and rates measure the "
				"emulation; only counts are valid");
	if (run->machine.load[0] > run->machine.cores * 0.5)
		bench_warn(run, "the machine was busy when the run began (load %.2f on %u cores)",
			run->machine.load[0], run->machine.cores);
#ifdef HAVE_TRACING
	run->null_syscall = shunt_null_syscall();
	run->cost_probes = shunt_trace_probe_cost(SHUNT_TRACE_SOFTIRQ);
	run->count_probes = shunt_trace_probe_cost(SHUNT_TRACE_ALL);
#else
	run->null_syscall = shunt_unavailable("ns", "built without tracing");
	run->cost_probes = run->count_probes = run->null_syscall;
#endif
}

/* A usage error in a --path is reported before minutes are spent; a path that this machine can't
 * run is not an error. */
static int check_specs(struct bench_run *run, struct shunt_err *err)
{
	for (unsigned i = 0; i < run->npaths; i++) {
		struct bench_run_path *p = &run->path[i];
		struct shunt_err e = {.kind = SHUNT_ERR_RUN};
		struct shunt_dev *dev;
		bench_place(run, &p->path, p->spec, sizeof p->spec);
		int rc = shunt_open(&dev, p->spec, SHUNT_RX, &e);
		if (!rc)
			shunt_close(dev, NULL);
		else if (e.kind == SHUNT_ERR_USAGE && !p->path.summary) { /* of a --path */
			*err = e;
			return rc;
		}
	}
	return 0;
}

static int prepare(struct bench_run *run, struct shunt_err *err)
{
	struct bench_lab_opts lab = {.merge = run->opts.gro};
	int rc = pick_paths(run, err);

	if (!rc && run->opts.iface)
		rc = bench_iface_check(run->opts.iface, err);
	if (!rc)
		rc = open_workload(run, err);
	if (!rc)
		rc = bench_lab_open(&run->lab, &lab, err);
	if (!rc && run->opts.nic)
		rc = bench_wire_open(&run->wire, run->opts.via, &run->lab, err);
	if (!rc)
		rc = check_specs(run, err);
	if (!rc)
		rc = bench_cores_pick(&run->cores, err);
	if (!rc)
		rc = bench_pin(run->cores.app, err);
	if (!rc)
		rc = open_generator(run, err);
	if (!rc && run->opts.nic)
		rc = bench_sender_open(&run->via, run->wire.via, run->cores.generator, err);
	return rc;
}

static int perform(struct bench_run *run, struct shunt_err *err)
{
	int rc = run->opts.nic ? bench_cards_probe(run, err) : 0;

	if (rc)
		return rc;
	note_machine(run);
	tell(run, 0, 0, "self-tests of the probes");
	rc = bench_selftests(run, err);
	if (rc)
		return rc;
	/* The lab's generator served the self-tests; the run itself has another, or none. */
	if (run->opts.iface || run->opts.nic) {
		bench_sender_close(run->sender);
		run->sender = run->via;
		run->via = NULL;
	}
	for (unsigned i = 0; i < run->npaths && !bench_stopped(run); i++) {
		tell(run, 0, 0, run->path[i].path.name);
		warm_up(run, &run->path[i]);
	}
	rounds(run);
	if (run->opts.nic)
		bench_cards_warn(run);
	return 0;
}

/* NICs return to their namespace before the lab's are closed. */
static int free_run(struct bench_run *run, struct shunt_err *err)
{
	bench_watch_close(run->watch);
	bench_sender_close(run->sender);
	bench_sender_close(run->via);
	int rc = bench_wire_close(&run->wire, err);
	bench_lab_close(&run->lab);
	bench_workload_free(&run->work);
	for (unsigned i = 0; i < run->npaths; i++) {
		free(run->path[i].record);
		free(run->path[i].latency);
	}
	free(run);
	return rc;
}

int bench_compare(const struct bench_compare_opts *opts, json_t **document, struct shunt_err *err)
{
	struct bench_run *run = calloc(1, sizeof *run);

	*document = NULL;
	if (!run)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	run->lab.near_ns = run->lab.far_ns = run->wire.home = -1;
	fill_defaults(run, opts);
	int rc = prepare(run, err);
	if (!rc)
		rc = perform(run, err);
	if (!rc) {
		*document = bench_document(run);
		rc = bench_interrupted(run, err);
	}
	int freed = free_run(run, rc ? NULL : err);
	return rc ? rc : freed;
}
