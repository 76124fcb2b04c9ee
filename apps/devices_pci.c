/* SPDX-License-Identifier: BSD-2-Clause
 * shunt devices, the PCI part: the network cards and their drivers; bind and unbind, which move one
 * between its kernel driver and vfio-pci or uio_pci_generic. A card with the default route is
 * refused.
 */
#include "apps/app.h"
#include "apps/devices.h"
#include "apps/options.h"
#include "bench/lab/iface.h"
#include "core/table.h"
#include "drivers/pci/cards.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define CARDS 64

static int list(struct pci_info *cards, unsigned *shown, struct shunt_err *err)
{
	int n = pci_list(cards, CARDS, err);

	*shown = n < 0 ? 0 : n < CARDS ? (unsigned)n : CARDS;
	return n;
}

int app_devices_print_pci(struct shunt_err *err)
{
	static const struct shunt_column columns[] = {{"PCI address", SHUNT_LEFT},
		{"id", SHUNT_LEFT}, {"driver", SHUNT_LEFT}, {"interface", SHUNT_LEFT},
		{"IOMMU group", SHUNT_RIGHT}, {"state", SHUNT_LEFT}};
	struct pci_info cards[CARDS];
	unsigned shown;
	int n = list(cards, &shown, err);

	if (n <= 0)
		return n;
	struct shunt_table *table = shunt_table_new(columns, 6);
	int rc = table ? 0 : -ENOMEM;
	for (unsigned i = 0; !rc && i < shown; i++) {
		const struct pci_info *c = &cards[i];
		char id[16], group[16] = "none";
		snprintf(id, sizeof id, "%04x:%04x", c->vendor, c->device);
		if (c->group >= 0)
			snprintf(group, sizeof group, "%d", c->group);
		rc = shunt_table_add(
			table, (const char *[]){c->addr, id, *c->driver ? c->driver : "none",
				       c->ifname, group, pci_state(c)});
	}
	if (rc)
		return shunt_fail(err, rc, NULL, "out of memory");
	printf("\n");
	shunt_table_print(table, stdout, shunt_table_columns(stdout), false);
	shunt_table_free(table);
	if (shown < (unsigned)n)
		printf("and %u more cards\n", (unsigned)n - shown);
	return 0;
}

struct json_t *app_devices_json_pci(void)
{
	struct pci_info cards[CARDS];
	json_t *array = json_array();
	unsigned shown;

	list(cards, &shown, NULL);
	for (unsigned i = 0; i < shown; i++) {
		const struct pci_info *c = &cards[i];
		json_array_append_new(
			array, json_pack("{ss si si ss* ss* so ss}", "address", c->addr, "vendor",
				       c->vendor, "device", c->device, "driver",
				       *c->driver ? c->driver : NULL, "interface",
				       *c->ifname ? c->ifname : NULL, "iommu_group",
				       c->group < 0 ? json_null() : json_integer(c->group), "state",
				       pci_state(c)));
	}
	return array;
}

/* An interface of another network namespace may carry any route: it is refused as well. */
static int refuse_default_route(const struct pci_info *card, struct shunt_err *err)
{
	int rc = *card->ifname ? bench_iface_check(card->ifname, NULL) : 0;

	if (!rc)
		return 0;
	return shunt_fail_usage(err, -EPERM, "use another card, or move the route first",
		"%s is interface %s, %s: the machine could become unreachable", card->addr,
		card->ifname,
		rc == -EPERM ? "which has the default route"
			     : "of another network namespace, whose routes are not visible here");
}

/* driver is NULL to unbind. */
static int bind_one(const char *addr, const char *driver, struct shunt_err *err)
{
	struct pci_info card;
	int rc = pci_find(&card, addr, err);

	if (!rc && driver)
		rc = refuse_default_route(&card, err);
	if (!rc)
		rc = driver ? pci_bind(addr, driver, err) : pci_unbind(addr, err);
	if (!rc)
		rc = pci_find(&card, addr, err);
	if (rc)
		return rc;
	printf("%s: driver %s%s%s, %s\n", card.addr, *card.driver ? card.driver : "none",
		*card.ifname ? ", interface " : "", card.ifname, pci_state(&card));
	return 0;
}

static int read_driver(void *to, const char *text)
{
	*(const char **)to = text;
	return strcmp(text, PCI_VFIO) && strcmp(text, PCI_UIO) ? -EINVAL : 0;
}

/* argv[0] is bind or unbind. Ends at the first failure. */
int app_devices_bind(int argc, char **argv)
{
	bool bind = !strcmp(argv[0], "bind");
	const char *driver = bind ? PCI_VFIO : NULL;
	const struct app_option options[] = {{"driver", APP_CALL, &driver, .read = read_driver,
						     .takes = PCI_VFIO " or " PCI_UIO},
		{0}};
	struct shunt_err err = {.code = 0};
	int rc = app_options(app_verb("devices"), argc, argv, options + !bind, true);

	if (rc)
		return rc;
	if (optind == argc)
		return app_usage(
			app_verb("devices"), "%s takes PCI addresses like 0000:01:00.0", argv[0]);
	for (; optind < argc; optind++)
		if (bind_one(argv[optind], driver, &err))
			return app_fail(&err);
	return 0;
}
