/* cmd_dump.c - heddle dump: converts a dump, or lists what is in it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "confine.h"
#include "tools/dump/writers.h"

#include <ctype.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HEAD 20 /* instructions */
#define TOP 15  /* lines */
#define COLUMNS 100
#define LEAST_COLUMNS 40u
#define MOST_COLUMNS 10000u

struct args {
	const char *file, *output;
	const struct dump_writer *to;
	struct dump_query query;
	bool info, stalls, pipeline;
	struct hd_confine confine;
	bool top; /* --top was given */
};

enum { KEY_INFO = 256, KEY_HEAD, KEY_WARP, KEY_BETWEEN, KEY_PC, KEY_KERNEL, KEY_EVENT, KEY_INSTANCE,
	KEY_FILTER, KEY_TABLE, KEY_STEPS, KEY_STALLS, KEY_BY, KEY_TOP,
	KEY_PIPELINE, KEY_COLUMNS, KEY_UNITS, KEY_SANDBOX };

static const struct argp_option options[] = {
	{ "to", 't', "FORMAT", 0, "convert to this format, see below", 1 },
	{ "output", 'o', "FILE", 0, "where to write; - is standard output", 1 },
	{ "table", KEY_TABLE, "NAME", 0, "csv: write this table alone", 1 },
	{ "steps", KEY_STEPS, NULL, 0, "sqlite: write every step of every transaction", 1 },
	{ "sandbox", KEY_SANDBOX, NULL, 0, "for other people's dumps: " HD_CONFINE_DOC, 4 },
	{ "info", KEY_INFO, NULL, 0, "list what is in the dump", 2 },
	{ "head", KEY_HEAD, "N", OPTION_ARG_OPTIONAL, "list the first N instructions (default 20) of "
	  "what is selected; pipeline: N rows (default 200); text: the first N lines", 2 },
	{ "pipeline", KEY_PIPELINE, NULL, 0, "draw the pipeline: a row for each instruction, a column for "
	  "each cycle, a letter for each stage", 2 },
	{ "units", KEY_UNITS, NULL, 0, "pipeline: letters of their own for the units, rather than E", 2 },
	{ "columns", KEY_COLUMNS, "N", 0, "pipeline: characters of a line (default: COLUMNS, the "
	  "terminal's, or 100)", 2 },
	{ "stalls", KEY_STALLS, NULL, 0, "list the causes of lost issue slots", 2 },
	{ "by", KEY_BY, "WHAT", 0, "stalls: add up by pc, line, warp, unit, scheduler or reason", 2 },
	{ "top", KEY_TOP, "N", 0, "stalls: print N lines (default 15)", 2 },
	{ "warp", KEY_WARP, "RANGES", 0, "only these warp slots: 3,7-9", 3 },
	{ "between", KEY_BETWEEN, "A-B", 0, "only transactions and rows within these cycles", 3 },
	{ "pc", KEY_PC, "RANGES", 0, "only instructions at these addresses: 0x100-0x1f0", 3 },
	{ "kernel", KEY_KERNEL, "RANGES", 0, "only these kernels of the list, from 1", 3 },
	{ "event", KEY_EVENT, "PATTERN", 0, "only these tables: inst, issue.*, counters", 3 },
	{ "instance", KEY_INSTANCE, "PATTERN", 0, "only rows of these instances, and transactions "
	  "that passed them: issue[0], collector", 3 },
	{ "filter", KEY_FILTER, "NAME=VALUES", 0, "only rows whose field NAME has these values; as "
	  "--dump-filter of heddle run", 3 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static void add(struct argp_state *st, const char *option, const char *name, const char *values)
{
	struct args *a = st->input;
	char *text = name ? hd__format("%s=%s", name, values) : hd__xstrdup(values);
	char *wrong = hd__filter_add(&a->query.filter, text);

	if (wrong)
		argp_error(st, "--%s: %s", option, wrong);
	free(text);
}

static const struct dump_writer *find_writer(struct argp_state *st, const char *name)
{
	const struct dump_writer *w = dump_writers;
	char *all;

	for (; w->name; w++)
		if (strcmp(w->name, name) == 0)
			return w;
	all = hd__xstrdup("");
	for (w = dump_writers; w->name; w++) {
		char *more = hd__format("%s%s%s", all, all[0] ? ", " : "", w->name);

		free(all);
		all = more;
	}
	argp_error(st, "--to: unknown format '%s'; expected one of %s", name, all);
	return NULL;
}

static void set_by(struct argp_state *st, const char *what)
{
	static const char *const known[] = { "pc", "line", "warp", "unit", "scheduler", "reason", NULL };
	struct args *a = st->input;

	for (const char *const *k = known; *k; k++)
		if (strcmp(*k, what) == 0)
			a->query.by = what;
	if (!a->query.by)
		argp_error(st, "--by: expected pc, line, warp, unit, scheduler or reason, not '%s'", what);
	a->stalls = true;
}

/* Characters of a line of the picture. */
static unsigned columns(const struct args *a)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	unsigned long n = a->query.columns;

	if (!n && text && isdigit((unsigned char)*text))
		n = strtoul(text, NULL, 10);
	if (!n && !a->output && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		n = size.ws_col;
	n = n ? n : COLUMNS;
	return n < LEAST_COLUMNS ? LEAST_COLUMNS : n > MOST_COLUMNS ? MOST_COLUMNS : (unsigned)n;
}

/* Reports options that exclude each other. */
static void check(struct argp_state *st)
{
	const struct args *a = st->input;
	const struct dump_writer *w = a->to;
	bool stream = !w || (w->write && (!w->write_path || a->query.table));

	if (!a->file)
		argp_error(st, "expected the name of a DUMP");
	if (a->query.table && (!w || !w->write || !w->write_path))
		argp_error(st, "--table is only valid with --to csv");
	if (a->query.steps && (!w || strcmp(w->name, "sqlite") != 0))
		argp_error(st, "--steps is only valid with --to sqlite");
	if (a->top && !a->stalls)
		argp_error(st, "--top is only valid with --stalls");
	if (!stream && (!a->output || strcmp(a->output, "-") == 0))
		argp_error(st, "--to %s: expected -o with the name of the output%s", w->name,
		           w->write ? ", or --table" : "");
	if (!!w + a->info + a->stalls + a->pipeline > 1)
		argp_error(st, "expected one of --to, --info, --stalls and --pipeline");
	if ((a->query.columns || a->query.units) && !a->pipeline)
		argp_error(st, "--%s is only valid with --pipeline",
		           a->query.columns ? "columns" : "units");
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case 't': a->to = find_writer(st, arg); break;
	case 'o': a->output = arg; break;
	case KEY_TABLE: a->query.table = arg; break;
	case KEY_STEPS: a->query.steps = true; break;
	case KEY_INFO: a->info = true; break;
	case KEY_HEAD: a->query.head = arg ? hd__arg_number(st, "--head", arg, 1, UINT64_MAX, NULL) : HEAD; break;
	case KEY_STALLS: a->stalls = true; break;
	case KEY_SANDBOX: a->confine.wanted = true; break;
	case KEY_PIPELINE: a->pipeline = true; break;
	case KEY_UNITS: a->query.units = true; break;
	case KEY_COLUMNS:
		a->query.columns = (unsigned)hd__arg_number(st, "--columns", arg, LEAST_COLUMNS, MOST_COLUMNS, NULL);
		break;
	case KEY_BY: set_by(st, arg); break;
	case KEY_TOP:
		a->query.top = hd__arg_number(st, "--top", arg, 1, UINT64_MAX, NULL);
		a->top = true;
		break;
	case KEY_WARP: add(st, "warp", "warp", arg); break;
	case KEY_BETWEEN: add(st, "between", "cycle", arg); break;
	case KEY_PC: add(st, "pc", "pc", arg); break;
	case KEY_KERNEL: add(st, "kernel", "kernel", arg); break;
	case KEY_EVENT: add(st, "event", "event", arg); break;
	case KEY_INSTANCE: add(st, "instance", "instance", arg); break;
	case KEY_FILTER: add(st, "filter", NULL, arg); break;
	case ARGP_KEY_ARG:
		if (st->arg_num > 0)
			argp_error(st, "unexpected argument '%s'; expected one DUMP%s", arg,
			           a->stalls ? "; 'heddle compare --stalls' compares two" : "");
		a->file = arg;
		break;
	case ARGP_KEY_END:
		check(st);
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Appends the formats to the text after the options. */
static char *help(int key, const char *text, void *input)
{
	char *all;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	all = hd__xstrdup("Formats:\n");
	for (const struct dump_writer *w = dump_writers; w->name; w++) {
		char *more = hd__format("%s  %-10s %s\n", all, w->name, w->doc);

		free(all);
		all = more;
	}
	return all;
}

static const struct argp argp = {
	options, parse, "DUMP",
	"Converts or explains DUMP, a file that 'heddle run --dump' has written.\v", NULL, help, NULL
};

/* Without --to: text for reading. */
static const struct dump_writer info = { "info", NULL, dump_info, NULL, false };
static const struct dump_writer stalls = { "stalls", NULL, dump_print_stalls, NULL, false };
static const struct dump_writer pipeline = { "pipeline", NULL, dump_pipeline, NULL, false };
static const struct dump_writer list = { "list", NULL, dump_list, NULL, false };

int hd__cmd_dump(int argc, char **argv)
{
	struct args a = { .query.top = TOP };
	struct dump *d;
	int status = HD_EXIT_USAGE;

	hd__parse_args(&argp, argc, argv, &a);
	if (!a.to)
		a.to = a.stalls ? &stalls : a.pipeline ? &pipeline
		     : a.info || !(a.query.head || a.query.filter.ntext) ? &info : &list;
	a.query.columns = columns(&a);
	hd__confine_read(&a.confine, a.file);
	hd__confine_write(&a.confine, a.output);
	hd__confine(&a.confine);
	if (a.to == &stalls)
		dump_query_kernels(&a.query);
	d = dump_open(a.file);
	if (d && dump_query_bind(&a.query, d)) {
		status = dump_output(d, &a.query, a.to, a.output);
		if (d->damage && status != HD_EXIT_USAGE) {
			fprintf(stderr, "heddle: %s: %s; what could be read is written\n", a.file,
			        d->damage);
			status = HD_EXIT_FAILED;
		}
	}
	dump_query_free(&a.query, d);
	dump_close(d);
	return status;
}
