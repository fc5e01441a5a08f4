/* columns.c - what takes room in the columns of a picture, and how wide they are
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A line to the next column crosses the gap between both.  A longer one has a bend in each column
 * between; one that leads far back runs in a lane below what it passes, and so does a very long one.
 */
#include "model.h"
#include "box_names.h"

#include <ctype.h>

#define LONGEST 64u   /* columns that a line may pass with bends */
#define TRACK 7.0     /* between the vertical parts of lanes */
#define LANE_H 9.0
#define BEND_H 12.0
#define END_H 13.0    /* between the ends of lines at a box */
#define BOX_H 38.0
#define GAP 34.0
#define CHIP_H 20.0
#define CHIP_GAP 6.0

double hd__picture_text_width(const char *s, double size)
{
	double w = 0;

	for (; *s != '\0'; s++) {
		if (strchr("ijl.,:;|'[]() tfr", *s))
			w += 0.36;
		else if (*s == 'm' || *s == 'w' || isupper((unsigned char)*s))
			w += 0.8;
		else if (((unsigned char)*s & 0xc0) != 0x80)
			w += 0.6;
	}
	return w * size;
}

const char *hd__picture_label(const struct line *l, char *buf, size_t size)
{
	int n = 0;

	buf[0] = '\0';
	if (l->link->call)
		return buf;
	if (l->link->slots)
		n = snprintf(buf, size, "%u slot%s", l->link->capacity, l->link->capacity == 1 ? "" : "s");
	else
		n = snprintf(buf, size, "%u deep", l->link->capacity);
	if (l->link->latency > 1)
		snprintf(buf + n, size - (size_t)n, ", %u cycles", l->link->latency);
	return buf;
}

bool hd__picture_same_label(const struct line *a, const struct line *b)
{
	return a->link->call == b->link->call && a->link->slots == b->link->slots
	       && a->link->capacity == b->link->capacity && a->link->latency == b->link->latency;
}

/* ---- frames --------------------------------------------------------------------------------- */

uint32_t hd__picture_common_frame(const struct drawing *d, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (d->frames[a].depth >= d->frames[b].depth)
			a = d->frames[a].parent;
		else
			b = d->frames[b].parent;
	}
	return a;
}

/* The frame in which a line from frame a to frame b passes a column: in the one that it comes from or
 * leads to as long as they reach, else outside of them. */
static uint32_t passed_frame(const struct drawing *d, uint32_t a, uint32_t b, uint32_t column)
{
	uint32_t common = hd__picture_common_frame(d, a, b);

	for (; a != common; a = d->frames[a].parent)
		if (has_column(&d->frames[a], column))
			return a;
	for (; b != common; b = d->frames[b].parent)
		if (has_column(&d->frames[b], column))
			return b;
	return common;
}

/* The columns of each frame.  Frames come after those that they are in. */
static void span_frames(struct drawing *d)
{
	for (uint32_t i = 0; i < d->nboxes; i++) {
		const struct box *b = &d->boxes[i];
		struct frame *f = &d->frames[b->frame];

		if (b->aside)
			continue;
		f->last = f->first == NONE || b->rank > f->last ? b->rank : f->last;
		f->first = b->rank < f->first ? b->rank : f->first;
	}
	for (uint32_t i = d->nframes; i-- > 1;) {
		const struct frame *f = &d->frames[i];
		struct frame *up = &d->frames[f->parent];

		if (f->first == NONE)
			continue;
		up->last = up->first == NONE || f->last > up->last ? f->last : up->last;
		up->first = f->first < up->first ? f->first : up->first;
		up->height = up->height > f->height + 1 ? up->height : f->height + 1;
	}
	if (d->frames[0].first == NONE) /* no line at all */
		d->frames[0].first = d->frames[0].last = 0;
	/* what has no line is written into the first frame around it that has columns */
	for (uint32_t i = 0; i < d->nboxes; i++) {
		struct box *b = &d->boxes[i];

		while (b->aside && d->frames[b->frame].first == NONE)
			b->frame = d->frames[b->frame].parent;
		d->frames[b->frame].nchips += b->aside;
	}
}

