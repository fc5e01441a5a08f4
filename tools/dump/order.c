/* order.c - merges blocks so that rows come in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The head of a block has the cycle in which its first row begins, so the block is read when all
 * rows before that have been passed on; as blocks hardly overlap, only a few are in memory.
 */
#include "decode.h"
#include "order.h"

#include <inttypes.h>

#define DIGIT 11u /* bits sorted in one pass */
#define MOST_OPEN (UINT64_C(1) << 26) /* numbers in memory; blocks of a real dump hardly overlap */

struct entry {
	uint64_t begin;
	uint32_t row;
	uint32_t transaction; /* index into the transactions */
};

/* A block that is read but not yet passed on completely. */
struct loaded {
	struct dump_rows rows;
	uint32_t table, block;
	struct entry *v;
	size_t n, next;
	struct dump_transaction *transactions;
	struct dump_step *steps; /* of all of them */
};

struct order {
	struct dump *d;
	const struct dump_query *q;
	uint32_t *todo;       /* blocks, by the cycle in which they begin */
	size_t ntodo, next;
	struct loaded **open;
	size_t nopen, capopen;
	uint64_t numbers;     /* in the open ones */
};

/* ---- one block ---- */

/* Stable, by begin. */
static void sort_entries(struct loaded *l)
{
	struct entry *from = l->v, *to = hd__xcalloc(l->n, sizeof *to);
	uint64_t all = 0;

	for (size_t i = 0; i < l->n; i++)
		all |= from[i].begin;
	for (unsigned shift = 0; shift < 64 && all >> shift; shift += DIGIT) {
		size_t start[(1u << DIGIT) + 1] = { 0 };
		struct entry *other = from;

		for (size_t i = 0; i < l->n; i++)
			start[(from[i].begin >> shift & ((1u << DIGIT) - 1)) + 1]++;
		for (size_t i = 0; i < 1u << DIGIT; i++)
			start[i + 1] += start[i];
		for (size_t i = 0; i < l->n; i++)
			to[start[from[i].begin >> shift & ((1u << DIGIT) - 1)]++] = from[i];
		from = to;
		to = other;
	}
	l->v = from;
	free(to);
}

/* Sorts those that begin together by their first field. */
static void sort_ties(struct loaded *l)
{
	const int64_t *key = l->rows.field[0];

	for (size_t i = 1; key && i < l->n; i++) {
		struct entry e = l->v[i];
		size_t k = i;

		for (; k > 0 && l->v[k - 1].begin == e.begin
		       && key[l->v[k - 1].row] > key[e.row]; k--)
			l->v[k] = l->v[k - 1];
		l->v[k] = e;
	}
}

static void read_transactions(struct loaded *l, const struct dump_query *q)
{
	struct dump_transaction transaction = { .n = 0 };
	size_t n = 0, cap = 0, ntransactions = 0;

	l->transactions = hd__xcalloc(l->rows.n, sizeof *l->transactions);
	while (dump_transaction(&l->rows, &transaction)) {
		if (!dump_query_transaction(q, &l->rows, &transaction))
			continue;
		while (cap - n < transaction.n)
			l->steps = hd__xgrow(l->steps, cap, &cap, sizeof *l->steps);
		memcpy(l->steps + n, transaction.steps, transaction.n * sizeof *transaction.steps);
		l->transactions[ntransactions] = transaction;
		n += transaction.n;
		l->v[l->n++] = (struct entry){ transaction.begin, transaction.row, (uint32_t)ntransactions++ };
	}
	free(transaction.steps);
	n = 0;
	for (size_t i = 0; i < ntransactions; i++) { /* they do not move any more */
		l->transactions[i].steps = l->steps + n;
		n += l->transactions[i].n;
	}
}

static struct loaded *load(struct order *o, uint32_t block)
{
	struct loaded *l = hd__xcalloc(1, sizeof *l);

	l->block = block;
	l->table = o->d->blocks[block].head.table;
	if (!dump_rows(o->d, block, &l->rows)) {
		free(l);
		return NULL;
	}
	l->v = hd__xcalloc(l->rows.n, sizeof *l->v);
	if (l->rows.table->kind == HD_TABLE_TRANSACTIONS) {
		read_transactions(l, o->q);
		sort_entries(l);
		sort_ties(l);
		return l;
	}
	for (uint32_t i = 0; i < l->rows.n; i++)
		if (dump_query_row(o->q, &l->rows, i))
			l->v[l->n++] = (struct entry){ dump_row_begin(&l->rows, i), i, 0 };
	sort_entries(l);
	return l;
}

