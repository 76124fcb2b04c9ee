/* SPDX-License-Identifier: BSD-2-Clause
 * shunt devices: drivers, network interfaces and PCI network cards.
 */
#include "apps/devices.h"
#include "apps/options.h"
#include "apps/verbs.h"
#include "bench/report/json.h"
#include "core/link_list.h"
#include "core/table.h"
#include "core/text.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define LINKS 256

const char app_devices_usage[] =
	"[-v] [--json]\n"
	"       shunt devices bind [--driver NAME] ADDRESS...\n"
	"       shunt devices unbind ADDRESS...\n"
	"  Lists the drivers: whether each is usable here, or why not, with a remedy, the "
	"default\n"
	"  of depth=, and the memory per queue with it. Then the network interfaces of this "
	"namespace, and the PCI "
	"network\n"
	"  cards with driver, IOMMU group and state.\n"
	"  bind            unbind cards from their kernel drivers and bind them to vfio-pci, for "
	"pci:ADDRESS\n"
	"                  --driver uio_pci_generic: without an IOMMU, for pci:ADDRESS?dma=phys\n"
	"  unbind          return cards to their kernel drivers\n"
	"  -v, --verbose   also the keys of each driver and an example\n"
	"  --json          one JSON document, nothing else on stdout";

static const char *directions(unsigned dirs)
{
	return dirs == SHUNT_RXTX ? "rx, tx" : dirs == SHUNT_RX ? "rx" : "tx";
}

static void print_table(struct shunt_table *table)
{
	shunt_table_print(table, stdout, shunt_table_columns(stdout), false);
	shunt_table_free(table);
}

/* Below the table: why drivers are not usable; with -v all drivers, with keys and an example. */
static void print_more(bool verbose)
{
	struct shunt_driver_info d;
	struct shunt_err err = {.code = 0};
	unsigned width = app_columns();
	char line[640];

	for (unsigned i = 0; !shunt_driver_at(i, &d, &err); i++) {
		if (verbose || d.usable)
			printf("\n%s: %s\n", d.scheme, d.summary);
		if (d.usable) {
			snprintf(line, sizeof line, "%s%s%s", err.what, *err.remedy ? ": " : "",
				err.remedy);
			shunt_text_wrap(stdout, "  not usable here: ", line, width);
		}
		if (verbose) {
			shunt_text_wrap(stdout, "  keys: ", d.keys, width);
			printf("  example: %s\n", d.example);
		}
	}
}

static int print_drivers(bool verbose)
{
	static const struct shunt_column columns[] = {{"driver", SHUNT_LEFT}, {"does", SHUNT_LEFT},
		{"depth", SHUNT_RIGHT}, {"MiB per queue", SHUNT_RIGHT},
		{"usable here", SHUNT_LEFT}};
	struct shunt_table *table = shunt_table_new(columns, sizeof columns / sizeof *columns);
	struct shunt_driver_info d;
	int rc = table ? 0 : -ENOMEM;

	for (unsigned i = 0; !rc && !shunt_driver_at(i, &d, NULL); i++) {
		char memory[32], depth[16];
		snprintf(depth, sizeof depth, "%u", d.depth);
		snprintf(memory, sizeof memory, "%.1f", (double)d.memory / (1 << 20));
		rc = shunt_table_add(table, (const char *[]){d.scheme, directions(d.dirs), depth,
						    memory, d.usable ? "no" : "yes"});
	}
	if (rc)
		return rc;
	print_table(table);
	print_more(verbose);
	return 0;
}

