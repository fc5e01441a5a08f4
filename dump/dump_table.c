/* dump_table.c - collects the rows of a table: transactions column by column, with their paths
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Within a cycle the order of evaluation must not matter (--shuffle), so the rows of a cycle are
 * sorted by content: transactions before they are added to the others, other rows when the block is full.
 */
#include "dump_table.h"
#include "base/step.h"
#include "base/xalloc.h"

#define BLOCK_ROWS 16384u
#define BLOCK_CYCLES (UINT64_C(1) << 20) /* so that a killed run leaves most of its rows */

static __attribute__((noinline, cold)) unsigned char *more_room(struct hd_packed *c)
{
	size_t used = (size_t)(c->next - c->v), cap = used < 512 ? 1024 : 2 * used;

	c->v = hd__xrealloc(c->v, cap);
	c->full = c->v + cap - HD_VARINT_MAX;
	return c->v + used;
}

static __attribute__((noinline)) unsigned char *put_large(unsigned char *p, uint64_t v)
{
	return hd__put_varint(p, v);
}

static inline void push(struct hd_packed *c, uint64_t v)
{
	unsigned char *p = c->next;

	if (HD_UNLIKELY(p >= c->full))
		p = more_room(c);
	*p = (unsigned char)v;
	c->next = HD_LIKELY(v < 0x80) ? p + 1 : put_large(p, v);
}

void hd__table_more_rows(struct hd_dump_table *t)
{
	struct hd_rows *r = &t->rows;
	size_t n = r->n ? r->n + 1 : BLOCK_ROWS + BLOCK_ROWS / 16, cap = r->cap; /* a block ends with its cycle */

	for (unsigned i = 0; i < hd__table_columns(t); i++) {
		cap = r->cap;
		r->cols[i] = hd__xreserve(r->cols[i], n, &cap, sizeof **r->cols);
	}
	if (t->kind != HD_TABLE_TRANSACTIONS)
		r->whole = hd__xrealloc(r->whole, (cap * hd__table_columns(t) + HD_EVENT_FIELDS) * sizeof *r->whole);
	r->cap = cap;
}

/* ---- transactions ---- */

/* A copy, since in the log they are not aligned. */
static inline struct hd_step step_at(const void *steps, uint32_t i)
{
	struct hd_step s;

	memcpy(&s, (const unsigned char *)steps + i * sizeof s, sizeof s);
	return s;
}

/* Place and argument as one word, which has the order of hd__log_word(). */
static inline void read_step(const unsigned char *step, uint64_t *at, uint64_t *word)
{
	memcpy(at, step, sizeof *at);
	memcpy(word, step + sizeof *at, sizeof *word);
}

static inline bool same_place(const struct hd_step *a, const struct hd_step *b)
{
	return a->place == b->place && a->arg == b->arg;
}

/* The steps that count, one after the other. */
struct stops {
	const void *steps;
	uint32_t i, n;       /* i: the one behind `last` */
	uint64_t begin;
	struct hd_step last; /* where the next one begins */
	bool over;
};

static struct stops stops_of(const void *steps, uint32_t n)
{
	struct hd_step first = step_at(steps, 0);

	return (struct stops){ steps, 1, n, first.at, first, false };
}

/* A mark in the cycle in which the instance took the record hides the step into the instance, so
 * that each step has a duration.  Here and where they are pushed. */
static bool next_stop(struct stops *w, struct hd_stop *out)
{
	if (w->over)
		return false;
	*out = (struct hd_stop){ (uint32_t)(w->last.at - w->begin), w->last.place, w->last.arg };
	while (w->i < w->n) {
		struct hd_step s = step_at(w->steps, w->i++);
		bool later = s.at != w->last.at;

		if (same_place(&s, &w->last) || s.at - w->begin > UINT32_MAX) /* older than a step counts */
			continue;
		w->last = s;
		if (later)
			return true;
		*out = (struct hd_stop){ out->at, s.place, s.arg };
	}
	w->over = true;
	return true;
}

uint32_t hd__dump_stops(const void *steps, uint32_t n, struct hd_stop *out)
{
	struct stops w = stops_of(steps, n);
	uint32_t k = 0;

	while (next_stop(&w, &out[k]))
		k++;
	return k;
}

