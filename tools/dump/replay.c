/* replay.c - keeps the rows in progress by the cycle of their next change
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows that change soon are in lists, one for each of the next cycles; the others in a heap.
 */
#include "replay.h"
#include "base/xalloc.h"

#define SOON 1024u /* lists; a power of two */

/* A row in progress. */
struct active {
	struct dump_changes changes; /* its memory is kept with the slot */
	size_t next;
	uint64_t number, due, end;
	uint32_t later;         /* the next one of its list, + 1 */
	bool finished, row;
	uint32_t table;
	int64_t who;
};

struct list {
	uint32_t first, last; /* slots + 1 */
};

struct state {
	struct dump_replay *r;
	int uid;                /* field; -1: none */
	uint64_t now;           /* all changes before this cycle have been reported */
	uint64_t numbers;       /* of rows and instructions that have begun */
	struct active *slots;
	size_t nslots, capslots;
	uint32_t *unused;       /* slots */
	size_t nunused, capunused;
	struct list soon[SOON]; /* by cycle modulo SOON, from `now` on */
	size_t nsoon;
	uint32_t *heap;         /* slots */
	size_t n, cap;
};

/* ---- due cycles ---- */

static bool sooner(const struct state *s, uint32_t a, uint32_t b)
{
	const struct active *x = &s->slots[a], *y = &s->slots[b];

	return x->due != y->due ? x->due < y->due : a < b;
}

static void push(struct state *s, uint32_t slot)
{
	size_t i = s->n;

	s->heap = hd__xgrow(s->heap, s->n, &s->cap, sizeof *s->heap);
	for (s->n++; i > 0 && sooner(s, slot, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = slot;
}

static uint32_t pop(struct state *s)
{
	uint32_t first = s->heap[0], last = s->heap[--s->n];
	size_t i = 0, k;

	while ((k = 2 * i + 1) < s->n) {
		if (k + 1 < s->n && sooner(s, s->heap[k + 1], s->heap[k]))
			k++;
		if (!sooner(s, s->heap[k], last))
			break;
		s->heap[i] = s->heap[k];
		i = k;
	}
	s->heap[i] = last;
	return first;
}

/* Queues the slot for its cycle, which is not before `now`. */
static void put(struct state *s, uint32_t slot)
{
	struct active *a = &s->slots[slot];
	struct list *l = &s->soon[a->due & (SOON - 1)];

	if (a->due - s->now >= SOON) {
		push(s, slot);
		return;
	}
	a->later = 0;
	if (l->last)
		s->slots[l->last - 1].later = slot + 1;
	else
		l->first = slot + 1;
	l->last = slot + 1;
	s->nsoon++;
}

static uint32_t take_slot(struct state *s)
{
	if (s->nunused)
		return s->unused[--s->nunused];
	s->slots = hd__xgrow(s->slots, s->nslots, &s->capslots, sizeof *s->slots);
	s->slots[s->nslots] = (struct active){ .next = 0 };
	return (uint32_t)s->nslots++;
}

static void drop_slot(struct state *s, uint32_t slot)
{
	s->unused = hd__xgrow(s->unused, s->nunused, &s->capunused, sizeof *s->unused);
	s->unused[s->nunused++] = slot;
}

/* ---- progress of time ---- */

/* Reports the changes of the slot in this cycle; it is in no list. */
static void report(struct state *s, uint32_t slot, uint64_t cycle)
{
	const struct dump_replay *r = s->r;
	struct active *a = &s->slots[slot];

	for (; a->next < a->changes.n && a->changes.v[a->next].cycle == cycle; a->next++)
		r->change(r->arg, a->number, &a->changes.v[a->next]);
	a->due = a->next < a->changes.n ? a->changes.v[a->next].cycle : a->end;
	if (a->due > cycle) {
		put(s, slot);
		return;
	}
	if (a->row)
		r->row_end(r->arg, a->number, a->table, a->who, cycle);
	else if (r->end)
		r->end(r->arg, a->number, cycle, a->finished);
	drop_slot(s, slot);
}

/* Reports everything before `cycle`. */
static void advance(struct state *s, uint64_t cycle)
{
	while (s->now < cycle) {
		struct list *l = &s->soon[s->now & (SOON - 1)];
		uint32_t slot;

		if (s->nsoon == 0 && (s->n == 0 || s->slots[s->heap[0]].due >= cycle)) {
			s->now = cycle;
			break;
		}
		if (s->nsoon == 0) {
			s->now = s->slots[s->heap[0]].due;
			l = &s->soon[s->now & (SOON - 1)];
		}
		while (s->n && s->slots[s->heap[0]].due - s->now < SOON)
			put(s, pop(s));
		for (slot = l->first, *l = (struct list){ 0, 0 }; slot;) {
			uint32_t next = s->slots[slot - 1].later;

			s->nsoon--;
			report(s, slot - 1, s->now);
			slot = next;
		}
		s->now++;
	}
}

static void begin_transaction(struct state *s, const struct dump_item *i)
{
	uint32_t slot = take_slot(s);
	struct active *a = &s->slots[slot];

	dump_split(s->r->view, i->transaction, &a->changes);
	a->next = 0;
	a->row = false;
	a->number = s->numbers++;
	a->due = i->begin;
	a->end = i->transaction->end;
	a->finished = !i->transaction->unfinished && (s->uid < 0 || i->rows->field[s->uid][i->row] > 0);
	if (s->r->begin)
		s->r->begin(s->r->arg, i, a->number, &a->changes);
	put(s, slot);
}

static void begin_row(struct state *s, const struct dump_item *i)
{
	uint64_t end = (uint64_t)i->rows->cycle[i->row];
	uint32_t slot;

	s->r->row(s->r->arg, i, s->numbers++);
	if (i->transaction || end <= i->begin)
		return;
	slot = take_slot(s);
	s->slots[slot].row = true;
	s->slots[slot].number = s->numbers - 1;
	s->slots[slot].next = s->slots[slot].changes.n = 0;
	s->slots[slot].due = s->slots[slot].end = end;
	s->slots[slot].table = i->table;
	s->slots[slot].who = i->rows->who[i->row];
	put(s, slot);
}

static bool take(void *arg, const struct dump_item *i)
{
	struct state *s = arg;

	if (i->begin < s->now)
		return true; /* the head of its block is wrong */
	advance(s, i->begin);
	if (i->table == s->r->instructions)
		begin_transaction(s, i);
	else
		begin_row(s, i);
	return true;
}

bool dump_replay(struct dump_replay *r)
{
	struct state s = { .r = r };
	struct dump_query q = *r->query;
	int table = dump_find_table(r->dump, "inst");

	if (table < 0 || r->dump->tables[table].kind != HD_TABLE_TRANSACTIONS) {
		fprintf(stderr, "heddle: %s: no instructions ('inst') in the dump\n", r->dump->path);
		return false;
	}
	r->instructions = (uint32_t)table;
	s.uid = dump_find_field(&r->dump->tables[table], "uid");
	q.table_wanted = hd__xcalloc(r->dump->ntables, sizeof *q.table_wanted);
	for (uint32_t i = 0; i < r->dump->ntables; i++)
		q.table_wanted[i] = (r->row || i == (uint32_t)table) && r->query->table_wanted[i];
	dump_in_order(r->dump, &q, take, &s);
	advance(&s, UINT64_MAX);
	for (size_t i = 0; i < s.nslots; i++)
		free(s.slots[i].changes.v);
	free(s.slots);
	free(s.unused);
	free(s.heap);
	free(q.table_wanted);
	return true;
}
