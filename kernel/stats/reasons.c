/* reasons.c - counts why issue slots were lost, for the run and each item of its input (heddle run --reasons)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An event with a span and a field named by reasons says how edges were used.  Spans are reported when the reason
 * changes; at the end of an item all instances are asked for the span that has not ended.  Where items overlap, a field
 * of the event says to which one the span belongs.
 */
#include "reasons.h"
#include "per_item.h"
#include "stats.h"

#include <stdlib.h>

#define UNITS 65u /* the first: no unit */

/* What was counted for one item. */
struct item_counts {
	uint32_t part;
	uint64_t (*n)[UNITS]; /* by reason */
};

/* The reasons of a module. */
struct hd_reason_counts {
	struct hd_reason_counts *next;
	const struct hd_module *module;
	const struct hd_ctx *ctx; /* of one instance */
	unsigned event;
	int span, reason, unit, part; /* fields; unit, part: -1: there is none */
	uint32_t n;               /* reasons */
	uint64_t (*now)[UNITS], (*before)[UNITS];
	struct item_counts *items; /* under way; of items that overlap */
	size_t nitems;
};

/* ---- counting ---- */

static int field_of(const struct hd_event *e, const char *names, unsigned flag)
{
	for (int i = 0; i < HD_EVENT_FIELDS && e->fields[i].name; i++)
		if ((flag && (e->fields[i].flags & flag)) || (names && e->fields[i].names
		                                            && strcmp(e->fields[i].names, names) == 0))
			return i;
	return -1;
}

static int part_of(const struct hd_event *e)
{
	for (int i = 0; i < HD_EVENT_FIELDS && e->fields[i].name; i++)
		if (strcmp(e->fields[i].name, "kernel") == 0)
			return i;
	return -1;
}

static struct hd_reason_counts *new_counts(struct hd_reasons *r, const struct hd_instance *in, unsigned e, int span,
                                           int reason)
{
	const struct hd_module *m = in->module;
	struct hd_reason_counts *c = hd__xcalloc(1, sizeof *c);

	*c = (struct hd_reason_counts){ .next = r->first, .module = m, .ctx = &in->ctx, .event = e,
		.span = span, .reason = reason, .unit = field_of(&m->events[e], "unit", 0),
		.part = part_of(&m->events[e]) };
	while (m->reasons[c->n].name)
		c->n++;
	c->now = hd__xcalloc(c->n, sizeof *c->now);
	c->before = hd__xcalloc(c->n, sizeof *c->before);
	return r->first = c;
}

static struct hd_reason_counts *counts_of(struct hd_reasons *r, const struct hd_instance *in)
{
	const struct hd_module *m = in->module;

	for (struct hd_reason_counts *c = r->first; c; c = c->next)
		if (c->module == m)
			return c;
	for (unsigned e = 0; m->reasons && m->events && m->events[e].name; e++) {
		int span = field_of(&m->events[e], NULL, HD_FIELD_SPAN), reason = field_of(&m->events[e], "reason", 0);

		if (span >= 0 && reason >= 0)
			return new_counts(r, in, e, span, reason);
	}
	return NULL;
}

void hd__reasons_begin(struct hd_reasons *r, struct hd_sim *s, bool all)
{
	hd__reasons_free(r);
	*r = (struct hd_reasons){ .sim = s, .items = json_array(), .of = hd__xcalloc(s->ninstances, sizeof *r->of) };
	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		r->of[i] = counts_of(r, in);
		if (!all) /* observed they stay: what the reasons depend on wakes the issue stage only then */
			in->ctx.events = r->of[i] ? 1u << (r->of[i]->event < 31 ? r->of[i]->event : 31) : 0;
	}
}

static struct item_counts *item_of(struct hd_reason_counts *c, uint32_t part)
{
	size_t i = 0;

	while (i < c->nitems && c->items[i].part != part)
		i++;
	if (i == c->nitems) {
		c->items = hd__xappend(c->items, c->nitems, sizeof *c->items);
		c->items[c->nitems++] = (struct item_counts){ part, hd__xcalloc(c->n, sizeof *c->items->n) };
	}
	return &c->items[i];
}

void hd__reasons_event(struct hd_reasons *r, const struct hd_instance *in, unsigned event, const int64_t *v)
{
	struct hd_reason_counts *c = r->of[in->number];
	int64_t unit;

	if (!c || c->event != event || v[c->reason] < 0 || v[c->reason] >= c->n)
		return;
	/* of what is lost to units that are full; else the reason says where it is */
	unit = c->unit >= 0 && strncmp(c->module->reasons[v[c->reason]].name, "stall.", 6) == 0 ? v[c->unit] + 1 : 0;
	unit = unit > 0 && unit < UNITS ? unit : 0;
	c->now[v[c->reason]][unit] += (uint64_t)v[c->span];
	if (r->sim->parts && c->part >= 0)
		item_of(c, (uint32_t)v[c->part])->n[v[c->reason]][unit] += (uint64_t)v[c->span];
}

