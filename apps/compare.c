/* SPDX-License-Identifier: BSD-2-Clause
 * shunt compare: options, progress, and where the document goes.
 */
#include "bench/compare/compare.h"
#include "apps/options.h"
#include "apps/verbs.h"
#include "bench/compare/paths.h"
#include "bench/lab/lab.h"
#include "bench/report/report.h"
#include "bench/traffic/frames.h"
#include "core/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char app_compare_usage[] =
	"[OPTION...]\n"
	"  Runs the same receive loop over several paths with the same traffic, in a private lab, "
	"and\n"
	"  reports the cost per packet of each path.\n"
	"  --paths LIST         comma-separated names (--list); default: all\n"
	"  --path SPEC          another device spec; repeatable\n"
	"  --size N             bytes per frame, without FCS, 60 to 1514 (60)\n"
	"  --flows N            flows, by source port (1)\n"
	"  --depth N            queue depth in frames of each path whose spec has none (8192)\n"
	"  --rate max|PPS|xN    of the rate passes (max; a capture: 50k); xN: N times a capture's "
	"timing\n"
	"  --seconds S          duration of a pass (5)\n"
	"  --rounds N           rounds, path order shuffled in each (5)\n"
	"  --seed N             of the shuffle; printed in the report\n"
	"  --traffic FILE       replay a capture, once per pass\n"
	"  --generator KIND     xdpgen: frames generated in the kernel by XDP (default); packet: "
	"a socket\n"
	"  --iface IF           measure the traffic that IF receives, packet-* paths only\n"
	"  --take-traffic       with --iface: also paths that take the traffic away from the "
	"kernel\n"
	"  --nic IF             measure on network cards: packet-* and xdp-* paths receive on IF\n"
	"  --via SPEC           with --nic: the sending device on the same wire: packet:IF, xdp:IF,"
	"\n"
	"                       xdpgen:IF, pci:ADDRESS\n"
	"  --gro                enable GRO in the lab\n"
	"  --json FILE|-        write the document; with - stdout holds nothing else\n"
	"  --html FILE          write the report as one HTML file\n"
	"  --list               list the named paths";

struct options {
	struct bench_compare_opts run;
	const char *specs[BENCH_PATHS_MAX];
	const char *json, *html;
	bool list, rate_given, generator_given;
};

_Static_assert(BENCH_PATHS_MAX == 24, "as --path says");

static const struct app_verb *self(void)
{
	return app_verb("compare");
}

static int read_rate(void *to, const char *text)
{
	struct options *o = to;

	o->rate_given = true;
	if (!strcmp(text, "max"))
		return 0;
	return *text == 'x' ? app_real(text + 1, 0.001, 1e6, &o->run.speed)
			    : app_real(text, 1, 1e8, &o->run.rate);
}

static int read_path(void *to, const char *text)
{
	struct options *o = to;

	if (o->run.nspecs == BENCH_PATHS_MAX)
		return -E2BIG;
	o->specs[o->run.nspecs++] = text;
	return 0;
}

static int read_generator(void *to, const char *text)
{
	struct options *o = to;

	o->generator_given = true;
	o->run.packet_generator = !strcmp(text, "packet");
	return o->run.packet_generator || !strcmp(text, "xdpgen") ? 0 : -EINVAL;
}

static int check(struct options *o)
{
	struct bench_compare_opts *r = &o->run;

	if (r->speed > 0 && !r->traffic)
		return app_usage(self(), "--rate xN needs a capture: --traffic FILE");
	if (r->traffic && r->size)
		return app_usage(self(), "--size and --traffic exclude each other");
	if (r->iface && (r->traffic || r->size || o->rate_given))
		return app_usage(
			self(), "--iface measures existing traffic: no --traffic, --size, --rate");
	if (r->take_traffic && !r->iface)
		return app_usage(self(), "--take-traffic needs --iface");
	if (!r->nic != !r->via)
		return app_usage(
			self(), "--nic and --via need each other: the receiver and the sender");
	if (r->nic && (r->iface || r->traffic || r->gro || o->generator_given))
		return app_usage(self(),
			"--nic sends synthetic frames through --via: no --iface, --traffic, --gro, "
			"--generator");
	if (r->traffic && !o->rate_given)
		r->rate = BENCH_CAPTURE_PPS;
	r->specs = o->specs;
	return 0;
}

