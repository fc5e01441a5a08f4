/* pipeline.c - a picture of cycles and stages: one row a transaction, one column a cycle
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory is needed for the rows drawn.  Columns are the cycles around changes: where nothing
 * changes in any row for some time, one column stands for all of these cycles, so that there are
 * never many more columns than changes.  They are drawn in panels, with a ruler above and a legend below:
 *
 *	cycle     20        30            the number stands above its cycle, begin with its first digit
 *	          0123456789012~27~01     last digits of the cycles; 27 of them in which nothing changes
 *	w0 0x0060 Dr.....cCeEM....wW      a letter where a stay begins; work repeats it, waits have dots
 */
#include "known.h"
#include "stages.h"
#include "writers.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <inttypes.h>

#define MOST_ROWS 200u /* unless the number is given */
#define MOST_STAYS (UINT64_C(1) << 20)
#define FOLDED 8u      /* as many cycles without a change are drawn one by one */
#define WIDEST 32u     /* characters of any column */
#define PIPELINE_FLUSHED 'x'   /* it ended and was never issued */
#define PIPELINE_GOES_ON '>'   /* it had not ended when the dump did */
#define ALPHABET "abcdefghijklmnopqrstuvwxyz"
#define LETTERS 128u   /* they are below this; '?' stands for all places that found none */

/* ---- letters ---- */

/* Instances have capitals, the channels in front of them the same letter small.  The instances that execute share E,
 * unless dump_query.units is set.  Marks are waits, in small letters, except in instances that execute.  First come the
 * stages through which the wanted transactions move, then all marks, so that the letters of a core do not depend on
 * what is around it, nor on what occurs in a run: they are the same for every selection of its rows. */
struct dump_letters {
	char *at;    /* by place */
	char *begin; /* by place: of a mark at which transactions begin, the letter of its instance */
};

struct chooser {
	const struct dump *d;
	struct dump_letters *l;
	struct dump_stage_view *view;
	json_t *stages;        /* path without indices -> capital */
	json_t *marks;         /* "path:mark" -> letter */
	bool *moves, *begins;  /* by place: a channel of wanted transactions; they begin there */
	bool units;            /* instances that execute have letters of their own */
	bool taken[LETTERS];
};

/* Names may hold any bytes. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *last_name(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

/* The first letter of `names` of which both cases are free, as a capital; 0: there is none. */
static char free_pair(const struct chooser *c, const char *names)
{
	for (const char *n = names; *n; n++)
		if (is_letter(*n) && !c->taken[toupper(*n)] && !c->taken[tolower(*n)])
			return (char)toupper(*n);
	return 0;
}

static char find(const json_t *map, const char *key)
{
	const char *s = json_string_value(json_object_get(map, key));

	return s ? *s : 0;
}

static char keep(struct chooser *c, json_t *map, const char *key, char letter)
{
	c->taken[(unsigned char)letter] = true;
	json_object_set_new(map, key, json_stringn(&letter, 1));
	return letter;
}

/* The capital of an instance, chosen now if it has none. */
static char stage_letter(struct chooser *c, uint32_t instance)
{
	char *path = hd__path_without_indices(c->d->instances[instance].path);
	char letter = find(c->stages, path);

	if (!letter) {
		letter = free_pair(c, last_name(path));
		letter = letter ? letter : free_pair(c, ALPHABET);
		letter = keep(c, c->stages, path, letter ? letter : '?');
		c->taken[tolower(letter)] = true;
	}
	free(path);
	return letter;
}

/* The first free one of these letters in that case; 0: there is none. */
static char free_letter(const struct chooser *c, const char *names, bool capital)
{
	for (const char *n = names; *n; n++) {
		char letter = is_letter(*n) ? (char)(capital ? toupper(*n) : tolower(*n)) : '?';

		if (is_letter(*n) && !c->taken[(unsigned char)letter])
			return letter;
	}
	return 0;
}

