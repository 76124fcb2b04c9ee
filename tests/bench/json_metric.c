/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/report/json.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static void expect(const struct shunt_metric *f, const char *wanted)
{
	json_t *json = bench_json_metric(f);
	char *text = json_dumps(json, JSON_PRESERVE_ORDER);

	cr_assert_str_eq(text, wanted);
	free(text);
	json_decref(json);
}

Test(json_metric, measured)
{
	struct shunt_metric f = shunt_measured(60, "bytes/packet", "xdp:xdp_redirect");

	expect(&f, "{\"value\": 60, \"unit\": \"bytes/packet\", \"how\": \"measured\", "
		   "\"source\": \"xdp:xdp_redirect\", \"reason\": \"\", \"bound\": \"exact\", "
		   "\"min\": 60, \"max\": 60, \"rounds\": 1}");
}

Test(json_metric, lower_bound_over_rounds)
{
	struct shunt_metric rounds[2] = {
		shunt_derived(1.5, "copies", "a"), shunt_derived(2.5, "copies", "a")};
	struct shunt_metric f;

	rounds[1].bound = SHUNT_LOWER;
	strcpy(rounds[1].reason, "one may hide");
	f = shunt_over_rounds(rounds, 2);
	expect(&f,
		"{\"value\": 2, \"unit\": \"copies\", \"how\": \"derived\", \"source\": \"a\", "
		"\"reason\": \"one may hide\", \"bound\": \"lower\", \"min\": 1.5, \"max\": 2.5, "
		"\"rounds\": 2}");
}

Test(json_metric, unavailable_has_no_number)
{
	struct shunt_metric f = shunt_unavailable("ns", "no %s", "\"clock\"");

	f.value = f.min = f.max = 7;
	f.rounds = 3;
	expect(&f,
		"{\"value\": null, \"unit\": \"ns\", \"how\": \"unavailable\", \"source\": \"\", "
		"\"reason\": \"no \\\"clock\\\"\", \"bound\": \"exact\", \"min\": null, "
		"\"max\": null, \"rounds\": 0}");
}

Test(json_metric, what_is_no_number_is_unavailable)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY};

	for (size_t i = 0; i < 3; i++) {
		struct shunt_metric f = shunt_measured(1, "ns", "clock");
		json_t *json;

		f.max = odd[i];
		json = bench_json_metric(&f);
		cr_assert(json_is_null(json_object_get(json, "value")));
		cr_assert_str_eq(json_string_value(json_object_get(json, "how")), "unavailable");
		cr_assert_neq(*json_string_value(json_object_get(json, "reason")), 0);
		json_decref(json);
	}
}

Test(json_metric, bytes_that_are_no_text)
{
	struct shunt_metric f = shunt_measured(1, NULL, "eth\xff\n");
	json_t *json = bench_json_metric(&f);

	cr_assert_str_eq(json_string_value(json_object_get(json, "source")), "eth??");
	cr_assert_str_eq(json_string_value(json_object_get(json, "unit")), "");
	json_decref(json);
}