static int read_options(struct options *o, int argc, char **argv)
{
	struct bench_compare_opts *r = &o->run;
	const struct app_option options[] = {{"paths", APP_TEXT, &r->paths},
		{"path", APP_CALL, o, .read = read_path, .takes = "a spec, 24 times at most"},
		{"size", APP_U32, &r->size, BENCH_FRAME_MIN, BENCH_FRAME_MAX, "60 to 1514 bytes"},
		{"flows", APP_U32, &r->flows, 1, 16384, "1 to 16384"},
		{"depth", APP_U32, &r->depth, 64, 1u << 20, "64 to 1048576 frames"},
		{"rate", APP_CALL, o, .read = read_rate,
			.takes = "max, 1 to 100M packets per second, or x0.001 to x1M"},
		{"seconds", APP_REAL, &r->seconds, 0.1, 3600, "0.1 to 3600"},
		{"rounds", APP_U32, &r->rounds, 1, 1000, "1 to 1000"},
		{"seed", APP_U64, &r->seed, 1, 1u << 30, "1 to 1073741824"},
		{"traffic", APP_TEXT, &r->traffic},
		{"generator", APP_CALL, o, .read = read_generator, .takes = "xdpgen or packet"},
		{"iface", APP_TEXT, &r->iface}, {"nic", APP_TEXT, &r->nic},
		{"via", APP_TEXT, &r->via}, {"take-traffic", APP_FLAG, &r->take_traffic},
		{"gro", APP_FLAG, &r->gro}, {"json", APP_TEXT, &o->json},
		{"html", APP_TEXT, &o->html}, {"list", APP_FLAG, &o->list}, {0}};
	int rc = app_options(self(), argc, argv, options, true);

	if (rc)
		return rc;
	if (optind < argc)
		return app_usage(self(), "unexpected argument '%.60s'", argv[optind]);
	return check(o);
}

/* The driver's own check; what only a run can show (NAPI busy polling) is reported by a run. */
static bool usable(const struct bench_path *path, struct shunt_err *err)
{
	struct shunt_driver_info info;

	for (unsigned i = 0; !shunt_driver_at(i, &info, err); i++)
		if (!strcmp(path->scheme, info.scheme))
			return !info.usable;
	snprintf(err->what, sizeof err->what, "its driver was not built");
	return false;
}

static int list(void)
{
	struct shunt_err err = {.code = 0};
	struct bench_path path;
	bool dflt;

	for (unsigned i = 0; bench_path_at(i, BENCH_NEAR, &path, &dflt); i++) {
		printf("%-12s %s%s\n", path.name, path.summary, dflt ? "" : " (not by default)");
		printf("%13s%s\n", "", path.spec);
		if (!usable(&path, &err))
			printf("%13snot usable here: %s\n", "", err.what);
	}
	return 0;
}

static void progress(void *ctx, unsigned done, unsigned total, const char *what)
{
	if (!*(bool *)ctx)
		return;
	if (total)
		fprintf(stderr, "\r\033[K[%u/%u] %s", done + 1, total, what);
	else
		fprintf(stderr, "\r\033[K%s", what);
}

static int cannot_write(const char *file, int code)
{
	fprintf(stderr, "shunt compare: cannot write %s: %s\n", file, strerror(code));
	return 1;
}

static int write_json(const json_t *doc, const char *file)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "we") : stdout;

	if (!f)
		return cannot_write(file, errno);
	bool ok = app_dump_json(f, doc);
	if (f != stdout)
		ok &= !fclose(f);
	return ok ? 0 : cannot_write(file, errno ? errno : EIO);
}

static int write_html(const json_t *doc, const char *file)
{
	FILE *f = fopen(file, "we");

	if (!f)
		return cannot_write(file, errno);
	int rc = bench_report_html(f, doc);
	if (fclose(f) && !rc)
		rc = -errno;
	return rc ? cannot_write(file, -rc) : 0;
}

static int output(const struct options *o, const json_t *doc)
{
	bool json_only = o->json && !strcmp(o->json, "-");
	int rc = o->json ? write_json(doc, o->json) : 0;

	if (!rc && o->html)
		rc = write_html(doc, o->html);
	if (rc || json_only)
		return rc;
	rc = bench_report_table(stdout, doc, shunt_table_columns(stdout), isatty(STDOUT_FILENO));
	return rc || fflush(stdout) ? cannot_write("the table", rc ? -rc : errno) : 0;
}

/* Metrics that cannot be trusted make the exit status 1; a line names the failed part. */
static int distrust(const json_t *o, const char *what, const char *name)
{
	fprintf(stderr, "shunt compare: %s failed (%s): %s\n", what,
		json_string_value(json_object_get(o, name)),
		json_string_value(json_object_get(o, "reason")));
	return 1;
}

static int status_of(const json_t *doc)
{
	int status = 0;
	size_t i;
	json_t *o;

	json_array_foreach (json_object_get(doc, "selftest"), i, o)
		if (!json_is_true(json_object_get(o, "passed")))
			status = distrust(o, "a self-test", "counts");
	json_array_foreach (json_object_get(doc, "paths"), i, o)
		if (!strcmp(json_string_value(json_object_get(o, "status")), "failed"))
			status = distrust(o, "a path", "name");
	return status;
}

int app_compare(int argc, char **argv)
{
	struct options o = {.json = NULL};
	struct shunt_err err = {.code = 0};
	bool terminal = isatty(STDERR_FILENO);
	json_t *doc;
	int rc = read_options(&o, argc, argv);

	if (rc)
		return rc;
	if (o.list)
		return list();
	app_catch_signals();
	o.run.stop = &app_stop;
	o.run.progress = progress;
	o.run.ctx = &terminal;
	o.run.argc = argc;
	o.run.argv = argv;
	rc = bench_compare(&o.run, &doc, &err);
	if (terminal)
		fprintf(stderr, "\r\033[K");
	int status = rc ? app_fail(&err) : 0;
	if (doc) {
		int written = output(&o, doc);
		status = status ? status : written ? written : status_of(doc);
	}
	json_decref(doc);
	return status;
}
