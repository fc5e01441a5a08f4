/* letters.c - chooses a letter for each place of a dump
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * First come the stages through which the wanted transactions move, then all marks, so that the
 * letters of a core do not depend on what is around it, nor on what occurs in a run.
 */
#include "letters.h"
#include "stages.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <ctype.h>

#define ALPHABET "abcdefghijklmnopqrstuvwxyz"

struct chooser {
	const struct dump *d;
	struct dump_letters *l;
	struct dump_stage_view *view;
	json_t *stages;        /* path without indices -> capital */
	json_t *marks;         /* "path:mark" -> letter */
	bool *moves, *begins;  /* by place: a channel of wanted transactions; they begin there */
	bool units;            /* instances that execute have letters of their own */
	bool taken[DUMP_LETTERS];
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

struct dump_letters *dump_letters_new(struct dump *d, const struct dump_query *q)
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

void dump_letters_free(struct dump_letters *l)
{
	free(l->at);
	free(l->begin);
	free(l);
}
