/* rows.c - tables of the statistics: a row for each item of the input that has ended
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows stand in the order of time, those of one period in that of their instances, so that the
 * order of evaluation does not show.  An input may have 100,000 items, so a row is kept in some 20 bytes, and is
 * an object only while it is looked at.
 */
#include "base/json_write.h"
#include "base/json_read.h"
#include "kernel/rollback.h"
#include "kernel/saved.h"
#include "stats.h"

#include <stdlib.h>

struct kept_row {
	size_t at; /* in hd_row_table.cells */
	const struct hd_instance *by;
};

struct hd_row_table {
	char *name;
	/* Of each row, in the order in which they came: how many cells it has, and of each the number of its name,
	 * whether its value is a text, and its value or the number of the text. */
	struct hd_bytes cells;
	struct kept_row *rows;
	size_t n, cap;
	bool several;               /* instances: each row names its own */
	uint64_t period;            /* of the last row; rows of that period begin at `first` */
	size_t first;
};

/* Names of cells and texts in them, each once. */
struct hd_row_texts {
	json_t *numbers;            /* text -> its number */
	const char **v;             /* by number; keys of `numbers` */
	size_t n, cap;
};

static struct hd_row_table *find(const struct hd_sim *s, const char *name)
{
	for (size_t i = 0; i < s->nrow_tables; i++)
		if (strcmp(s->row_tables[i].name, name) == 0)
			return &s->row_tables[i];
	return NULL;
}

/* Its rows would take the place of other members of the statistics. */
static void check_name(const struct hd_ctx *c, const char *name)
{
	const struct hd_sim *s = c->sim;

	if (hd__figure_reserved(name, strlen(name)))
		hd_error(c, "adds a row to table '%s', which the statistics of each run have already; expected "
		            "another name",
		         name);
	for (size_t i = 0; i < s->narrays; i++)
		for (const struct hd_stat *p = s->arrays[i].module->stats; p && p->name; p++)
			if (p->total && (hd__same(p->total, name) || hd__figure_within(p->total, name))) {
				hd_error(c, "adds a row to table '%s', but statistic '%s' of module '%s' adds to '%s'; "
				         "expected another name", name, p->name, s->arrays[i].module->name, p->total);
				return;
			}
}

static struct hd_row_table *table_of(struct hd_sim *s, const char *name)
{
	struct hd_row_table *t = find(s, name);

	if (t)
		return t;
	s->row_tables = hd__xgrow(s->row_tables, s->nrow_tables, &s->caprow_tables,
	                          sizeof *s->row_tables);
	t = &s->row_tables[s->nrow_tables++];
	*t = (struct hd_row_table){ .name = hd__xstrdup(name) };
	return t;
}

/* ---- cells ---- */

static uint64_t number_of(struct hd_sim *s, const char *text)
{
	struct hd_row_texts *t = s->row_texts;
	json_t *known;

	if (!t) {
		t = s->row_texts = hd__xcalloc(1, sizeof *t);
		t->numbers = json_object();
	}
	known = json_object_get(t->numbers, text);
	if (known)
		return (uint64_t)json_integer_value(known);
	json_object_set_new_nocheck(t->numbers, text, json_integer((json_int_t)t->n));
	t->v = hd__xgrow(t->v, t->n, &t->cap, sizeof *t->v);
	t->v[t->n] = json_object_iter_key(json_object_iter_at(t->numbers, text));
	return t->n++;
}

static void keep_cells(struct hd_sim *s, struct hd_bytes *b, const struct hd_cell *cells, unsigned n)
{
	hd__bytes_varint(b, n);
	for (unsigned i = 0; i < n; i++) {
		hd__bytes_varint(b, number_of(s, cells[i].name) << 1 | (cells[i].text != NULL));
		hd__bytes_varint(b, cells[i].text ? number_of(s, cells[i].text) : cells[i].number);
	}
}

static json_t *read_cells(const struct hd_sim *s, const unsigned char *p)
{
	json_t *row = json_object();

	for (uint64_t n = hd__get_varint(&p); n > 0; n--) {
		uint64_t name = hd__get_varint(&p), value = hd__get_varint(&p);
		struct hd_cell cell = { s->row_texts->v[name >> 1], NULL, value };

		if (name & 1)
			cell.text = s->row_texts->v[value];
		hd__cell_json(row, &cell);
	}
	return row;
}

/* ---- rows ---- */

struct hd_row_added hd__row_add(const struct hd_ctx *c, const char *table, const struct hd_cell *cells, unsigned n)
{
	bool known = find(c->sim, table) != NULL;
	struct hd_row_table *t = table_of(c->sim, table);
	uint64_t period = c->sim->roots[0].period;
	size_t at = t->n;
	bool second = false;

	if (!known)
		check_name(c, table);
	hd__roll_back(c->sim, c->instance, "added a row to the statistics");
	if (period != t->period)
		t->first = t->n;
	t->period = period;
	if (!t->several && t->n > 0 && t->rows[0].by != c->instance) {
		t->several = second = true;
	}
	while (at > t->first && hd__instance_order(t->rows[at - 1].by, c->instance) > 0)
		at--;
	t->rows = hd__xgrow(t->rows, t->n, &t->cap, sizeof *t->rows);
	memmove(&t->rows[at + 1], &t->rows[at], (t->n - at) * sizeof *t->rows);
	t->rows[at] = (struct kept_row){ t->cells.n, c->instance };
	t->n++;
	keep_cells(c->sim, &t->cells, cells, n);
	return (struct hd_row_added){ t->name, t->n - 1, t->several, second };
}

