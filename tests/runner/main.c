/* SPDX-License-Identifier: BSD-2-Clause
 * Runs the tests of criterion.h beside it: one fork each, one after the other, TAP on stdout.
 * What a test says of itself comes before its line, marked "#>".
 * `--filter SUITE/NAME` takes a shell pattern; Criterion's other options are accepted and ignored.
 */
#include "criterion/criterion.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 77

static struct plain_test *first, **last = &first;
/* Of the test that runs, in its process. */
static const struct plain_test *current;
static bool failed;

void plain_add(struct plain_test *test)
{
	*last = test;
	last = &test->next;
}

/* Through exit, not _exit: leaks are looked for there. */
static void done(int status)
{
	fflush(stdout);
	exit(status);
}

void plain_check(
	bool ok, bool fatal, const char *what, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (ok)
		return;
	printf("#> %s:%d: %s is false:", file, line, what);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	failed = true;
	if (fatal)
		done(1);
}

void plain_skip(const char *fmt, ...)
{
	va_list ap;

	printf("ok - %s::%s # SKIP", current->suite, current->name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	done(SKIPPED);
	__builtin_unreachable();
}

static void child(const struct plain_test *t)
{
	current = t;
	if (t->opts.timeout > 0)
		alarm((unsigned)ceil(t->opts.timeout));
	if (t->opts.init)
		t->opts.init();
	t->run();
	if (t->opts.fini)
		t->opts.fini();
	done(failed);
}

static bool as_expected(const struct plain_test *t, int status)
{
	if (t->opts.signal)
		return WIFSIGNALED(status) && WTERMSIG(status) == t->opts.signal;
	return WIFEXITED(status) && WEXITSTATUS(status) == t->opts.exit_code;
}

static bool run(const struct plain_test *t)
{
	int status = 0;

	if (t->opts.disabled) {
		printf("ok - %s::%s # SKIP disabled\n", t->suite, t->name);
		return true;
	}
	fflush(stdout);
	pid_t pid = fork();
	if (!pid)
		child(t);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		status = 1 << 8;
	/* The child printed the line itself, with its reason. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
		return true;
	bool ok = as_expected(t, status);
	if (!ok)
		printf("#> wait status 0x%x\n", (unsigned)status);
	printf("%s - %s::%s\n", ok ? "ok" : "not ok", t->suite, t->name);
	return ok;
}

int main(int argc, char **argv)
{
	const char *filter = argc > 2 && !strcmp(argv[1], "--filter") ? argv[2] : "*";
	bool ok = true;
	int n = 0;

	printf("TAP version 13\n");
	for (const struct plain_test *t = first; t; t = t->next) {
		char name[256];
		snprintf(name, sizeof name, "%s/%s", t->suite, t->name);
		if (fnmatch(filter, name, 0))
			continue;
		ok = run(t) && ok;
		n++;
	}
	printf("1..%d\n", n);
	return ok ? 0 : 1;
}
