/* flow.c - the direction of the flow: which lines lead against it, and the column of each box
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines are added one by one to a graph without circles, those that certainly lead forward first; one
 * that would close a circle leads back.  Channels and what is obtained by calls come before what comes back
 * by calls, such as results to a register file: a provider stands in front of those that it serves.
 */
#include "model.h"

struct flow {
	struct drawing *d;
	uint32_t *out, *in;           /* by box: the first line from and to it, NONE: no line */
	uint32_t *next_out, *next_in; /* by line */
	uint32_t *order;              /* by box: its place in an order that no line contradicts */
	uint32_t *near, *far;         /* by box: steps from where the work begins, to where it ends */
	bool *seen;
	uint32_t *ahead, *behind, *places;
	uint32_t nahead, nbehind;
};

struct ranked {
	uint32_t line;
	int class, score;
};

/* ---- how far things are from the ends of the flow ------------------------------------------- */

static bool leads(const struct line *l)
{
	return ((!l->link->call && !l->link->idle) || l->turned) && l->from != l->to;
}

/* Does it show where work comes from?  Requests and their answers do not: a memory gets requests and
 * gives data, whether it is behind a unit or in front of a stage. */
static bool shows(const struct line *l)
{
	return leads(l) && !l->mutual;
}

static int by_boxes(const void *key, const void *element)
{
	const struct line *k = key, *l = element;

	if (k->to != l->from)
		return k->to < l->from ? -1 : 1;
	return k->from < l->to ? -1 : k->from > l->to;
}

/* Lines are sorted by their ends. */
static void find_mutual(struct drawing *d)
{
	for (uint32_t i = 0; i < d->nlines; i++) {
		struct line *l = &d->lines[i];
		const struct line *other = bsearch(l, d->lines, d->nlines, sizeof *l, by_boxes);

		l->mutual = leads(l) && !l->link->call && other && !other->link->call && !other->link->idle;
	}
}

/* Steps from the boxes that no line enters; with `backwards` to those that no line leaves. */
static void measure(const struct drawing *d, uint32_t *steps, bool backwards)
{
	uint32_t *ends = hd__xcalloc(d->nboxes, sizeof *ends), *first = hd__xcalloc(d->nboxes + 1, sizeof *first);
	uint32_t *lines = hd__xcalloc(d->nlines, sizeof *lines), *open = hd__xcalloc(d->nboxes, sizeof *open);
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->nlines; i++) {
		const struct line *l = &d->lines[i];

		if (shows(l)) {
			ends[backwards ? l->from : l->to]++;
			first[(backwards ? l->to : l->from) + 1]++;
		}
	}
	for (uint32_t i = 0; i < d->nboxes; i++)
		first[i + 1] += first[i];
	for (uint32_t i = 0; i < d->nlines; i++)
		if (shows(&d->lines[i]))
			lines[first[backwards ? d->lines[i].to : d->lines[i].from]++] = i;
	/* first[i] is now where those of box i end */
	for (uint32_t i = 0; i < d->nboxes; i++) {
		bool begins = ends[i] == 0 && first[i] > (i ? first[i - 1] : 0);

		steps[i] = begins ? 0 : NONE;
		if (begins)
			open[n++] = i;
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t at = open[k];

		for (uint32_t i = at ? first[at - 1] : 0; i < first[at]; i++) {
			const struct line *l = &d->lines[lines[i]];
			uint32_t to = backwards ? l->from : l->to;

			if (steps[to] == NONE) {
				steps[to] = steps[at] + 1;
				open[n++] = to;
			}
		}
	}
	free(ends);
	free(first);
	free(lines);
	free(open);
}

/* 1: it certainly leads forward; less: the less likely. */
static int score(const struct flow *f, const struct line *l)
{
	bool from_near = f->near[l->from] != NONE, to_near = f->near[l->to] != NONE;
	bool from_far = f->far[l->from] != NONE, to_far = f->far[l->to] != NONE;
	bool from_fed = from_near && f->near[l->from] > 0, to_fed = to_near && f->near[l->to] > 0;

	if (l->mutual && from_fed != to_fed) /* a unit, and the memory behind it */
		return from_fed ? 1 : -1;
	if (l->mutual && !from_fed && from_far != to_far) /* a memory, and the stage behind it */
		return to_far ? 1 : -1;
	if (from_near && to_near)
		return (int)f->near[l->to] - (int)f->near[l->from];
	if (from_far && to_far)
		return (int)f->far[l->from] - (int)f->far[l->to];
	return 0;
}

