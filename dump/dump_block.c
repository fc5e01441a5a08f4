/* dump_block.c - makes a block of the rows of a table: grouped, sorted, encoded
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_table.h"

/* Rows by instance: they resemble each other, and spans follow spans. */
static void group_by_who(const struct hd_dump_table *t, const int64_t **order)
{
	const unsigned columns = hd__table_columns(t);
	const int64_t *row = t->rows.whole, *end = row + t->rows.n * columns;
	int64_t most = 0;
	uint32_t *start;

	for (; row < end; row += columns)
		most = row[HD_COL_WHO] > most ? row[HD_COL_WHO] : most;
	start = hd__xcalloc((size_t)most + 2, sizeof *start);
	for (row = t->rows.whole; row < end; row += columns)
		start[row[HD_COL_WHO] + 1]++;
	for (size_t i = 0; i < (size_t)most + 1; i++)
		start[i + 1] += start[i];
	for (row = t->rows.whole; row < end; row += columns)
		order[start[row[HD_COL_WHO]]++] = row;
	free(start);
}

/* Does row a come before b of the same cycle: by instance or counter, then by their fields? */
static bool is_before(const struct hd_dump_table *t, const int64_t *a, const int64_t *b)
{
	for (unsigned c = HD_COL_WHO; c < hd__table_columns(t); c++)
		if (a[c] != b[c])
			return a[c] < b[c];
	return false;
}

/* Sorts the rows of each cycle, of an instance if they are grouped. */
static void sort_rows(const struct hd_dump_table *t, const int64_t **order, bool grouped)
{
	for (size_t i = 1; i < t->rows.n; i++) {
		const int64_t *row = order[i];
		size_t k = i;

		for (; k > 0 && row[HD_COL_CYCLE] == order[k - 1][HD_COL_CYCLE]
		         && (!grouped || row[HD_COL_WHO] == order[k - 1][HD_COL_WHO])
		         && is_before(t, row, order[k - 1]); k--)
			order[k] = order[k - 1];
		order[k] = row;
	}
}

#define STRIP 64u /* rows that stay in the first-level cache while they become parts of columns */

static void make_columns(struct hd_dump_table *t)
{
	const unsigned columns = hd__table_columns(t);
	const bool grouped = t->kind == HD_TABLE_EVENTS;
	const size_t n = t->rows.n;
	const int64_t **order = hd__xrealloc(NULL, n * sizeof *order);

	for (size_t i = 0; !grouped && i < n; i++)
		order[i] = t->rows.whole + i * columns;
	if (grouped)
		group_by_who(t, order);
	sort_rows(t, order, grouped);
	for (size_t i = 0, end; i < n; i = end) {
		end = n - i < STRIP ? n : i + STRIP;
		for (unsigned c = 0; c < columns; c++) {
			int64_t *column = t->rows.cols[c];

#pragma GCC unroll 4
			for (size_t k = i; k < end; k++)
				column[k] = order[k][c];
		}
	}
	free(order);
}

/* The cycle after the first one that a row covers which stands for some of them. */
static uint64_t first_cycle(const struct hd_rotation *turns, const struct hd_rows *r, const int64_t *span)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < r->n; i++) {
		uint64_t at = (uint64_t)r->cols[HD_COL_CYCLE][i], before = (uint64_t)span[i] - 1;

		if (turns && before < at)
			at = hd__span_begin(turns[r->cols[HD_COL_WHO][i]], at, before + 1) + 1;
		else
			at -= before < at ? before : 0;
		first = at < first ? at : first;
	}
	return first;
}

/* The set of these values. */
static uint64_t set_of(const int64_t *key, size_t n)
{
	uint64_t set = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		all |= (uint64_t)key[i];
		set |= UINT64_C(1) << (key[i] & 63);
	}
	if (all < 64)
		return set;
	set = 0;
	for (size_t i = 0; i < n; i++)
		set |= key[i] >= 64 ? UINT64_MAX : (uint64_t)(key[i] >= 0) << (key[i] & 63);
	return set;
}

