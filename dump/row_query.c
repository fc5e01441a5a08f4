/* row_query.c - decides which blocks and rows of a dump are selected
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "row_query.h"
#include "base/xalloc.h"

#include <inttypes.h>

enum what { FIELD, PC, KERNEL };

struct dump_condition {
	const struct hd_range_list *ranges; /* NULL: the end of the list */
	enum what what;
	int column; /* field; PC, KERNEL: the field with the number of a static instruction */
	bool key;
};

/* The field of that name in the table. */
static bool look_up(const struct dump_table *t, const char *name, struct dump_condition *c)
{
	c->what = FIELD;
	c->column = dump_find_field(t, name);
	if (c->column >= 0) {
		c->key = t->fields[c->column].key;
		return true;
	}
	if (strcmp(name, "pc") == 0)
		c->what = PC;
	else if (strcmp(name, "kernel") == 0)
		c->what = KERNEL;
	else
		return false;
	c->key = false;
	for (unsigned i = 0; i < t->n; i++)
		if (t->fields[i].names && strcmp(t->fields[i].names, "code") == 0) {
			c->column = (int)i;
			return true;
		}
	return false;
}

static struct dump_condition *conditions(struct dump_query *q, const struct dump_table *t)
{
	struct dump_condition *v = hd__xcalloc(q->filter.nfields + 1, sizeof *v);
	size_t n = 0;

	for (size_t i = 0; i < q->filter.nfields; i++)
		if (&q->filter.fields[i].ranges != q->kernels && look_up(t, q->filter.fields[i].name, &v[n])) {
			v[n++].ranges = &q->filter.fields[i].ranges;
			q->filter.fields[i].used = true;
		}
	v[n].ranges = NULL;
	return v;
}

/* Are kernels of the dump among those numbers?  One without any names of kernels does not say. */
static bool has_kernel(const struct dump *d, const struct hd_range_list *numbers)
{
	uint32_t last = 0;

	if (hd__in_ranges(numbers, 0)) {
		fprintf(stderr, "heddle: there is no kernel 0; expected their numbers in the list, from 1\n");
		return false;
	}
	for (uint32_t i = 0; i < d->nkernels; i++) {
		if (!d->kernels[i].name)
			continue;
		if (hd__in_ranges(numbers, i))
			return true;
		last = i;
	}
	if (last > 0)
		fprintf(stderr, "heddle: %s: no kernel has such a number; the last one is %" PRIu32
		        ", 'heddle dump --info' lists them\n", d->path, last);
	return last == 0;
}

static bool all_used(const struct dump_query *q, const struct dump *d)
{
	bool ok = true, any = false;

	for (size_t i = 0; i < q->filter.nfields; i++)
		if (!q->filter.fields[i].used) {
			fprintf(stderr, "heddle: %s: no table has a field '%s'; 'heddle dump --info' "
			        "lists them\n", d->path, q->filter.fields[i].name);
			ok = false;
		}
	for (size_t i = 0; i < q->filter.nfields; i++)
		if (strcmp(q->filter.fields[i].name, "kernel") == 0)
			ok = has_kernel(d, &q->filter.fields[i].ranges) && ok;
	for (uint32_t i = 0; i < d->ntables; i++)
		any = any || q->table_wanted[i];
	if (!any && q->filter.nevents > 0) {
		fprintf(stderr, "heddle: %s: no table has such a name; 'heddle dump --info' lists "
		        "them\n", d->path);
		ok = false;
	}
	any = q->filter.ninstances == 0;
	for (uint32_t i = 0; i < d->ninstances; i++)
		any = any || q->instance_wanted[i];
	if (!any) {
		fprintf(stderr, "heddle: %s: no instance has such a path; 'heddle dump --info' "
		        "lists them\n", d->path);
		ok = false;
	}
	return ok;
}

void dump_query_kernels(struct dump_query *q)
{
	for (size_t i = 0; i < q->filter.nfields; i++)
		if (strcmp(q->filter.fields[i].name, "kernel") == 0) {
			q->kernels = &q->filter.fields[i].ranges;
			q->filter.fields[i].used = true;
		}
}

void dump_query_event(struct dump_query *q, const struct dump *d, int table)
{
	char *text = hd__format("event=%s", d->tables[table].name);

	free(hd__filter_add(&q->filter, text));
	free(text);
}

bool dump_query_bind(struct dump_query *q, const struct dump *d)
{
	q->conditions = hd__xcalloc(d->ntables, sizeof *q->conditions);
	q->table_wanted = hd__xcalloc(d->ntables, sizeof *q->table_wanted);
	q->instance_wanted = hd__xcalloc(d->ninstances, sizeof *q->instance_wanted);
	for (uint32_t i = 0; i < d->ntables; i++) {
		q->conditions[i] = conditions(q, &d->tables[i]);
		q->table_wanted[i] = q->filter.nevents == 0
		                     || hd__filter_event(&q->filter, d->tables[i].name, false);
	}
	for (uint32_t i = 0; i < d->ninstances; i++)
		q->instance_wanted[i] = hd__filter_instance(&q->filter, d->instances[i].path);
	if (q->filter.ninstances > 0) {
		q->place_wanted = hd__xcalloc(d->nplaces, sizeof *q->place_wanted);
		for (uint32_t i = 0; i < d->nplaces; i++)
			q->place_wanted[i] = d->places[i].instance < d->ninstances
			                     && q->instance_wanted[d->places[i].instance];
	}
	return all_used(q, d);
}

