/* box_order.c - the order of boxes and bends from top to bottom, with few crossings
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Items are sorted again and again by the middle of those that they are joined to, and the best order
 * is kept; then neighbours in a column that cross less the other way round are exchanged.
 */
#include "model.h"

#define ROUNDS 24u
#define BEGINNINGS 3  /* other first orders lead elsewhere */
#define FRAME_COST 4u /* a line that runs across a frame with which it has nothing to do */
#define MANY 600u     /* items; exchanging so many would take long */

struct piece {
	uint32_t a, b;        /* places in the columns left and right of the gap */
};

struct crossings {
	struct drawing *d;
	struct piece *pieces; /* by gap */
	uint32_t *first;      /* by gap, where its pieces begin; ncolumns + 1 */
	uint32_t *sum;        /* by place: a tree of counts */
	uint32_t *next;       /* by column: the next place */
	uint32_t turn;
};

static void number_places(struct crossings *c, uint32_t frame)
{
	struct frame *f = &c->d->frames[frame];

	f->first_turn = c->turn++;
	for (uint32_t i = 0; i < f->nitems; i++) {
		struct item *it = &c->d->items[f->items[i]];

		it->turn = c->turn++;
		if (it->kind == ITEM_FRAME)
			number_places(c, it->number);
		else if (it->kind == ITEM_BOX || it->kind == ITEM_BEND)
			it->place = c->next[it->first]++;
	}
	f->last_turn = c->turn++;
}

