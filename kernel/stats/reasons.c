/* reasons.c - counts why issue slots were lost, for the run and each item of its input (heddle run --reasons)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An event with a span and a field named by reasons says how edges were used.  Spans are reported when the reason
 * changes; at the end of an item all instances are asked for the span that has not ended.  Where items overlap, a field
 * of the event says to which one the span belongs.  A field named by causes says what stands behind the reason, if the
 * simulation has a probe that numbers causes.
 */
#include "reasons.h"
#include "base/path.h"
#include "per_item.h"
#include "stats.h"

#include <stdlib.h>

#define SYMBOLS 64u /* of a kind */
#define UNITS 65u /* the first: no unit */

/* A way in which edges were used. */
struct use {
	uint32_t reason, unit; /* unit: its number + 1; 0: none */
	uint32_t cause;        /* index into hd_reasons.causes + 1; 0: none is known */
	uint64_t now, before;  /* edges of the run, and of these the ones that items have that are over */
};

/* What was counted for one item. */
struct item_counts {
	uint32_t part;
	uint64_t *n;      /* by use */
	size_t cap;
};

/* The reasons of a module. */
struct hd_reason_counts {
	struct hd_reason_counts *next;
	const struct hd_module *module;
	const struct hd_ctx *ctx; /* of one instance */
	unsigned event;
	int span, reason, unit, cause, part; /* fields; -1: there is no unit, cause or part */
	uint32_t n, most;         /* reasons in the list; and with those that are symbols, at most */
	struct use *uses;         /* in the order in which they came */
	size_t nuses, capuses;
	struct hd_int_map use_of; /* key -> index + 1 */
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
		.cause = field_of(&m->events[e], "cause", 0), .part = part_of(&m->events[e]) };
	while (m->reasons[c->n].name)
		c->n++;
	c->most = c->n + (m->reasons[c->n].symbols ? SYMBOLS : 0);
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

/* What `*n` has at the index; longer by zeros where it ends. */
static uint64_t *count_at(struct item_counts *item, size_t i)
{
	if (i >= item->cap) {
		size_t cap = 2 * i + 16;

		item->n = hd__xrealloc(item->n, cap * sizeof *item->n);
		memset(item->n + item->cap, 0, (cap - item->cap) * sizeof *item->n);
		item->cap = cap;
	}
	return &item->n[i];
}

static struct item_counts *item_of(struct hd_reason_counts *c, uint32_t part)
{
	size_t i = 0;

	while (i < c->nitems && c->items[i].part != part)
		i++;
	if (i == c->nitems) {
		c->items = hd__xappend(c->items, c->nitems, sizeof *c->items);
		c->items[c->nitems++] = (struct item_counts){ .part = part };
	}
	return &c->items[i];
}

/* A cause of instances that differ only in indices is one. */
static uint32_t cause_of(struct hd_reasons *r, uint32_t number)
{
	uint64_t *known = hd__int_map_at(&r->cause_of, number);
	const char *why = NULL;
	const struct hd_instance *in = number ? r->sim->opt.probe->cause(r->sim, number, &why) : NULL;
	char *path, *name;
	size_t i = 0;

	if (*known || !in)
		return (uint32_t)*known;
	path = hd__path_any_index(in->path);
	name = hd__join(path, ".", why);
	free(path);
	while (i < r->ncauses && strcmp(r->causes[i], name) != 0)
		i++;
	if (i < r->ncauses) {
		free(name);
	} else {
		r->causes = hd__xappend(r->causes, r->ncauses, sizeof *r->causes);
		r->causes[r->ncauses++] = name;
	}
	*known = i + 1;
	return (uint32_t)*known;
}

static size_t use_of(struct hd_reason_counts *c, const struct use *u)
{
	uint64_t *at = hd__int_map_at(&c->use_of, (uint64_t)(u->reason * UNITS + u->unit) << 32 | u->cause);

	if (*at == 0) {
		c->uses = hd__xgrow(c->uses, c->nuses, &c->capuses, sizeof *c->uses);
		c->uses[c->nuses++] = *u;
		*at = c->nuses;
	}
	return *at - 1;
}