static void cover(struct hd_dump_table *t)
{
	struct hd_rows *r = &t->rows;
	const int64_t *cycle = r->cols[HD_COL_CYCLE];

	if (t->span >= 0)
		r->first = first_cycle(t->turns, r, r->cols[HD_COL_FIELDS + t->span]);
	else if (t->kind != HD_TABLE_TRANSACTIONS)
		r->first = r->opened;
	r->last = t->kind == HD_TABLE_TRANSACTIONS ? (uint64_t)cycle[r->n - 1]
	          : (uint64_t)r->whole[(r->n - 1) * hd__table_columns(t) + HD_COL_CYCLE]; /* rows came in this order */
	r->keys = t->key < 0 ? UINT64_MAX : set_of(r->cols[HD_COL_FIELDS + t->key], r->n);
}

static void encode_packed(struct hd_coder *c, struct hd_bytes *out, uint32_t column, const struct hd_packed *p)
{
	hd__encode_packed(c, out, column, p->v, (size_t)(p->next - p->v), p->n);
}

static void append(struct hd_bytes *b, uint64_t v)
{
	b->n = (size_t)(hd__put_varint(hd__bytes_room(b, HD_VARINT_MAX), v) - b->v);
}

/* How many numbers are in the columns of stays: each path of a row has those of its node and of all before it. */
static void count_stays(struct hd_rows *r)
{
	for (size_t i = 0; i < r->nplaces; i++)
		if (r->stays[i])
			r->stays[i]->cycles.n = r->stays[i]->args.n = 0;
	for (size_t i = r->nnodes - 1; i > 0; i--) { /* children come after their parents */
		const struct hd_node *n = r->nodes[i];

		r->nodes[n->parent]->rows += n->rows;
		n->stay->cycles.n += n->rows;
		n->stay->args.n += n->place & HD_PLACE_ARG ? n->rows : 0;
	}
}

static void encode_transactions(struct hd_rows *r, const int64_t *node, struct hd_coder *c, struct hd_bytes *out)
{
	struct hd_bytes parent = { 0 }, place = { 0 };

	count_stays(r);
	hd__encode(c, out, HD_COL_NODE, node, r->n, &(struct hd_beside){ .span = NULL });
	for (size_t i = 1; i < r->nnodes; i++) {
		append(&parent, i - r->nodes[i]->parent); /* often the previous node */
		append(&place, r->nodes[i]->place & ~HD_PLACE_ARG);
	}
	hd__encode_packed(c, out, HD_COL_PARENT, parent.v, parent.n, r->nnodes - 1);
	hd__encode_packed(c, out, HD_COL_PLACE, place.v, place.n, r->nnodes - 1);
	for (uint32_t i = 0; i < r->nplaces; i++) {
		const struct hd_stay *stay = r->stays[i];

		if (!stay)
			continue;
		encode_packed(c, out, HD_COL_STAYS + 2 * i, &stay->cycles);
		encode_packed(c, out, HD_COL_STAYS + 2 * i + 1, &stay->args);
	}
	free(parent.v);
	free(place.v);
}

void hd__rows_encode(struct hd_dump_table *t, struct hd_coder *c, struct hd_bytes *out)
{
	struct hd_rows *r = &t->rows;
	const int64_t *key;

	if (t->kind != HD_TABLE_TRANSACTIONS)
		make_columns(t);
	cover(t);
	key = t->key < 0 ? NULL : r->cols[HD_COL_FIELDS + t->key];
	for (uint32_t i = 0; i < t->fields + HD_COL_FIELDS; i++) {
		struct hd_beside beside = { .span_field = t->span, .key_field = t->key };

		/* what another column refers to does not refer to one */
		if (i == HD_COL_CYCLE)
			beside.span = t->span < 0 ? NULL : r->cols[HD_COL_FIELDS + t->span];
		else if (i >= HD_COL_FIELDS && r->cols[i] != key && i != (unsigned)(HD_COL_FIELDS + t->span))
			beside.key = key;
		hd__encode(c, out, i, r->cols[i], r->n, &beside);
	}
	if (t->kind == HD_TABLE_TRANSACTIONS)
		encode_transactions(r, r->cols[HD_COL_FIELDS + t->fields], c, out);
}