/* Initials first: of the mark, then of its instance. */
static char mark_letter(struct chooser *c, const struct dump_place *p, bool capital)
{
	char *path = hd__path_without_indices(c->d->instances[p->instance].path);
	char *key = hd__join(path, ":", p->mark);
	const char *name = last_name(path);
	char *names = hd__format("%.1s%.1s%s%s", p->mark, name, p->mark, name);
	char letter = find(c->marks, key);

	if (!letter) {
		letter = free_pair(c, names);
		if (letter && !capital)
			letter = (char)tolower(letter);
		letter = letter ? letter : free_letter(c, names, capital);
		letter = letter ? letter : free_letter(c, ALPHABET, capital);
		letter = letter ? letter : free_letter(c, ALPHABET, !capital);
		keep(c, c->marks, key, letter ? letter : '?');
		letter = find(c->marks, key);
	}
	free(path);
	free(key);
	free(names);
	return letter;
}

/* Where do transactions of this table begin, and in which channels do they move? */
static void note_places(struct chooser *c, struct dump *d, uint32_t table)
{
	struct dump_transaction t = { .n = 0 };
	struct dump_rows rows;

	for (uint32_t i = 0; i < d->nplaces; i++)
		if (d->places[i].type && strcmp(d->places[i].type, d->tables[table].name) == 0)
			c->moves[i] = true;
	for (size_t i = 0; i < d->nblocks; i++) {
		if (d->blocks[i].head.table != table || !dump_rows(d, i, &rows))
			continue;
		while (dump_transaction(&rows, &t))
			if (t.n)
				c->begins[t.steps[0].place] = true;
		free(t.steps);
		dump_rows_free(&rows);
		return;
	}
}

static bool has_instance(const struct chooser *c, uint32_t place)
{
	return c->d->places[place].instance < c->d->ninstances;
}

/* An instance that does, or stands behind a channel that leads to one. */
static bool executes(const struct chooser *c, uint32_t place)
{
	const struct dump_place *p = &c->d->places[place];
	uint32_t inside = c->view->inside[p->instance];

	return inside != UINT32_MAX && c->view->v[inside].executes;
}

static void choose_stage(struct chooser *c, uint32_t place)
{
	if (has_instance(c, place) && (c->units || !executes(c, place)))
		stage_letter(c, c->d->places[place].instance);
}

static void choose_mark(struct chooser *c, uint32_t place)
{
	const struct dump_place *p = &c->d->places[place];

	if (has_instance(c, place) && p->kind == DUMP_MARK)
		mark_letter(c, p, executes(c, place));
}

static void choose(struct chooser *c)
{
	const struct dump *d = c->d;

	c->taken['E'] = c->taken['e'] = !c->units;
	c->taken['x'] = c->taken['X'] = true;
	for (uint32_t i = 0; i < d->nplaces; i++)
		if (c->moves[i] || c->begins[i])
			choose_stage(c, i);
	for (uint32_t i = 0; i < d->nplaces; i++)
		choose_mark(c, i);
	for (uint32_t i = 0; i < d->nplaces; i++)
		if (d->places[i].kind == DUMP_CHANNEL)
			choose_stage(c, i);
	for (uint32_t i = 0; i < d->nplaces; i++)
		choose_stage(c, i);
}

static void assign(struct chooser *c, uint32_t place)
{
	const struct dump_place *p = &c->d->places[place];
	char letter;

	c->l->at[place] = c->l->begin[place] = '?';
	if (!has_instance(c, place))
		return;
	letter = !c->units && executes(c, place) ? 'E' : stage_letter(c, p->instance);
	c->l->begin[place] = letter;
	if (p->kind == DUMP_CHANNEL)
		letter = (char)tolower(letter);
	else if (p->kind == DUMP_MARK)
		letter = mark_letter(c, p, executes(c, place));
	c->l->at[place] = letter;
}

/* For pictures of the tables of transactions that are wanted. */
static struct dump_letters *letters_new(struct dump *d, const struct dump_query *q)
{
	struct chooser c = { .d = d, .l = hd__xcalloc(1, sizeof *c.l), .stages = json_object(),
		.marks = json_object(), .view = dump_stage_view_new(d), .units = q->units };