/* Mostly the first ones differ. */
static int compare_steps(const struct hd_staged *a, const struct hd_staged *b)
{
	struct stops of_a = stops_of(a->steps, a->n), of_b = stops_of(b->steps, b->n);
	struct hd_stop x, y;

	for (;;) {
		bool more = next_stop(&of_a, &x), other = next_stop(&of_b, &y);
		int c = more && other ? memcmp(&x, &y, sizeof x) : (int)more - (int)other;

		if (c != 0 || !more)
			return c;
	}
}

/* Of two with the same first field. */
static __attribute__((noinline, cold)) bool rest_is_before(const struct hd_dump_table *t, const struct hd_staged *a,
                                                           const struct hd_staged *b)
{
	for (unsigned i = 0; i < t->fields; i++) {
		int64_t x = hd__dump_field(&t->record->field[i], a->record);
		int64_t y = hd__dump_field(&t->record->field[i], b->record);

		if (x != y)
			return x < y;
	}
	return a->begin != b->begin ? a->begin < b->begin : compare_steps(a, b) < 0;
}

static inline bool is_before(const struct hd_dump_table *t, const struct hd_staged *a, const struct hd_staged *b)
{
	return a->first != b->first ? a->first < b->first : rest_is_before(t, a, b);
}

static void sort_staged(const struct hd_dump_table *t)
{
	for (size_t i = 1; i < t->nstaged; i++) {
		struct hd_staged s = t->staged[i];
		size_t k = i;

		for (; k > 0 && is_before(t, &s, &t->staged[k - 1]); k--)
			t->staged[k] = t->staged[k - 1];
		t->staged[k] = s;
	}
}

/* The next node of a block. */
static struct hd_node *new_node(struct hd_rows *r, uint32_t place)
{
	struct hd_node *n;

	r->nodes = hd__xgrow(r->nodes, r->nnodes, &r->capnodes, sizeof *r->nodes);
	if (r->nnodes == r->madenodes)
		r->nodes[r->madenodes++] = hd__xrealloc(NULL, sizeof **r->nodes);
	n = r->nodes[r->nnodes];
	*n = (struct hd_node){ .place = place, .number = (uint32_t)r->nnodes++ };
	for (unsigned i = 0; i < HD_NODE_NEAR; i++)
		n->near[i] = r->nodes[0];
	return n;
}

static struct hd_stay *stay_at(struct hd_rows *r, uint32_t place)
{
	uint32_t i = r->shared[place];

	r->stays = hd__xgrow_zero(r->stays, &r->nplaces, i, sizeof *r->stays);
	if (!r->stays[i])
		r->stays[i] = hd__xcalloc(1, sizeof **r->stays);
	return r->stays[i];
}

/* The child for `place`, which may be a new one: from now on it is found at once, for it is likely to be used again. */
static __attribute__((noinline)) struct hd_node *find_child(struct hd_rows *r, struct hd_node *node, uint32_t place)
{
	struct hd_node *n = node->child;

	while (n && n->place != place)
		n = n->next;
	if (!n) {
		n = new_node(r, place);
		n->parent = node->number;
		n->next = node->child;
		n->stay = stay_at(r, place & ~HD_PLACE_ARG);
		node->child = n;
	}
	node->near[place % HD_NODE_NEAR] = n;
	return n;
}

/* Adds a stay, of a step's word, after that of the node.  Returns its node. */
static inline struct hd_node *push_stay(struct hd_rows *r, struct hd_node *node, uint64_t word, uint64_t cycles)
{
	uint32_t place = (uint32_t)word;

	node = HD_LIKELY(node->near[place % HD_NODE_NEAR]->place == place) /* the root's is not that of a step */
	       ? node->near[place % HD_NODE_NEAR] : find_child(r, node, place);
	push(&node->stay->cycles, cycles);
	if (place & HD_PLACE_ARG)
		push(&node->stay->args, word >> 32);
	return node;
}

/* Walks along n steps and returns the node.  A function of its own has all that the loop needs in registers. */
static __attribute__((noinline)) struct hd_node *push_steps(struct hd_rows *r, const unsigned char *steps, uint32_t n,
                                                            uint64_t end)
{
	const unsigned char *stop = steps + (size_t)n * sizeof(struct hd_step);
	struct hd_node *node = r->nodes[0];
	uint64_t at, word, last_at, last;

	read_step(steps, &last_at, &last);
	while ((steps += sizeof(struct hd_step)) < stop) {
		read_step(steps, &at, &word);
		if (HD_UNLIKELY(word == last))
			continue;
		if (HD_LIKELY(at != last_at))
			node = push_stay(r, node, last, at - last_at);
		last_at = at;
		last = word;
	}
	return push_stay(r, node, last, end - last_at);
}