/* ---- items ---------------------------------------------------------------------------------- */

static uint32_t new_item(struct drawing *d, struct item it)
{
	d->items = hd__xgrow(d->items, d->nitems, &d->capitems, sizeof *d->items);
	d->items[d->nitems] = it;
	return d->nitems++;
}

static void add_line_items(struct drawing *d, uint32_t number)
{
	struct line *l = &d->lines[number];
	struct box *a = &d->boxes[l->from], *b = &d->boxes[l->to];
	const struct box *left = l->back ? b : a, *right = l->back ? a : b;
	uint32_t between = l->from == l->to ? 0 : right->rank - left->rank - 1;

	if (l->from == l->to) {
		a->right += 2;
	} else if ((l->back && between > 0) || between > LONGEST) {
		l->lane = new_item(d, (struct item){ .kind = ITEM_LANE, .number = number, .h = LANE_H,
			.frame = hd__picture_common_frame(d, a->frame, b->frame),
			.first = left->rank + !l->back, .last = right->rank - !l->back });
		a->right++;
		b->left++;
	} else {
		l->first_bend = d->nitems;
		l->nbends = between;
		for (uint32_t c = left->rank + 1; c < right->rank; c++)
			new_item(d, (struct item){ .kind = ITEM_BEND, .number = number, .h = BEND_H,
				.frame = passed_frame(d, left->frame, right->frame, c), .first = c, .last = c });
		a->left += l->back;
		a->right += !l->back;
		b->left += !l->back;
		b->right += l->back;
	}
}

static double box_height(const struct box *b)
{
	uint32_t n = b->left > b->right ? b->left : b->right;

	return n * END_H + 8 > BOX_H ? n * END_H + 8 : BOX_H;
}

static double box_width(const struct box *b)
{
	double name = hd__picture_text_width(hd__name_last(b->name), 13);
	double module = hd__picture_text_width(b->first->module, 10);

	return (name > module ? name : module) + 22;
}

static void add_items(struct drawing *d)
{
	d->box_item = hd__xcalloc(d->nboxes, sizeof *d->box_item);
	for (uint32_t i = 0; i < d->nboxes; i++) {
		const struct box *b = &d->boxes[i];

		d->box_item[i] = b->aside ? NONE : new_item(d, (struct item){ .kind = ITEM_BOX, .number = i,
			.frame = b->frame, .first = b->rank, .last = b->rank });
	}
	for (uint32_t i = 0; i < d->nlines; i++)
		add_line_items(d, i);
	for (uint32_t i = 0; i < d->nboxes; i++)
		if (!d->boxes[i].aside)
			d->items[d->box_item[i]].h = d->boxes[i].h = box_height(&d->boxes[i]);
	for (uint32_t i = 0; i < d->nframes; i++) {
		struct frame *f = &d->frames[i];

		if (f->first == NONE)
			continue;
		if (i > 0)
			f->item = new_item(d, (struct item){ .kind = ITEM_FRAME, .number = i,
				.frame = f->parent, .first = f->first, .last = f->last });
		if (f->nchips > 0)
			f->chips = new_item(d, (struct item){ .kind = ITEM_CHIPS, .number = i, .frame = i,
				                   .first = f->first, .last = f->last });
	}
}

/* ---- widths --------------------------------------------------------------------------------- */

/* Numbers the vertical parts of lanes in each gap: short lanes run next to the boxes. */
static void number_tracks(struct drawing *d, uint32_t *out, uint32_t *in)
{
	for (uint32_t span = 1; span <= d->ncolumns; span++)
		for (uint32_t i = 0; i < d->nitems; i++) {
			const struct item *it = &d->items[i];
			struct line *l;

			if (it->kind != ITEM_LANE || it->last - it->first + 1 != span)
				continue;
			l = &d->lines[it->number];
			l->track0 = out[d->boxes[l->from].rank + 1]++;
			l->track1 = in[d->boxes[l->to].rank]++;
		}
}

