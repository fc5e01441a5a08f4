/* made_fields.h - what the build makes of the declarations of a netlist: one field each, in the order of their numbers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * netlist_make.c writes the numbers with it and made.c reads them, each with its own functions for one field, so that
 * both have the same fields in the same order.
 */
#ifndef KERNEL_NETLIST_MADE_FIELDS_H
#define KERNEL_NETLIST_MADE_FIELDS_H

#include "netlist.h"

/* ---- the functions of the file that includes this one: each writes what it is given, or reads it --------------- */

struct hd_made;

static void hd__made_number(struct hd_made *m, uint32_t *v);
static void hd__made_wide(struct hd_made *m, uint64_t *v);
static void hd__made_word(struct hd_made *m, const char **word);
static void hd__made_value(struct hd_made *m, json_t **v);
/* An array whose length was written or read before.  A reader makes it. */
static void *hd__made_array(struct hd_made *m, void *items, size_t n, size_t bytes);
/* The end behind a comma.  A reader makes it. */
static struct hd_end_decl *hd__made_next(struct hd_made *m, struct hd_end_decl *next);

/* ---- other types ----------------------------------------------------------------------------------------------- */

static inline void hd__made_int(struct hd_made *m, int *v)
{
	uint32_t n = (uint32_t)*v;

	hd__made_number(m, &n);
	*v = (int)n;
}

static inline void hd__made_count(struct hd_made *m, size_t *v)
{
	uint32_t n = (uint32_t)*v;

	hd__made_number(m, &n);
	*v = n;
}

static inline void hd__made_double(struct hd_made *m, double *v)
{
	uint64_t bits;

	memcpy(&bits, v, sizeof bits);
	hd__made_wide(m, &bits);
	memcpy(v, &bits, sizeof bits);
}

static inline void hd__made_flag(struct hd_made *m, bool *v)
{
	uint32_t n = *v;

	hd__made_number(m, &n);
	*v = n != 0;
}

/* One that the netlist owns. */
static inline void hd__made_text(struct hd_made *m, char **text)
{
	const char *word = *text;

	hd__made_word(m, &word);
	if (*text == NULL && word != NULL)
		*text = hd__xstrdup(word);
}

/* ---- declarations ---------------------------------------------------------------------------------------------- */

static inline void hd__made_clock(struct hd_made *m, struct hd_clock_decl *c)
{
	hd__made_word(m, &c->name);
	hd__made_word(m, &c->at);
	hd__made_wide(m, &c->millihertz);
	hd__made_double(m, &c->hz);
	hd__made_flag(m, &c->accumulated);
	hd__made_word(m, &c->of);
	hd__made_number(m, &c->times);
	hd__made_number(m, &c->phase_num);
	hd__made_number(m, &c->phase_den);
	hd__made_flag(m, &c->at_end);
	hd__made_word(m, &c->gate);
}

static inline void hd__made_instance(struct hd_made *m, struct hd_instance_decl *d)
{
	bool differ = d->each != NULL;

	hd__made_word(m, &d->name);
	hd__made_word(m, &d->at);
	hd__made_word(m, &d->module);
	hd__made_word(m, &d->clock);
	hd__made_number(m, &d->count);
	hd__made_flag(m, &d->array);
	hd__made_value(m, &d->params);
	hd__made_word(m, &d->first_clock);
	hd__made_number(m, &d->nclocks);
	hd__made_flag(m, &differ);
	if (!differ)
		return;
	d->each = hd__made_array(m, d->each, d->count, sizeof *d->each);
	d->each_at = hd__made_array(m, d->each_at, d->count, sizeof *d->each_at);
	for (uint32_t k = 0; k < d->count; k++) {
		hd__made_value(m, &d->each[k]);
		hd__made_text(m, &d->each_at[k]);
	}
}

static inline void hd__made_end(struct hd_made *m, struct hd_end_decl *e)
{
	for (; e != NULL; e = e->next) {
		hd__made_word(m, &e->instance);
		hd__made_word(m, &e->port);
		hd__made_int(m, &e->index);
		hd__made_int(m, &e->last);
		hd__made_flag(m, &e->all);
		e->next = hd__made_next(m, e->next);
	}
}

static inline void hd__made_link(struct hd_made *m, struct hd_link_decl *l)
{
	hd__made_word(m, &l->at);
	hd__made_word(m, &l->entry);
	hd__made_number(m, &l->group);
	hd__made_end(m, &l->from);
	hd__made_end(m, &l->to);
	hd__made_number(m, &l->latency);
	hd__made_flag(m, &l->has_latency);
	hd__made_flag(m, &l->staged);
	hd__made_flag(m, &l->shared_slots);
	hd__made_flag(m, &l->rotate);
	hd__made_number(m, &l->capacity);
	hd__made_number(m, &l->slots);
	hd__made_value(m, &l->attrs);
}

static inline void hd__made_export(struct hd_made *m, struct hd_export *e)
{
	hd__made_word(m, &e->name);
	hd__made_word(m, &e->at);
	hd__made_end(m, &e->end);
}

/* All but the files.  The netlist has one part and one frame. */
static inline void hd__made_netlist(struct hd_made *m, struct hd_netlist *n)
{
	struct hd_part *p = n->parts[0];
	struct hd_frame *f = n->frames[0];

	hd__made_text(m, &n->name);
	hd__made_text(m, &n->doc);
	hd__made_wide(m, &n->watchdog);
	hd__made_wide(m, &n->total);
	hd__made_number(m, &n->ngroups);
	hd__made_flag(m, &n->changed);
	hd__made_word(m, &f->first_clock);
	hd__made_number(m, &f->nclocks);
	hd__made_count(m, &n->nclocks);
	hd__made_count(m, &n->ninstances);
	hd__made_count(m, &n->nlinks);
	hd__made_count(m, &p->nexports);
	n->clocks = hd__made_array(m, n->clocks, n->nclocks, sizeof *n->clocks);
	n->instances = hd__made_array(m, n->instances, n->ninstances, sizeof *n->instances);
	n->links = hd__made_array(m, n->links, n->nlinks, sizeof *n->links);
	p->exports = hd__made_array(m, p->exports, p->nexports, sizeof *p->exports);
	for (size_t i = 0; i < n->nclocks; i++)
		hd__made_clock(m, &n->clocks[i]);
	for (size_t i = 0; i < n->ninstances; i++)
		hd__made_instance(m, &n->instances[i]);
	for (size_t i = 0; i < n->nlinks; i++)
		hd__made_link(m, &n->links[i]);
	for (size_t i = 0; i < p->nexports; i++)
		hd__made_export(m, &p->exports[i]);
}

#endif
