/* pipeline_print.c - draws cycles and stages in panels, with a ruler above and a legend below
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cycle     20        30            the number stands above its cycle, begin with its first digit
 *	          0123456789012~27~01     last digits of the cycles; 27 of them in which nothing changes
 *	w0 0x0060 Dr.....cCeEM....wW      a letter where a stay begins; work repeats it, waits have dots
 */
#include "pipeline.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <inttypes.h>

#define WIDEST 32u /* characters of any column */

struct drawing {
	const struct pipeline *p;
	FILE *out;
	unsigned width, label; /* characters of a line, and of the labels in it */
	size_t first, end;     /* columns of this panel */
	char *line;            /* cells of a line; room for `width` and the widest column */
	size_t *active;        /* rows that have begun and not ended */
	size_t nactive, next;
	/* for the legend */
	bool *stayed, *began;  /* by place */
	char order[2 * DUMP_LETTERS];
	bool dots, folds, flushed, goes_on;
};

static unsigned column_width(const struct pipeline_column *c)
{
	return c->n == 1 ? 1 : (unsigned)snprintf(NULL, 0, "~%" PRIu64 "~", c->n);
}

/* ---- cells ---- */

static void note(struct drawing *d, char letter)
{
	size_t n = strlen(d->order);

	if (!strchr(d->order, letter) && n + 1 < sizeof d->order)
		d->order[n] = letter;
}

/* The stay of that cycle; NULL: none.  Cycles do not go back. */
static const struct pipeline_stay *stay_at(const struct pipeline *p, struct pipeline_row *r,
                                           uint64_t cycle)
{
	const struct pipeline_stay *s = p->stays + r->first;

	while (r->at < r->n && s[r->at].cycle + s[r->at].cycles <= cycle)
		r->at++;
	return r->at < r->n && s[r->at].cycle <= cycle ? &s[r->at] : NULL;
}

static char ending(struct drawing *d, const struct pipeline_row *r)
{
	d->flushed = d->flushed || r->ending == PIPELINE_FLUSHED;
	d->goes_on = d->goes_on || r->ending == PIPELINE_GOES_ON;
	if (r->last != UINT32_MAX) {
		d->stayed[r->last] = true;
		note(d, r->ending);
	}
	return r->ending;
}

static char cell(struct drawing *d, struct pipeline_row *r, uint64_t cycle, bool first)
{
	const struct pipeline *p = d->p;
	const struct pipeline_stay *s;
	const struct dump_place *place;
	char letter;

	if (cycle == r->end && r->ending)
		return ending(d, r);
	s = cycle < r->end ? stay_at(p, r, cycle) : NULL;
	if (!s)
		return ' ';
	place = &p->d->places[s->place];
	letter = p->letters->at[s->place];
	if (place->kind == DUMP_MARK && cycle == r->begin) {
		letter = p->letters->begin[s->place];
		d->began[s->place] = true;
		note(d, letter);
		return letter;
	}
	/* a wait has its letter once, and if the row begins with it, in its second cycle */
	if (place->kind != DUMP_AT && !first
	    && cycle != s->cycle + (place->kind == DUMP_MARK && s->cycle == r->begin)) {
		d->dots = true;
		return '.';
	}
	d->stayed[s->place] = true;
	note(d, letter);
	return letter;
}

static void put_line(struct drawing *d, const char *label, size_t n)
{
	bool cut = strlen(label) > d->label;

	while (n > 0 && d->line[n - 1] == ' ')
		n--;
	fprintf(d->out, "%-*.*s%s %.*s\n", (int)(d->label - (cut ? 2 : 0)),
	        (int)(d->label - (cut ? 2 : 0)), label, cut ? ".." : "", (int)n, d->line);
}

static void draw_row(struct drawing *d, struct pipeline_row *r)
{
	size_t n = 0;

	for (size_t i = d->first; i < d->end; i++) {
		const struct pipeline_column *c = &d->p->columns[i];
		unsigned wide = column_width(c);

		for (unsigned k = 0; k < wide; k++)
			d->line[n++] = cell(d, r, c->cycle + (k > 0), i == d->first && k == 0);
	}
	put_line(d, r->label, n);
}

/* ---- the ruler ---- */

static void draw_ruler(struct drawing *d)
{
	size_t n = 0, free_from = 0;

	memset(d->line, ' ', d->width + WIDEST);
	for (size_t i = d->first; i < d->end; i++) {
		const struct pipeline_column *c = &d->p->columns[i];
		bool numbered = i == d->first
		                || (c->n == 1 && (d->p->columns[i - 1].n > 1 || c->cycle % 10 == 0));
		char number[32];
		size_t length = (size_t)snprintf(number, sizeof number, "%" PRIu64, c->cycle);

		if (numbered && n >= free_from && n + length < d->width - d->label) {
			memcpy(d->line + n, number, length);
			free_from = n + length + 1;
		}
		n += column_width(c);
	}
	put_line(d, "cycle", n > free_from ? n : free_from);
	n = 0;
	for (size_t i = d->first; i < d->end; i++) {
		const struct pipeline_column *c = &d->p->columns[i];
		char text[32];

		if (c->n > 1)
			snprintf(text, sizeof text, "~%" PRIu64 "~", c->n);
		else
			snprintf(text, sizeof text, "%" PRIu64, c->cycle % 10);
		d->folds = d->folds || c->n > 1;
		memcpy(d->line + n, text, strlen(text));
		n += strlen(text);
	}
	put_line(d, d->p->core, n);
}

