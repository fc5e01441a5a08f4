/* run_record.c - what a run has counted, and the sum of several
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record has the counters of all instances in the order of the netlist, the fill of queues, edges of clocks, and the
 * rows of tables.  A simulation that is given the sum has the statistics of all the runs, and whatever is made of
 * statistics is made of these.
 */
#include "run_record.h"

#include "base/output.h"
#include "base/xalloc.h"
#include "kernel/stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#define TABLES 16u /* of one netlist, most that a record has */
#define ITEMS "kernels" /* the table of items of the input, */
#define AFTER "after"   /* and its rows behind the end of a record */

/* ---- numbers ---- */

/* Of periods, edges, and fill: sums; a counter that is the largest of something is not. */
struct number {
	uint64_t v;
	bool most;
};

struct numbers {
	struct number *v;
	size_t n, cap;
};

static void put(struct numbers *n, uint64_t v, bool most)
{
	n->v = hd__xgrow(n->v, n->n, &n->cap, sizeof *n->v);
	n->v[n->n++] = (struct number){ v, most };
}

/* Counter k of those that a statistic is the sum of; each of them may be another statistic as well. */
static uint64_t *counter(const struct hd_stat *st, void *state, uint32_t k)
{
	return (void *)((char *)state + st->offset + (size_t)k * st->stride);
}

/* All of a simulation, in an order that the netlist gives. */
static struct numbers numbers_of(const struct hd_sim *s)
{
	struct numbers n = { .n = 0 };

	for (uint32_t i = 0; i < s->nroots; i++)
		put(&n, s->roots[i].period + 1, false);
	for (uint32_t i = 0; i < s->nclocks; i++)
		put(&n, s->clocks[i].now + 1, false);
	for (size_t i = 0; i < s->ninstances; i++)
		for (const struct hd_stat *st = s->instances[i].module->stats; st && st->name; st++)
			for (uint32_t k = 0; k == 0 || k < st->n; k++)
				put(&n, *counter(st, s->instances[i].state, k), st->most);
	for (size_t i = 0; i < s->ngauges; i++) {
		put(&n, s->gauges[i].meter->sum, false);
		put(&n, hd__gauge_most(&s->gauges[i]), true);
	}
	return n;
}

static void give(struct hd_sim *s, const struct numbers *n)
{
	const struct number *v = n->v;

	for (uint32_t i = 0; i < s->nroots; i++)
		s->roots[i].period = v++->v - 1;
	for (uint32_t i = 0; i < s->nclocks; i++, v++)
		for (uint32_t k = 0; k < s->nclocks + s->ncopies; k++)
			if (hd__any_clock(s, k)->decl == s->clocks[i].decl)
				hd__any_clock(s, k)->now = v->v - 1;
	for (size_t i = 0; i < s->ninstances; i++)
		for (const struct hd_stat *st = s->instances[i].module->stats; st && st->name; st++)
			for (uint32_t k = 0; k == 0 || k < st->n; k++)
				*counter(st, s->instances[i].state, k) = v++->v;
	for (size_t i = 0; i < s->ngauges; i++) {
		s->gauges[i].meter->sum = v++->v;
		s->gauges[i].most = (uint32_t)v++->v;
	}
}

/* ---- a record ---- */

/* Most counters of a large netlist are 0 in most kernels: a negative number stands for so many zeros. */
static json_t *numbers_json(const struct numbers *n)
{
	json_t *a = json_array();
	json_int_t zeros = 0;

	for (size_t i = 0; i < n->n; i++) {
		if (n->v[i].v == 0) {
			zeros++;
			continue;
		}
		if (zeros)
			json_array_append_new(a, json_integer(-zeros));
		json_array_append_new(a, json_integer((json_int_t)n->v[i].v));
		zeros = 0;
	}
	if (zeros)
		json_array_append_new(a, json_integer(-zeros));
	return a;
}

struct hd_record_at {
	struct numbers numbers;
	size_t rows[TABLES]; /* by number of the table */
};

struct hd_record_at *hd__record_at(const struct hd_sim *s)
{
	struct hd_record_at *at = hd__xcalloc(1, sizeof *at);
	const char *table;

