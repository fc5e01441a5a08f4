/* box_place.c - how far down boxes, bends, lanes and frames are
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each item has a goal, the middle of those that it is joined to.  Those that are too close to each other
 * there push each other away, one with more lines less far: it also pulls more, and so nothing drifts.  What
 * remains is settled in the order of the frame, once from above and once from below: the mean of both keeps
 * all distances.  A frame is put into the one around it like a large box.
 */
#include "model.h"

#define SETTLES 120u
#define RELAXES 24u
#define MANY 20000u /* items */

static double gap_between(const struct item *a, const struct item *b)
{
	if (a->kind == ITEM_FRAME || b->kind == ITEM_FRAME)
		return ROW_GAP + 6;
	if (a->kind == ITEM_BEND && b->kind == ITEM_BEND)
		return 0;
	return a->kind == ITEM_LANE && b->kind == ITEM_LANE ? 0 : ROW_GAP;
}

/* ---- goals ---------------------------------------------------------------------------------- */

struct pulls {
	double *sum, *weight; /* by item */
};

static void pull(const struct drawing *d, struct pulls *p, uint32_t a, uint32_t b, double offset)
{
	const struct item *x = &d->items[a], *y = &d->items[b];
	/* lines are straight rather where they bend */
	double w = 1 << ((x->kind == ITEM_BEND) + (y->kind == ITEM_BEND));

	p->sum[a] += w * (y->at + offset);
	p->weight[a] += w;
}

/* What contains the item and is in the frame: itself, or a frame. */
static uint32_t lift(const struct drawing *d, uint32_t item, uint32_t frame)
{
	while (d->items[item].frame != frame)
		item = d->frames[d->items[item].frame].item;
	return item;
}

/* The ends of a piece pull each other; of frames that they are in those that are side by side.  With
 * `sort` also what is in different frames, which decides the order in them, not how far apart
 * things are: a box that followed one outside would push its frame there, and the other away. */
static void pull_ends(const struct drawing *d, struct pulls *p, uint32_t a, uint32_t b, bool sort)
{
	uint32_t frame = hd__picture_common_frame(d, d->items[a].frame, d->items[b].frame);
	uint32_t x = lift(d, a, frame), y = lift(d, b, frame);

	pull(d, p, x, b, d->items[x].at - d->items[a].at);
	pull(d, p, y, a, d->items[y].at - d->items[b].at);
	if (sort && x != a)
		pull(d, p, a, b, 0);
	if (sort && y != b)
		pull(d, p, b, a, 0);
}

static void set_goals(struct drawing *d, bool sort)
{
	struct pulls p = { hd__xcalloc(d->nitems, sizeof *p.sum), hd__xcalloc(d->nitems, sizeof *p.weight) };

	for (uint32_t i = 0; i < d->nlines; i++) {
		const struct line *l = &d->lines[i];

		for (uint32_t k = 0; has_pieces(l) && k <= l->nbends; k++)
			pull_ends(d, &p, piece_left(d, l, k), piece_right(d, l, k), sort);
	}
	for (uint32_t i = 0; i < d->nitems; i++) {
		struct item *it = &d->items[i];

		/* half the way: two that pull each other would pass each other */
		it->goal = p.weight[i] > 0 ? (it->at + p.sum[i] / p.weight[i]) / 2 : it->at;
		it->weight = sort || p.weight[i] <= 0 ? 1 : p.weight[i];
	}
	free(p.sum);
	free(p.weight);
}

/* ---- one frame ------------------------------------------------------------------------------ */