void hd__reasons_event(struct hd_reasons *r, const struct hd_instance *in, unsigned event, const int64_t *v)
{
	struct hd_reason_counts *c = r->of[in->number];
	struct use u = { 0 };
	int64_t unit;
	size_t i;

	if (!c || c->event != event || v[c->reason] < 0 || v[c->reason] >= c->most)
		return;
	unit = c->unit >= 0 ? v[c->unit] + 1 : 0;
	u.reason = (uint32_t)v[c->reason];
	u.unit = unit > 0 && unit < UNITS ? (uint32_t)unit : 0;
	u.cause = c->cause >= 0 && v[c->cause] > 0 ? cause_of(r, (uint32_t)v[c->cause]) : 0;
	i = use_of(c, &u);
	c->uses[i].now += (uint64_t)v[c->span];
	if (r->sim->parts && c->part >= 0)
		*count_at(item_of(c, (uint32_t)v[c->part]), i) += (uint64_t)v[c->span];
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

/* A use with the names by which it is sorted. */
struct named_use {
	uint32_t reason;
	const char *unit, *cause; /* "": none */
	uint64_t n;
};

static int by_name(const void *pa, const void *pb)
{
	const struct named_use *a = pa, *b = pb;
	int c = a->reason != b->reason ? (a->reason < b->reason ? -1 : 1) : strcmp(a->unit, b->unit);

	return c ? c : strcmp(a->cause, b->cause);
}

static void add(json_t *o, const char *name, uint64_t n)
{
	json_object_set_new_nocheck(o, name, json_integer(json_integer_value(json_object_get(o, name))
	                                                   + (json_int_t)n));
}

/* The caller frees it. */
static char *reason_name(const struct hd_reason_counts *c, uint32_t reason)
{
	const struct hd_reason *r = c->module->reasons;
	const char *kind = reason < c->n ? NULL : strrchr(r[c->n].symbols, '.') + 1;

	return kind ? hd__format("%.*s%s", (int)(kind - r[c->n].symbols), r[c->n].symbols,
	                         hd_symbol_name(c->ctx, kind, reason - c->n)) : hd__xstrdup(r[reason].name);
}

/* Adds n[i] edges for each use i of a module to members "reasons", and "causes" where one is known. */
static void add_uses(json_t *to, const struct hd_reasons *r, const struct hd_reason_counts *c, const uint64_t *n)
{
	struct named_use *v = hd__xcalloc(c->nuses + 1, sizeof *v);

	for (size_t i = 0; i < c->nuses; i++) {
		const struct use *u = &c->uses[i];
		const char *unit = u->unit ? hd_symbol_name(c->ctx, "unit", u->unit - 1) : "";
		/* the reason is that the unit is full; else the unit is what stands behind it */
		bool full = u->reason < c->n && strncmp(c->module->reasons[u->reason].name, "stall.", 6) == 0;

		v[i] = (struct named_use){ u->reason, full ? unit : "",
			u->cause ? r->causes[u->cause - 1] : full ? "" : unit, n[i] };
	}
	qsort(v, c->nuses, sizeof *v, by_name);
	for (size_t i = 0; i < c->nuses; i++) {
		char *reason = reason_name(c, v[i].reason);
		char *name = hd__join(reason, v[i].unit[0] ? "." : "", v[i].unit);
		json_t *causes = json_object_get(to, "causes");

		if (v[i].n > 0)
			add(json_object_get(to, "reasons"), name, v[i].n);
		if (v[i].n > 0 && v[i].cause[0]) {
			if (!causes)
				json_object_set_new(to, "causes", causes = json_object());
			if (!json_object_get(causes, name))
				json_object_set_new(causes, name, json_object());
			add(json_object_get(causes, name), v[i].cause, v[i].n);
		}
		free(name);
		free(reason);
	}
	free(v);
}

static json_t *no_counts(void)
{
	json_t *o = json_object();

	json_object_set_new(o, "reasons", json_object());
	return o;
}

/* The two members: edges of the run, or since the item before. */
static json_t *counts(const struct hd_reasons *r, bool item)
{
	json_t *o = no_counts();

	for (const struct hd_reason_counts *c = r->first; c; c = c->next) {
		uint64_t *n = hd__xcalloc(c->nuses + 1, sizeof *n);

		for (size_t i = 0; i < c->nuses; i++)
			n[i] = c->uses[i].now - (item ? c->uses[i].before : 0);
		add_uses(o, r, c, n);
		free(n);
	}
	return o;
}

/* The two members: edges of an item that overlaps with others; they are before what comes now. */
static json_t *counts_of_item(struct hd_reasons *r, uint32_t part)
{
	json_t *o = no_counts();

	for (struct hd_reason_counts *c = r->first; c; c = c->next) {
		struct item_counts *item = item_of(c, part);

		count_at(item, c->nuses);
		add_uses(o, r, c, item->n);
		for (size_t i = 0; i < c->nuses; i++)
			c->uses[i].before += item->n[i];
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
	bool rest = p && json_array_size(r->items) == p->n;

	if (!p) /* nothing is kept of kernels */
		return;
	flush(r);
	if (rest) /* grows from the last item that is kept by itself */
		return;
	for (size_t i = json_array_size(r->items); r->sim->parts && i < p->n; i++)
		json_array_append_new(r->items, counts_of_item(r, p->items[i].part));
	if (r->sim->parts)
		return;
	json_array_append_new(r->items, counts(r, true));
	while (json_array_size(r->items) < p->n)
		json_array_append_new(r->items, no_counts());
	for (struct hd_reason_counts *c = r->first; c; c = c->next)
		for (size_t i = 0; i < c->nuses; i++)
			c->uses[i].before = c->uses[i].now;
}

/* ---- results ---- */

void hd__reasons_write(struct hd_reasons *r, json_t *statistics)
{
	const struct hd_per_item *p = r->sim->per_item;
	json_t *rest;

	flush(r);
	json_object_update_new(statistics, counts(r, false));
	rest = p && p->rest.row ? json_object_get(statistics, "kernels_rest") : NULL;
	if (rest)
		json_object_update_new(rest, counts(r, true));
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
		json_object_update(row, json_array_get(r->items, item));
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
		free(c->uses);
		hd__int_map_free(&c->use_of);
		free(c);
	}
	for (size_t i = 0; i < r->ncauses; i++)
		free(r->causes[i]);
	free(r->causes);
	hd__int_map_free(&r->cause_of);
	free(r->of);
	json_decref(r->items);
	*r = (struct hd_reasons){ .sim = NULL };
}
