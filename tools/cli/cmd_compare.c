/* cmd_compare.c - heddle compare: prints how runs differ
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "tools/study/study_stalls.h"

#include <math.h>
#include <stdlib.h>

struct args {
	const char **v;
	size_t n;
	const char *csv, *figure;
	unsigned long base; /* from 1; 0: the first that has results */
	double above;       /* share; negative: not given */
	bool full, quiet, stalls;
};

enum { KEY_CSV = 256, KEY_ABOVE, KEY_FIGURE, KEY_BASE, KEY_FULL, KEY_STALLS };

static const struct argp_option options[] = {
	{ "base", KEY_BASE, "N", 0, "compare with the N-th run, folder or design; default: the first that has "
	  "results", 0 },
	{ "full", KEY_FULL, NULL, 0, "of a folder: all tables of each design, rather than a line", 0 },
	{ "stalls", KEY_STALLS, NULL, 0, "print only what issue slots were lost to, as a tree of reasons and causes, "
	  "the largest differences first", 0 },
	{ "csv", KEY_CSV, "FILE", 0, "write every value that differs, of runs and kernels; - is standard output", 0 },
	{ "fail-above", KEY_ABOVE, "PERCENT", 0, "exit with status 1 if the cycles of any run changed by more, or a "
	  "run ended in another way or is missing", 0 },
	{ "figure", KEY_FIGURE, "NAME", 0, "--fail-above looks at this figure of the run; default: cycles", 0 },
	{ "quiet", 'q', NULL, 0, "print nothing but errors and what --fail-above found", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static double percent(struct argp_state *st, const char *text)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || !(v >= 0 && v <= 1e6) || (*end && strcmp(end, "%") != 0))
		argp_error(st, "--fail-above: '%s': expected a percentage such as 0.5%%", text);
	return v / 100;
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case KEY_BASE:
		a->base = hd__arg_number(st, "--base", arg, 1, SIZE_MAX, NULL);
		break;
	case KEY_FULL: a->full = true; break;
	case KEY_STALLS: a->stalls = true; break;
	case KEY_CSV: a->csv = arg; break;
	case KEY_ABOVE: a->above = percent(st, arg); break;
	case KEY_FIGURE: a->figure = arg; break;
	case 'q': a->quiet = true; break;
	case ARGP_KEY_ARG:
		a->v = hd__xappend((void *)a->v, a->n, sizeof *a->v);
		a->v[a->n++] = arg;
		break;
	case ARGP_KEY_END:
		if (a->n == 0)
			argp_error(st, "expected RUN..., statistics, dumps, FILE#N, folders of heddle sweep, or "
			           "FOLDER:N");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options, parse, "RUN...",
	"Prints how each RUN differs from the first.  RUN is a file of heddle run --stats, a dump, FILE#N, the N-th "
	"kernel of one of these, a folder of heddle sweep, or FOLDER:N, its N-th point.  Of a single folder the "
	"designs are compared.\vExit status: 0 success, 1 --fail-above found a change, or the output could not be "
	"written, 2 bad usage or input.", NULL, NULL, NULL
};

/* Did the figure change by more than that anywhere?  Prints where. */
static bool is_above(const struct args *a, const struct study_pairs *p, uint32_t name)
{
	const struct study_pair *where;
	double change = study_largest_change(p, name, &where);

	if (a->above < 0 || change <= a->above)
		return false;
	if (p->only_a + p->only_b > 0)
		fprintf(stderr, "heddle: %s and %s: %zu runs are in one of them only\n", p->base->label,
		        p->other->label, p->only_a + p->only_b);
	else if (isinf(change))
		fprintf(stderr, "heddle: %s: %s, in %s %s, or was 0\n", where->a->label, where->a->status,
		        p->other->label, where->b->status);
	else
		fprintf(stderr, "heddle: %s: %s changed by %.2f %%, more than %.4g %%\n", where->a->label, a->figure,
		        change * 100, a->above * 100);
	return true;
}

static void print(const struct args *a, const struct study_sides *s, const struct study_pairs *p, int width)
{
	if (a->quiet)
		return;
	if (a->stalls) {
		printf("%s -> %s\n", p->base->label, p->other->label);
		study_print_arrays(s, p, stdout);
		if (!study_print_stalls(s, p, true, stdout))
			puts("no issue slots are counted");
		putchar('\n');
	} else if (s->designs && s->n > 2 && !a->full)
		study_print_line(s, p, width, stdout);
	else
		study_print_pairs(s, p, stdout);
}

/* Points that were refused have none. */
static size_t first_with_results(const struct study_sides *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->v[i].n; k++)
			if (s->v[i].runs[k].n > 0)
				return i;
	return 0;
}

/* Compares each side with the base.  *whole: the CSV is. */
static int compare(const struct args *a, const struct study_sides *s, FILE *csv, bool *whole)
{
	char *name = hd__join("run ", a->figure, "");
	uint32_t figure = study_name(&s->names, name);
	size_t base = a->base > 0 ? a->base - 1 : first_with_results(s);
	int status = HD_EXIT_OK, width = 0;

	free(name);
	if (figure == UINT32_MAX) {
		fprintf(stderr, "heddle: --figure: no run has a figure '%s'; expected one such as cycles or "
		        "issue.stall\n",
		        a->figure);
		return HD_EXIT_USAGE;
	}
	if (csv)
		study_csv_head(csv);
	for (size_t i = 0; i < s->n; i++)
		width = (int)strlen(s->v[i].label) > width ? (int)strlen(s->v[i].label) : width;
	if (s->designs && s->n > 2 && !a->full && !a->stalls && !a->quiet)
		printf("compared with %s: geometric mean of cycles; issue slots\n", s->v[base].label);
	for (size_t i = 0; i < s->n; i++) {
		struct study_pairs p;

		if (i == base)
			continue;
		study_pairs_make(&p, &s->v[base], &s->v[i], s->designs);
		print(a, s, &p, width);
		if (csv && *whole)
			*whole = study_csv_pairs(s, &p, csv);
		if (is_above(a, &p, figure))
			status = HD_EXIT_FAILED;
		study_pairs_free(&p);
	}
	if (s->designs && !a->stalls && !a->quiet)
		study_print_effects(s, stdout);
	return status;
}

int hd__cmd_compare(int argc, char **argv)
{
	struct args a = { .above = -1, .figure = "cycles" };
	struct study_sides sides;
	struct hd_output csv = { .f = NULL };
	int status = HD_EXIT_USAGE;
	bool whole = true, read;

	hd__parse_args(&argp, argc, argv, &a);
	read = study_sides_read(&sides, a.v, a.n, a.csv != NULL);
	if (read && a.base > sides.n)
		fprintf(stderr, "heddle: --base: expected a number from 1 to %zu\n", sides.n);
	else if (read && (!a.csv || hd__output_open(&csv, a.csv, "--csv") == HD_EXIT_OK)) {
		status = compare(&a, &sides, csv.f, &whole);
		if (csv.f && !hd__output_close(&csv, whole) && status == HD_EXIT_OK)
			status = HD_EXIT_FAILED;
	}
	study_sides_free(&sides);
	free((void *)a.v);
	return status;
}
