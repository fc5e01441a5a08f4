/* dump_table.c - collects rows, column by column
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Within a cycle the order of evaluation must not matter (--shuffle), so the rows of a cycle are
 * sorted by content before they are added to the others.
 */
#include "dump_table.h"
#include "kernel/base/xalloc.h"

#include <heddle/module.h>

#define BLOCK_ROWS 8192u
#define BLOCK_CYCLES (UINT64_C(1) << 20) /* so that a killed run leaves most of its rows */

static __attribute__((noinline, cold)) void grow(struct hd_column *c)
{
	c->v = hd__xgrow(c->v, c->n, &c->cap, sizeof *c->v);
}

static inline void push(struct hd_column *c, int64_t v)
{
	if (HD_UNLIKELY(c->n == c->cap))
		grow(c);
	c->v[c->n++] = v;
}

static unsigned columns(const struct hd_dump_table *t)
{
	return t->fields + HD_COL_FIELDS + (t->kind == HD_TABLE_TRANSACTIONS);
}

static __attribute__((noinline, cold)) void more_rows(struct hd_dump_table *t)
{
	struct hd_rows *r = &t->rows;
	size_t cap = r->cap;

	for (unsigned i = 0; i < columns(t); i++) {
		cap = r->cap;
		r->cols[i] = hd__xgrow(r->cols[i], r->n, &cap, sizeof **r->cols);
	}
	r->cap = cap;
}

static void cover(struct hd_rows *r, uint64_t first, uint64_t last)
{
	if (HD_UNLIKELY(r->n == 0)) {
		r->first = first;
		r->opened = last;
		r->keys = 0;
	}
	r->first = first < r->first ? first : r->first;
	r->last = last; /* the rows come in this order */
}

static inline void cover_key(const struct hd_dump_table *t, struct hd_rows *r, const int64_t *v)
{
	if (t->key < 0)
		r->keys = UINT64_MAX;
	else if (v[t->key] >= 0 && v[t->key] < 64)
		r->keys |= UINT64_C(1) << v[t->key];
	else if (v[t->key] >= 64)
		r->keys = UINT64_MAX;
}

/* A new row, which ends in cycle `last`.  Returns its number. */
static inline size_t push_row(struct hd_dump_table *t, uint64_t first, uint64_t last, int64_t cycle, int64_t who,
                              const int64_t *v)
{
	struct hd_rows *r = &t->rows;
	const unsigned fields = t->fields;
	int64_t **cols;
	size_t k = r->n;

	if (HD_UNLIKELY(k == r->cap))
		more_rows(t);
	cover(r, first, last);
	cover_key(t, r, v);
	cols = r->cols;
	cols[HD_COL_CYCLE][k] = cycle;
	cols[HD_COL_WHO][k] = who;
	for (unsigned i = 0; i < fields; i++)
		cols[HD_COL_FIELDS + i][k] = v[i];
	r->n = k + 1;
	return k;
}

/* ---- events, samples ---- */

static void sort_rows(const struct hd_dump_table *t)
{
	size_t w = t->fields + 1, n = t->nstaged / w;
	int64_t row[HD_COL_NODE];

	for (size_t i = 1; i < n; i++) { /* a handful */
		size_t k = i;

		memcpy(row, &t->staged[i * w], w * sizeof *row);
		for (; k > 0; k--) {
			const int64_t *before = &t->staged[(k - 1) * w];
			size_t c = 0;

			while (c < w && before[c] == row[c])
				c++;
			if (c == w || before[c] < row[c])
				break;
			memcpy(&t->staged[k * w], before, w * sizeof *row);
		}
		memcpy(&t->staged[k * w], row, w * sizeof *row);
	}
}

static void settle_rows(struct hd_dump_table *t)
{
	size_t w = t->fields + 1;

	if (t->nstaged > w)
		sort_rows(t);
	for (size_t i = 0; i < t->nstaged; i += w) {
		const int64_t *row = &t->staged[i];
		uint64_t n = t->span < 0 || row[1 + t->span] < 1 ? 0 : (uint64_t)row[1 + t->span] - 1;

		push_row(t, t->cycle > n ? t->cycle - n : 0, t->cycle, (int64_t)t->cycle, row[0], row + 1);
	}
	t->nstaged = 0;
}

/* ---- transactions ---- */

static int compare_transactions(const struct hd_dump_table *t, const struct hd_staged_transaction *a,
                         const struct hd_staged_transaction *b)
{
	for (unsigned i = 0; i < t->fields; i++)
		if (t->staged[a->field + i] != t->staged[b->field + i])
			return t->staged[a->field + i] < t->staged[b->field + i] ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	for (uint32_t i = 0; i < a->n && i < b->n; i++) {
		int c = memcmp(&t->steps[a->step + i], &t->steps[b->step + i], sizeof *t->steps);

		if (c)
			return c;
	}
	return a->n < b->n ? -1 : a->n > b->n;
}