static int by_places(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

/* Pairs of pieces whose ends are in the opposite order. */
static uint64_t count_gap(struct crossings *c, struct piece *v, uint32_t n, uint32_t places)
{
	uint64_t crossed = 0;

	if (n < 2)
		return 0;
	qsort(v, n, sizeof *v, by_places);
	memset(c->sum, 0, (places + 1) * sizeof *c->sum);
	for (uint32_t i = 0, k = 0; i < n; i++) {
		for (; v[k].a < v[i].a; k++) /* those that begin above, not beside */
			for (uint32_t j = v[k].b + 1; j <= places; j += j & -j)
				c->sum[j]++;
		crossed += k;
		for (uint32_t j = v[i].b + 1; j > 0; j -= j & -j)
			crossed -= c->sum[j];
	}
	return crossed;
}

/* Pieces in a gap that end below a place: the upright part of a lane that ends there crosses them. */
static uint64_t count_below(const struct crossings *c, uint32_t gap, uint32_t n, uint32_t place, bool left)
{
	const struct piece *v = &c->pieces[c->first[gap]];
	uint64_t below = 0;

	for (uint32_t i = 0; i < n; i++)
		below += (left ? v[i].a : v[i].b) > place;
	return below;
}

static uint64_t count_lanes(const struct crossings *c, const uint32_t *n)
{
	const struct drawing *d = c->d;
	uint64_t crossed = 0;

	for (uint32_t i = 0; i < d->nlines && d->nitems < MANY; i++) {
		const struct line *l = &d->lines[i];
		uint32_t from = d->boxes[l->from].rank + 1, to = d->boxes[l->to].rank;

		if (l->lane == NONE)
			continue;
		crossed += count_below(c, from, n[from], d->items[d->box_item[l->from]].place, true);
		crossed += count_below(c, to, n[to], d->items[d->box_item[l->to]].place, false);
	}
	return crossed;
}

/* Pieces that run across a frame between two columns of it. */
static uint64_t count_frames(const struct crossings *c, const struct item *a, const struct item *b)
{
	uint64_t crossed = 0;

	for (uint32_t i = 1; i < c->d->nframes && c->d->nitems < MANY; i++) {
		const struct frame *f = &c->d->frames[i];

		if (!has_column(f, a->first) || !has_column(f, b->first))
			continue;
		crossed += (a->turn < f->first_turn && b->turn > f->last_turn)
		           || (b->turn < f->first_turn && a->turn > f->last_turn);
	}
	return crossed * FRAME_COST;
}

static uint64_t count_crossings(struct crossings *c)
{
	struct drawing *d = c->d;
	uint64_t crossed = 0;
	uint32_t *n = hd__xcalloc(d->ncolumns + 1, sizeof *n);

	memset(c->next, 0, (d->ncolumns + 1) * sizeof *c->next);
	c->turn = 0;
	number_places(c, 0);
	for (uint32_t i = 0; i < d->nlines; i++) {
		const struct line *l = &d->lines[i];

		for (uint32_t k = 0; has_pieces(l) && k <= l->nbends; k++) {
			const struct item *a = &d->items[piece_left(d, l, k)], *b = &d->items[piece_right(d, l, k)];
			uint32_t gap = b->first;

			c->pieces[c->first[gap] + n[gap]++] = (struct piece){ a->place, b->place };
			crossed += count_frames(c, a, b);
		}
	}
	for (uint32_t g = 1; g < d->ncolumns; g++)
		crossed += count_gap(c, &c->pieces[c->first[g]], n[g], c->next[g]);
	crossed += count_lanes(c, n);
	free(n);
	return crossed;
}

static void count_pieces(struct crossings *c)
{
	struct drawing *d = c->d;
	uint32_t total;

	c->first = hd__xcalloc(d->ncolumns + 2, sizeof *c->first);
	for (uint32_t i = 0; i < d->nlines; i++)
		for (uint32_t k = 0; has_pieces(&d->lines[i]) && k <= d->lines[i].nbends; k++)
			c->first[d->items[piece_right(d, &d->lines[i], k)].first + 1]++;
	for (uint32_t g = 0; g <= d->ncolumns; g++)
		c->first[g + 1] += c->first[g];
	total = c->first[d->ncolumns + 1];
	c->pieces = hd__xcalloc(total, sizeof *c->pieces);
	c->sum = hd__xcalloc(d->nitems + 2, sizeof *c->sum);
	c->next = hd__xcalloc(d->ncolumns + 1, sizeof *c->next);
}

/* ---- the first order ------------------------------------------------------------------------ */

static void fill_frames(struct drawing *d)
{
	for (uint32_t i = 0; i < d->nitems; i++)
		d->frames[d->items[i].frame].nitems++;
	for (uint32_t i = 0; i < d->nframes; i++) {
		d->frames[i].items = hd__xcalloc(d->frames[i].nitems, sizeof *d->frames[i].items);
		d->frames[i].nitems = 0;
	}
	for (uint32_t i = 0; i < d->nitems; i++) {
		struct frame *f = &d->frames[d->items[i].frame];

		f->items[f->nitems++] = i;
	}
}

/* ---- exchanges ------------------------------------------------------------------------------ */

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

static bool share_column(const struct item *a, const struct item *b)
{
	return a->first <= b->last && b->first <= a->last;
}

static bool is_movable(const struct item *it)
{
	return it->kind != ITEM_LANE && it->kind != ITEM_CHIPS;
}

/* Exchanges items of a frame that are next to each other in a column.  Returns true if that helped. */
static bool exchange(struct crossings *c, struct frame *f, uint64_t *best)
{
	bool better = false;

	for (uint32_t i = 0; i < f->nitems; i++)
		for (uint32_t k = i + 1; k < f->nitems && *best > 0; k++) {
			const struct item *a = &c->d->items[f->items[i]], *b = &c->d->items[f->items[k]];
			uint64_t now;

			if (!share_column(a, b) || !is_movable(a) || !is_movable(b))
				continue;
			swap(&f->items[i], &f->items[k]);
			now = count_crossings(c);
			if (now >= *best) {
				swap(&f->items[i], &f->items[k]);
				continue;
			}
			*best = now;
			better = true;
		}
	return better;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void keep_order(const struct drawing *d, uint32_t *kept)
{
	for (uint32_t i = 0, n = 0; i < d->nframes; n += d->frames[i++].nitems)
		if (d->frames[i].nitems > 0)
			memcpy(kept + n, d->frames[i].items, d->frames[i].nitems * sizeof *kept);
}

static void restore_order(struct drawing *d, const uint32_t *kept)
{
	for (uint32_t i = 0, n = 0; i < d->nframes; n += d->frames[i++].nitems)
		if (d->frames[i].nitems > 0)
			memcpy(d->frames[i].items, kept + n, d->frames[i].nitems * sizeof *kept);
}

/* Exchanges items as long as that helps. */
static void improve(struct crossings *c, uint64_t *best)
{
	bool more = true;

	for (uint32_t i = 0; more && i < ROUNDS && c->d->nitems < MANY; i++) {
		more = false;
		for (uint32_t k = 0; k < c->d->nframes; k++)
			more |= exchange(c, &c->d->frames[k], best);
	}
}

/* Sorts from a beginning on, and returns the crossings of the best order, which is then in `kept`. */
static uint64_t try_beginning(struct crossings *c, int beginning, uint32_t *kept)
{
	struct drawing *d = c->d;
	uint64_t best = UINT64_MAX;

	for (uint32_t i = 0; i < d->nitems; i++)
		d->items[i].at = (beginning == 2 ? -1 : beginning) * (double)i;
	for (uint32_t i = 0; i < (d->nitems > 20 * MANY ? 4 : ROUNDS); i++) {
		uint64_t now;

		hd__picture_settle(d, true);
		now = count_crossings(c);
		if (now < best) {
			best = now;
			keep_order(d, kept);
		}
	}
	restore_order(d, kept);
	improve(c, &best);
	keep_order(d, kept);
	return best;
}

void hd__picture_order(struct drawing *d)
{
	struct crossings c = { .d = d };
	uint32_t *kept = hd__xcalloc(d->nitems, sizeof *kept), *best = hd__xcalloc(d->nitems, sizeof *best);
	uint64_t least = UINT64_MAX;

	fill_frames(d);
	count_pieces(&c);
	for (int i = 0; i < (d->nitems < MANY ? BEGINNINGS : 1); i++) {
		uint64_t now = try_beginning(&c, i, kept);

		if (now < least) {
			least = now;
			memcpy(best, kept, d->nitems * sizeof *best);
		}
	}
	restore_order(d, best);
	free(kept);
	free(best);
	free(c.pieces);
	free(c.first);
	free(c.sum);
	free(c.next);
}
