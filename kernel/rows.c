/* rows.c - tables of the statistics: a row for each part of the input that has ended
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows stand in the order of time, those of one period in that of their instances, so that the
 * order of evaluation does not show.
 */
#include "kernel/base/cells.h"
#include "ahead.h"
#include "checkpoint.h"

#include <stdlib.h>

struct hd_row_table {
	char *name;
	json_t *rows;               /* in hd_sim.tables, which owns it */
	const struct hd_instance **by; /* by row: whose it is */
	size_t n, cap;
	bool several;               /* instances: each row names its own */
	uint64_t period;            /* of the last row; rows of that period begin at `first` */
	size_t first;
};

static struct hd_row_table *table_of(struct hd_sim *s, const char *name)
{
	struct hd_row_table *t;

	for (size_t i = 0; i < s->nrow_tables; i++)
		if (strcmp(s->row_tables[i].name, name) == 0)
			return &s->row_tables[i];
	s->row_tables = hd__xgrow(s->row_tables, s->nrow_tables, &s->caprow_tables,
	                          sizeof *s->row_tables);
	t = &s->row_tables[s->nrow_tables++];
	*t = (struct hd_row_table){ .name = hd__xstrdup(name), .rows = json_array() };
	json_object_set_new(s->tables, name, t->rows);
	return t;
}

static void name_instance(const struct hd_row_table *t, size_t row)
{
	json_object_set_new(json_array_get(t->rows, row), "instance", json_string(t->by[row]->path));
}

void hd_row(const struct hd_ctx *c, const char *table, const struct hd_cell *cells, unsigned n)
{
	struct hd_row_table *t = table_of(c->sim, table);
	uint64_t period = c->sim->roots[0].period;
	size_t at = t->n;

	hd__doubt(c->sim, c->instance, "added a row to the statistics");
	if (period != t->period)
		t->first = t->n;
	t->period = period;
	if (!t->several && t->n > 0 && t->by[0] != c->instance) {
		t->several = true;
		for (size_t i = 0; i < t->n; i++)
			name_instance(t, i);
		hd__parts_drop_of(c->sim, t->name);
	}
	while (at > t->first && hd__instance_order(t->by[at - 1], c->instance) > 0)
		at--;
	t->by = hd__xgrow(t->by, t->n, &t->cap, sizeof *t->by);
	memmove(&t->by[at + 1], &t->by[at], (t->n - at) * sizeof *t->by);
	t->by[at] = c->instance;
	t->n++;
	json_array_insert_new(t->rows, at, hd__cells_json(cells, n));
	if (t->several)
		name_instance(t, at);
}

void hd_row_part(const struct hd_ctx *c, const char *table, const struct hd_cell *cells,
                 unsigned n)
{
	struct hd_sim *s = c->sim;
	const struct hd_row_table *t;

	hd_row(c, table, cells, n);
	t = table_of(s, table);
	if (t->several)
		hd__parts_drop(s);
	else if (s->opt.parts)
		hd__part_ends(s, t->name, t->n - 1);
}

const char *hd__row_table_name(const struct hd_sim *s, const char *name)
{
	for (size_t i = 0; i < s->nrow_tables; i++)
		if (strcmp(s->row_tables[i].name, name) == 0)
			return s->row_tables[i].name;
	return NULL;
}

void hd__rows_saved(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;
	uint64_t n = hd_saved_number(k, s->nrow_tables, 1 << 16);

	for (uint64_t i = 0; i < n && !k->why; i++) {
		char *name = hd__saved_string(k, k->loading ? NULL : s->row_tables[i].name);
		struct hd_row_table *t = k->loading ? table_of(s, name ? name : "") : &s->row_tables[i];
		json_t *rows = k->loading ? NULL : t->rows;

		hd__saved_json(k, &rows);
		if (k->loading) {
			json_object_set_new(s->tables, t->name, rows);
			t->rows = rows;
			t->n = json_array_size(rows);
			t->by = hd__xreserve(t->by, t->n, &t->cap, sizeof *t->by);
		}
		for (size_t r = 0; r < t->n; r++)
			t->by[r] = &s->instances[hd_saved_number(k, k->loading ? 0 : t->by[r]->number,
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
		free(s->row_tables[i].by);
	}
	free(s->row_tables);
	json_decref(s->tables);
}
