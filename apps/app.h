/* SPDX-License-Identifier: BSD-2-Clause
 * The `shunt` command: a verb table and one file per verb. Exit status: 0 done, 1 failed at run
 * time, 2 wrong use; `lab` and `lab-exec` return that of their command.
 */
#ifndef APPS_APP_H
#define APPS_APP_H

#include <shunt/shunt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct app_verb {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the verb */
	const char *summary;               /* one line */
	const char *usage;                 /* what follows the verb, then its options, for help */
};

extern const struct app_verb app_verbs[]; /* ends with a NULL name */

/* Print one line on stderr: what failed, why, the remedy. Exit status: 2 for wrong use. */
int app_fail(const struct shunt_err *err);
int app_usage(const struct app_verb *verb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const struct app_verb *app_verb(const char *name);
void app_help(const struct app_verb *verb); /* on stdout */

struct json_t;
/* The format of all documents: one space per level, 12 digits. False if doc is NULL, or on error.
 */
bool app_dump_json(FILE *out, const struct json_t *doc);
/* Print doc on stdout and free it. Exit status: 0, or 1 when it is NULL or can't be written. */
int app_print_json(struct json_t *doc);

/* A device's spec and mode, then its notes. */
void app_print_info(FILE *out, const struct shunt_info *info);
/* One line per class: received, delivered, each named loss, unaccounted. */
void app_print_ledger(FILE *out, const struct shunt_ledger *ledger);

/* Width for wrapped text: that of the terminal, or unlimited, so that grep finds whole lines. */
unsigned app_columns(void);

/* Set by SIGINT and SIGTERM once app_catch_signals was called: a run ends with its summary. */
extern volatile bool app_stop;
void app_catch_signals(void);

#endif
