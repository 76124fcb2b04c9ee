/* SPDX-License-Identifier: BSD-2-Clause
 * Device specs: any text is taken apart, checked against every driver's keys, and its values are
 * read as lists. Nothing is opened. What was accepted must hold together; what was refused must say
 * why, as a usage error.
 */
#include "drivers/core/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void must_explain(int rc, const struct shunt_err *err)
{
	must(rc == -EINVAL && err->code == rc && err->kind == SHUNT_ERR_USAGE && *err->what);
}

static bool inside(const struct shunt_spec *spec, const char *piece)
{
	return piece >= spec->buf && piece < spec->buf + sizeof spec->buf;
}

static void check_pieces(const struct shunt_spec *spec)
{
	must(*spec->scheme && inside(spec, spec->scheme) && inside(spec, spec->target));
	must(spec->n <= SHUNT_SPEC_KEYS);
	for (unsigned i = 0; i < spec->n; i++) {
		must(inside(spec, spec->kv[i].key) && inside(spec, spec->kv[i].value));
		must(*spec->kv[i].key && shunt_spec_get(spec, spec->kv[i].key, NULL));
	}
}

static void check_keys(const struct shunt_spec *spec)
{
	const struct shunt_driver *driver;

	for (unsigned d = 0; (driver = shunt_driver_table(d)); d++) {
		struct shunt_err err = {.code = 0};
		int rc = shunt_spec_check(spec, shunt_common_keys, driver->keys, &err);
		if (rc)
			must_explain(rc, &err);
		else
			must(shunt_spec_number(spec, "depth", 64) >= 64);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shunt_err err = {.code = 0};
	struct shunt_spec spec;
	uint64_t mask;
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = 0;
	int rc = shunt_spec_list(text, &mask);
	must(rc == -EINVAL || (!rc && mask));
	rc = shunt_spec_parse(&spec, text, &err);
	if (rc) {
		must_explain(rc, &err);
	} else {
		check_pieces(&spec);
		check_keys(&spec);
	}
	free(text);
	return 0;
}