static int by_class(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->class != y->class)
		return x->class - y->class;
	if (x->score != y->score)
		return y->score - x->score;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* ---- a graph without circles ---------------------------------------------------------------- */

/* The box that is further left, and the other. */
static uint32_t tail(const struct line *l)
{
	return l->back ? l->to : l->from;
}

static uint32_t head(const struct line *l)
{
	return l->back ? l->from : l->to;
}

/* Adds the boxes that lead from `box` on, up to place `limit`.  Returns false if `goal` is one. */
static bool look_ahead(struct flow *f, uint32_t box, uint32_t limit, uint32_t goal)
{
	f->nahead = 0;
	f->ahead[f->nahead++] = box;
	f->seen[box] = true;
	for (uint32_t k = 0; k < f->nahead; k++) {
		if (f->ahead[k] == goal)
			return false;
		for (uint32_t i = f->out[f->ahead[k]]; i != NONE; i = f->next_out[i]) {
			uint32_t to = head(&f->d->lines[i]);

			if (!f->seen[to] && f->order[to] <= limit) {
				f->seen[to] = true;
				f->ahead[f->nahead++] = to;
			}
		}
	}
	return true;
}

static void look_behind(struct flow *f, uint32_t box, uint32_t limit)
{
	f->nbehind = 0;
	f->behind[f->nbehind++] = box;
	f->seen[box] = true;
	for (uint32_t k = 0; k < f->nbehind; k++)
		for (uint32_t i = f->in[f->behind[k]]; i != NONE; i = f->next_in[i]) {
			uint32_t from = tail(&f->d->lines[i]);

			if (!f->seen[from] && f->order[from] >= limit) {
				f->seen[from] = true;
				f->behind[f->nbehind++] = from;
			}
		}
}

static void forget(struct flow *f)
{
	for (uint32_t i = 0; i < f->nahead; i++)
		f->seen[f->ahead[i]] = false;
	for (uint32_t i = 0; i < f->nbehind; i++)
		f->seen[f->behind[i]] = false;
	f->nahead = f->nbehind = 0;
}

