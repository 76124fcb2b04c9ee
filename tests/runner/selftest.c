/* SPDX-License-Identifier: BSD-2-Clause
 * Does the runner, with this build's sanitizer, fail what it must? Each of these is wrong on
 * purpose, and selftest.sh expects exactly that. UBSan comes with ASan here.
 */
#include "criterion/criterion.h"

#include <limits.h>
#include <pthread.h>

Test(planted, assertion)
{
	cr_assert_eq(1, 2, "planted");
}

Test(planted, crash)
{
	abort();
}

#ifdef __SANITIZE_ADDRESS__
Test(planted, leak)
{
	char *volatile p = malloc(77);

	cr_assert_not_null(p);
	p = NULL;
}

Test(planted, overflow)
{
	volatile int i = INT_MAX;

	i = i + 1;
}
#endif

#ifdef __SANITIZE_THREAD__
static int shared;

static void *touch(void *arg)
{
	shared++;
	return arg;
}

Test(planted, race)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, touch, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
#endif
