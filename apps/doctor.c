/* SPDX-License-Identifier: BSD-2-Clause
 * shunt doctor: what this machine supports, with a remedy for what is missing.
 */
#include "apps/doctor.h"
#include "apps/options.h"
#include "apps/verbs.h"
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char app_doctor_usage[] =
	"[--json]\n"
	"  Finds out by trying what this machine supports, one line per item: ok, warn or no, with "
	"a "
	"remedy.\n"
	"  Exit status 1 when something is missing that `shunt compare` needs (marked *).\n"
	"  --json   one JSON document, nothing else on stdout";

static const char *const state_names[] = {"ok", "warn", "no"};

void doctor_say(
	struct doctor_finding *f, enum doctor_state state, const char *remedy, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof f->text, fmt, ap);
	va_end(ap);
	snprintf(f->remedy, sizeof f->remedy, "%s", remedy ? remedy : "");
}

int doctor_read(const char *path, char *buf, unsigned size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);
	int rc = n < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return rc;
}

struct report {
	json_t *items; /* NULL: print lines */
	unsigned width;
	bool ready;
};

static void add(
	struct report *r, const char *name, const char *kind, bool needed, struct doctor_finding *f)
{
	char label[64], line[700];

	if (needed && f->state == DOCTOR_NO)
		r->ready = false;
	if (r->items) {
		json_array_append_new(
			r->items, json_pack("{ss ss ss sb ss ss*}", "name", name, "kind", kind,
					  "state", state_names[f->state], "needed", needed, "text",
					  f->text, "remedy", *f->remedy ? f->remedy : NULL));
		return;
	}
	snprintf(label, sizeof label, "%-4s %s%s%s: ", state_names[f->state],
		strcmp(kind, "driver") ? "" : "driver ", name, needed ? "*" : "");
	snprintf(line, sizeof line, "%s%s%s", f->text, *f->remedy ? ": " : "", f->remedy);
	shunt_text_wrap(stdout, label, line, r->width);
}

static void look(struct report *r, const struct doctor_item *items, const char *kind)
{
	for (; items->name; items++) {
		struct doctor_finding f = {.state = DOCTOR_NO};
		items->look(&f);
		add(r, items->name, kind, items->needed, &f);
	}
}

/* Each driver's own check. A comparison needs the kernel path and AF_XDP; there is more than one
 * generator. */
static void look_at_drivers(struct report *r)
{
	struct shunt_driver_info d;
	struct shunt_err err = {.code = 0};

	for (unsigned i = 0; !shunt_driver_at(i, &d, &err); i++) {
		struct doctor_finding f;
		doctor_say(&f, d.usable ? DOCTOR_NO : DOCTOR_OK, d.usable ? err.remedy : NULL, "%s",
			d.usable ? err.what : d.summary);
		add(r, d.scheme, "driver", !strcmp(d.scheme, "packet") || !strcmp(d.scheme, "xdp"),
			&f);
		err = (struct shunt_err){.code = 0};
	}
}

int app_doctor(int argc, char **argv)
{
	struct report r = {.width = app_columns(), .ready = true};
	bool json = false;
	const struct app_option options[] = {{"json", APP_FLAG, &json}, {0}};
	int rc = app_options(app_verb("doctor"), argc, argv, options, false);

	if (rc)
		return rc;
	if (optind < argc)
		return app_usage(app_verb("doctor"), "unexpected argument '%.40s'", argv[optind]);
	r.items = json ? json_array() : NULL;
	look(&r, doctor_kernel, "kernel");
	look_at_drivers(&r);
	look(&r, doctor_machine, "machine");
	if (r.items) {
		rc = app_print_json(json_pack("{ss sb so}", "schema", "shunt-doctor/1", "ready",
			r.ready, "items", r.items));
		return rc ? rc : !r.ready;
	}
	printf("\n%s\n", r.ready ? "Everything that `shunt compare` needs (*) is available."
				 : "Something that `shunt compare` needs (*) is missing.");
	return !r.ready;
}