static int by_goal(const void *a, const void *b, void *items)
{
	const struct item *x = (struct item *)items + *(const uint32_t *)a;
	const struct item *y = (struct item *)items + *(const uint32_t *)b;
	int low = (x->kind == ITEM_CHIPS) - (y->kind == ITEM_CHIPS);

	low = low ? low : (x->kind == ITEM_LANE) - (y->kind == ITEM_LANE);
	if (low)
		return low;
	if (x->kind == ITEM_LANE && x->last - x->first != y->last - y->first)
		return x->last - x->first < y->last - y->first ? -1 : 1;
	if (x->kind != ITEM_LANE && x->goal != y->goal)
		return x->goal < y->goal ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool is_low(const struct item *it)
{
	return it->kind == ITEM_LANE || it->kind == ITEM_CHIPS;
}

/* Puts the items of a frame at their goals, or where there is room beyond them: downwards from the
 * first on, or upwards from the last.  sky: by column, the item that came last, or NONE. */
static void stack(const struct drawing *d, const struct frame *f, double *y, uint32_t *sky, bool down)
{
	for (uint32_t c = f->first; c <= f->last; c++)
		sky[c - f->first] = NONE;
	for (uint32_t k = 0; k < f->nitems; k++) {
		uint32_t i = down ? k : f->nitems - 1 - k;
		const struct item *it = &d->items[f->items[i]];
		double at = it->goal - it->h / 2;

		for (uint32_t c = it->first; !is_low(it) && c <= it->last; c++) {
			uint32_t other = sky[c - f->first];
			const struct item *o = other == NONE ? NULL : &d->items[f->items[other]];
			double limit = !o ? at : down ? y[other] + o->h + gap_between(o, it)
			                              : y[other] - it->h - gap_between(it, o);

			at = down == (limit > at) ? limit : at;
			sky[c - f->first] = i;
		}
		y[i] = at;
	}
}

/* Neighbours in a column push each other as far apart as they have to be, or nearly; moves the goals.  While an order
 * is looked for all have the same weight. */
static void relax(struct drawing *d, const struct frame *f, uint32_t *sky)
{
	for (unsigned pass = 0; pass < (d->nitems > MANY ? 2 : RELAXES); pass++) {
		bool moved = false;

		for (uint32_t c = f->first; c <= f->last; c++)
			sky[c - f->first] = NONE;
		for (uint32_t i = 0; i < f->nitems; i++) {
			struct item *it = &d->items[f->items[i]];

			for (uint32_t c = it->first; !is_low(it) && c <= it->last; c++) {
				uint32_t other = sky[c - f->first];
				struct item *o = other == NONE ? NULL : &d->items[f->items[other]];
				double push = o ? o->goal + o->h / 2 + gap_between(o, it) - it->goal + it->h / 2 : 0;

				sky[c - f->first] = i;
				if (push < 0.1)
					continue;
				o->goal -= push * it->weight / (o->weight + it->weight);
				it->goal += push * o->weight / (o->weight + it->weight);
				moved = true;
			}
		}
		if (!moved)
			break;
	}
}

/* Lanes, and what has no line, are below all else in their columns. */
static void stack_low(const struct drawing *d, const struct frame *f, double *y)
{
	double *sky = hd__xcalloc(f->last - f->first + 1, sizeof *sky);

	for (uint32_t c = f->first; c <= f->last; c++)
		sky[c - f->first] = -1e12;
	for (uint32_t i = 0; i < f->nitems; i++) {
		const struct item *it = &d->items[f->items[i]];
		double at = is_low(it) ? -1e12 : y[i];

		for (uint32_t c = it->first; is_low(it) && c <= it->last; c++)
			at = sky[c - f->first] > at ? sky[c - f->first] : at;
		if (is_low(it) && at < -1e11)
			at = 0;
		y[i] = at + (it->kind == ITEM_CHIPS ? ROW_GAP : is_low(it) ? 2 : 0);
		for (uint32_t c = it->first; c <= it->last; c++)
			if (y[i] + it->h > sky[c - f->first])
				sky[c - f->first] = y[i] + it->h + (is_low(it) ? 0 : 4);
	}
	free(sky);
}

/* Places what is in the frame, from which its height follows. */
static void settle_frame(struct drawing *d, uint32_t number, bool sort)
{
	struct frame *f = &d->frames[number];
	double *y = hd__xcalloc(f->nitems, sizeof *y), *up = hd__xcalloc(f->nitems, sizeof *up);
	uint32_t *sky = hd__xcalloc(f->last - f->first + 1, sizeof *sky);
	double top = f->nitems > 0 ? 1e12 : 0, bottom = f->nitems > 0 ? -1e12 : 0;

	for (uint32_t i = 0; i < f->nitems; i++) {
		struct item *it = &d->items[f->items[i]];

		if (it->kind == ITEM_FRAME)
			it->h = d->frames[it->number].h;
	}
	if (sort && f->nitems > 1)
		qsort_r(f->items, f->nitems, sizeof *f->items, by_goal, d->items);
	relax(d, f, sky);
	stack(d, f, y, sky, true);
	stack(d, f, up, sky, false);
	for (uint32_t i = 0; i < f->nitems; i++)
		y[i] = (y[i] + up[i]) / 2;
	stack_low(d, f, y);
	for (uint32_t i = 0; i < f->nitems; i++) {
		const struct item *it = &d->items[f->items[i]];

		top = y[i] < top ? y[i] : top;
		bottom = y[i] + it->h > bottom ? y[i] + it->h : bottom;
	}
	top -= number > 0 ? FRAME_HEAD : 0;
	bottom += number > 0 ? FRAME_PAD : 0;
	for (uint32_t i = 0; i < f->nitems; i++)
		d->items[f->items[i]].y = y[i] - top;
	f->h = bottom - top;
	free(y);
	free(up);
	free(sky);
}

/* ---- all frames ----------------------------------------------------------------------------- */

static bool is_drawn(const struct frame *f)
{
	return f->first != NONE;
}

void hd__picture_settle(struct drawing *d, bool sort)
{
	set_goals(d, sort);
	for (uint32_t i = d->nframes; i-- > 0;) /* those in it first */
		if (is_drawn(&d->frames[i]))
			settle_frame(d, i, sort);
	for (uint32_t i = 0; i < d->nframes; i++) {
		const struct frame *f = &d->frames[i];

		for (uint32_t k = 0; k < f->nitems; k++) {
			struct item *it = &d->items[f->items[k]];

			it->at = f->y + it->y + it->h / 2;
			if (it->kind == ITEM_FRAME)
				d->frames[it->number].y = f->y + it->y;
		}
	}
}

/* ---- the ends of lines ---------------------------------------------------------------------- */

struct end {
	uint32_t box;
	bool right;
	double toward;        /* how far down the other end of the piece is */
	uint32_t line;
	bool at_to;           /* of the line's end, else of its beginning */
};

static int by_side(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->box != y->box)
		return x->box < y->box ? -1 : 1;
	if (x->right != y->right)
		return x->right ? 1 : -1;
	if (x->toward != y->toward)
		return x->toward < y->toward ? -1 : 1;
	return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->at_to - y->at_to;
}

