/* row_order_block.c - the rows of one block in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The columns of a block cannot be read in the order of time, so it is decoded as a whole.  If many
 * blocks overlap, they are kept as strings of bytes, one row after another.
 */
#include "dump_decode.h"
#include "row_order_block.h"

#define DIGIT 11u /* bits sorted in one pass */

/* Stable, by begin. */
static void sort_entries(struct dump_block_rows *l)
{
	struct dump_entry *from = l->v, *to = hd__xcalloc(l->n, sizeof *to);
	uint64_t all = 0;

	for (size_t i = 0; i < l->n; i++)
		all |= from[i].begin;
	for (unsigned shift = 0; shift < 64 && all >> shift; shift += DIGIT) {
		size_t start[(1u << DIGIT) + 1] = { 0 };
		struct dump_entry *other = from;

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
static void sort_ties(struct dump_block_rows *l)
{
	const int64_t *key = l->rows.field[0];

	for (size_t i = 1; key && i < l->n; i++) {
		struct dump_entry e = l->v[i];
		size_t k = i;

		for (; k > 0 && l->v[k - 1].begin == e.begin
		       && key[l->v[k - 1].row] > key[e.row]; k--)
			l->v[k] = l->v[k - 1];
		l->v[k] = e;
	}
}

/* The steps of all transactions of the block: as many as there are stays. */
static size_t count_steps(const struct dump_rows *r)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->dump->nplaces; i++)
		n += r->stays[i].n;
	return n;
}

static void read_transactions(struct dump_block_rows *l, const struct dump_query *q)
{
	struct dump_transaction transaction = { .n = 0 };
	size_t n = 0, ntransactions = 0, all = count_steps(&l->rows);

	l->transactions = hd__xcalloc(l->rows.n, sizeof *l->transactions);
	l->steps = hd__xcalloc(all, sizeof *l->steps);
	while (dump_transaction(&l->rows, &transaction)) {
		if (!dump_query_transaction(q, &l->rows, &transaction) || transaction.n > all - n)
			continue;
		memcpy(l->steps + n, transaction.steps, transaction.n * sizeof *transaction.steps);
		l->transactions[ntransactions] = transaction;
		n += transaction.n;
		l->v[l->n++] = (struct dump_entry){ transaction.begin, transaction.row,
			(uint32_t)ntransactions++ };
	}
	free(transaction.steps);
	n = 0;
	for (size_t i = 0; i < ntransactions; i++) { /* they do not move any more */
		l->transactions[i].steps = l->steps + n;
		n += l->transactions[i].n;
	}
}

struct dump_block_rows *dump_block_load(struct dump *d, const struct dump_query *q, uint32_t block)
{
	struct dump_block_rows *l = hd__xcalloc(1, sizeof *l);

	l->block = block;
	l->table = d->blocks[block].head.table;
	if (!dump_rows(d, block, &l->rows)) {
		free(l);
		return NULL;
	}
	l->numbers = l->rows.numbers;
	l->v = hd__xcalloc(l->rows.n, sizeof *l->v);
	if (l->rows.table->kind == HD_TABLE_TRANSACTIONS) {
		read_transactions(l, q);
		dump_paths_free(&l->rows);
		sort_entries(l);
		sort_ties(l);
	} else {
		for (uint32_t i = 0; i < l->rows.n; i++)
			if (dump_query_row(q, &l->rows, i))
				l->v[l->n++] = (struct dump_entry){ dump_row_begin(&l->rows, i), i, 0 };
		sort_entries(l);
	}
	if (l->n)
		l->now = l->v[0];
	return l;
}

void dump_block_unload(struct dump_block_rows *l)
{
	dump_rows_free(&l->rows);
	free(l->v);
	free(l->transactions);
	free(l->steps);
	free(l->packed.v);
	free(l);
}

/* ---- packed ---- */

static void put(struct hd_bytes *b, int64_t v)
{
	hd__bytes_varint(b, hd__zigzag(v));
}

static int64_t get(struct dump_block_rows *l)
{
	return hd__unzigzag(hd__get_varint(&l->at));
}

static void pack_transaction(struct hd_bytes *b, const struct dump_transaction *t)
{
	put(b, t->unfinished);
	put(b, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		put(b, t->steps[i].place);
		put(b, (int64_t)t->steps[i].cycles);
		put(b, t->steps[i].arg);
	}
}

static void unpack_transaction(struct dump_block_rows *l)
{
	struct dump_transaction *t = l->transactions;
	uint64_t at = l->now.begin;

	t->begin = at;
	t->unfinished = get(l) != 0;
	t->n = (uint32_t)get(l);
	t->steps = l->steps = hd__xreserve(l->steps, t->n, &t->cap, sizeof *l->steps);
	for (uint32_t i = 0; i < t->n; i++) {
		struct dump_step *s = &t->steps[i];

		s->cycle = at;
		s->place = (uint32_t)get(l);
		s->cycles = (uint64_t)get(l);
		s->arg = get(l);
		at += s->cycles;
	}
	t->end = at;
}

static void unpack(struct dump_block_rows *l)
{
	struct dump_rows *r = &l->rows;

	l->now.begin += (uint64_t)get(l);
	((int64_t *)r->cycle)[0] = (int64_t)l->now.begin + get(l);
	((int64_t *)r->who)[0] = get(l);
	for (unsigned i = 0; i < r->table->n; i++)
		((int64_t *)r->field[i])[0] = get(l);
	if (l->transactions)
		unpack_transaction(l);
}

/* Arrays for one row take the place of all others. */
static void make_room_for_one(struct dump_block_rows *l)
{
	struct dump_rows one = { .dump = l->rows.dump, .table = l->rows.table, .n = 1 };

	one.cycle = hd__xcalloc(1, sizeof *one.cycle);
	one.who = hd__xcalloc(1, sizeof *one.who);
	for (unsigned i = 0; i < one.table->n; i++)
		one.field[i] = hd__xcalloc(1, sizeof *one.field[i]);
	dump_rows_free(&l->rows);
	l->rows = one;
	free(l->v);
	free(l->steps);
	l->v = NULL;
	l->steps = NULL;
	if (l->transactions) {
		free(l->transactions);
		l->transactions = hd__xcalloc(1, sizeof *l->transactions);
	}
}

void dump_block_pack(struct dump_block_rows *l)
{
	const struct dump_rows *r = &l->rows;
	struct hd_bytes *b = &l->packed;
	uint64_t last = 0;

	for (size_t i = 0; i < l->n; last = l->v[i++].begin) {
		uint32_t row = l->v[i].row;

		put(b, (int64_t)(l->v[i].begin - last));
		put(b, (int64_t)((uint64_t)r->cycle[row] - l->v[i].begin));
		put(b, r->who[row]);
		for (unsigned k = 0; k < r->table->n; k++)
			put(b, r->field[k][row]);
		if (l->transactions)
			pack_transaction(b, &l->transactions[l->v[i].transaction]);
	}
	make_room_for_one(l);
	b->v = hd__xrealloc(b->v, b->n);
	b->cap = b->n;
	l->at = b->v;
	l->now = (struct dump_entry){ 0, 0, 0 };
	unpack(l);
}

void dump_block_next(struct dump_block_rows *l)
{
	if (++l->next == l->n)
		return;
	if (l->v)
		l->now = l->v[l->next];
	else
		unpack(l);
}