static void sort_transactions(const struct hd_dump_table *t)
{
	for (size_t i = 1; i < t->ntransactions; i++) {
		struct hd_staged_transaction transaction = t->transactions[i];
		size_t k = i;

		for (; k > 0 && compare_transactions(t, &t->transactions[k - 1], &transaction) > 0; k--)
			t->transactions[k] = t->transactions[k - 1];
		t->transactions[k] = transaction;
	}
}

/* The child for `place` of the given node that is not its first one: from now on it is, for it is likely to be
 * used again. */
static __attribute__((noinline)) uint32_t node_to_front(struct hd_rows *r, uint32_t node, uint32_t place)
{
	uint32_t first = r->nodes[node].child, before = first, i = first ? r->nodes[first].next : 0;

	while (i != 0 && r->nodes[i].place != place) {
		before = i;
		i = r->nodes[i].next;
	}
	if (i != 0) {
		r->nodes[before].next = r->nodes[i].next;
	} else {
		r->nodes = hd__xgrow(r->nodes, r->nnodes, &r->capnodes, sizeof *r->nodes);
		i = (uint32_t)r->nnodes++;
		r->nodes[i] = (struct hd_node){ place, node, 0, 0 };
		place &= ~HD_PLACE_ARG;
		r->stays = hd__xgrow_zero(r->stays, &r->nplaces, place, sizeof *r->stays);
	}
	r->nodes[i].next = first;
	r->nodes[node].child = i;
	return i;
}

/* Adds the step, behind that at this node.  Returns its node. */
static inline uint32_t push_step(struct hd_rows *r, uint32_t node, const struct hd_step *s, int64_t cycles)
{
	const struct hd_node *nodes = r->nodes;
	uint32_t place = s->place, i = nodes[node].child;
	struct hd_stay *stay;

	/* if there is no child this is the root, whose place is not that of a step */
	if (nodes[i].place != place)
		i = node_to_front(r, node, place);
	stay = &r->stays[place & ~HD_PLACE_ARG]; /* is there if the node is */
	push(&stay->cycles, cycles);
	if (place & HD_PLACE_ARG)
		push(&stay->args, s->arg);
	return i;
}

static void push_transaction(struct hd_dump_table *t, const struct hd_staged_transaction *f)
{
	struct hd_rows *r = &t->rows;
	const struct hd_step *s = &t->steps[f->step];
	uint32_t node = 0;
	size_t k;

	for (const struct hd_step *last = s + f->n - 1; s < last; s++)
		node = push_step(r, node, s, s[1].at - s->at);
	node = push_step(r, node, s, (int64_t)(f->end - f->begin - s->at));
	k = push_row(t, f->begin, f->end, (int64_t)f->begin, f->unfinished, &t->staged[f->field]);
	r->cols[HD_COL_FIELDS + t->fields][k] = node;
}

static void settle_transactions(struct hd_dump_table *t)
{
	if (t->ntransactions > 1)
		sort_transactions(t);
	for (size_t i = 0; i < t->ntransactions; i++)
		push_transaction(t, &t->transactions[i]);
	t->ntransactions = t->nstaged = t->nsteps = 0;
}

void hd__table_settle(struct hd_dump_table *t)
{
	if (t->kind == HD_TABLE_TRANSACTIONS)
		settle_transactions(t);
	else
		settle_rows(t);
}

static void open_cycle(struct hd_dump_table *t, uint64_t cycle)
{
	const struct hd_rows *r = &t->rows;
	size_t n;

	if (cycle == t->cycle)
		return;
	hd__table_settle(t);
	t->cycle = cycle;
	n = r->n;
	if (n >= BLOCK_ROWS || (n > 0 && cycle - r->opened >= BLOCK_CYCLES))
		t->full(t);
}

static inline int64_t *stage(struct hd_dump_table *t, size_t n)
{
	t->staged = hd__xreserve(t->staged, t->nstaged + n, &t->capstaged, sizeof *t->staged);
	t->nstaged += n;
	return &t->staged[t->nstaged - n];
}

int64_t *hd__dump_row(struct hd_dump_table *t, uint64_t cycle, int64_t who)
{
	int64_t *row;

	open_cycle(t, cycle);
	row = stage(t, t->fields + 1);
	row[0] = who;
	return row + 1;
}