const char *hd__row_table_name(const struct hd_sim *s, const char *name)
{
	const struct hd_row_table *t = find(s, name);

	return t ? t->name : NULL;
}

const char *hd__row_table(const struct hd_sim *s, size_t i)
{
	return i < s->nrow_tables ? s->row_tables[i].name : NULL;
}

size_t hd__rows(const struct hd_sim *s, const char *table)
{
	const struct hd_row_table *t = find(s, table);

	return t ? t->n : 0;
}

json_t *hd__row(const struct hd_sim *s, const char *table, size_t i)
{
	const struct hd_row_table *t = find(s, table);
	json_t *row;

	if (!t || i >= t->n)
		return NULL;
	row = read_cells(s, t->cells.v + t->rows[i].at);
	if (t->several)
		json_object_set_new(row, "instance", json_string(t->rows[i].by->path));
	return row;
}

bool hd__rows_same(const struct hd_sim *s, const struct hd_sim *o)
{
	bool same = s->nrow_tables == o->nrow_tables;
	const char *name;

	for (size_t i = 0; same && (name = hd__row_table(s, i)) != NULL; i++) {
		size_t n = hd__rows(s, name);

		same = n == hd__rows(o, name);
		for (size_t r = 0; same && r < n; r++) {
			json_t *a = hd__row(s, name, r), *b = hd__row(o, name, r);

			same = json_equal(a, b);
			json_decref(a);
			json_decref(b);
		}
	}
	return same;
}

/* ---- checkpoints ---- */

/* Rows are one text, an array in JSON. */
static void save_rows(struct hd_checkpoint *k, const struct hd_row_table *t)
{
	size_t at = k->out.n;
	uint64_t length = 0;

	HD_SAVED(k, length);
	for (size_t i = 0; i < t->n; i++) {
		json_t *row = hd__row(k->sim, t->name, i);
		char *text = hd__json_text(row, JSON_COMPACT);

		hd__bytes_append(&k->out, i ? "," : "[", 1);
		hd__bytes_append(&k->out, text, strlen(text));
		free(text);
		json_decref(row);
	}
	hd__bytes_append(&k->out, t->n ? "]" : "[]", t->n ? 2 : 3); /* with the end of the text */
	length = k->out.n - at - sizeof length;
	memcpy(k->out.v + at, &length, sizeof length);
}

struct loader {
	struct hd_checkpoint *k;
	struct hd_row_table *t;
};

static void load_row(void *arg, const char *table, json_t *row)
{
	const struct loader *l = arg;
	struct hd_row_table *t = l->t;
	struct hd_cell *cells = hd__xcalloc(json_object_size(row), sizeof *cells);
	unsigned n = 0;
	const char *name;
	json_t *v;

	json_object_foreach(row, name, v)
		if (json_is_string(v) || json_is_integer(v))
			cells[n++] = (struct hd_cell){ name, json_string_value(v), (uint64_t)json_integer_value(v) };
	if (!json_is_object(row) || n < json_object_size(row))
		hd_refuse(l->k, "a row of table '%s' that is not texts and numbers", table);
	t->rows = hd__xgrow(t->rows, t->n, &t->cap, sizeof *t->rows);
	t->rows[t->n++] = (struct kept_row){ t->cells.n, NULL };
	keep_cells(l->k->sim, &t->cells, cells, n);
	free(cells);
}

static void load_rows(struct hd_checkpoint *k, struct hd_row_table *t)
{
	struct loader l = { k, t };
	uint64_t n = hd_saved_number(k, 0, (uint64_t)(k->end - k->at));
	struct hd_json_text text = { .p = (const char *)k->at, .end = (const char *)k->at };

	t->n = t->cells.n = 0;
	if (n > (uint64_t)(k->end - k->at)) {
		hd_refuse(k, "a text ends early");
		return;
	}
	text.end += n > 0 ? n - 1 : 0;
	k->at += n;
	if (!hd__json_comes(&text, '[') || !hd__json_rows(&text, load_row, &l, t->name) || !hd__json_over(&text))
		hd_refuse(k, "a table of the statistics is not valid");
}

void hd__rows_saved(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;
	uint64_t n = hd_saved_number(k, s->nrow_tables, 1 << 16);

	for (uint64_t i = 0; i < n && !k->why; i++) {
		char *name = hd__saved_string(k, k->loading ? NULL : s->row_tables[i].name);
		struct hd_row_table *t = k->loading ? table_of(s, name ? name : "") : &s->row_tables[i];

		if (k->loading)
			load_rows(k, t);
		else
			save_rows(k, t);
		for (size_t r = 0; r < t->n; r++)
			t->rows[r].by = &s->instances[hd_saved_number(k, k->loading ? 0 : t->rows[r].by->number,
			                                              s->ninstances - 1)];
		t->several = hd_saved_number(k, t->several, 1);
		HD_SAVED(k, t->period);
		t->first = hd_saved_number(k, t->first, t->n);
		free(name);
	}
}

void hd__row_tables_free(struct hd_sim *s)
{
	for (size_t i = 0; i < s->nrow_tables; i++) {
		free(s->row_tables[i].name);
		free(s->row_tables[i].cells.v);
		free(s->row_tables[i].rows);
	}
	free(s->row_tables);
	if (!s->row_texts)
		return;
	json_decref(s->row_texts->numbers);
	free(s->row_texts->v);
	free(s->row_texts);
}
