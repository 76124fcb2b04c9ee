/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <shunt/log.h>
#include <stdio.h>
#include <string.h>

struct heard {
	int n;
	enum shunt_log_level level;
	char domain[32], text[1024];
};

static void hear(void *ctx, enum shunt_log_level level, const char *domain, const char *text)
{
	struct heard *h = ctx;

	h->n++;
	h->level = level;
	snprintf(h->domain, sizeof h->domain, "%s", domain);
	snprintf(h->text, sizeof h->text, "%s", text);
}

Test(log, silent_without_a_callback)
{
	shunt_log(SHUNT_LOG_ERROR, "test", "nobody hears %d", 1);
}

Test(log, threshold)
{
	struct heard h = {0};

	shunt_log_set(hear, &h, SHUNT_LOG_INFO);
	shunt_log(SHUNT_LOG_DEBUG, "test", "no");
	cr_assert_eq(h.n, 0);
	shunt_log(SHUNT_LOG_INFO, "test", "%s %d", "yes", 7);
	cr_assert_eq(h.n, 1);
	cr_assert_eq(h.level, SHUNT_LOG_INFO);
	cr_assert_str_eq(h.domain, "test");
	cr_assert_str_eq(h.text, "yes 7");
	shunt_log_set(NULL, NULL, SHUNT_LOG_DEBUG);
	shunt_log(SHUNT_LOG_ERROR, "test", "no");
	cr_assert_eq(h.n, 1);
}

Test(log, one_line_and_bounded)
{
	struct heard h = {0};
	char longest[4000];

	shunt_log_set(hear, &h, SHUNT_LOG_DEBUG);
	shunt_log(SHUNT_LOG_ERROR, "test", "first\nsecond\n");
	cr_assert_str_eq(h.text, "first");
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = 0;
	shunt_log(SHUNT_LOG_ERROR, "test", "%s", longest);
	cr_assert_eq(strspn(h.text, "x"), strlen(h.text));
	cr_assert(strlen(h.text) > 100 && strlen(h.text) < sizeof longest - 1);
}
