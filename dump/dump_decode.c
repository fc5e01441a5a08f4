/* dump_decode.c - decodes the columns of a block, and the steps of transactions
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_decode.h"
#include "base/bytes.h"

#include <inttypes.h>

#define MOST_NUMBERS (1u << 24) /* in one block; a damaged one must not fill memory */

/* Numbers between p and end; a failure is permanent. */
struct bytes {
	const unsigned char *p, *end;
	bool bad;
};

static uint64_t number(struct bytes *b)
{
	uint64_t v;

	if (hd__get_varint_before(&b->p, b->end, &v))
		return v;
	b->bad = true;
	return 0;
}

static int64_t signed_number(struct bytes *b)
{
	return hd__unzigzag(number(b));
}

static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

struct column {
	uint64_t id, n;
	enum hd_encoding encoding;
	uint64_t field;     /* SPAN, KEYED: the other column's */
	struct bytes bytes; /* of its numbers */
	char *unpacked;     /* to be freed */
	int64_t *v;
};

static bool refers(const struct column *c)
{
	return c->encoding == HD_ENC_SPAN || c->encoding == HD_ENC_KEYED;
}

/* The head of the next column, its bytes unpacked. */
static bool next_column(struct bytes *b, struct column *c)
{
	uint64_t plain, stored;
	int encoding;

	*c = (struct column){ .id = number(b) };
	if (b->bad || b->p == b->end)
		return false;
	encoding = *b->p++;
	c->encoding = (enum hd_encoding)(encoding & ~HD_ENC_ZSTD);
	c->n = number(b);
	plain = encoding & HD_ENC_ZSTD ? number(b) : 0;
	stored = number(b);
	if (b->bad || stored > (uint64_t)(b->end - b->p) || c->n > MOST_NUMBERS
	    || c->encoding > HD_ENC_KEYED)
		return false;
	c->bytes = (struct bytes){ b->p, b->p + stored, false };
	b->p += stored;
	if (encoding & HD_ENC_ZSTD) {
		size_t n = 0;

		if (plain > (c->n + 1) * HD_VARINT_MAX)
			return false;
		c->unpacked = dump_unpack(c->bytes.p, stored, plain, &n);
		if (!c->unpacked || (n != plain && !DUMP_FUZZING))
			return false;
		c->bytes = (struct bytes){ (unsigned char *)c->unpacked,
			                   (unsigned char *)c->unpacked + n, false };
	}
	if (refers(c))
		c->field = number(&c->bytes);
	/* each number takes at least a byte */
	return c->encoding == HD_ENC_CONST || c->n <= (uint64_t)(c->bytes.end - c->bytes.p);
}

static bool numbers(struct column *c, const struct column *other)
{
	struct bytes *b = &c->bytes;
	int64_t by_key[HD_KEYS] = { 0 }, *before, last = 0, same = c->encoding == HD_ENC_CONST ? signed_number(b) : 0;

	if (refers(c) && (!other || !other->v || other->n != c->n))
		return false;
	c->v = hd__xcalloc(c->n, sizeof *c->v);
	for (uint64_t i = 0; i < c->n && !b->bad; i++) {
		switch (c->encoding) {
		case HD_ENC_CONST: last = same; break;
		case HD_ENC_PLAIN: last = (int64_t)number(b); break;
		case HD_ENC_ZIGZAG: last = signed_number(b); break;
		case HD_ENC_DELTA: last = sum(last, signed_number(b)); break;
		case HD_ENC_KEYED:
			before = &by_key[(uint64_t)other->v[i] % HD_KEYS];
			last = *before = sum(*before, signed_number(b));
			break;
		default: last = sum(sum(last, signed_number(b)), other->v[i]); break;
		}
		c->v[i] = last;
	}
	free(c->unpacked);
	c->unpacked = NULL;
	return !b->bad;
}

/* ---- blocks ---- */

struct columns {
	struct column *v;
	size_t n, cap;
};

static const struct column *find(const struct columns *c, uint64_t id)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].id == id)
			return &c->v[i];
	return NULL;
}