int64_t *hd__dump_transaction(struct hd_dump_table *t, uint64_t begin, uint64_t end, bool unfinished,
                              const struct hd_step *steps, uint32_t n)
{
	open_cycle(t, end);
	t->transactions = hd__xgrow(t->transactions, t->ntransactions, &t->cap_transactions, sizeof *t->transactions);
	t->transactions[t->ntransactions++] = (struct hd_staged_transaction){ begin, end, unfinished, t->nstaged,
		                                         t->nsteps, n };
	t->steps = hd__xreserve(t->steps, t->nsteps + n, &t->capsteps, sizeof *t->steps);
	memcpy(&t->steps[t->nsteps], steps, n * sizeof *steps);
	t->nsteps += n;
	return stage(t, t->fields);
}

/* ---- blocks ---- */

void hd__rows_clear(struct hd_dump_table *t)
{
	struct hd_rows *r = &t->rows;

	r->n = 0;
	for (size_t i = 0; i < r->nplaces; i++)
		r->stays[i].cycles.n = r->stays[i].args.n = 0;
	r->nodes = hd__xgrow(r->nodes, 0, &r->capnodes, sizeof *r->nodes);
	r->nodes[0] = (struct hd_node){ UINT32_MAX, 0, 0, 0 };
	r->nnodes = 1;
}

void hd__rows_open(struct hd_dump_table *t)
{
	t->rows.cols = hd__xcalloc(columns(t), sizeof *t->rows.cols);
	hd__rows_clear(t);
}

void hd__table_free(struct hd_dump_table *t)
{
	struct hd_rows *r = &t->rows;

	for (unsigned i = 0; i < columns(t); i++)
		free(r->cols[i]);
	for (size_t i = 0; i < r->nplaces; i++) {
		free(r->stays[i].cycles.v);
		free(r->stays[i].args.v);
	}
	free(r->cols);
	free(r->nodes);
	free(r->stays);
	free(t->staged);
	free(t->transactions);
	free(t->steps);
	free(t);
}

/* Groups rows by instance: they resemble each other, and spans follow spans. */
static void group_by_who(struct hd_dump_table *t)
{
	struct hd_rows *r = &t->rows;
	size_t n = r->n, *start, *to;
	const int64_t *who = r->cols[HD_COL_WHO];
	int64_t most = 0, *moved;

	for (size_t i = 0; i < n; i++)
		most = who[i] > most ? who[i] : most;
	start = hd__xcalloc((size_t)most + 2, sizeof *start);
	to = hd__xrealloc(NULL, n * sizeof *to);
	for (size_t i = 0; i < n; i++)
		start[who[i] + 1]++;
	for (size_t i = 0; i < (size_t)most + 1; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < n; i++)
		to[i] = start[who[i]]++;
	moved = hd__xrealloc(NULL, r->cap * sizeof *moved); /* the next column */
	for (unsigned c = 0; c < columns(t); c++) {
		int64_t *v = r->cols[c];

		for (size_t i = 0; i < n; i++)
			moved[to[i]] = v[i];
		r->cols[c] = moved;
		moved = v;
	}
	free(moved);
	free(to);
	free(start);
}

static void encode_transactions(struct hd_rows *r, const int64_t *node, struct hd_coder *c, struct hd_bytes *out)
{
	struct hd_column parent = { 0 }, place = { 0 };

	hd__encode(c, out, HD_COL_NODE, node, r->n, NULL, 0);
	for (size_t i = 1; i < r->nnodes; i++) {
		push(&parent, (int64_t)(i - r->nodes[i].parent)); /* often the previous node */
		push(&place, r->nodes[i].place & ~HD_PLACE_ARG);
	}
	hd__encode(c, out, HD_COL_PARENT, parent.v, parent.n, NULL, 0);
	hd__encode(c, out, HD_COL_PLACE, place.v, place.n, NULL, 0);
	for (uint32_t i = 0; i < r->nplaces; i++) {
		const struct hd_stay *stay = &r->stays[i];

		hd__encode(c, out, HD_COL_STAYS + 2 * i, stay->cycles.v, stay->cycles.n, NULL, 0);
		hd__encode(c, out, HD_COL_STAYS + 2 * i + 1, stay->args.v, stay->args.n, NULL, 0);
	}
	free(parent.v);
	free(place.v);
}

void hd__rows_encode(struct hd_dump_table *t, struct hd_coder *c, struct hd_bytes *out)
{
	struct hd_rows *r = &t->rows;
	const int64_t *span;

	if (t->kind == HD_TABLE_EVENTS)
		group_by_who(t);
	span = t->span < 0 ? NULL : r->cols[HD_COL_FIELDS + t->span];
	for (uint32_t i = 0; i < t->fields + HD_COL_FIELDS; i++)
		hd__encode(c, out, i, r->cols[i], r->n, i == HD_COL_CYCLE ? span : NULL,
		           (uint32_t)t->span);
	if (t->kind == HD_TABLE_TRANSACTIONS)
		encode_transactions(r, r->cols[HD_COL_FIELDS + t->fields], c, out);
}