	c.moves = hd__xcalloc(d->nplaces, sizeof *c.moves);
	c.begins = hd__xcalloc(d->nplaces, sizeof *c.begins);
	c.l->at = hd__xcalloc(d->nplaces, 1);
	c.l->begin = hd__xcalloc(d->nplaces, 1);
	for (uint32_t i = 0; i < d->ntables; i++)
		if (q->table_wanted[i] && d->tables[i].kind == HD_TABLE_TRANSACTIONS)
			note_places(&c, d, i);
	choose(&c);
	for (uint32_t i = 0; i < d->nplaces; i++)
		assign(&c, i);
	json_decref(c.stages);
	json_decref(c.marks);
	dump_stage_view_free(c.view);
	free(c.moves);
	free(c.begins);
	return c.l;
}

static void letters_free(struct dump_letters *l)
{
	free(l->at);
	free(l->begin);
	free(l);
}

/* ---- rows ---- */

struct pipeline_stay {
	uint64_t cycle, cycles;
	uint32_t place;
};

struct pipeline_row {
	uint64_t begin, end;       /* end: first cycle after it */
	size_t first, n, at;       /* stays; at: that of the column drawn last */
	char ending;               /* what is drawn in cycle `end`; 0: nothing */
	uint32_t last;             /* place of `ending`, if it is one; else UINT32_MAX */
	char *label;
	char *text;                /* what the label ends with, until it is made */
	uint32_t core, kernel;
	bool known, issued;        /* its static instruction is defined; it was issued */
	int64_t warp;              /* -1: none */
	uint32_t pc, mask;
};

/* A cycle, or several in which nothing changes. */
struct pipeline_column {
	uint64_t cycle, n;
};

struct pipeline {
	struct dump *d;
	const struct dump_query *q;
	struct dump_known known;
	struct dump_letters *letters;
	struct pipeline_row *rows;
	size_t nrows, caprows, most;
	struct pipeline_stay *stays;
	size_t nstays, capstays;
	struct pipeline_column *columns;
	size_t ncolumns, capcolumns;
	const char *core;          /* of all rows; "": the only one, or they differ */
	bool more;                 /* rows are left out */
};

/* ---- rows ---- */

/* Labels are one line of visible characters. */
static char *one_line(char *s)
{
	for (char *c = s; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return s;
}

/* "mem addr=0x7f00 warp=3": the fields of a transaction that is not an instruction. */
static char *fields_text(const struct dump *d, const struct dump_item *item)
{
	const struct dump_table *t = item->rows->table;
	char *text = hd__xstrdup(t->name), *more;

	for (unsigned i = 0; i < t->n; i++) {
		const struct dump_field *f = &t->fields[i];
		int64_t v = item->rows->field[i][item->row];
		const char *name = dump_name(d, f->names, NULL, v);

		more = name ? hd__format("%s %s=%s", text, f->name, name)
		     : f->hex ? hd__format("%s %s=0x%" PRIx64, text, f->name, (uint64_t)v)
		     : hd__format("%s %s=%" PRId64, text, f->name, v);
		free(text);
		text = more;
	}
	return text;
}

static void describe(const struct pipeline *p, const struct dump_item *item, struct pipeline_row *r)
{
	const struct dump_known *k = &p->known;
	struct dump_code code;
	int64_t number;

	r->core = dump_core_of_item(k, item);
	r->warp = -1;
	if ((int)item->table != k->inst) {
		r->text = one_line(fields_text(p->d, item));
		return;
	}
	number = item->rows->field[k->code][item->row];
	r->known = dump_code(p->d, number, &code);
	r->warp = item->rows->field[k->warp][item->row];
	r->mask = (uint32_t)dump_value(item->rows, k->mask, item->row, UINT32_MAX);
	r->issued = item->rows->field[k->uid][item->row] != 0;
	r->kernel = code.kernel;
	r->pc = code.pc;
	r->text = one_line(hd__xstrdup(r->known ? code.text : "(unknown instruction)"));
}

/* The instruction leaves where its last stay of no cycles is: writeback, as a rule. */
static void find_ending(const struct pipeline *p, const struct dump_item *item,
                        struct pipeline_row *r)
{
	const struct dump_transaction *t = item->transaction;
	const struct dump_step *last = t->n ? &t->steps[t->n - 1] : NULL;

	r->last = UINT32_MAX;
	if (t->unfinished) {
		r->ending = PIPELINE_GOES_ON;
	} else if ((int)item->table == p->known.inst
	           && item->rows->field[p->known.uid][item->row] == 0) {
		r->ending = PIPELINE_FLUSHED;
	} else if (last && last->cycles == 0) {
		r->ending = p->letters->at[last->place];
		r->last = last->place;
	}
}

static void add_stays(struct pipeline *p, const struct dump_transaction *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct dump_step *s = &t->steps[i];

		if (s->cycles == 0)
			continue;
		p->stays = hd__xgrow(p->stays, p->nstays, &p->capstays, sizeof *p->stays);
		p->stays[p->nstays++] = (struct pipeline_stay){ s->cycle, s->cycles, s->place };
	}
}

