/* cmd_report.c - heddle report: writes a page with figures about runs, or about a study
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "tools/report/report.h"
#include "tools/report/study_page.h"
#include "cmd.h"
#include "confine.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MOST_RUNS 16u
#define BINS 480u /* about two pixels each */
#define MOST_TABLES 16u
#define COLUMNS 100u

struct args {
	const char *output;
	const char *file[MOST_RUNS];
	const char *cost, *figure, *table[MOST_TABLES]; /* of a study */
	unsigned tables;
	bool text, given; /* given: -o was */
	struct report_options opt;
	struct hd_confine confine;
};

enum { DETAIL = 256, WINDOW, SANDBOX, COST, FIGURE, TABLE, TEXT };

static const struct argp_option options[] = {
	{ "detail", DETAIL, "N", 0, "most instructions that the warp timelines show, of all runs "
	  "together (default 400000); a page grows by about 8 bytes for each", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE (default report.html); - is standard output", 0 },
	{ "sandbox", SANDBOX, NULL, 0, "for other people's dumps: " HD_CONFINE_DOC, 0 },
	{ "window", WINDOW, "FROM-TO", 0, "cycles that the warp timelines show (default: from the "
	  "first, as many as --detail allows)", 0 },
	{ "cost", COST, "NAME", 0, "study: what a design costs: a parameter, a figure or a column of a table; "
	  "the page can change it", 1 },
	{ "figure", FIGURE, "PATH", 0, "study, with --text: the figure, such as issue.stall (default cycles)", 1 },
	{ "table", TABLE, "FILE.csv", 0, "study: a table with costs or reference cycles, see heddle-report(1); "
	  "may be given again", 1 },
	{ "text", TEXT, NULL, 0, "study: print a table with a small bar chart rather than write a page", 1 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static void window(struct argp_state *st, const char *arg, struct report_options *o)
{
	char *end;

	o->from = hd__arg_number(st, "--window", arg, 0, UINT64_MAX, &end);
	if (*end != '-')
		argp_error(st, "--window: bad value '%s'; see --help", arg);
	o->to = hd__arg_number(st, "--window", end + 1, 0, UINT64_MAX, NULL);
	if (o->to <= o->from)
		argp_error(st, "--window: '%s' holds no cycle", arg);
}

static void add_table(struct argp_state *st, struct args *a, const char *arg)
{
	if (a->tables == MOST_TABLES)
		argp_error(st, "--table: expected at most %u tables", MOST_TABLES);
	a->table[a->tables++] = arg;
}

/* Reports options that are for the other kind of input. */
static void check(struct argp_state *st, const struct args *a)
{
	bool study = a->opt.runs > 0 && report_is_study(a->file[0]);

	if (a->opt.runs == 0)
		argp_error(st, "expected DUMP... or STUDY");
	for (uint32_t i = 1; i < a->opt.runs; i++)
		if (study || report_is_study(a->file[i]))
			argp_error(st, "'%s' is a study: expected one of them alone", a->file[study ? 0 : i]);
	if (!study && (a->cost || a->figure || a->tables || a->text))
		argp_error(st, "--%s: expected the folder of a study, '%s' is none", a->cost ? "cost" : a->tables
		           ? "table" : a->text ? "text" : "figure", a->file[0]);
	if (a->figure && !a->text)
		argp_error(st, "--figure needs --text; the page has all figures");
	if (a->text && (a->cost || a->tables || a->given))
		argp_error(st, "--text and %s: expected one of them",
		           a->cost ? "--cost" : a->tables ? "--table" : "-o");
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case 'o': a->output = arg; a->given = true; return 0;
	case COST: a->cost = arg; return 0;
	case FIGURE: a->figure = arg; return 0;
	case TABLE: add_table(st, a, arg); return 0;
	case TEXT: a->text = true; return 0;
	case DETAIL: a->opt.detail = hd__arg_number(st, "--detail", arg, 0, UINT64_MAX, NULL); return 0;
	case SANDBOX: a->confine.wanted = true; return 0;
	case WINDOW: window(st, arg, &a->opt); return 0;
	case ARGP_KEY_ARG:
		if (a->opt.runs == MOST_RUNS)
			argp_error(st, "unexpected argument '%s'; expected at most %u dumps", arg,
			           MOST_RUNS);
		a->file[a->opt.runs++] = arg;
		return 0;
	case ARGP_KEY_END:
		check(st, a);
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, "DUMP...\nSTUDY",
	"Writes one page for a browser with figures about the runs that were dumped ('heddle run "
	"--dump'): where the issue slots went, IPC, units, occupancy, bank conflicts, the costliest "
	"instructions, what every warp did.  Several runs stand side by side, with differences from "
	"the first.\n"
	"With STUDY, a folder of 'heddle sweep', the page shows its points: a table, figures against parameters, "
	"speed-ups, costs, comparison with a reference.\n"
	"Pages need no network and no other file.\v"
	"A dump that is cut short or was filtered is shown as far as it goes.\n\n"
	"Exit status: 0 success, 1 the page could not be written, or a dump is damaged and "
	"the page has what could be read, 2 bad usage, no dump or no study.",
	NULL, NULL, NULL
};

static int write_page(const char *file, const char *frame, const struct report_content *c)
{
	struct hd_output o;
	int status = hd__output_open(&o, file, NULL);

	if (status == HD_EXIT_OK) {
		/* if it fails, the stream has an error */
		report_page(o.f, frame, c);
		status = hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
	}
	return status;
}

/* ---- studies ---- */

static unsigned columns_of_terminal(void)
{
	const char *text = getenv("COLUMNS");
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;
	struct winsize size;

	if (n == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		n = size.ws_col;
	return n >= 40 && n <= 10000 ? (unsigned)n : COLUMNS;
}

static void write_study(void *arg, FILE *out)
{
	report_json(out, arg);
}

static int show_study(struct report_study *s, const struct args *a)
{
	const char *name = json_string_value(json_object_get(json_object_get(s->data, "study"), "name"));
	char *title;
	int status;

	if (a->text)
		return report_study_table(s, a->figure ? a->figure : "cycles", columns_of_terminal(), stdout)
		       ? HD_EXIT_OK : HD_EXIT_USAGE;
	for (unsigned i = 0; i < a->tables; i++)
		if (!report_study_add_csv(s, a->table[i]))
			return HD_EXIT_USAGE;
	if (a->cost && !report_study_has_cost(s, a->cost))
		return HD_EXIT_USAGE;
	if (a->cost)
		json_object_set_new(s->data, "cost", report_text(a->cost));
	title = hd__format("heddle: study %s", name ? name : "?");
	status = write_page(a->output, "study.html", &(struct report_content){ .title = title, .data = write_study,
		.arg = s->data, .columns = s->columns });
	free(title);
	return status;
}

static int report_of_study(const struct args *a)
{
	char *path = report_study_path(a->file[0]);
	struct report_study s;
	int status = HD_EXIT_USAGE;

	if (report_study_read(path, &s)) {
		status = show_study(&s, a);
		report_study_free(&s);
	}
	free(path);
	return status;
}

/* ---- dumps ---- */

/* The runs of a page, of which one at a time is in memory. */
struct runs {
	const struct args *a;
	struct report *only;  /* one that is open already; NULL: there are several */
	char *core;           /* of the first */
	uint64_t most;        /* cycles of the longest */
	bool damaged;         /* one of them: the page has what could be read */
	int status;
};

/* Opens each dump, so that all errors are printed before anything is written. */
static void look(struct runs *s)
{
	for (uint32_t i = 0; i < s->a->opt.runs; i++) {
		struct report *r = report_open(s->a->file[i]);
		const char *core = r ? json_string_value(json_object_get(r->d->meta, "core")) : NULL;

		if (!r) {
			s->status = HD_EXIT_USAGE;
			continue;
		}
		s->most = r->cycles > s->most ? r->cycles : s->most;
		if (i == 0)
			s->core = hd__xstrdup(core ? core : "?");
		if (s->a->opt.runs == 1)
			s->only = r;
		else
			report_close(r);
	}
}

/* Takes over the run. */
static void write_run(struct runs *s, struct report *r, FILE *out)
{
	r->bins = report_bins(r->cycles, report_width(s->most, BINS)); /* one scale for all */
	report_json(out, report_run(r, &s->a->opt));
	if (r->d->damage) {
		fprintf(stderr, "heddle: %s: %s; the page shows what precedes it\n", r->d->path, r->d->damage);
		s->damaged = true;
	}
	report_close(r);
}

static void write_runs(void *arg, FILE *out)
{
	struct runs *s = arg;

	fprintf(out, "{\"heddle\":\"%s\",\"runs\":[", PACKAGE_VERSION);
	for (uint32_t i = 0; i < s->a->opt.runs && s->status == HD_EXIT_OK; i++) {
		struct report *r = s->only ? s->only : report_open(s->a->file[i]);

		if (!r) {
			s->status = HD_EXIT_USAGE;
			break;
		}
		fputs(i > 0 ? "," : "", out);
		write_run(s, r, out);
	}
	s->only = NULL;
	fputs("]}", out);
}

static int write_dumps(struct runs *s, const char *title)
{
	const struct report_content c = { .title = title, .data = write_runs, .arg = s };
	struct hd_output o;
	int status = hd__output_open(&o, s->a->output, NULL);

	if (status != HD_EXIT_OK)
		return status;
	report_page(o.f, "report.html", &c);
	if (!hd__output_close(&o, s->status == HD_EXIT_OK) && s->status == HD_EXIT_OK)
		return HD_EXIT_FAILED;
	return s->status == HD_EXIT_OK && s->damaged ? HD_EXIT_FAILED : s->status;
}

static int report_of_dumps(const struct args *a)
{
	struct runs s = { .a = a, .status = HD_EXIT_OK };
	char *title;

	look(&s);
	if (s.status == HD_EXIT_OK) {
		title = a->opt.runs > 1 ? hd__format("heddle: %u runs", (unsigned)a->opt.runs)
		                        : hd__format("heddle: a run on %s", s.core);
		s.status = write_dumps(&s, title);
		free(title);
	}
	report_close(s.only);
	free(s.core);
	return s.status;
}

int hd__cmd_report(int argc, char **argv)
{
	struct args a = { .output = "report.html", .opt = { .detail = 400000 } };

	hd__parse_args(&argp, argc, argv, &a);
	for (uint32_t i = 0; i < a.opt.runs; i++)
		hd__confine_read(&a.confine, a.file[i]);
	for (unsigned i = 0; i < a.tables; i++)
		hd__confine_read(&a.confine, a.table[i]);
	if (!a.text)
		hd__confine_write(&a.confine, a.output);
	hd__confine(&a.confine);
	return report_is_study(a.file[0]) ? report_of_study(&a) : report_of_dumps(&a);
}
