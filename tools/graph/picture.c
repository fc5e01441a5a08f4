/* picture.c - collects instances and links, and has them drawn
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "model.h"

struct hd_picture *hd__picture_new(const char *name, const char *doc)
{
	struct hd_picture *p = hd__xcalloc(1, sizeof *p);

	p->name = hd__xstrdup(name);
	p->doc = doc ? hd__xstrdup(doc) : NULL;
	p->words = hd__xcheck(json_object());
	return p;
}

uint32_t hd__picture_instance(struct hd_picture *p, const char *path, const char *module,
                              const char *clock, bool called)
{
	const char *dot = strrchr(path, '.'), *bracket = strrchr(path, '[');
	struct instance *in;

	p->instances = hd__xgrow(p->instances, p->ninstances, &p->capinstances, sizeof *p->instances);
	in = &p->instances[p->ninstances];
	*in = (struct instance){ .path = hd__xstrdup(path), .module = hd__xstrdup(module),
		                 .clock = clock ? hd__xstrdup(clock) : NULL, .called = called,
		                 .index = -1 };
	in->parent = dot ? (uint32_t)(dot - path) : 0;
	if (bracket && bracket > (dot ? dot : path))
		in->index = strtol(bracket + 1, NULL, 10);
	return (uint32_t)p->ninstances++;
}

/* A copy of the string that lasts as long as the picture, the same for equal strings. */
static const char *keep(struct hd_picture *p, const char *s)
{
	json_t *v = json_object_get(p->words, s);

	if (!v && json_object_set_new(p->words, s, v = json_string(s)) != 0)
		return "?"; /* not UTF-8 */
	return json_string_value(v);
}

void hd__picture_link(struct hd_picture *p, const struct hd_picture_link *l)
{
	struct hd_picture_link *n;

	p->links = hd__xgrow(p->links, p->nlinks, &p->caplinks, sizeof *p->links);
	n = &p->links[p->nlinks++];
	*n = *l;
	n->from_port = keep(p, l->from_port);
	n->to_port = keep(p, l->to_port);
	n->type = keep(p, l->type);
}

static void free_drawing(struct drawing *d)
{
	for (uint32_t i = 0; i < d->nboxes; i++) {
		free(d->boxes[i].name);
		free(d->boxes[i].key);
	}
	for (uint32_t i = 0; i < d->nframes; i++) {
		free(d->frames[i].key);
		free(d->frames[i].name);
		free(d->frames[i].items);
	}
	for (uint32_t i = 0; i < d->nparts; i++)
		free(d->parts[i].name);
	free(d->parts);
	free(d->part_of);
	free(d->boxes);
	free(d->lines);
	free(d->frames);
	free(d->items);
	free(d->box_of);
	free(d->box_item);
	free(d->column_x);
	free(d->column_w);
}

void hd__picture_svg(const struct hd_picture *p, const struct hd_picture_options *o, FILE *out)
{
	struct drawing d = { .p = p, .o = o };

	hd__picture_parts(&d);
	hd__picture_boxes(&d);
	hd__picture_frames(&d);
	hd__picture_flow(&d);
	hd__picture_columns(&d);
	hd__picture_order(&d);
	hd__picture_place(&d);
	hd__picture_write(&d, out);
	free_drawing(&d);
}

void hd__picture_dot(const struct hd_picture *p, const struct hd_picture_options *o, FILE *out)
{
	struct drawing d = { .p = p, .o = o };

	hd__picture_parts(&d);
	hd__picture_boxes(&d);
	hd__picture_frames(&d);
	hd__picture_flow(&d);
	hd__picture_write_dot(&d, out);
	free_drawing(&d);
}

void hd__picture_free(struct hd_picture *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->ninstances; i++) {
		free(p->instances[i].path);
		free(p->instances[i].module);
		free(p->instances[i].clock);
	}
	free(p->instances);
	free(p->links);
	free(p->name);
	free(p->doc);
	json_decref(p->words);
	free(p);
}
