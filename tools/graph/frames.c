/* frames.c - frames around boxes: of one netlist in another, and of parts
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "model.h"
#include "box_names.h"

static uint32_t new_frame(struct drawing *d, uint32_t parent, char *key, const char *name)
{
	d->frames = hd__xgrow(d->frames, d->nframes, &d->capframes, sizeof *d->frames);
	d->frames[d->nframes] = (struct frame){ .key = key, .name = hd__xstrdup(name), .parent = parent,
		                                .count = 1, .first = NONE };
	if (parent != NONE)
		d->frames[d->nframes].depth = d->frames[parent].depth + 1;
	return d->nframes++;
}

/* The frame of what has this path of n characters, "sm[0..79]"; created with those around it.  known:
 * key -> number. */
static uint32_t frame_of(struct drawing *d, json_t *known, const char *path, size_t n)
{
	char *name = hd__xstrndup(path, n);
	char *key = d->o->expand ? hd__xstrdup(name) : hd__name_open(name);
	const json_t *old = json_object_get(known, key);
	uint32_t f = 0;

	if (n > 0 && old)
		f = (uint32_t)json_integer_value(old);
	else if (n > 0) {
		uint32_t parent = frame_of(d, known, name, hd__name_parent(name));

		f = new_frame(d, parent, hd__xstrdup(key), name);
		json_object_set_new(known, key, json_integer(f));
	}
	if (n > 0)
		d->frames[f].name = hd__name_join(d->frames[f].name, name);
	free(key);
	free(name);
	return f;
}

/* A frame around the boxes of each part, unless they are all that is in the frame around them. */
static void frame_parts(struct drawing *d)
{
	uint32_t *in = hd__xcalloc(d->nframes, sizeof *in), *size = hd__xcalloc(d->nparts, sizeof *size);
	uint32_t *around = hd__xcalloc(d->nparts, sizeof *around);

	for (uint32_t i = 0; i < d->nboxes; i++) {
		const struct box *b = &d->boxes[i];

		in[b->frame] += !b->aside;
		for (uint32_t p = b->part; p != NONE; p = d->parts[p].parent) {
			size[p]++;
			around[p] = b->frame;
		}
	}
	for (uint32_t i = 0; i < d->nparts; i++) {
		struct part *p = &d->parts[i];
		bool inner = p->parent != NONE;

		p->frame = inner ? d->parts[p->parent].frame : around[i];
		if (size[i] < 2 || size[i] == (inner ? size[p->parent] : in[around[i]]))
			continue;
		p->frame = new_frame(d, p->frame, NULL, p->name);
		d->frames[p->frame].alike = true;
		d->frames[p->frame].count = hd__name_count(p->name);
	}
	for (uint32_t i = 0; i < d->nboxes; i++)
		if (d->boxes[i].part != NONE)
			d->boxes[i].frame = d->parts[d->boxes[i].part].frame;
	free(in);
	free(size);
	free(around);
}

void hd__picture_frames(struct drawing *d)
{
	json_t *known = hd__xcheck(json_object());

	new_frame(d, NONE, NULL, "");
	for (uint32_t i = 0; i < d->nboxes; i++) {
		struct box *b = &d->boxes[i];

		b->frame = frame_of(d, known, b->name, hd__name_parent(b->name));
	}
	for (uint32_t i = 1; i < d->nframes; i++)
		d->frames[i].count = hd__name_count(d->frames[i].name);
	frame_parts(d);
	json_decref(known);
}
