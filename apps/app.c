/* SPDX-License-Identifier: BSD-2-Clause
 * What verbs share: errors, help, signals, output.
 */
#include "apps/app.h"

#include "core/table.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

volatile bool app_stop;

int app_fail(const struct shunt_err *err)
{
	fprintf(stderr, "shunt: %s%s%s\n", err->what, *err->remedy ? ": " : "", err->remedy);
	return err->kind == SHUNT_ERR_USAGE ? 2 : 1;
}

int app_usage(const struct app_verb *verb, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "shunt %s: ", verb->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": see `shunt help %s`\n", verb->name);
	return 2;
}

const struct app_verb *app_verb(const char *name)
{
	for (const struct app_verb *v = app_verbs; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

void app_help(const struct app_verb *verb)
{
	printf("usage: shunt %s %s\n", verb->name, verb->usage);
}

bool app_dump_json(FILE *out, const struct json_t *doc)
{
	return doc && !json_dumpf(doc, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) &&
	       putc('\n', out) == '\n' && !fflush(out);
}

int app_print_json(struct json_t *doc)
{
	bool ok = app_dump_json(stdout, doc);

	json_decref(doc);
	if (!ok)
		fprintf(stderr, "shunt: cannot write JSON: out of memory, or the reader is gone\n");
	return ok ? 0 : 1;
}

void app_print_info(FILE *out, const struct shunt_info *info)
{
	fprintf(out, "%s: %s\n", info->spec, *info->mode ? info->mode : info->driver);
	for (unsigned i = 0; i < info->nnotes; i++)
		fprintf(out, "note: %s\n", info->notes[i]);
}

void app_print_ledger(FILE *out, const struct shunt_ledger *l)
{
	fprintf(out, "  %-18s %14" PRIu64 "  %s\n", "received", l->received,
		l->received_source ? l->received_source : "");
	fprintf(out, "  %-18s %14" PRIu64 "\n", "delivered", l->delivered);
	for (unsigned i = 0; i < l->losses; i++)
		fprintf(out, "  %-18s %14" PRIu64 "  %s\n", l->loss[i].name, l->loss[i].count,
			l->loss[i].what);
	fprintf(out, "  %-18s %14" PRId64 "\n", "unaccounted", l->unaccounted);
}

unsigned app_columns(void)
{
	return isatty(STDOUT_FILENO) ? shunt_table_columns(stdout) : UINT_MAX / 2;
}

static void on_signal(int sig)
{
	(void)sig;
	app_stop = true;
}

void app_catch_signals(void)
{
	/* No SA_RESTART: a blocking burst must return. */
	struct sigaction sa = {.sa_handler = on_signal};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}