/* The widest text at lines that begin in the column. */
static double *label_widths(const struct drawing *d)
{
	double *w = hd__xcalloc(d->ncolumns + 1, sizeof *w);

	for (uint32_t i = 0; i < d->nlines; i++) {
		const struct line *l = &d->lines[i];
		uint32_t gap = d->boxes[l->from].rank + (has_pieces(l) && l->back ? 0 : 1);
		char text[64];
		double t = hd__picture_text_width(hd__picture_label(l, text, sizeof text), 9.5);

		w[gap] = t > w[gap] ? t : w[gap];
	}
	return w;
}

static void size_columns(struct drawing *d)
{
	uint32_t *out = hd__xcalloc(d->ncolumns + 1, sizeof *out), *in = hd__xcalloc(d->ncolumns + 1, sizeof *in);
	uint32_t *begin = hd__xcalloc(d->ncolumns + 1, sizeof *begin), *end = hd__xcalloc(d->ncolumns + 1, sizeof *end);
	double *labels = label_widths(d), x = 0;

	d->column_x = hd__xcalloc(d->ncolumns + 1, sizeof *d->column_x);
	d->column_w = hd__xcalloc(d->ncolumns + 1, sizeof *d->column_w);
	number_tracks(d, out, in);
	for (uint32_t i = 1; i < d->nframes; i++) {
		const struct frame *f = &d->frames[i];

		if (f->first == NONE)
			continue;
		begin[f->first] = f->height + 1 > begin[f->first] ? f->height + 1 : begin[f->first];
		end[f->last + 1] = f->height + 1 > end[f->last + 1] ? f->height + 1 : end[f->last + 1];
	}
	for (uint32_t i = 0; i < d->nboxes; i++) {
		const struct box *b = &d->boxes[i];
		double w = box_width(b);

		if (!b->aside && w > d->column_w[b->rank])
			d->column_w[b->rank] = w;
	}
	for (uint32_t c = 0; c <= d->ncolumns; c++) {
		double frames = FRAME_PAD * (begin[c] + end[c]), tracks = TRACK * (out[c] + in[c]);
		double gap = (c > 0 && c < d->ncolumns ? GAP : 12) + labels[c];

		x += gap + frames + tracks;
		d->column_x[c] = x;
		x += d->column_w[c];
	}
	d->w = x;
	for (uint32_t i = 0; i < d->nboxes; i++) {
		struct box *b = &d->boxes[i];

		if (b->aside)
			continue;
		b->x = d->column_x[b->rank];
		b->w = d->column_w[b->rank];
	}
	free(out);
	free(in);
	free(begin);
	free(end);
	free(labels);
}

/* Those aside stand in rows at the bottom of their frames, each in a column: lines from below go between columns. */
static void fill_chips(struct drawing *d)
{
	double *x = hd__xcalloc(d->nframes, sizeof *x);

	for (uint32_t i = 0; i < d->nboxes; i++) {
		struct box *b = &d->boxes[i];
		const struct frame *f = &d->frames[b->frame];
		double left = d->column_x[f->first], room = d->column_x[f->last] + d->column_w[f->last] - left;
		uint32_t c = f->first;
		struct item *it;

		if (!b->aside)
			continue;
		it = &d->items[f->chips];
		b->w = hd__picture_text_width(hd__name_last(b->name), 11) + 16;
		b->h = CHIP_H;
		if (it->h == 0)
			it->h = CHIP_H;
		while (c <= f->last && d->column_x[c] < left + x[b->frame])
			c++;
		if (c > f->last || (x[b->frame] > 0 && d->column_x[c] + b->w > left + room)) {
			c = f->first;
			it->h += CHIP_H + CHIP_GAP;
		}
		b->x = d->column_x[c];
		b->y = it->h - CHIP_H;
		x[b->frame] = b->x - left + b->w + CHIP_GAP;
	}
	free(x);
}

void hd__picture_columns(struct drawing *d)
{
	if (d->ncolumns == 0)
		d->ncolumns = 1;
	span_frames(d);
	add_items(d);
	size_columns(d);
	fill_chips(d);
}