static bool take(void *arg, const struct dump_item *item)
{
	struct pipeline *p = arg;
	const struct dump_transaction *t = item->transaction;
	struct pipeline_row *r;

	if (!t)
		return true;
	if (p->nrows == p->most || p->nstays + t->n > MOST_STAYS) {
		p->more = true;
		return false;
	}
	p->rows = hd__xgrow(p->rows, p->nrows, &p->caprows, sizeof *p->rows);
	r = &p->rows[p->nrows++];
	*r = (struct pipeline_row){ .begin = t->begin, .end = t->end, .first = p->nstays };
	add_stays(p, t);
	r->n = p->nstays - r->first;
	find_ending(p, item, r);
	describe(p, item, r);
	return true;
}

/* What is the same in all rows is not in their labels: the kernel, a full mask (of those that
 * are issued), the core, which the ruler has. */
static void find_differences(const struct pipeline *p, bool *kernels, bool *masks, bool *cores)
{
	uint32_t kernel = 0; /* 0: of none so far */

	*kernels = *masks = *cores = false;
	for (size_t i = 0; i < p->nrows; i++) {
		const struct pipeline_row *r = &p->rows[i];

		*kernels = *kernels || (kernel && r->known && r->kernel != kernel);
		kernel = r->known ? r->kernel : kernel;
		*masks = *masks || (r->issued && r->mask != UINT32_MAX);
		*cores = *cores || r->core != p->rows[0].core;
	}
}

static char *label_of(const struct pipeline *p, const struct pipeline_row *r, bool kernels, bool masks)
{
	const char *core = *p->core ? "" : p->known.cores->paths[r->core];
	char kernel[32] = "", mask[32] = "", pc[32] = "";

	if (r->warp < 0)
		return hd__format("%s%s%s", core, *core ? " " : "", r->text);
	if (kernels && r->known)
		snprintf(kernel, sizeof kernel, "k%" PRIu32 " ", r->kernel);
	if (r->known)
		snprintf(pc, sizeof pc, "0x%04" PRIx32 " ", r->pc);
	if (masks)
		snprintf(mask, sizeof mask, "%08" PRIx32 " ", r->mask);
	return hd__format("%s%sw%" PRId64 " %s%s%s%s", core, *core ? " " : "", r->warp, kernel, pc, mask,
	                  r->text);
}

static void make_labels(struct pipeline *p)
{
	bool kernels, masks, cores;

	find_differences(p, &kernels, &masks, &cores);
	p->core = cores ? "" : p->known.cores->paths[p->rows[0].core];
	for (size_t i = 0; i < p->nrows; i++)
		p->rows[i].label = label_of(p, &p->rows[i], kernels, masks);
}

/* Of instructions decoded together, those that are never issued come last: they are of a wrong
 * path. */