static void push_transaction(struct hd_dump_table *t, const struct hd_staged *s)
{
	const struct hd_dump_bits *field = t->record->field;
	const unsigned char *record = s->record;
	const size_t fields = t->fields;
	struct hd_rows *r = &t->rows;
	size_t k = r->n;
	struct hd_node *node;
	int64_t **cols;

	if (HD_UNLIKELY(k == r->cap))
		hd__table_more_rows(t);
	node = push_steps(r, s->steps, s->n, t->cycle);
	node->rows++;
	r->first = s->begin < r->first ? s->begin : r->first;
	cols = r->cols;
	cols[HD_COL_CYCLE][k] = (int64_t)t->cycle;
	cols[HD_COL_WHO][k] = s->unfinished;
	for (size_t i = 0; i < fields; i++)
		cols[HD_COL_FIELDS + i][k] = hd__dump_field(&field[i], record);
	cols[HD_COL_FIELDS + fields][k] = node->number;
	r->n = k + 1;
}

void hd__table_settle(struct hd_dump_table *t)
{
	for (size_t i = 0; t->owned.n > 0 && i < t->nstaged; i++)
		if (!t->staged[i].lasts) {
			t->staged[i].record = t->owned.v + t->staged[i].owned;
			t->staged[i].steps = t->staged[i].record + t->record->bytes;
		}
	if (t->nstaged > 1)
		sort_staged(t);
	for (size_t i = 0; i < t->nstaged; i++)
		push_transaction(t, &t->staged[i]);
	t->nstaged = t->owned.n = 0;
}

void hd__table_cycle(struct hd_dump_table *t, uint64_t cycle)
{
	struct hd_rows *r = &t->rows;

	if (t->nstaged > 0)
		hd__table_settle(t);
	t->cycle = cycle;
	if (r->n > 0 && (r->n >= BLOCK_ROWS || cycle - r->opened >= BLOCK_CYCLES))
		t->full(t);
	if (r->n == 0)
		r->opened = cycle;
}

void hd__table_own(struct hd_dump_table *t, struct hd_staged *s)
{
	s->lasts = false;
	s->owned = t->owned.n;
	hd__bytes_append(&t->owned, s->record, t->record->bytes);
	hd__bytes_append(&t->owned, s->steps, s->n * sizeof(struct hd_step));
}

void hd__dump_hold(struct hd_dump_table *t)
{
	for (size_t i = 0; i < t->nstaged; i++)
		if (t->staged[i].lasts)
			hd__table_own(t, &t->staged[i]);
}

void hd__table_more_staged(struct hd_dump_table *t)
{
	t->staged = hd__xgrow(t->staged, t->nstaged, &t->capstaged, sizeof *t->staged);
}

uint32_t hd__table_steps(const void *steps, uint32_t n)
{
	while (n > 1 && step_at(steps, n - 1).at - step_at(steps, 0).at > UINT32_MAX)
		n--;
	return n;
}

/* ---- blocks ---- */

void hd__rows_clear(struct hd_dump_table *t)
{
	struct hd_rows *r = &t->rows;

	r->n = 0;
	r->first = UINT64_MAX;
	for (size_t i = 0; i < r->nplaces; i++) {
		struct hd_stay *stay = r->stays[i];

		if (!stay)
			continue;
		stay->cycles.next = stay->cycles.v;
		stay->args.next = stay->args.v;
	}
	r->nnodes = 0;
	new_node(r, UINT32_MAX);
}

void hd__rows_open(struct hd_dump_table *t)
{
	t->rows.cols = hd__xcalloc(hd__table_columns(t), sizeof *t->rows.cols);
	hd__rows_clear(t);
}

void hd__table_free(struct hd_dump_table *t)
{
	struct hd_rows *r = &t->rows;

	for (unsigned i = 0; i < hd__table_columns(t); i++)
		free(r->cols[i]);
	for (size_t i = 0; i < r->nplaces; i++) {
		if (r->stays[i]) {
			free(r->stays[i]->cycles.v);
			free(r->stays[i]->args.v);
		}
		free(r->stays[i]);
	}
	for (size_t i = 0; i < r->madenodes; i++)
		free(r->nodes[i]);
	free(r->cols);
	free(r->whole);
	free(r->nodes);
	free(r->stays);
	free(t->staged);
	free(t->owned.v);
	free(t);
}
