/* SPDX-License-Identifier: BSD-2-Clause */
#include "drivers/core/spec.h"

#include <criterion/criterion.h>
#include <errno.h>

static const struct shunt_key own[] = {
	{"mode", SHUNT_KEY_CHOICE, "recv|mmsg|ring", 0, 0},
	{"depth", SHUNT_KEY_NUMBER, "frames", 64, 1024},
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};
static const struct shunt_key common[] = {
	{"netns", SHUNT_KEY_TEXT, "a path", 0, 0},
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

static int check(const char *text, struct shunt_err *err)
{
	struct shunt_spec s;
	int rc = shunt_spec_parse(&s, text, err);

	return rc ? rc : shunt_spec_check(&s, common, own, err);
}

Test(spec, splits)
{
	struct shunt_spec s;

	cr_assert_eq(shunt_spec_parse(&s, "packet:eth0?mode=ring&depth=99", NULL), 0);
	cr_assert_str_eq(s.scheme, "packet");
	cr_assert_str_eq(s.target, "eth0");
	cr_assert_str_eq(shunt_spec_get(&s, "mode", ""), "ring");
	cr_assert_eq(shunt_spec_number(&s, "depth", 1), 99);
	cr_assert_eq(shunt_spec_number(&s, "none", 7), 7);
	cr_assert(shunt_spec_is(&s, "mode", "ring", false));
	cr_assert_eq(shunt_spec_parse(&s, "pci:0000:01:00.0", NULL), 0);
	cr_assert_str_eq(s.target, "0000:01:00.0");
	cr_assert_eq(shunt_spec_parse(&s, "null:", NULL), 0);
	cr_assert_str_eq(s.target, "");
}

Test(spec, refuses)
{
	static const char *const bad[] = {"", "eth0", ":eth0", "a?b:c", "packet:e?mode",
		"packet:e?=ring", "packet:e?mode=rin", "packet:e?mode=recv|mmsg",
		"packet:e?mode=", "packet:e?depth=63", "packet:e?depth=1025", "packet:e?depth=-1",
		"packet:e?depth=9x", "packet:e?depth=99999999999999999999999",
		"packet:e?netns=", "packet:e?what=1", "packet:e?depth=99&depth=99"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct shunt_err err = {.code = 0};
		cr_assert_eq(check(bad[i], &err), -EINVAL, "'%s' passed", bad[i]);
		cr_assert_eq(err.kind, SHUNT_ERR_USAGE, "'%s'", bad[i]);
		cr_assert(*err.what);
	}
}

Test(spec, unknown_key_lists_known_ones)
{
	struct shunt_err err = {.code = 0};

	cr_assert_eq(check("packet:e?foo=1", &err), -EINVAL);
	cr_assert(strstr(err.what, "mode, depth, netns"), "%s", err.what);
}

Test(spec, lists)
{
	uint64_t mask;

	cr_assert_eq(shunt_spec_list("0-3,7", &mask), 0);
	cr_assert_eq(mask, 0x8f);
	cr_assert_eq(shunt_spec_list("63", &mask), 0);
	cr_assert_eq(mask, UINT64_C(1) << 63);
	for (const char *const *bad =
			(const char *const[]){"", "a", "1-", "3-1", "64", "1,", "-1", NULL};
		*bad; bad++)
		cr_assert_eq(shunt_spec_list(*bad, &mask), -EINVAL, "'%s'", *bad);
}