/* Lanes end below the others; the one that runs deepest first, as it is the outer one. */
static double toward(const struct drawing *d, const struct line *l, bool at_to)
{
	if (l->from == l->to)
		return 1e9;
	if (l->lane != NONE)
		return 1e10 - d->items[l->lane].at;
	return d->items[at_to == l->back ? piece_right(d, l, 0) : piece_left(d, l, l->nbends)].at;
}

/* Distributes the ends of lines over the sides of their boxes. */
static void place_ends(struct drawing *d)
{
	struct end *v = hd__xcalloc(2 * (size_t)d->nlines, sizeof *v);
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->nlines; i++) {
		const struct line *l = &d->lines[i];
		bool back = l->back && has_pieces(l), self = l->from == l->to;

		v[n++] = (struct end){ .box = l->from, .right = !back, .toward = toward(d, l, false), .line = i };
		v[n++] = (struct end){ .box = l->to, .right = back || self, .toward = toward(d, l, true),
			               .line = i, .at_to = true };
	}
	if (n > 1)
		qsort(v, n, sizeof *v, by_side);
	for (uint32_t i = 0, first = 0; i < n; i++) {
		const struct box *b = &d->boxes[v[i].box];
		struct line *l = &d->lines[v[i].line];
		double y;

		if (i > 0 && (v[i].box != v[i - 1].box || v[i].right != v[i - 1].right))
			first = i;
		else if (i > 0 && !v[i].at_to && !v[i - 1].at_to)
			l->quiet = hd__picture_same_label(l, &d->lines[v[i - 1].line]);
		y = b->y + b->h * (i - first + 1) / ((v[i].right ? b->right : b->left) + 1);
		*(v[i].at_to ? &l->y1 : &l->y0) = y;
	}
	free(v);
}

void hd__picture_place(struct drawing *d)
{
	for (uint32_t i = 0; i < d->nitems; i++) /* all as close together as the order allows */
		d->items[i].at = 0;
	for (unsigned i = 0; i < (d->nitems > MANY ? SETTLES / 10 : SETTLES); i++)
		hd__picture_settle(d, false);
	for (uint32_t i = 0; i < d->nboxes; i++) {
		struct box *b = &d->boxes[i];

		if (b->aside)
			b->y += d->items[d->frames[b->frame].chips].at - d->items[d->frames[b->frame].chips].h / 2;
		else
			b->y = d->items[d->box_item[i]].at - b->h / 2;
	}
	for (uint32_t i = 0; i < d->nframes; i++) {
		struct frame *f = &d->frames[i];

		if (!is_drawn(f))
			continue;
		f->x = d->column_x[f->first] - FRAME_PAD * (f->height + 1);
		f->w = d->column_x[f->last] + d->column_w[f->last] + FRAME_PAD * (f->height + 1) - f->x;
	}
	d->h = d->frames[0].h;
	place_ends(d);
}