static void unload(struct loaded *l)
{
	dump_rows_free(&l->rows);
	free(l->v);
	free(l->transactions);
	free(l->steps);
	free(l);
}

/* ---- all blocks ---- */

/* The head of a block with spans names the cycle after the first one that they cover. */
static uint64_t begin_of(const struct dump *d, uint32_t block)
{
	uint64_t first = d->blocks[block].head.first;

	return first ? first - 1 : 0;
}

static int by_begin(const void *pa, const void *pb, void *arg)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint64_t fa = begin_of(arg, a), fb = begin_of(arg, b);

	return fa != fb ? (fa < fb ? -1 : 1) : a < b ? -1 : a > b;
}

/* Whose row comes first? */
static bool before(const struct loaded *a, const struct loaded *b)
{
	const struct entry *x = &a->v[a->next], *y = &b->v[b->next];

	const int64_t *first = a->rows.field[0], *second = b->rows.field[0];

	if (x->begin != y->begin)
		return x->begin < y->begin;
	if (a->table != b->table)
		return a->table < b->table;
	if (a->transactions && first && second && first[x->row] != second[y->row])
		return first[x->row] < second[y->row];
	return a->block < b->block;
}

static void read_until(struct order *o, uint64_t cycle)
{
	while (o->next < o->ntodo && begin_of(o->d, o->todo[o->next]) <= cycle) {
		struct loaded *l = load(o, o->todo[o->next++]);

		if (!l)
			continue;
		if (l->n == 0 || o->numbers + l->rows.numbers > MOST_OPEN) {
			if (l->n)
				dump_damage(o->d, "the block at byte %" PRIu64 " overlaps with too many others",
				            o->d->blocks[l->block].offset);
			unload(l);
			continue;
		}
		o->numbers += l->rows.numbers;
		o->open = hd__xgrow(o->open, o->nopen, &o->capopen, sizeof *o->open);
		o->open[o->nopen++] = l;
		if (l->v[0].begin < cycle)
			cycle = l->v[0].begin;
	}
}

/* Passes on rows of `l` up to the next one of another block.  Returns the result of `take`. */
static bool give(struct order *o, struct loaded *l, const struct loaded *other,
                 bool (*take)(void *arg, const struct dump_item *i), void *arg)
{
	uint64_t next = o->next < o->ntodo ? begin_of(o->d, o->todo[o->next]) : UINT64_MAX;
	bool last = o->next == o->ntodo;

	for (; l->next < l->n; l->next++) {
		const struct entry *e = &l->v[l->next];
		struct dump_item item = { e->begin, l->table, e->row, &l->rows,
			l->transactions ? &l->transactions[e->transaction] : NULL };

		if ((!last && e->begin >= next) || (other && before(other, l)))
			return true;
		if (!take(arg, &item))
			return false;
	}
	return true;
}

static bool merge(struct order *o, bool (*take)(void *arg, const struct dump_item *i), void *arg)
{
	for (;;) {
		struct loaded *best = NULL, *second = NULL;
		size_t at = 0;

		for (size_t i = 0; i < o->nopen; i++) {
			struct loaded *l = o->open[i];

			if (!best || before(l, best)) {
				second = best;
				best = l;
				at = i;
			} else if (!second || before(l, second)) {
				second = l;
			}
		}
		if (!best && o->next == o->ntodo)
			return true;
		if (!best || (o->next < o->ntodo
		              && begin_of(o->d, o->todo[o->next]) <= best->v[best->next].begin)) {
			read_until(o, best ? best->v[best->next].begin
			                   : begin_of(o->d, o->todo[o->next]));
			continue;
		}
		if (!give(o, best, second, take, arg))
			return false;
		if (best->next == best->n) {
			o->numbers -= best->rows.numbers;
			unload(best);
			o->open[at] = o->open[--o->nopen];
		}
	}
}

bool dump_in_order(struct dump *d, const struct dump_query *q,
                   bool (*take)(void *arg, const struct dump_item *i), void *arg)
{
	struct order o = { .d = d, .q = q };
	bool ok;

	o.todo = hd__xcalloc(d->nblocks, sizeof *o.todo);
	for (size_t i = 0; i < d->nblocks; i++)
		if (dump_query_block(q, d, i))
			o.todo[o.ntodo++] = (uint32_t)i;
	qsort_r(o.todo, o.ntodo, sizeof *o.todo, by_begin, d);
	ok = merge(&o, take, arg);
	for (size_t i = 0; i < o.nopen; i++)
		unload(o.open[i]);
	free(o.open);
	free(o.todo);
	return ok;
}