static int print_links(const struct shunt_link *links, unsigned n)
{
	static const struct shunt_column columns[] = {{"interface", SHUNT_LEFT},
		{"driver", SHUNT_LEFT}, {"state", SHUNT_LEFT}, {"MTU", SHUNT_RIGHT},
		{"rx queues", SHUNT_RIGHT}, {"tx queues", SHUNT_RIGHT},
		{"XDP program", SHUNT_LEFT}};
	struct shunt_table *table = shunt_table_new(columns, 7);
	int rc = table ? 0 : -ENOMEM;

	for (unsigned i = 0; !rc && i < n; i++) {
		const struct shunt_link *l = &links[i];
		char mtu[16], rx[16], tx[16], xdp[48] = "";
		snprintf(mtu, sizeof mtu, "%u", l->mtu);
		snprintf(rx, sizeof rx, "%u", l->rx_queues);
		snprintf(tx, sizeof tx, "%u", l->tx_queues);
		if (l->xdp)
			snprintf(xdp, sizeof xdp, "id %u, %s", l->xdp_prog_id, l->xdp);
		rc = shunt_table_add(table, (const char *[]){l->name, l->driver,
						    !l->up       ? "down"
						    : l->carrier ? "up"
								 : "no carrier",
						    mtu, rx, tx, xdp});
	}
	if (rc)
		return rc;
	printf("\n");
	print_table(table);
	return 0;
}

static json_t *json_drivers(void)
{
	struct shunt_driver_info d;
	struct shunt_err err = {.code = 0};
	json_t *list = json_array();

	for (unsigned i = 0; !shunt_driver_at(i, &d, &err); i++) {
		json_array_append_new(
			list, json_pack("{ss ss ss ss sb sb ss si sI sb ss* ss*}", "name", d.name,
				      "scheme", d.scheme, "summary", d.summary, "example",
				      d.example, "receives", !!(d.dirs & SHUNT_RX), "transmits",
				      !!(d.dirs & SHUNT_TX), "keys", d.keys, "depth", (int)d.depth,
				      "queue_bytes", (json_int_t)d.memory, "usable", !d.usable,
				      "reason", d.usable ? err.what : NULL, "remedy",
				      d.usable && *err.remedy ? err.remedy : NULL));
		err = (struct shunt_err){.code = 0};
	}
	return list;
}

static json_t *json_links(const struct shunt_link *links, unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++) {
		const struct shunt_link *l = &links[i];
		json_t *one =
			json_pack("{so si ss* sb sb si si si}", "name", bench_json_text(l->name),
				"index", (int)l->index, "driver", *l->driver ? l->driver : NULL,
				"up", l->up, "carrier", l->carrier, "mtu", (int)l->mtu, "rx_queues",
				(int)l->rx_queues, "tx_queues", (int)l->tx_queues);
		if (l->xdp)
			json_object_set_new(one, "xdp",
				json_pack("{ss sI}", "mode", l->xdp, "program_id",
					(json_int_t)l->xdp_prog_id));
		json_array_append_new(list, one);
	}
	return list;
}

int app_devices(int argc, char **argv)
{
	static struct shunt_link links[LINKS];
	struct shunt_err err = {.code = 0};
	bool verbose = false, json = false;
	const struct app_option options[] = {
		{"verbose", APP_FLAG, &verbose, .letter = 'v'}, {"json", APP_FLAG, &json}, {0}};
	int rc = app_options(app_verb("devices"), argc, argv, options, false);

	if (rc)
		return rc;
	if (optind < argc && (!strcmp(argv[optind], "bind") || !strcmp(argv[optind], "unbind")))
		return app_devices_bind(argc - optind, argv + optind);
	if (optind < argc)
		return app_usage(app_verb("devices"), "unexpected argument '%.40s'", argv[optind]);
	int n = shunt_link_list(links, LINKS, &err);
	if (n < 0)
		return app_fail(&err);
	unsigned shown = n < LINKS ? (unsigned)n : LINKS;
	if (json) {
		json_t *doc = json_pack("{ss so so so}", "schema", "shunt-devices/1", "drivers",
			json_drivers(), "interfaces", json_links(links, shown), "pci",
			app_devices_json_pci());
		return app_print_json(doc);
	}
	if (print_drivers(verbose) || print_links(links, shown))
		return app_fail(&(struct shunt_err){.code = -ENOMEM, .what = "out of memory"});
	if (shown < (unsigned)n)
		printf("and %u more interfaces\n", (unsigned)n - shown);
	return app_devices_print_pci(&err) < 0 ? app_fail(&err) : 0;
}