	at->numbers = numbers_of(s);
	for (size_t i = 0; i < TABLES && (table = hd__row_table(s, i)) != NULL; i++)
		at->rows[i] = hd__rows(s, table);
	return at;
}

void hd__record_at_free(struct hd_record_at *at)
{
	if (at)
		free(at->numbers.v);
	free(at);
}

/* Rows of a run between two places. */
struct between {
	const struct hd_sim *s;
	const struct hd_json_rows *rows;
	const struct hd_record_at *begin, *end;
};

/* How many rows a table had there. */
static size_t up_to(const struct between *b, const struct hd_record_at *at, const char *name)
{
	const char *table;

	for (size_t i = 0; at && i < TABLES && (table = hd__row_table(b->s, i)) != NULL; i++)
		if (strcmp(table, name) == 0)
			return at->rows[i];
	return 0;
}

static size_t count_between(void *arg, const char *name)
{
	const struct between *b = arg;

	if (strcmp(name, AFTER) == 0)
		return b->end ? b->rows->count(b->rows->arg, ITEMS) - up_to(b, b->end, ITEMS) : 0;
	return (b->end ? up_to(b, b->end, name) : b->rows->count(b->rows->arg, name))
	       - up_to(b, b->begin, name);
}

static json_t *make_between(void *arg, const char *name, size_t i)
{
	const struct between *b = arg;

	if (strcmp(name, AFTER) == 0)
		return b->rows->row(b->rows->arg, ITEMS, up_to(b, b->end, ITEMS) + i);
	return b->rows->row(b->rows->arg, name, up_to(b, b->begin, name) + i);
}

bool hd__record_write(const struct hd_sim *s, const struct hd_json_rows *rows, const struct hd_record_at *begin,
                      const struct hd_record_at *end, FILE *out)
{
	struct between b = { s, rows, begin, end };
	struct hd_json_rows between = { count_between, make_between, &b };
	struct numbers n = numbers_of(s);
	json_t *o;
	const char *table;
	bool whole;

	for (size_t i = 0; i < n.n; i++) {
		n.v[i].v = end ? end->numbers.v[i].v : n.v[i].v;
		n.v[i].v -= begin && !n.v[i].most ? begin->numbers.v[i].v : 0;
	}
	o = json_pack("{s:s, s:{s:o}, s:[]}", "status", "finished", "counted", "numbers", numbers_json(&n), AFTER);
	for (size_t i = 0; (table = hd__row_table(s, i)) != NULL; i++)
		json_object_set_new(o, table, json_array());
	whole = hd__json_write_line(o, &between, out);
	json_decref(o);
	free(n.v);
	return whole && fflush(out) == 0;
}

/* ---- sums ---- */

struct place {
	long at; /* in the spool */
	size_t rows[TABLES];
};

struct row {
	long place;
	size_t i;
	uint64_t id;
	bool has_id;
};

struct table {
	char *name;
	struct row *v; /* in the order of the sum */
	size_t n, cap;
};

struct hd_record_sum {
	struct hd_sim *s;
	struct numbers numbers;
	FILE *spool;          /* rows of each record: a line of JSON */
	struct place *places;
	size_t nplaces, capplaces;
	struct table tables[TABLES];
	size_t ntables;
	json_t *now;          /* the rows that were read last, */
	long now_at;          /* of that place */
};

struct hd_record_sum *hd__records_begin(struct hd_sim *s)
{
	struct hd_record_sum *r = hd__xcalloc(1, sizeof *r);

	r->s = s;
	r->now_at = -1;
	r->numbers = numbers_of(s);
	for (size_t i = 0; i < r->numbers.n; i++)
		r->numbers.v[i].v = 0;
	return r;
}

static size_t table_of(struct hd_record_sum *r, const char *name)
{
	size_t i = 0;

	while (i < r->ntables && strcmp(r->tables[i].name, name) != 0)
		i++;
	if (i == r->ntables && i < TABLES)
		r->tables[r->ntables++].name = hd__xstrdup(name);
	return i;
}

/* Looks whether they are as many as the netlist has, and nothing else. */
static bool fits(const struct hd_record_sum *r, const json_t *numbers)
{
	size_t n = 0, i;
	json_t *v;

	json_array_foreach((json_t *)numbers, i, v) {
		json_int_t x = json_integer_value(v);

		if (!json_is_integer(v) || x == 0 || x < -(json_int_t)r->numbers.n)
			return false;
		n += x < 0 ? (size_t)-x : 1;
		if (n > r->numbers.n)
			return false;
	}
	return n == r->numbers.n;
}

