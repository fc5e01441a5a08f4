/* cmd_report.c - heddle report: writes a page with figures about runs
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "tools/report/report.h"
#include "cmd.h"
#include "confine.h"
#include "kernel/base/xalloc.h"

#include <errno.h>
#include <sys/stat.h>
#include <stdlib.h>

#define MOST_RUNS 16u
#define BINS 480u /* about two pixels each */

struct args {
	const char *output;
	const char *file[MOST_RUNS];
	struct report_options opt;
	struct hd_confine confine;
};

enum { DETAIL = 256, WINDOW, SANDBOX };

static const struct argp_option options[] = {
	{ "detail", DETAIL, "N", 0, "most instructions that the warp timelines show, of all runs "
	  "together (default 400000); a page grows by about 8 bytes for each", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE (default report.html); - is standard output", 0 },
	{ "sandbox", SANDBOX, NULL, 0, "for other people's dumps: " HD_CONFINE_DOC, 0 },
	{ "window", WINDOW, "FROM-TO", 0, "cycles that the warp timelines show (default: from the "
	  "first, as many as --detail allows)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static uint64_t number(struct argp_state *st, const char *option, const char *s, char end,
                       const char **rest)
{
	char *stop = (char *)s;
	uint64_t n = 0;

	errno = 0;
	if (*s >= '0' && *s <= '9')
		n = strtoull(s, &stop, 10);
	if (stop == s || errno || *stop != end)
		argp_error(st, "--%s: bad value '%s'; see --help", option, s);
	*rest = stop + 1;
	return n;
}

static void window(struct argp_state *st, const char *arg, struct report_options *o)
{
	const char *rest;

	o->from = number(st, "window", arg, '-', &rest);
	o->to = number(st, "window", rest, '\0', &rest);
	if (o->to <= o->from)
		argp_error(st, "--window: '%s' holds no cycle", arg);
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;
	const char *rest;

	switch (key) {
	case 'o': a->output = arg; return 0;
	case DETAIL: a->opt.detail = number(st, "detail", arg, '\0', &rest); return 0;
	case SANDBOX: a->confine.wanted = true; return 0;
	case WINDOW: window(st, arg, &a->opt); return 0;
	case ARGP_KEY_ARG:
		if (a->opt.runs == MOST_RUNS)
			argp_error(st, "unexpected argument '%s'; expected at most %u dumps", arg,
			           MOST_RUNS);
		a->file[a->opt.runs++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (a->opt.runs == 0)
			argp_error(st, "expected DUMP...");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, "DUMP...",
	"Writes one page for a browser with figures about the runs that were dumped ('heddle run "
	"--dump'): where the issue slots went, IPC, units, occupancy, bank conflicts, the costliest "
	"instructions, what every warp did.  Several runs stand side by side, with differences from "
	"the first.  The page needs no network and no other file.\v"
	"A dump that is cut short or was filtered is shown as far as it goes.\n\n"
	"Exit status: 0 success, 1 the page could not be written, 2 bad usage or no dump.",
	NULL, NULL, NULL
};

static json_t *gather(struct report **runs, const struct args *a)
{
	uint64_t most = 0;
	json_t *all = json_array();

	for (uint32_t i = 0; i < a->opt.runs; i++)
		most = runs[i]->cycles > most ? runs[i]->cycles : most;
	for (uint32_t i = 0; i < a->opt.runs; i++) {
		struct report *r = runs[i];

		r->bins = report_bins(r->cycles, report_width(most, BINS)); /* one scale for all */
		json_array_append(all, report_run(r, &a->opt));
		if (r->d->damage)
			fprintf(stderr, "heddle: %s: %s; the page shows what precedes it\n", r->d->path,
			        r->d->damage);
	}
	return json_pack("{s:s, s:o}", "heddle", PACKAGE_VERSION, "runs", all);
}

static char *title_of(const json_t *data)
{
	const json_t *all = json_object_get(data, "runs");
	const char *core = json_string_value(json_object_get(json_array_get(all, 0), "core"));
	size_t n = json_array_size(all);

	if (n > 1)
		return hd__format("heddle: %zu runs", n);
	return hd__format("heddle: a run on %s", core ? core : "?");
}

static int write_page(const char *file, const json_t *data)
{
	char *title = title_of(data);
	struct hd_output o;
	int status = hd__output_open(&o, file, NULL);

	if (status == HD_EXIT_OK) {
		report_page(o.f, title, data); /* if it fails, the stream has an error */
		status = hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
	}
	free(title);
	return status;
}

int hd__cmd_report(int argc, char **argv)
{
	struct args a = { .output = "report.html", .opt = { .detail = 400000 } };
	struct report *runs[MOST_RUNS] = { NULL };
	int status = HD_EXIT_OK;
	json_t *data;

	hd__parse_args(&argp, argc, argv, &a);
	for (uint32_t i = 0; i < a.opt.runs; i++)
		hd__confine_read(&a.confine, a.file[i]);
	hd__confine_write(&a.confine, a.output);
	hd__confine(&a.confine);
	for (uint32_t i = 0; i < a.opt.runs; i++) {
		runs[i] = report_open(a.file[i]);
		if (!runs[i])
			status = HD_EXIT_USAGE;
	}
	if (status == HD_EXIT_OK) {
		data = gather(runs, &a);
		status = write_page(a.output, data);
		json_decref(data);
	}
	for (uint32_t i = 0; i < a.opt.runs; i++)
		report_close(runs[i]);
	return status;
}
