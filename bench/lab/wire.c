/* SPDX-License-Identifier: BSD-2-Clause
 * Moves the cards of a comparison into the lab's namespaces, and back.
 */
#include "bench/lab/wire.h"

#include "bench/lab/iface.h"
#include "core/ifreq.h"
#include "core/link.h"
#include "core/netns.h"
#include "drivers/core/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int take(struct bench_wire_nic *nic, int ns, struct shunt_err *err)
{
	int rc = shunt_link_move(nic->name, ns, err);

	if (rc)
		return rc;
	nic->moved = true;
	nic->ns = ns;
	int back = shunt_netns_enter(ns);
	if (back < -1)
		return shunt_fail(err, back, NULL, "cannot enter the lab: %s", strerror(-back));
	rc = shunt_link_set_up(nic->name, true, err);
	shunt_netns_leave(back);
	return rc;
}

static int settle(const struct bench_wire_nic *nic, struct shunt_err *err)
{
	if (!nic->moved)
		return 0;
	int back = shunt_netns_enter(nic->ns);
	if (back < -1)
		return shunt_fail(err, back, NULL, "cannot enter the lab: %s", strerror(-back));
	int rc = shunt_if_wait(nic->name, BENCH_LINK_S, err);
	shunt_netns_leave(back);
	return rc;
}

int bench_wire_open(struct bench_wire *wire, const char *via, const struct bench_lab *lab,
	struct shunt_err *err)
{
	wire->home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (wire->home < 0)
		return shunt_fail(err, -errno, "mount /proc",
			"cannot open this thread's namespace: %s", strerror(errno));
	snprintf(wire->via, sizeof wire->via, "%s", via);
	if (*wire->from.name)
		shunt_spec_add(wire->via, sizeof wire->via, via, "netns", lab->far_path);
	int rc = take(&wire->nic, lab->near_ns, err);
	if (!rc && *wire->from.name)
		rc = take(&wire->from, lab->far_ns, err);
	/* Both links negotiate at the same time. */
	if (!rc)
		rc = settle(&wire->nic, err);
	return rc ? rc : settle(&wire->from, err);
}

static int restore(struct bench_wire_nic *nic, int home, struct shunt_err *err)
{
	if (!nic->moved)
		return 0;
	nic->moved = false;
	int back = shunt_netns_enter(nic->ns);
	if (back < -1)
		return shunt_fail(err, back, NULL, "cannot enter the lab: %s", strerror(-back));
	int rc = shunt_link_move(nic->name, home, err);
	shunt_netns_leave(back);
	return rc || !nic->up ? rc : shunt_link_set_up(nic->name, true, err);
}

int bench_wire_close(struct bench_wire *wire, struct shunt_err *err)
{
	if (wire->home < 0)
		return 0;
	int rc = restore(&wire->nic, wire->home, err);
	int other = restore(&wire->from, wire->home, rc ? NULL : err);

	close(wire->home);
	wire->home = -1;
	return rc ? rc : other;
}

bool bench_wire_count(const struct bench_wire *wire, struct bench_card_counts *counts)
{
	struct shunt_link link;
	int back = shunt_netns_enter(wire->nic.ns);

	if (back < -1)
		return false;
	bool found = bench_iface_find(wire->nic.name, &link);
	shunt_netns_leave(back);
	if (found)
		*counts = (struct bench_card_counts){.packets = link.rx_packets,
			.missed = link.rx_missed,
			.bad = link.rx_errors};
	return found;
}
