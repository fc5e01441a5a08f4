/* boxes.c - folds instances into boxes, and the links between them into lines
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Everything is sorted by name, so that the picture does not depend on the order of the netlist.
 */
#include "base/words.h"
#include "model.h"
#include "box_names.h"

#include <heddle/module.h>

#define LISTED 8u /* indices in a name */

struct member {
	char *key;
	uint32_t instance;
};

static int compare_members(const struct hd_picture *p, const struct member *x, const struct member *y)
{
	int c = strcmp(x->key, y->key);

	return c ? c : hd__name_compare(p->instances[x->instance].path, p->instances[y->instance].path);
}

static int by_member(const void *a, const void *b, void *arg)
{
	return compare_members(arg, a, b);
}

char *hd__picture_key(const struct instance *in)
{
	char *path = hd__name_open(in->path), *key = hd__format("%s %s", path, in->module);

	free(path);
	return key;
}

/* What instances of one box have in common. */
static char *key_of(const struct drawing *d, size_t i)
{
	const struct instance *in = &d->p->instances[i];
	char *key = d->o->expand ? hd__xstrdup(in->path) : hd__picture_key(in), *whole;

	if (d->o->expand || d->part_of[i] == NONE)
		return key;
	whole = hd__format("%s %u", key, d->part_of[i]);
	free(key);
	return whole;
}

/* Of "issue[0..2]" without issue[1] the name becomes "issue[0,2]".  v: members, first those of one netlist. */
static void name_gaps(const struct hd_picture *p, struct box *b, const struct member *v)
{
	size_t stem = hd__name_parent(b->name);
	uint32_t n = 0;
	char *name;

	stem += strcspn(b->name + stem, "[");
	name = hd__xstrndup(b->name, stem);
	for (; n < b->count && n <= LISTED; n++) {
		const struct instance *in = &p->instances[v[n].instance];
		char *more;

		if (in->parent != b->first->parent || memcmp(in->path, b->first->path, in->parent) != 0)
			break;
		more = hd__format("%s%c%lld", name, n ? ',' : '[', (long long)in->index);
		free(name);
		name = more;
	}
	if (n <= LISTED && n != hd__name_count(hd__name_last(b->name))) {
		free(b->name);
		b->name = hd__format("%s]", name);
	}
	free(name);
}

/* By instance: its box. */
static uint32_t *fold(struct drawing *d)
{
	const struct hd_picture *p = d->p;
	struct member *v = hd__xcalloc(p->ninstances, sizeof *v);
	uint32_t *box_of = hd__xcalloc(p->ninstances, sizeof *box_of);

	for (size_t i = 0; i < p->ninstances; i++)
		v[i] = (struct member){ key_of(d, i), (uint32_t)i };
	if (p->ninstances > 1)
		qsort_r(v, p->ninstances, sizeof *v, by_member, (void *)p);
	d->boxes = hd__xcalloc(p->ninstances, sizeof *d->boxes);
	for (size_t i = 0; i < p->ninstances; i++) {
		const struct instance *in = &p->instances[v[i].instance];
		struct box *b;

		if (i == 0 || strcmp(v[i].key, d->boxes[d->nboxes - 1].key) != 0) {
			b = &d->boxes[d->nboxes++];
			*b = (struct box){ .key = v[i].key, .name = hd__xstrdup(in->path), .first = in,
				           .part = d->part_of[v[i].instance], .aside = true };
			v[i].key = NULL;
		}
		b = &d->boxes[d->nboxes - 1];
		b->count++;
		b->name = hd__name_join(b->name, in->path);
		box_of[v[i].instance] = d->nboxes - 1;
		free(v[i].key);
	}
	for (size_t i = 0; i < p->ninstances; i += d->boxes[box_of[v[i].instance]].count) {
		struct box *b = &d->boxes[box_of[v[i].instance]];

		if (b->first->index >= 0 && hd__name_count(b->name) != b->count)
			name_gaps(p, b, &v[i]);
	}
	free(v);
	return box_of;
}

/* ---- lines ---------------------------------------------------------------------------------- */

bool hd__picture_is_drawn(const struct drawing *d, const struct hd_picture_link *l)
{
	return (!l->call && !l->idle) || l->work || (d->o->all && (!d->o->only || hd__in_list(d->o->only, l->type)));
}

static int by_ends(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	c = strcmp(x->link->from_port, y->link->from_port);
	c = c ? c : strcmp(x->link->to_port, y->link->to_port);
	c = c ? c : x->turned - y->turned;
	c = c ? c : (x->link->capacity > y->link->capacity) - (x->link->capacity < y->link->capacity);
	return c ? c : (x->link->latency > y->link->latency) - (x->link->latency < y->link->latency);
}

static bool is_same_line(const struct line *x, const struct line *y)
{
	return x->from == y->from && x->to == y->to && x->turned == y->turned
	       && x->link->from_port == y->link->from_port && x->link->to_port == y->link->to_port;
}

/* One line for all links between the same ports of the same boxes. */
static void merge_lines(struct drawing *d)
{
	uint32_t n = 0;

	if (d->nlines > 1)
		qsort(d->lines, d->nlines, sizeof *d->lines, by_ends);
	for (uint32_t i = 0; i < d->nlines; i++) {
		struct line *l = &d->lines[i];

		if (n > 0 && is_same_line(&d->lines[n - 1], l)) {
			d->lines[n - 1].count++;
		} else {
			d->lines[n++] = *l;
		}
	}
	d->nlines = n;
}

void hd__picture_boxes(struct drawing *d)
{
	const struct hd_picture *p = d->p;
	uint32_t *box_of = d->box_of = fold(d);

	for (size_t i = 0; i < p->nlinks; i++) {
		const struct hd_picture_link *l = &p->links[i];
		struct line *n;

		if (!hd__picture_is_drawn(d, l))
			continue;
		d->lines = hd__xgrow(d->lines, d->nlines, &d->caplines, sizeof *d->lines);
		n = &d->lines[d->nlines++];
		*n = (struct line){ .from = box_of[l->from], .to = box_of[l->to], .link = l, .count = 1,
			            .lane = NONE, .turned = l->call && l->work == HD_WORK_OUT };
		d->boxes[n->from].aside = d->boxes[n->to].aside = false;
		if (n->turned) {
			n->from = box_of[l->to];
			n->to = box_of[l->from];
		}
	}
	merge_lines(d);
}
