/* dump_block.c - makes a block of the rows of a table: grouped, sorted, encoded
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_table.h"

/* Groups rows by instance: they resemble each other, and spans follow spans. */
static void group_by_who(struct hd_dump_table *t)
{
	struct hd_rows *r = &t->rows;
	size_t n = r->n;
	uint32_t *start, *to;
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
	moved = r->moved;
	for (unsigned c = 0; c < hd__table_columns(t); c++) {
		int64_t *v = r->cols[c];

		for (size_t i = 0; i < n; i++)
			moved[to[i]] = v[i];
		r->cols[c] = moved;
		moved = v;
	}
	r->moved = moved;
	free(to);
	free(start);
}

/* Do these rows come in another order: by instance or counter, then by their fields? */
static bool is_before(const struct hd_dump_table *t, size_t a, size_t b)
{
	for (unsigned c = HD_COL_WHO; c < hd__table_columns(t); c++)
		if (t->rows.cols[c][a] != t->rows.cols[c][b])
			return t->rows.cols[c][a] < t->rows.cols[c][b];
	return false;
}

/* Sorts the rows of each cycle, of an instance if they are grouped. */
static void sort_rows(struct hd_dump_table *t, bool grouped)
{
	const int64_t *cycle = t->rows.cols[HD_COL_CYCLE], *who = t->rows.cols[HD_COL_WHO];

	for (size_t i = 1; i < t->rows.n; i++)
		for (size_t k = i; k > 0 && cycle[k] == cycle[k - 1] && (!grouped || who[k] == who[k - 1])
		                   && is_before(t, k, k - 1); k--)
			for (unsigned c = HD_COL_WHO; c < hd__table_columns(t); c++) {
				int64_t v = t->rows.cols[c][k];

				t->rows.cols[c][k] = t->rows.cols[c][k - 1];
				t->rows.cols[c][k - 1] = v;
			}
}

static void encode_packed(struct hd_coder *c, struct hd_bytes *out, uint32_t column, const struct hd_packed *p)
{
	hd__encode_packed(c, out, column, p->v, (size_t)(p->next - p->v), p->n);
}

static void append(struct hd_bytes *b, uint64_t v)
{
	b->n = (size_t)(hd__put_varint(hd__bytes_room(b, HD_VARINT_MAX), v) - b->v);
}

/* How many numbers are in the columns of stays: each way of a row has those of its node and of all before it. */
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

	if (t->kind == HD_TABLE_EVENTS)
		group_by_who(t);
	if (t->kind != HD_TABLE_TRANSACTIONS)
		sort_rows(t, t->kind == HD_TABLE_EVENTS);
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