static int by_order(const void *a, const void *b, void *order)
{
	const uint32_t *o = order, x = o[*(const uint32_t *)a], y = o[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* What is behind takes the first places of both. */
static void reorder(struct flow *f)
{
	uint32_t n = 0;

	qsort_r(f->behind, f->nbehind, sizeof *f->behind, by_order, f->order);
	qsort_r(f->ahead, f->nahead, sizeof *f->ahead, by_order, f->order);
	for (uint32_t i = 0; i < f->nbehind; i++)
		f->places[n++] = f->order[f->behind[i]];
	for (uint32_t i = 0; i < f->nahead; i++)
		f->places[n++] = f->order[f->ahead[i]];
	qsort(f->places, n, sizeof *f->places, by_number);
	n = 0;
	for (uint32_t i = 0; i < f->nbehind; i++)
		f->order[f->behind[i]] = f->places[n++];
	for (uint32_t i = 0; i < f->nahead; i++)
		f->order[f->ahead[i]] = f->places[n++];
}

/* Returns false if it would close a circle. */
static bool add_line(struct flow *f, uint32_t number)
{
	const struct line *l = &f->d->lines[number];
	uint32_t from = tail(l), to = head(l);
	bool fits = true;

	if (f->order[from] >= f->order[to]) {
		fits = look_ahead(f, to, f->order[from], from);
		if (fits) {
			look_behind(f, from, f->order[to]);
			reorder(f);
		}
		forget(f);
	}
	if (!fits)
		return false;
	f->next_out[number] = f->out[from];
	f->out[from] = number;
	f->next_in[number] = f->in[to];
	f->in[to] = number;
	return true;
}

/* What comes back, as the other way round as long as nothing contradicts. */
static void direct_line(struct flow *f, uint32_t number)
{
	struct line *l = &f->d->lines[number];

	if (l->from == l->to)
		return;
	l->back = l->link->returns;
	if (!add_line(f, number)) {
		l->back = !l->back;
		if (l->link->returns)
			add_line(f, number);
	}
}

/* Lines in the order in which they are added: what leads forward; what is handed over by calls to go on from there, as
 * from decode to a buffer; what may lead forward, such as an instruction cache to fetch, which gets lines from behind
 * all of these; what comes back by calls; requests with their answers. */
static int class_of(const struct line *l, int score)
{
	if (l->mutual)
		return score > 0 ? 4 : 5;
	if (leads(l))
		return score > 0 ? 0 : 2;
	return l->link->returns ? 3 : 1;
}

static void add_lines(struct flow *f)
{
	struct drawing *d = f->d;
	struct ranked *v = hd__xcalloc(d->nlines, sizeof *v);

	for (uint32_t i = 0; i < d->nlines; i++) {
		int s = score(f, &d->lines[i]);

		v[i] = (struct ranked){ .line = i, .score = s,
			                .class = class_of(&d->lines[i], s) };
	}
	if (d->nlines > 1)
		qsort(v, d->nlines, sizeof *v, by_class);
	for (uint32_t i = 0; i < d->nlines; i++)
		direct_line(f, v[i].line);
	free(v);
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Each box stands right behind the last that it gets work from; then those with more lines to the right
 * move there. */
static void rank(struct flow *f)
{
	struct drawing *d = f->d;
	uint32_t *sorted = hd__xcalloc(d->nboxes, sizeof *sorted), lowest = NONE;

	for (uint32_t i = 0; i < d->nboxes; i++)
		sorted[f->order[i]] = i;
	for (uint32_t k = 0; k < d->nboxes; k++)
		for (uint32_t i = f->in[sorted[k]]; i != NONE; i = f->next_in[i]) {
			uint32_t after = d->boxes[tail(&d->lines[i])].rank + 1;

			if (d->boxes[sorted[k]].rank < after)
				d->boxes[sorted[k]].rank = after;
		}
	for (uint32_t k = d->nboxes; k-- > 0;) {
		uint32_t at = sorted[k], nearest = NONE, enter = 0, leave = 0;

		for (uint32_t i = f->in[at]; i != NONE; i = f->next_in[i])
			enter++;
		for (uint32_t i = f->out[at]; i != NONE; i = f->next_out[i], leave++)
			if (d->boxes[head(&d->lines[i])].rank < nearest)
				nearest = d->boxes[head(&d->lines[i])].rank;
		if (leave > 0 && enter <= leave)
			d->boxes[at].rank = nearest - 1;
	}
	for (uint32_t i = 0; i < d->nboxes; i++)
		if (!d->boxes[i].aside && d->boxes[i].rank < lowest)
			lowest = d->boxes[i].rank;
	for (uint32_t i = 0; i < d->nboxes && lowest != NONE; i++) {
		struct box *b = &d->boxes[i];

		b->rank = b->aside ? 0 : b->rank - lowest;
		if (b->rank >= d->ncolumns)
			d->ncolumns = b->rank + 1;
	}
	free(sorted);
}

static uint32_t *numbers(size_t n, uint32_t value)
{
	uint32_t *v = hd__xcalloc(n, sizeof *v);

	for (size_t i = 0; i < n; i++)
		v[i] = value;
	return v;
}

void hd__picture_flow(struct drawing *d)
{
	struct flow f = { .d = d, .out = numbers(d->nboxes, NONE), .in = numbers(d->nboxes, NONE),
		          .next_out = numbers(d->nlines, NONE), .next_in = numbers(d->nlines, NONE),
		          .order = numbers(d->nboxes, 0), .near = numbers(d->nboxes, NONE),
		          .far = numbers(d->nboxes, NONE), .ahead = numbers(d->nboxes, 0),
		          .behind = numbers(d->nboxes, 0), .places = numbers(2 * (size_t)d->nboxes, 0),
		          .seen = hd__xcalloc(d->nboxes, sizeof *f.seen) };

	for (uint32_t i = 0; i < d->nboxes; i++)
		f.order[i] = i;
	find_mutual(d);
	measure(d, f.near, false);
	measure(d, f.far, true);
	add_lines(&f);
	rank(&f);
	free(f.out);
	free(f.in);
	free(f.next_out);
	free(f.next_in);
	free(f.order);
	free(f.near);
	free(f.far);
	free(f.ahead);
	free(f.behind);
	free(f.places);
	free(f.seen);
}