static bool read_columns(struct bytes b, struct columns *c, uint64_t *all)
{
	while (b.p < b.end) {
		bool ok;

		c->v = hd__xgrow(c->v, c->n, &c->cap, sizeof *c->v);
		ok = next_column(&b, &c->v[c->n]);
		*all += c->v[c->n++].n;
		if (!ok || *all > MOST_NUMBERS)
			return false;
		/* those that refer to others come later */
		if (!refers(&c->v[c->n - 1]) && !numbers(&c->v[c->n - 1], NULL))
			return false;
	}
	for (size_t i = 0; i < c->n; i++)
		if (refers(&c->v[i]) && !numbers(&c->v[i], find(c, HD_COL_FIELDS + c->v[i].field)))
			return false;
	return true;
}

static void free_columns(struct columns *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].unpacked);
		free(c->v[i].v);
	}
	free(c->v);
}

/* The column's numbers, which the caller owns from then on; NULL if there are not n of them. */
static const int64_t *take(struct columns *c, uint64_t id, uint64_t n)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].id == id && c->v[i].n == n) {
			const int64_t *v = c->v[i].v;

			c->v[i].v = NULL;
			return v;
		}
	return NULL;
}

/* Do the transactions use all stays at each place?  So no damaged tree makes paths of more steps
 * than the block has numbers. */
static bool enough_stays(const struct dump_rows *r)
{
	uint64_t *transactions = hd__xcalloc((size_t)r->nnodes + 1, sizeof *transactions);
	uint64_t *stays = hd__xcalloc(r->dump->nplaces, sizeof *stays);
	uint64_t *args = hd__xcalloc(r->dump->nplaces, sizeof *args);
	bool ok = true;

	for (uint32_t i = 0; i < r->n; i++)
		transactions[r->node[i]]++;
	for (uint32_t i = r->nnodes; i > 0; i--) { /* children come after their parents */
		const struct dump_place *p = &r->dump->places[r->place[i - 1]];

		transactions[i - r->parent[i - 1]] += transactions[i];
		stays[p->column] += transactions[i];
		args[p->column] += p->arg ? transactions[i] : 0;
	}
	for (uint32_t i = 0; i < r->dump->nplaces; i++)
		ok = ok && stays[i] == r->stays[i].n && args[i] == r->stays[i].nargs;
	free(transactions);
	free(stays);
	free(args);
	return ok;
}

/* A block has the cycles in which its transactions end, and how long they stay at each place: so it is known when they
 * began.  There are enough stays. */
static void find_begins(struct dump_rows *r)
{
	uint32_t *used = hd__xcalloc(r->dump->nplaces, sizeof *used);
	int64_t *cycle = (int64_t *)r->cycle;

	for (uint32_t i = 0; i < r->n; i++)
		for (int64_t k = r->node[i]; k > 0; k -= r->parent[k - 1]) { /* backwards, but the sum is the same */
			uint32_t p = r->dump->places[r->place[k - 1]].column;

			cycle[i] = minus(cycle[i], r->stays[p].stay[used[p]++]);
		}
	free(used);
}

static bool take_transactions(struct dump_rows *r, struct columns *c)
{
	const struct column *places = find(c, HD_COL_PLACE);

	r->node = take(c, HD_COL_NODE, r->n);
	r->nnodes = places ? (uint32_t)places->n : 0;
	if (r->nnodes) {
		r->parent = take(c, HD_COL_PARENT, r->nnodes);
		r->place = take(c, HD_COL_PLACE, r->nnodes);
	}
	r->stays = hd__xcalloc(r->dump->nplaces, sizeof *r->stays);
	for (size_t i = 0; i < c->n; i++) {
		uint64_t place = (c->v[i].id - HD_COL_STAYS) / 2;
		struct dump_stay *s;

		if (c->v[i].id < HD_COL_STAYS || place >= r->dump->nplaces || !c->v[i].v)
			continue;
		s = &r->stays[place];
		if (c->v[i].id & 1) {
			if (s->arg)
				continue;
			s->arg = c->v[i].v;
			s->nargs = (uint32_t)c->v[i].n;
		} else {
			if (s->stay)
				continue;
			s->stay = c->v[i].v;
			s->n = (uint32_t)c->v[i].n;
		}
		c->v[i].v = NULL;
	}
	if (!r->node || (r->nnodes && (!r->parent || !r->place)))
		return false;
	/* ancestors come first, so every path ends */
	for (uint32_t i = 0; i < r->nnodes; i++)
		if (r->parent[i] < 1 || r->parent[i] > i + 1 || r->place[i] < 0
		    || r->place[i] >= r->dump->nplaces)
			return false;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i] < 0 || r->node[i] > r->nnodes)
			return false;
	if (!enough_stays(r))
		return false;
	if (r->dump->ends)
		find_begins(r);
	return true;
}