/* ---- panels ---- */

/* As many columns as fit, at least one: its number may be wider than the line. */
static size_t end_of_panel(const struct drawing *d)
{
	size_t end = d->first;
	unsigned width = d->label + 1;

	do
		width += column_width(&d->p->columns[end++]);
	while (end < d->p->ncolumns && width + column_width(&d->p->columns[end]) <= d->width);
	return end;
}

static void draw_panel(struct drawing *d)
{
	const struct pipeline_column *last = &d->p->columns[d->end - 1];
	uint64_t begin = d->p->columns[d->first].cycle, end = last->cycle + last->n;
	size_t kept = 0;

	for (; d->next < d->p->nrows && d->p->rows[d->next].begin < end; d->next++)
		d->active[d->nactive++] = d->next;
	draw_ruler(d);
	for (size_t i = 0; i < d->nactive; i++) {
		struct pipeline_row *r = &d->p->rows[d->active[i]];

		if (r->end + (r->ending != 0) <= begin)
			continue;
		draw_row(d, r);
		d->active[kept++] = d->active[i];
	}
	d->nactive = kept;
	fputc('\n', d->out);
}

/* ---- the legend ---- */

enum kind { BEGAN, INSTANCE, CHANNEL, MARK, KINDS };

static bool drawn_as(const struct drawing *d, uint32_t place, enum kind kind, char letter)
{
	static const enum kind of[] = { [DUMP_AT] = INSTANCE, [DUMP_MARK] = MARK,
		[DUMP_CHANNEL] = CHANNEL };
	const struct dump_letters *l = d->p->letters;

	if (kind == BEGAN)
		return d->began[place] && l->begin[place] == letter;
	return d->stayed[place] && l->at[place] == letter && of[d->p->d->places[place].kind] == kind;
}

/* "collector" or "issue:register": names without netlists and numbers. */
static char *place_name(const struct dump *d, uint32_t place, enum kind kind)
{
	const struct dump_place *p = &d->places[place];
	char *path, *dot, *name;

	if (p->instance >= d->ninstances)
		return hd__xstrdup(p->name);
	path = hd__path_without_indices(d->instances[p->instance].path);
	dot = strrchr(path, '.');
	name = hd__join(dot ? dot + 1 : path, kind == MARK ? ":" : "", kind == MARK ? p->mark : "");
	free(path);
	return name;
}

/* Adds a name to a list "int, sp", once. */
static char *add_name(char *list, char *name)
{
	size_t n = strlen(name);
	char *more;

	for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
		if ((at == list || at[-1] == ' ') && (at[n] == ',' || !at[n])) {
			free(name);
			return list;
		}
	more = hd__join(list, *list ? ", " : "", name);
	free(list);
	free(name);
	return more;
}

static void explain(const struct drawing *d, char letter)
{
	const struct dump *dump = d->p->d;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		char *names = hd__xstrdup("");
		const char *doc = "";

		for (uint32_t i = 0; i < dump->nplaces; i++)
			if (drawn_as(d, i, kind, letter)) {
				names = add_name(names, place_name(dump, i, kind));
				doc = dump->places[i].doc;
			}
		if (*names && kind == BEGAN)
			fprintf(d->out, "%c  %s, where it begins\n", letter, names);
		else if (*names && kind == CHANNEL)
			fprintf(d->out, "%c  in front of %s\n", letter, names);
		else if (*names)
			fprintf(d->out, "%c  %s%s%s\n", letter, names, strchr(names, ',') ? "" : ": ",
			        strchr(names, ',') ? "" : doc);
		free(names);
	}
}

static void draw_legend(const struct drawing *d)
{
	for (const char *letter = d->order; *letter; letter++)
		explain(d, *letter);
	if (d->dots)
		fputs(".  it still waits\n", d->out);
	if (d->flushed)
		fprintf(d->out, "%c  removed from the pipeline: it was never issued\n", PIPELINE_FLUSHED);
	if (d->goes_on)
		fprintf(d->out, "%c  not at its end when the dump ended\n", PIPELINE_GOES_ON);
	if (d->folds)
		fputs("~9~  as many cycles in which nothing changes\n", d->out);
	if (d->p->more)
		fprintf(d->out, "\nthere are more than these %zu; select with --warp, --between, --pc or "
		        "--kernel, or draw more with --head=N\n", d->p->nrows);
}

void dump_draw_pipeline(const struct pipeline *p, unsigned width, FILE *out)
{
	struct drawing d = { .p = p, .out = out, .width = width };

	for (size_t i = 0; i < p->nrows; i++) {
		size_t n = strlen(p->rows[i].label);

		d.label = n > d.label ? (unsigned)(n < width ? n : width) : d.label;
	}
	d.label = d.label > width / 2 ? width / 2 : d.label;
	d.label = d.label < strlen("cycle") ? (unsigned)strlen("cycle") : d.label;
	d.line = hd__xcalloc(width + WIDEST, 1);
	d.active = hd__xcalloc(p->nrows, sizeof *d.active);
	d.stayed = hd__xcalloc(p->d->nplaces, sizeof *d.stayed);
	d.began = hd__xcalloc(p->d->nplaces, sizeof *d.began);
	for (; d.first < p->ncolumns; d.first = d.end) {
		d.end = end_of_panel(&d);
		draw_panel(&d);
	}
	draw_legend(&d);
	free(d.line);
	free(d.active);
	free(d.stayed);
	free(d.began);
}