static int by_begin(const void *pa, const void *pb)
{
	const struct pipeline_row *a = pa, *b = pb;
	bool lost = a->ending == PIPELINE_FLUSHED, other = b->ending == PIPELINE_FLUSHED;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (lost != other)
		return lost ? 1 : -1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* ---- columns ---- */

struct changes {
	uint64_t *v, first, last; /* of the cycles drawn */
	size_t n, cap;
};

static void add_change(struct changes *c, uint64_t cycle)
{
	if (cycle < c->first || cycle > c->last)
		return;
	c->v = hd__xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n++] = cycle;
}

static int by_cycle(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

static void find_changes(const struct pipeline *p, struct changes *c)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < p->nrows; i++) {
		const struct pipeline_row *r = &p->rows[i];

		begin = r->begin < begin ? r->begin : begin;
		end = r->end > end ? r->end : end;
		add_change(c, r->begin + 1);
		for (size_t k = 0; k < r->n; k++)
			add_change(c, p->stays[r->first + k].cycle);
		add_change(c, r->end);
		if (r->ending)
			add_change(c, r->end + 1);
	}
	add_change(c, begin > c->first ? begin : c->first);
	if (c->last < UINT64_MAX && end > c->last)
		add_change(c, c->last);
	qsort(c->v, c->n, sizeof *c->v, by_cycle);
}

static void add_column(struct pipeline *p, uint64_t cycle, uint64_t n)
{
	p->columns = hd__xgrow(p->columns, p->ncolumns, &p->capcolumns, sizeof *p->columns);
	p->columns[p->ncolumns++] = (struct pipeline_column){ cycle, n };
}

/* The last change is where everything drawn has ended, or the last cycle drawn. */
static void make_columns(struct pipeline *p)
{
	const struct hd_range_list *cycles = &p->q->filter.cycles;
	struct changes c = { .first = 0, .last = UINT64_MAX - 1 };

	if (cycles->n) {
		c.first = cycles->v[0].first;
		c.last = cycles->v[cycles->n - 1].last;
		c.last = c.last < UINT64_MAX - 1 ? c.last + 1 : c.last;
	}
	find_changes(p, &c);
	for (size_t i = 0; i + 1 < c.n; i++) {
		uint64_t n = c.v[i + 1] - c.v[i];

		if (n == 0)
			continue;
		add_column(p, c.v[i], 1);
		if (n - 1 > FOLDED)
			add_column(p, c.v[i] + 1, n - 1);
		else
			for (uint64_t k = 1; k < n; k++)
				add_column(p, c.v[i] + k, 1);
	}
	free(c.v);
}

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
	char order[2 * LETTERS];
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

/* Draws panels of at most `width` characters a line. */
static void draw(const struct pipeline *p, unsigned width, FILE *out)
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

/* ---- the picture ---- */

bool dump_pipeline(struct dump *d, const struct dump_query *q, FILE *out)
{
	struct pipeline p = { .d = d, .q = q, .most = q->head ? q->head : MOST_ROWS };
	struct dump_query wanted = *q;
	bool any;

	dump_know(&p.known, d);
	wanted.table_wanted = dump_query_transactions(q, d, p.known.inst);
	p.letters = letters_new(d, &wanted);
	dump_in_order(d, &wanted, take, &p);
	any = p.nrows > 0;
	if (any) {
		qsort(p.rows, p.nrows, sizeof *p.rows, by_begin);
		make_labels(&p);
		make_columns(&p);
		draw(&p, q->columns, out);
	} else {
		fprintf(stderr, "heddle: %s: no instructions in this selection; 'heddle dump --info' lists "
		        "what is in the dump\n", d->path);
	}
	for (size_t i = 0; i < p.nrows; i++) {
		free(p.rows[i].label);
		free(p.rows[i].text);
	}
	free(p.rows);
	free(p.stays);
	free(p.columns);
	free(wanted.table_wanted);
	letters_free(p.letters);
	dump_known_free(&p.known);
	return any;
}