static bool take_rows(struct dump_rows *r, struct columns *c)
{
	r->cycle = take(c, HD_COL_CYCLE, r->n);
	r->who = take(c, HD_COL_WHO, r->n);
	if (!r->cycle || !r->who)
		return false;
	for (unsigned i = 0; i < r->table->n; i++) {
		r->field[i] = take(c, HD_COL_FIELDS + i, r->n);
		if (!r->field[i])
			return false;
	}
	if (r->table->kind == HD_TABLE_TRANSACTIONS)
		return take_transactions(r, c);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->who[i] < 0 || r->who[i] >= (r->table->kind == HD_TABLE_SAMPLES
		                                   ? r->dump->ncounters : r->dump->ninstances))
			return false;
	return true;
}

bool dump_rows(struct dump *d, size_t i, struct dump_rows *r)
{
	const struct dump_block *b = &d->blocks[i];
	struct columns c = { NULL, 0, 0 };
	unsigned char *payload = dump_payload(d, b);
	bool ok;

	*r = (struct dump_rows){ .dump = d, .table = &d->tables[b->head.table], .n = b->head.rows };
	ok = payload
	     && read_columns((struct bytes){ payload, payload + b->head.bytes, false }, &c,
	                     &r->numbers)
	     && take_rows(r, &c);
	free_columns(&c);
	free(payload);
	if (ok)
		return true;
	dump_damage(d, "the block at byte %" PRIu64 " is damaged", b->offset);
	dump_rows_free(r);
	return false;
}

void dump_paths_free(struct dump_rows *r)
{
	free((void *)r->node);
	free((void *)r->parent);
	free((void *)r->place);
	for (uint32_t i = 0; r->stays && i < r->dump->nplaces; i++) {
		free((void *)r->stays[i].stay);
		free((void *)r->stays[i].arg);
	}
	free(r->stays);
	r->node = r->parent = r->place = NULL;
	r->stays = NULL;
}

void dump_rows_free(struct dump_rows *r)
{
	free((void *)r->cycle);
	free((void *)r->who);
	for (unsigned i = 0; i < HD_COL_NODE; i++)
		free((void *)r->field[i]);
	dump_paths_free(r);
	*r = (struct dump_rows){ .n = 0 };
}

bool dump_transaction(struct dump_rows *r, struct dump_transaction *transaction)
{
	uint32_t i = r->next, n = 0;
	uint64_t at;

	if (i >= r->n)
		return false;
	r->next++;
	for (int64_t k = r->node[i]; k > 0; k -= r->parent[k - 1])
		n++;
	transaction->steps = hd__xreserve(transaction->steps, n, &transaction->cap,
	                                  sizeof *transaction->steps);
	transaction->n = n;
	transaction->row = i;
	transaction->unfinished = r->who[i] != 0;
	for (int64_t k = r->node[i]; k > 0; k -= r->parent[k - 1])
		transaction->steps[--n].place = (uint32_t)r->place[k - 1];
	at = transaction->begin = (uint64_t)r->cycle[i];
	for (n = 0; n < transaction->n; n++) {
		struct dump_step *s = &transaction->steps[n];
		struct dump_stay *stay = &r->stays[r->dump->places[s->place].column];

		s->cycle = at;
		s->cycles = stay->at < stay->n ? (uint64_t)stay->stay[stay->at++] : 0;
		s->arg = 0;
		if (r->dump->places[s->place].arg && stay->at_arg < stay->nargs)
			s->arg = stay->arg[stay->at_arg++];
		at += s->cycles;
	}
	transaction->end = at;
	return true;
}
