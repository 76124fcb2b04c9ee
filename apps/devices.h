/* SPDX-License-Identifier: BSD-2-Clause
 * shunt devices: the PCI part.
 */
#ifndef APPS_DEVICES_H
#define APPS_DEVICES_H

#include <shunt/err.h>

struct json_t;

int app_devices_print_pci(struct shunt_err *err); /* nothing where there is no card */
struct json_t *app_devices_json_pci(void);
int app_devices_bind(int argc, char **argv);

#endif
