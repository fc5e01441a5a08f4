/* frames.c - frames around boxes: of one netlist in another, and of elements that are linked one to one
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

/* ---- elements that are linked one to one ---------------------------------------------------- */

static uint32_t root_of(uint32_t *v, uint32_t i)
{
	while (v[i] != i)
		i = v[i] = v[v[i]];
	return i;
}

/* Is it of an array of several?  counts: open name -> number of boxes. */
static bool is_element(const struct drawing *d, const struct box *b, const json_t *counts)
{
	char *open;
	bool several;

	if (b->first->index < 0)
		return false;
	if (!d->o->expand)
		return b->count > 1 && b->name[strlen(b->name) - 1] == ']'
		       && strstr(strrchr(b->name, '['), "..") != NULL;
	open = hd__name_open(b->name + b->first->parent);
	several = json_integer_value(json_object_get(counts, open)) > 1;
	free(open);
	return several;
}

static json_t *count_elements(const struct drawing *d)
{
	json_t *counts = hd__xcheck(json_object());

	for (uint32_t i = 0; d->o->expand && i < d->nboxes; i++) {
		char *open = hd__name_open(d->boxes[i].name + d->boxes[i].first->parent);

		json_object_set_new(counts, open,
			json_integer(json_integer_value(json_object_get(counts, open)) + 1));
		free(open);
	}
	return counts;
}

/* By box: a box of the same group. */
static uint32_t *group(const struct drawing *d)
{
	uint32_t *v = hd__xcalloc(d->nboxes, sizeof *v);
	json_t *counts = count_elements(d);

	for (uint32_t i = 0; i < d->nboxes; i++)
		v[i] = i;
	for (uint32_t i = 0; i < d->nlines; i++) {
		const struct line *l = &d->lines[i];
		const struct box *a = &d->boxes[l->from], *b = &d->boxes[l->to];

		if (l->each && a->frame == b->frame && a->count == b->count && is_element(d, a, counts)
		    && is_element(d, b, counts))
			v[root_of(v, l->from)] = root_of(v, l->to);
	}
	for (uint32_t i = 0; i < d->nboxes; i++)
		v[i] = root_of(v, i);
	json_decref(counts);
	return v;
}

static void add_groups(struct drawing *d)
{
	uint32_t *of = group(d), *size = hd__xcalloc(d->nboxes, sizeof *size);
	uint32_t *frame = hd__xcalloc(d->nboxes, sizeof *frame), *in = hd__xcalloc(d->nframes, sizeof *in);

	for (uint32_t i = 0; i < d->nboxes; i++) {
		size[of[i]]++;
		in[d->boxes[i].frame] += !d->boxes[i].aside;
	}
	for (uint32_t i = 0; i < d->nboxes; i++) {
		struct box *b = &d->boxes[i];
		uint32_t r = of[i];

		if (size[r] < 2 || size[r] == in[b->frame])
			continue;
		if (frame[r] == 0) {
			char *name = d->o->expand ? hd__format("[%lld]", (long long)b->first->index)
			                          : hd__xstrdup(strrchr(b->name, '['));

			frame[r] = new_frame(d, b->frame, NULL, name);
			d->frames[frame[r]].alike = true;
			d->frames[frame[r]].count = hd__name_count(name);
			free(name);
		}
	}
	for (uint32_t i = 0; i < d->nboxes; i++)
		if (frame[of[i]] != 0)
			d->boxes[i].frame = frame[of[i]];
	free(of);
	free(size);
	free(frame);
	free(in);
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
	add_groups(d);
	json_decref(known);
}
