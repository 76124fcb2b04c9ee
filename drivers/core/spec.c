/* SPDX-License-Identifier: BSD-2-Clause
 * Device specs: split, check against key tables, look up. No allocation, any thread.
 */
#include "drivers/core/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM "a device spec is scheme:target?key=value&key=value; see `shunt devices`"

int shunt_spec_parse(struct shunt_spec *spec, const char *text, struct shunt_err *err)
{
	memset(spec, 0, sizeof *spec);
	if (strlen(text) >= sizeof spec->text)
		return shunt_fail_usage(err, -EINVAL, FORM, "device spec is longer than %d bytes",
			SHUNT_SPEC_MAX - 1);
	strcpy(spec->text, text);
	strcpy(spec->buf, text);

	char *colon = strchr(spec->buf, ':');
	if (!colon || colon == spec->buf || memchr(spec->buf, '?', (size_t)(colon - spec->buf)))
		return shunt_fail_usage(err, -EINVAL, FORM, "'%.80s' has no scheme", text);
	*colon = 0;
	spec->scheme = spec->buf;
	spec->target = colon + 1;

	char *rest = strchr(colon + 1, '?');
	if (!rest)
		return 0;
	*rest++ = 0;
	for (char *save, *kv = strtok_r(rest, "&", &save); kv; kv = strtok_r(NULL, "&", &save)) {
		char *eq = strchr(kv, '=');
		if (!eq || eq == kv)
			return shunt_fail_usage(err, -EINVAL, FORM,
				"'%.80s' in '%.120s' is not key=value", kv, text);
		if (spec->n == SHUNT_SPEC_KEYS)
			return shunt_fail_usage(err, -EINVAL, FORM,
				"'%.120s' has more than %d keys", text, SHUNT_SPEC_KEYS);
		*eq = 0;
		spec->kv[spec->n].key = kv;
		spec->kv[spec->n++].value = eq + 1;
	}
	return 0;
}

static const struct shunt_key *find(const struct shunt_key *keys, const char *name)
{
	for (; keys && keys->name; keys++)
		if (!strcmp(keys->name, name))
			return keys;
	return NULL;
}

static void list_keys(char *buf, size_t size, const struct shunt_key *a, const struct shunt_key *b)
{
	size_t used = 0;

	for (const struct shunt_key *k = a ? a : b; k && k->name && used < size;) {
		used += (size_t)snprintf(
			buf + used, size - used, "%s%s", used ? ", " : "", k->name);
		k++;
		if (!k->name && a) {
			k = b;
			a = NULL;
		}
	}
}

static bool is_choice(const char *choices, const char *value)
{
	size_t len = strcspn(value, "|");

	if (value[len]) /* "a|b" is not a choice */
		return false;
	for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL)
		if (len && !strncmp(c, value, len) && (c[len] == '|' || !c[len]))
			return true;
	return false;
}

static int check_value(const struct shunt_key *k, const char *value, struct shunt_err *err)
{
	char *end;

	if (k->kind == SHUNT_KEY_CHOICE && !is_choice(k->values, value))
		return shunt_fail_usage(
			err, -EINVAL, NULL, "%s=%.60s: it takes %s", k->name, value, k->values);
	if (k->kind == SHUNT_KEY_TEXT && !*value)
		return shunt_fail_usage(
			err, -EINVAL, NULL, "%s= is empty: it takes %s", k->name, k->values);
	if (k->kind != SHUNT_KEY_NUMBER)
		return 0;
	errno = 0;
	unsigned long long v = strtoull(value, &end, 0);
	if (*value < '0' || *value > '9' || *end || errno || v < k->min || v > k->max)
		return shunt_fail_usage(err, -EINVAL, NULL,
			"%s=%.60s: it takes %s, from %" PRIu64 " to %" PRIu64, k->name, value,
			k->values, k->min, k->max);
	return 0;
}

int shunt_spec_check(const struct shunt_spec *spec, const struct shunt_key *common,
	const struct shunt_key *own, struct shunt_err *err)
{
	for (unsigned i = 0; i < spec->n; i++) {
		const struct shunt_key *k = find(own, spec->kv[i].key);
		if (!k)
			k = find(common, spec->kv[i].key);
		if (!k) {
			char known[200] = "";
			list_keys(known, sizeof known, own && own->name ? own : NULL, common);
			return shunt_fail_usage(err, -EINVAL,
				strcmp(spec->kv[i].key, "room") ? NULL : "depth=N is its name now",
				"%s: has no key '%.40s'; it knows %s", spec->scheme,
				spec->kv[i].key, known);
		}
		for (unsigned j = 0; j < i; j++)
			if (!strcmp(spec->kv[j].key, k->name))
				return shunt_fail_usage(err, -EINVAL, NULL,
					"%s is given twice in '%.120s'", k->name, spec->text);
		int rc = check_value(k, spec->kv[i].value, err);
		if (rc)
			return rc;
	}
	return 0;
}

const char *shunt_spec_get(const struct shunt_spec *spec, const char *key, const char *dflt)
{
	for (unsigned i = 0; i < spec->n; i++)
		if (!strcmp(spec->kv[i].key, key))
			return spec->kv[i].value;
	return dflt;
}

uint64_t shunt_spec_number(const struct shunt_spec *spec, const char *key, uint64_t dflt)
{
	const char *v = shunt_spec_get(spec, key, NULL);

	return v ? strtoull(v, NULL, 0) : dflt;
}

bool shunt_spec_is(const struct shunt_spec *spec, const char *key, const char *value, bool dflt)
{
	const char *v = shunt_spec_get(spec, key, NULL);

	return v ? !strcmp(v, value) : dflt;
}

int shunt_spec_add(char *buf, size_t size, const char *spec, const char *key, const char *value)
{
	struct shunt_spec s;
	bool has = !shunt_spec_parse(&s, spec, NULL) && shunt_spec_get(&s, key, NULL);
	int n = has ? snprintf(buf, size, "%s", spec)
		    : snprintf(buf, size, "%s%c%s=%s", spec, strchr(spec, '?') ? '&' : '?', key,
			      value);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int shunt_spec_list(const char *text, uint64_t *mask)
{
	*mask = 0;
	for (const char *p = text;;) {
		char *end;
		if (*p < '0' || *p > '9')
			return -EINVAL;
		unsigned long lo = strtoul(p, &end, 10), hi = lo;
		if (*end == '-') {
			p = end + 1;
			if (*p < '0' || *p > '9')
				return -EINVAL;
			hi = strtoul(p, &end, 10);
		}
		if (lo > hi || hi > 63)
			return -EINVAL;
		for (unsigned long i = lo; i <= hi; i++)
			*mask |= UINT64_C(1) << i;
		if (!*end)
			return 0;
		if (*end != ',')
			return -EINVAL;
		p = end + 1;
	}
}
