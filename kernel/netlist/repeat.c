/* repeat.c - elements of an array of netlists that are like one which was read: declarations are copied
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Identical elements differ in the prefix of their names, and in the numbers of frames, parts and groups of
 * links.  A place of a message is that of the element which was read; it is the same in the file.
 */
#include "composition.h"
#include "base/xalloc.h"

struct repeat {
	struct hd_netlist *n;
	const struct hd_frame *from; /* the element that was read */
	struct hd_frame *to;
	size_t prefix;               /* length of that of `from` */
	struct hd_extent was, now;   /* before it was read, and before it is repeated */
};

/* Does it fit what a netlist may have?  If not, reading it reports that. */
static bool fits(const struct hd_netlist *n, const struct hd_extent *was, const struct hd_extent *end)
{
	return n->total + (end->total - was->total) <= HD_MOST_INSTANCES
	       && n->nlinks + (end->links - was->links) <= HD_MOST_LINKS
	       && n->nframes + (end->frames - was->frames) <= HD_MOST_FRAMES
	       && n->steps + (end->steps - was->steps) <= HD_MOST_STEPS;
}

/* The name in the element; those of clocks of enclosing netlists remain. */
static const char *rename_text(const struct repeat *r, const char *name)
{
	if (name == NULL || strncmp(name, r->from->prefix, r->prefix) != 0)
		return name;
	return hd__store_join(&r->n->store, r->to->prefix, name + r->prefix);
}

/* ---- parts and frames ---------------------------------------------------------------------- */

static const struct hd_part *part_of(const struct repeat *r, const struct hd_part *p)
{
	return p != NULL && p->number >= r->was.parts ? r->n->parts[p->number - r->was.parts + r->now.parts] : p;
}

static void repeat_part(const struct repeat *r, size_t i)
{
	const struct hd_part *old = r->n->parts[i];
	struct hd_part *p = hd__part_new(r->n, old->doc, part_of(r, old->up), old->name, old->at);

	p->exports = hd__xcalloc(old->nexports, sizeof *p->exports);
	if (old->nexports > 0)
		memcpy(p->exports, old->exports, old->nexports * sizeof *p->exports);
	p->nexports = old->nexports;
	p->export_index = json_incref(old->export_index);
}

static void fill_frame(const struct repeat *r, const struct hd_frame *old, struct hd_frame *f)
{
	const char *name;
	json_t *v;

	json_object_foreach(old->clocks, name, v)
		json_object_set_new(f->clocks, name, hd__xcheck(json_string(rename_text(r, json_string_value(v)))));
	f->first_clock = rename_text(r, old->first_clock);
	f->nclocks = old->nclocks;
	for (size_t i = 0; i < old->nsubs; i++) {
		struct hd_sub sub = old->subs[i];

		sub.name = hd__xstrdup(sub.name);
		if (sub.count > 0)
			sub.first = (uint32_t)(sub.first - r->was.frames + r->now.frames);
		hd__frame_add_sub(f, sub);
	}
}

static void repeat_frame(const struct repeat *r, size_t i)
{
	const struct hd_frame *old = r->n->frames[i];
	char *prefix = hd__join(r->to->prefix, old->prefix + r->prefix, "");

	fill_frame(r, old, hd__frame_new(r->n, part_of(r, old->part), prefix));
}

/* ---- declarations -------------------------------------------------------------------------- */

static void repeat_clocks(const struct repeat *r, size_t n)
{
	struct hd_clock_decl *c;

	r->n->clocks = hd__xreserve(r->n->clocks, r->n->nclocks + n, &r->n->cap_clocks, sizeof *r->n->clocks);
	for (size_t i = 0; i < n; i++) {
		c = &r->n->clocks[r->n->nclocks++];
		*c = r->n->clocks[r->was.clocks + i];
		c->name = rename_text(r, c->name);
		c->of = rename_text(r, c->of);
		c->gate = rename_text(r, c->gate);
	}
}

/* Elements with parameters of their own. */
static void repeat_each(struct hd_instance_decl *d)
{
	json_t **each = hd__xcalloc(d->count, sizeof *each);
	char **at = hd__xcalloc(d->count, sizeof *at);

	for (uint32_t k = 0; k < d->count; k++) {
		each[k] = json_incref(d->each[k]);
		at[k] = d->each_at[k] != NULL ? hd__xstrdup(d->each_at[k]) : NULL;
	}
	d->each = each;
	d->each_at = at;
}

static void repeat_instances(const struct repeat *r, size_t n)
{
	struct hd_instance_decl *d;

	r->n->instances = hd__xreserve(r->n->instances, r->n->ninstances + n, &r->n->cap_instances,
	                               sizeof *r->n->instances);
	for (size_t i = 0; i < n; i++) {
		d = &r->n->instances[r->n->ninstances++];
		*d = r->n->instances[r->was.instances + i];
		d->name = rename_text(r, d->name);
		d->clock = rename_text(r, d->clock);
		d->first_clock = rename_text(r, d->first_clock);
		json_incref(d->params);
		if (d->each != NULL)
			repeat_each(d);
	}
}

static void repeat_links(const struct repeat *r, size_t n)
{
	struct hd_link_decl *l;

	r->n->links = hd__xreserve(r->n->links, r->n->nlinks + n, &r->n->cap_links, sizeof *r->n->links);
	for (size_t i = 0; i < n; i++) {
		l = &r->n->links[r->n->nlinks++];
		*l = r->n->links[r->was.links + i];
		l->group = l->group - r->was.groups + r->now.groups;
		l->frame = l->frame == r->from->number ? r->to->number
		                                       : (uint32_t)(l->frame - r->was.frames + r->now.frames);
		json_incref(l->attrs);
	}
}

bool hd__repeat(struct hd_netlist *n, const struct hd_extent *was, const struct hd_extent *end,
                const struct hd_frame *from, struct hd_frame *to)
{
	struct repeat r = { n, from, to, strlen(from->prefix), *was, hd__extent(n) };

	if (!fits(n, was, end))
		return false;
	for (size_t i = was->parts; i < end->parts; i++)
		repeat_part(&r, i);
	for (size_t i = was->frames; i < end->frames; i++)
		repeat_frame(&r, i);
	fill_frame(&r, from, to);
	repeat_clocks(&r, end->clocks - was->clocks);
	repeat_instances(&r, end->instances - was->instances);
	repeat_links(&r, end->links - was->links);
	n->ngroups += end->groups - was->groups;
	n->total += end->total - was->total;
	n->steps += end->steps - was->steps;
	return true;
}
