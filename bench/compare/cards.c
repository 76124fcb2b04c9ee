/* SPDX-License-Identifier: BSD-2-Clause
 * A comparison's NICs: a probe whether frames arrive, warnings, and their JSON form.
 */
#include "bench/compare/cards.h"

#include "drivers/pci/cards.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_FRAMES 100u
#define PROBE_PPS    1000.0
#define PROBES       3 /* a switch may need a moment after a card's reset */

static int probe(struct bench_run *run, const struct bench_path *path, const char *name,
	struct shunt_err *err)
{
	struct bench_run_path *p = calloc(1, sizeof *p);
	struct bench_result *res = calloc(1, sizeof *res);
	int rc = p && res ? 0 : shunt_fail(err, -ENOMEM, NULL, "out of memory");

	if (!rc) {
		p->path = *path;
		bench_place(run, path, p->spec, sizeof p->spec);
	}
	for (int i = 0; !rc && !res->delivered && i < PROBES && !bench_stopped(run); i++)
		rc = bench_one_pass(run, p, BENCH_RATE, PROBE_FRAMES, PROBE_PPS, res, err);
	if (!rc && !res->delivered && !bench_stopped(run))
		rc = shunt_fail(err, -EIO, "put them on one hub, switch or cable",
			"nothing arrives at %.40s: none of the %u frames sent through %.80s", name,
			PROBES * PROBE_FRAMES, run->opts.via);
	free(res);
	free(p);
	return rc;
}

int bench_cards_probe(struct bench_run *run, struct shunt_err *err)
{
	struct bench_sender *lab = run->sender;
	struct bench_path kernel = {.polls = true};

	run->sender = run->via;
	snprintf(kernel.spec, sizeof kernel.spec, "packet:%s?mode=mmsg&wait=poll",
		run->wire.nic.name);
	int rc = probe(run, &kernel, run->wire.nic.name, err);
	for (unsigned i = 0; !rc && i < run->npaths; i++)
		if (bench_path_is_pci(&run->path[i].path))
			rc = probe(run, &run->path[i].path, run->path[i].path.name, err);
	run->sender = lab;
	return rc ? rc : bench_interrupted(run, err);
}

/* Frames of other hosts on the wire are counted as the run's. */
static void warn_of_strays(struct bench_run *run, const struct bench_run_path *p)
{
	uint64_t strays = 0;

	for (unsigned i = 0; i < p->records; i++) {
		const struct bench_result *r = &p->record[i].result;
		if (r->ledger.received > r->sent)
			strays += r->ledger.received - r->sent;
	}
	if (strays)
		bench_warn(run,
			"%s received %" PRIu64
			" frames that the run did not send: other hosts share the wire",
			p->path.name, strays);
}

void bench_cards_warn(struct bench_run *run)
{
	const struct bench_wire_nic *nic = &run->wire.nic;
	char address[32];
	struct pci_info info;

	if (*run->machine.virt && !run->machine.emulated)
		bench_warn(run, "a virtual machine: where its cards are emulated, times and rates "
				"measure the emulation");
	for (unsigned i = 0; i < run->npaths; i++) {
		const struct bench_run_path *p = &run->path[i];
		warn_of_strays(run, p);
		if (!bench_path_is_pci(&p->path) ||
			bench_pci_address(p->path.spec, address, sizeof address) ||
			pci_find(&info, address, NULL))
			continue;
		if (info.vendor != nic->vendor || info.device != nic->device)
			bench_warn(run,
				"%s is %04x:%04x and %s is %04x:%04x: the NIC models differ, and "
				"so may their results",
				address, info.vendor, info.device, nic->name, nic->vendor,
				nic->device);
	}
}

static void add_card(
	json_t *cards, const char *role, const char *name, const char *driver, const char *address)
{
	struct pci_info info = {.vendor = 0};

	pci_find(&info, address, NULL);
	json_array_append_new(cards,
		json_pack("{s:s, s:s, s:s, s:s, s:i, s:i}", "role", role, "name", name, "driver",
			driver, "address", address, "vendor", info.vendor, "device", info.device));
}

/* shunt's driver is the first word of the fact "nic": "igb 8086:10c9". */
static void add_pci(
	json_t *cards, const char *role, const char *spec, const struct shunt_info *info)
{
	char address[32], driver[80] = "vfio-pci";

	for (unsigned i = 0; info && i < info->nfacts; i++)
		if (!strcmp(info->facts[i].key, "nic"))
			snprintf(driver, sizeof driver, "shunt's %.*s over vfio-pci",
				(int)strcspn(info->facts[i].value, " "), info->facts[i].value);
	if (!bench_pci_address(spec, address, sizeof address))
		add_card(cards, role, address, driver, address);
}

json_t *bench_cards_json(const struct bench_run *run)
{
	json_t *cards = json_array();
	struct shunt_info info;

	if (!run->opts.nic)
		return cards;
	add_card(cards, "kernel", run->wire.nic.name, run->wire.nic.driver, run->wire.nic.address);
	for (unsigned i = 0; i < run->npaths; i++) {
		const struct bench_run_path *p = &run->path[i];
		if (bench_path_is_pci(&p->path))
			add_pci(cards, "bypass", p->path.spec,
				p->records ? &p->record[0].result.info : NULL);
	}
	if (*run->wire.from.name) {
		add_card(cards, "sender", run->wire.from.name, run->wire.from.driver,
			run->wire.from.address);
	} else if (run->sender) {
		bench_sender_info(run->sender, &info);
		add_pci(cards, "sender", run->opts.via, &info);
	}
	return cards;
}
