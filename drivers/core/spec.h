/* SPDX-License-Identifier: BSD-2-Clause
 * Device specs: `scheme:target?key=value&key=value`. Parsing knows no driver; a driver declares
 * its keys, and everything that it did not declare is an error that lists what it did.
 */
#ifndef DRIVERS_CORE_SPEC_H
#define DRIVERS_CORE_SPEC_H

#include <shunt/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHUNT_SPEC_MAX  256
#define SHUNT_SPEC_KEYS 16

struct shunt_spec {
	char text[SHUNT_SPEC_MAX]; /* as given */
	char buf[SHUNT_SPEC_MAX];  /* the pieces below point into it */
	const char *scheme, *target;
	struct {
		const char *key, *value;
	} kv[SHUNT_SPEC_KEYS];
	unsigned n;
};

/* What a key takes. values is "a|b|c" for a choice (the first is the default), or a sentence for
 * people when kind is not SHUNT_KEY_CHOICE. Arrays end with a NULL name. */
struct shunt_key {
	const char *name;
	enum { SHUNT_KEY_CHOICE, SHUNT_KEY_NUMBER, SHUNT_KEY_TEXT } kind;
	const char *values;
	uint64_t min, max; /* SHUNT_KEY_NUMBER */
};

/* Split; no file or interface is looked at. -EINVAL (usage). */
int shunt_spec_parse(struct shunt_spec *spec, const char *text, struct shunt_err *err);
/* Every key must be in one of the two tables (either may be NULL), with a value that it takes,
 * and only once. -EINVAL (usage), naming the known ones. */
int shunt_spec_check(const struct shunt_spec *spec, const struct shunt_key *common,
	const struct shunt_key *own, struct shunt_err *err);

/* NULL, or dflt, where the key was not given. */
const char *shunt_spec_get(const struct shunt_spec *spec, const char *key, const char *dflt);
uint64_t shunt_spec_number(const struct shunt_spec *spec, const char *key, uint64_t dflt);
/* True when the key has the value, or was not given and dflt is set. */
bool shunt_spec_is(const struct shunt_spec *spec, const char *key, const char *value, bool dflt);

/* spec with key=value added, unless it has the key. -ENAMETOOLONG when buf is too small. */
int shunt_spec_add(char *buf, size_t size, const char *spec, const char *key, const char *value);

/* Lists of numbers, "0-3,7": sets bits of *mask (numbers below 64). -EINVAL. */
int shunt_spec_list(const char *text, uint64_t *mask);

#endif