/* The spans so far are reported, and begin again with an evaluation. */
static void flush(struct hd_reasons *r)
{
	const struct hd_probe *probe = r->sim->opt.probe;

	if (probe)
		probe->next(r->sim, true);
	for (size_t i = 0; i < r->sim->ninstances; i++) {
		struct hd_instance *in = &r->sim->instances[i];

		if (r->of[i] && in->module->end_observation)
			in->module->end_observation(in->state);
		if (r->of[i] && in->rank != HD_NO_PROCESS)
			hd_wake(in->ctx.self);
	}
	if (probe)
		probe->next(r->sim, false);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add(json_t *o, const char *name, uint64_t n)
{
	json_object_set_new_nocheck(o, name, json_integer(json_integer_value(json_object_get(o, name))
	                                                   + (json_int_t)n));
}

/* One reason, by unit: in the order of their names. */
static void add_reason(json_t *o, const struct hd_reason_counts *c, uint32_t reason, const uint64_t *now,
                       const uint64_t *from)
{
	const char *units[UNITS] = { NULL };
	uint32_t n = 0;

	for (uint32_t u = 1; u < UNITS; u++)
		if (now[u] != (from ? from[u] : 0))
			units[n++] = hd_symbol_name(c->ctx, "unit", u - 1);
	qsort(units, n, sizeof *units, by_name);
	if (now[0] != (from ? from[0] : 0))
		add(o, c->module->reasons[reason].name, now[0] - (from ? from[0] : 0));
	for (uint32_t i = 0; i < n; i++) {
		char *name = hd__format("%s.%s", c->module->reasons[reason].name, units[i]);

		for (uint32_t u = 1; u < UNITS; u++)
			if (hd_symbol_name(c->ctx, "unit", u - 1) == units[i])
				add(o, name, now[u] - (from ? from[u] : 0));
		free(name);
	}
}

/* Name -> edges, those of the run, or since the item before. */
static json_t *counts(const struct hd_reasons *r, bool item)
{
	json_t *o = json_object();

	for (const struct hd_reason_counts *c = r->first; c; c = c->next)
		for (uint32_t i = 0; i < c->n; i++)
			add_reason(o, c, i, c->now[i], item ? c->before[i] : NULL);
	return o;
}

/* Name -> edges of an item that overlaps with others; they are before what comes now. */
static json_t *counts_of_item(struct hd_reasons *r, uint32_t part)
{
	json_t *o = json_object();

	for (struct hd_reason_counts *c = r->first; c; c = c->next) {
		struct item_counts *item = item_of(c, part);

		for (uint32_t i = 0; i < c->n; i++) {
			add_reason(o, c, i, item->n[i], NULL);
			for (uint32_t u = 0; u < UNITS; u++)
				c->before[i][u] += item->n[i][u];
		}
		free(item->n);
		*item = c->items[--c->nitems];
	}
	return o;
}

/* Of several items that end in one moment the others have had no time. */
void hd__reasons_part(void *reasons)
{
	struct hd_reasons *r = reasons;
	const struct hd_per_item *p = r->sim->per_item;
	bool rest = json_array_size(r->items) == p->n;

	flush(r);
	if (rest) /* grows from the last item that is kept by itself */
		return;
	for (size_t i = json_array_size(r->items); r->sim->parts && i < p->n; i++)
		json_array_append_new(r->items, counts_of_item(r, p->items[i].part));
	if (r->sim->parts)
		return;
	json_array_append_new(r->items, counts(r, true));
	while (json_array_size(r->items) < p->n)
		json_array_append_new(r->items, json_object());
	for (struct hd_reason_counts *c = r->first; c; c = c->next)
		memcpy(c->before, c->now, c->n * sizeof *c->now);
}

/* ---- results ---- */

void hd__reasons_write(struct hd_reasons *r, json_t *statistics)
{
	const struct hd_per_item *p = r->sim->per_item;
	json_t *rest;

	flush(r);
	json_object_set_new(statistics, "reasons", counts(r, false));
	rest = p && p->rest.row ? json_object_get(statistics, "kernels_rest") : NULL;
	if (rest)
		json_object_set_new(rest, "reasons", counts(r, true));
}

static size_t count_rows(void *arg, const char *table)
{
	const struct hd_reasons *r = arg;

	return r->rows.count(r->rows.arg, table);
}

static json_t *make_row(void *arg, const char *table, size_t i)
{
	const struct hd_reasons *r = arg;
	json_t *row = r->rows.row(r->rows.arg, table, i);
	size_t item = hd__item_of(r->sim->per_item, table, i);

	if (item != SIZE_MAX)
		json_object_set(row, "reasons", json_array_get(r->items, item));
	return row;
}

struct hd_json_rows hd__reasons_rows(struct hd_reasons *r)
{
	r->rows = hd__stats_rows(r->sim);
	return (struct hd_json_rows){ count_rows, make_row, r };
}

void hd__reasons_free(struct hd_reasons *r)
{
	struct hd_reason_counts *next;

	for (struct hd_reason_counts *c = r->first; c; c = next) {
		next = c->next;
		for (size_t i = 0; i < c->nitems; i++)
			free(c->items[i].n);
		free(c->items);
		free(c->now);
		free(c->before);
		free(c);
	}
	free(r->of);
	json_decref(r->items);
	*r = (struct hd_reasons){ .sim = NULL };
}
