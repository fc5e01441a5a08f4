/* composition.c - what a netlist is made of: parts, frames, how much has been read
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "composition.h"
#include "base/xalloc.h"

enum { FEW_SUBS = 8 }; /* are found sooner without an index */

struct hd_part *hd__part_new(struct hd_netlist *n, struct hd_doc *doc, const struct hd_part *up,
                             const char *name, const char *at)
{
	struct hd_part *p = hd__xcalloc(1, sizeof *p);

	p->number = (uint32_t)n->nparts;
	p->root = up != NULL ? hd__format("%u:", p->number) : hd__xstrdup("");
	p->doc = doc;
	p->up = up;
	p->name = name != NULL ? hd__xstrdup(name) : NULL;
	p->at = at != NULL ? hd__xstrdup(at) : NULL;
	n->parts = hd__xgrow(n->parts, n->nparts, &n->cap_parts, sizeof *n->parts);
	n->parts[n->nparts++] = p;
	return p;
}

struct hd_frame *hd__frame_new(struct hd_netlist *n, const struct hd_part *part, char *prefix)
{
	struct hd_frame *f = hd__xcalloc(1, sizeof *f);

	*f = (struct hd_frame){ .part = part, .number = (uint32_t)n->nframes, .prefix = prefix,
		                .clocks = hd__xcheck(json_object()) };
	n->frames = hd__xgrow(n->frames, n->nframes, &n->cap_frames, sizeof *n->frames);
	n->frames[n->nframes++] = f;
	return f;
}

const char *hd__frame_name(struct hd_netlist *n, const struct hd_frame *f, const char *name)
{
	return hd__store_join(&n->store, f->prefix, name);
}

static void add_to_index(struct hd_frame *f, size_t i)
{
	json_object_set_new(f->sub_index, f->subs[i].name, json_integer((json_int_t)i));
}

struct hd_sub *hd__frame_add_sub(struct hd_frame *f, struct hd_sub sub)
{
	size_t i = f->nsubs++;

	f->subs = hd__xgrow(f->subs, i, &f->cap, sizeof *f->subs);
	f->subs[i] = sub;
	if (i == FEW_SUBS) {
		f->sub_index = hd__xcheck(json_object());
		for (size_t k = 0; k < i; k++)
			add_to_index(f, k);
	}
	if (i >= FEW_SUBS)
		add_to_index(f, i);
	return &f->subs[i];
}

const struct hd_sub *hd__frame_sub(const struct hd_frame *f, const char *name)
{
	const json_t *i = json_object_get(f->sub_index, name);

	if (f->sub_index != NULL)
		return i != NULL ? &f->subs[json_integer_value(i)] : NULL;
	for (size_t k = 0; k < f->nsubs; k++)
		if (strcmp(f->subs[k].name, name) == 0)
			return &f->subs[k];
	return NULL;
}

const struct hd_export *hd__part_export(const struct hd_part *p, const char *name)
{
	const json_t *i = json_object_get(p->export_index, name);

	return i != NULL ? &p->exports[json_integer_value(i)] : NULL;
}

const char *hd__part_file(const struct hd_netlist *n, const struct hd_part *p)
{
	return n->sources[p->doc->top]->file;
}

json_t *hd__frame_instances(const struct hd_frame *f)
{
	return json_object_get(f->part->doc->root, "instances");
}

/* ---- how much has been read ---- */

struct hd_extent hd__extent(const struct hd_netlist *n)
{
	return (struct hd_extent){ n->nclocks, n->ninstances, n->nlinks, n->nframes, n->nparts, n->ngroups,
		                   n->total, n->steps };
}

bool hd__netlist_grows(struct hd_netlist *n, uint64_t steps)
{
	n->steps += steps;
	if (n->steps > HD_MOST_STEPS && n->full == NULL)
		n->full = "the netlist takes too long to read here; expected at most 16777216 steps, see Limits in "
		          "docs/netlist.md";
	return n->full == NULL;
}
