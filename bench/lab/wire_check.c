/* SPDX-License-Identifier: BSD-2-Clause
 * Which cards a comparison may use: those that exist, are ready, and are not in use.
 */
#include "bench/lab/wire.h"

#include "bench/lab/iface.h"
#include "drivers/core/spec.h"
#include "drivers/pci/cards.h"
#include <shunt/shunt.h>

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

int bench_pci_address(const char *spec, char *buf, size_t size)
{
	struct shunt_spec s;
	struct pci_info info;
	int rc = shunt_spec_parse(&s, spec, NULL);

	if (!rc && strcmp(s.scheme, "pci"))
		rc = -EINVAL;
	if (!rc)
		rc = pci_find(&info, s.target, NULL);
	snprintf(buf, size, "%s", rc ? "" : info.addr);
	return rc;
}

/* IPv6 link-local addresses do not count: the kernel assigns them again. */
static bool has_address(const char *name)
{
	struct ifaddrs *all, *a;
	bool found = false;

	if (getifaddrs(&all))
		return true; /* unknown: the card must not move */
	for (a = all; a && !found; a = a->ifa_next) {
		if (!a->ifa_addr || strcmp(a->ifa_name, name))
			continue;
		const struct sockaddr_in6 *in6 = (const void *)a->ifa_addr;
		found = a->ifa_addr->sa_family == AF_INET ||
			(a->ifa_addr->sa_family == AF_INET6 &&
				!IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr));
	}
	freeifaddrs(all);
	return found;
}

/* Checks that the card can move to another namespace and back without harm. */
static int check_nic(const char *name, struct bench_wire_nic *nic, struct shunt_err *err)
{
	struct shunt_link link;
	struct pci_info info;
	int rc = bench_iface_check(name, err);

	if (rc)
		return rc;
	if (!bench_iface_find(name, &link))
		return shunt_fail(err, -ENODEV, NULL,
			"cannot read the attributes of interface '%.60s'", name);
	if (has_address(link.name))
		return shunt_fail_usage(err, -EPERM,
			"name another one, or remove it with `ip addr flush`",
			"'%.60s' has an address, which it would lose, and its users their "
			"connections",
			name);
	if (link.enslaved)
		return shunt_fail_usage(err, -EBUSY, "name another one, or `ip link set nomaster`",
			"'%.60s' belongs to a bridge or bond", name);
	/* The kernel deletes a virtual one with the namespace that it moved to. */
	if (!pci_is_address(link.bus) || pci_find(&info, link.bus, NULL))
		return shunt_fail_usage(err, -ENODEV,
			"`shunt devices` lists the cards; without --nic the run uses a lab",
			"'%.60s' is no PCI card", name);
	*nic = (struct bench_wire_nic){
		.up = link.up, .ns = -1, .vendor = info.vendor, .device = info.device};
	snprintf(nic->name, sizeof nic->name, "%s", link.name);
	snprintf(nic->driver, sizeof nic->driver, "%s", link.driver);
	snprintf(nic->address, sizeof nic->address, "%s", link.bus);
	return 0;
}

static int try_open(const char *spec, enum shunt_dir dir, struct shunt_err *err)
{
	struct shunt_dev *dev;
	int rc = shunt_open(&dev, spec, dir, err);

	if (!rc)
		shunt_close(dev, NULL);
	return rc;
}

/* Fills from where the sender is a card under a kernel driver. */
static int check_via(const char *via, const struct bench_wire_nic *nic, struct bench_wire_nic *from,
	struct shunt_err *err)
{
	struct shunt_spec spec;
	int rc = shunt_spec_parse(&spec, via, err);

	*from = (struct bench_wire_nic){.ns = -1};
	if (rc)
		return rc;
	if (!strcmp(spec.scheme, "pci"))
		return try_open(via, SHUNT_TX, err);
	if (strcmp(spec.scheme, "packet") && strcmp(spec.scheme, "xdpgen") &&
		strcmp(spec.scheme, "xdp"))
		return shunt_fail_usage(err, -EINVAL,
			"it takes packet:IF, xdp:IF, xdpgen:IF or pci:ADDRESS",
			"--via %.60s: no card that can send", via);
	if (shunt_spec_get(&spec, "netns", NULL))
		return shunt_fail_usage(err, -EINVAL, "leave netns= out",
			"--via %.80s: the run moves the card to a namespace of its own", via);
	rc = check_nic(spec.target, from, err);
	struct shunt_err e = {.kind = SHUNT_ERR_RUN};
	if (!rc && (rc = try_open(via, SHUNT_TX, &e))) {
		if (e.kind ==
			SHUNT_ERR_RUN) /* a card that is down is no error: the run sets it up */
			rc = 0;
		else if (err)
			*err = e;
	}
	if (!rc && !strcmp(from->address, nic->address))
		rc = shunt_fail_usage(err, -EINVAL, "name another card on the same wire",
			"'%.60s' can't be measured and send, too", from->name);
	return rc;
}

int bench_wire_check(
	struct bench_wire *wire, const char *nic, const char *via, struct shunt_err *err)
{
	int rc = check_nic(nic, &wire->nic, err);

	return rc ? rc : check_via(via, &wire->nic, &wire->from, err);
}

int bench_wire_check_pci(const char *spec, const char *via, struct shunt_err *err)
{
	char address[32], sender[32];
	int rc = try_open(spec, SHUNT_RX, err);

	if (!rc && !bench_pci_address(spec, address, sizeof address) &&
		!bench_pci_address(via, sender, sizeof sender) && !strcmp(address, sender))
		rc = shunt_fail_usage(err, -EINVAL, "name another card on the same wire",
			"'%.60s' can't be measured and send, too", address);
	return rc;
}
