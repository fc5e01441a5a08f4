/* row_order.c - merges blocks so that rows come in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The head of a block has the cycle in which its first row begins, so the block is read when all
 * rows before that have been passed on.  Blocks of one SM hardly overlap; those of many SMs, and of
 * transactions that last long, do.
 */
#include "dump_decode.h"
#include "row_order_block.h"

#include <inttypes.h>

#define MOST_LOOSE (UINT64_C(1) << 20) /* numbers of blocks that are not packed */
#define MOST_PACKED (UINT64_C(1) << 28) /* bytes of packed ones; a damaged file must not fill memory */

struct order {
	struct dump *d;
	const struct dump_query *q;
	uint32_t *todo;       /* blocks, by the cycle in which they begin */
	size_t ntodo, next;
	struct dump_block_rows **open;
	size_t nopen, capopen;
	uint64_t loose, packed; /* numbers and bytes of the open ones */
};

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
static bool before(const struct dump_block_rows *a, const struct dump_block_rows *b)
{
	const struct dump_entry *x = &a->now, *y = &b->now;
	const int64_t *first = a->rows.field[0], *second = b->rows.field[0];

	if (x->begin != y->begin)
		return x->begin < y->begin;
	if (a->table != b->table)
		return a->table < b->table;
	if (a->transactions && first && second && first[x->row] != second[y->row])
		return first[x->row] < second[y->row];
	return a->block < b->block;
}

/* Counts the block among the open ones, or no longer. */
static void count(struct order *o, const struct dump_block_rows *l, bool open)
{
	uint64_t *of = l->v ? &o->loose : &o->packed, n = l->v ? l->numbers : l->packed.cap;

	*of = open ? *of + n : *of - n;
}

static void add(struct order *o, struct dump_block_rows *l)
{
	if (o->loose > 0 && o->loose + l->numbers > MOST_LOOSE)
		dump_block_pack(l);
	if (o->packed + l->packed.cap > MOST_PACKED) {
		dump_damage(o->d, "the block at byte %" PRIu64 " overlaps with too many others",
		            o->d->blocks[l->block].offset);
		dump_block_unload(l);
		return;
	}
	count(o, l, true);
	o->open = hd__xgrow(o->open, o->nopen, &o->capopen, sizeof *o->open);
	o->open[o->nopen++] = l;
}

static void read_until(struct order *o, uint64_t cycle)
{
	while (o->next < o->ntodo && begin_of(o->d, o->todo[o->next]) <= cycle) {
		struct dump_block_rows *l = dump_block_load(o->d, o->q, o->todo[o->next++]);

		if (l && l->n == 0) {
			dump_block_unload(l);
		} else if (l) {
			if (l->now.begin < cycle)
				cycle = l->now.begin;
			add(o, l);
		}
	}
}

/* Passes on rows of `l` up to the next one of another block.  Returns the result of `take`. */
static bool give(struct order *o, struct dump_block_rows *l, const struct dump_block_rows *other,
                 bool (*take)(void *arg, const struct dump_item *i), void *arg)
{
	uint64_t next = o->next < o->ntodo ? begin_of(o->d, o->todo[o->next]) : UINT64_MAX;
	bool last = o->next == o->ntodo;

	for (; l->next < l->n; dump_block_next(l)) {
		struct dump_item item = { l->now.begin, l->table, l->now.row, &l->rows,
			l->transactions ? &l->transactions[l->now.transaction] : NULL };

		if ((!last && item.begin >= next) || (other && before(other, l)))
			return true;
		if (!take(arg, &item))
			return false;
	}
	return true;
}

static bool merge(struct order *o, bool (*take)(void *arg, const struct dump_item *i), void *arg)
{
	for (;;) {
		struct dump_block_rows *best = NULL, *second = NULL;
		size_t at = 0;

		for (size_t i = 0; i < o->nopen; i++) {
			struct dump_block_rows *l = o->open[i];

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
		              && begin_of(o->d, o->todo[o->next]) <= best->now.begin)) {
			read_until(o, best ? best->now.begin : begin_of(o->d, o->todo[o->next]));
			continue;
		}
		if (!give(o, best, second, take, arg))
			return false;
		if (best->next == best->n) {
			count(o, best, false);
			dump_block_unload(best);
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
		dump_block_unload(o.open[i]);
	free(o.open);
	free(o.todo);
	return ok;
}