bool *dump_query_transactions(const struct dump_query *q, const struct dump *d, int inst)
{
	bool *wanted = hd__xcalloc(d->ntables, sizeof *wanted);
	bool only = inst >= 0 && q->table_wanted[inst] && d->tables[inst].rows > 0 && q->filter.nevents == 0;

	for (uint32_t i = 0; i < d->ntables; i++)
		wanted[i] = q->table_wanted[i] && d->tables[i].kind == HD_TABLE_TRANSACTIONS
		            && (!only || (int)i == inst);
	return wanted;
}

void dump_query_free(struct dump_query *q, const struct dump *d)
{
	for (uint32_t i = 0; q->conditions && i < d->ntables; i++)
		free(q->conditions[i]);
	free(q->conditions);
	free(q->table_wanted);
	free(q->instance_wanted);
	free(q->place_wanted);
	hd__filter_free(&q->filter);
}

/* ---- blocks ---- */

static bool overlap(const struct hd_range_list *l, uint64_t first, uint64_t last)
{
	for (size_t i = 0; i < l->n; i++)
		if (first <= l->v[i].last && last >= l->v[i].first)
			return true;
	return l->n == 0;
}

/* The numbers below 64 among the ranges, as a set; a larger one may be in any block. */
static uint64_t set_of(const struct hd_range_list *l)
{
	uint64_t set = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].last >= 64)
			return UINT64_MAX;
		for (uint64_t v = l->v[i].first; v <= l->v[i].last; v++)
			set |= UINT64_C(1) << v;
	}
	return l->n ? set : UINT64_MAX;
}

bool dump_query_block(const struct dump_query *q, const struct dump *d, size_t i)
{
	const struct hd_block_head *h = &d->blocks[i].head;

	if (!q->table_wanted[h->table] || !overlap(&q->filter.cycles, h->first, h->last))
		return false;
	for (const struct dump_condition *c = q->conditions[h->table]; c->ranges; c++)
		if (c->key && !(h->keys & set_of(c->ranges)))
			return false;
	return true;
}

/* ---- rows ---- */

static bool fits(const struct dump_condition *c, const struct dump_rows *r, uint32_t i)
{
	const struct dump *d = r->dump;
	struct dump_code code;

	for (; c->ranges; c++) {
		uint64_t v = (uint64_t)r->field[c->column][i];

		if (c->what != FIELD && v >= d->ncodes)
			return false;
		if (c->what != FIELD)
			dump_code(d, (int64_t)v, &code);
		if (c->what == PC)
			v = code.pc;
		else if (c->what == KERNEL)
			v = code.kernel;
		if (!hd__in_ranges(c->ranges, v))
			return false;
	}
	return true;
}

static struct hd_rotation turns_of(const struct dump_rows *r, uint32_t i)
{
	uint64_t who = (uint64_t)r->who[i];

	return who < r->dump->ninstances ? r->dump->instances[who].turns : (struct hd_rotation){ .turns = 0 };
}

uint64_t dump_row_every(const struct dump_rows *r, uint32_t i)
{
	uint32_t turns = turns_of(r, i).turns;

	return turns ? turns : 1;
}

uint64_t dump_row_begin(const struct dump_rows *r, uint32_t i)
{
	uint64_t at = (uint64_t)r->cycle[i];

	for (unsigned k = 0; k < r->table->n; k++)
		if (r->table->fields[k].span && r->field[k][i])
			return hd__span_begin(turns_of(r, i), at, (uint64_t)r->field[k][i]);
	return at;
}

bool dump_query_row(const struct dump_query *q, const struct dump_rows *r, uint32_t i)
{
	const struct dump *d = r->dump;
	uint64_t first = dump_row_begin(r, i), last = (uint64_t)r->cycle[i];
	uint32_t who = (uint32_t)r->who[i];

	if (r->table->kind == HD_TABLE_SAMPLES)
		who = d->counters[who].instance;
	if (who < d->ninstances && !q->instance_wanted[who])
		return false;
	if (last > first)
		last--; /* the cycle after the span */
	return overlap(&q->filter.cycles, first, last)
	       && fits(q->conditions[r->table - d->tables], r, i);
}

bool dump_query_transaction(const struct dump_query *q, const struct dump_rows *r,
                     const struct dump_transaction *transaction)
{
	uint64_t last = transaction->end > transaction->begin ? transaction->end - 1 : transaction->end;

	if (!overlap(&q->filter.cycles, transaction->begin, last)
	    || !fits(q->conditions[r->table - r->dump->tables], r, transaction->row))
		return false;
	for (uint32_t i = 0; q->place_wanted && i < transaction->n; i++)
		if (q->place_wanted[transaction->steps[i].place])
			return true;
	return !q->place_wanted;
}