static void add_numbers(struct hd_record_sum *r, const json_t *numbers, uint64_t times)
{
	struct number *to = r->numbers.v;
	size_t i;
	json_t *v;

	json_array_foreach((json_t *)numbers, i, v) {
		json_int_t x = json_integer_value(v);

		if (x < 0) {
			to += -x;
			continue;
		}
		if (!to->most)
			to->v += times * (uint64_t)x;
		else if (times && to->v < (uint64_t)x)
			to->v = (uint64_t)x;
		to++;
	}
}

/* Keeps the rows outside of the memory: those of some thousand kernels may be a gigabyte. */
static bool keep_rows(struct hd_record_sum *r, const json_t *record)
{
	struct place p = { .at = 0 };
	json_t *all = json_object(), *v;
	const char *name;
	bool ok;

	json_object_foreach((json_t *)record, name, v) {
		size_t t = json_is_array(v) ? table_of(r, name) : TABLES;

		if (t == TABLES)
			continue;
		p.rows[t] = json_array_size(v);
		json_object_set(all, name, v);
	}
	if (!r->spool)
		r->spool = tmpfile();
	ok = r->spool && fseek(r->spool, 0, SEEK_END) == 0 && (p.at = ftell(r->spool)) >= 0
	     && json_dumpf(all, r->spool, JSON_COMPACT | JSON_REAL_PRECISION(15)) == 0 && fputc('\n', r->spool) >= 0
	     && fflush(r->spool) == 0;
	if (!ok)
		fprintf(stderr, "heddle: unable to write a temporary file: %s\n", strerror(errno));
	json_decref(all);
	r->places = hd__xgrow(r->places, r->nplaces, &r->capplaces, sizeof *r->places);
	r->places[r->nplaces++] = p;
	return ok;
}

long hd__records_add(struct hd_record_sum *r, const json_t *record, uint64_t times)
{
	const json_t *numbers = json_object_get(json_object_get(record, "counted"), "numbers");

	if (!json_is_array(numbers) || !fits(r, numbers))
		return -1;
	add_numbers(r, numbers, times);
	return keep_rows(r, record) ? (long)r->nplaces - 1 : -2;
}

json_t *hd__records_row(struct hd_record_sum *r, long rows, const char *table, size_t i)
{
	if (r->now_at != rows) {
		json_decref(r->now);
		r->now = fseek(r->spool, r->places[rows].at, SEEK_SET) == 0
		         ? json_loadf(r->spool, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
		r->now_at = rows;
	}
	return json_deep_copy(json_array_get(json_object_get(r->now, table), i));
}

void hd__records_follow(struct hd_record_sum *r, long rows, const uint64_t *ids, size_t n)
{
	for (size_t t = 0; t < r->ntables; t++) {
		struct table *to = &r->tables[t];
		size_t count = strcmp(to->name, AFTER) == 0 ? 0 : r->places[rows].rows[t];

		for (size_t i = 0; i < count; i++) {
			to->v = hd__xgrow(to->v, to->n, &to->cap, sizeof *to->v);
			to->v[to->n++] = (struct row){ rows, i, count == n ? ids[i] : 0, count == n };
			hd__row_add(&r->s->instances[0].ctx, to->name, NULL, 0); /* so that the table has so many */
		}
	}
}

static size_t count_rows(void *arg, const char *name)
{
	const struct hd_record_sum *r = arg;

	return hd__rows(r->s, name);
}

static json_t *make_row(void *arg, const char *name, size_t i)
{
	struct hd_record_sum *r = arg;
	const struct row *row = &r->tables[table_of(r, name)].v[i];
	json_t *o = hd__records_row(r, row->place, name, row->i);

	if (row->has_id && json_object_get(o, "id"))
		json_object_set_new(o, "id", json_integer((json_int_t)row->id));
	return o;
}

struct hd_json_rows hd__records_end(struct hd_record_sum *r)
{
	give(r->s, &r->numbers);
	return (struct hd_json_rows){ count_rows, make_row, r };
}
