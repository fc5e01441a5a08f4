/* assemble.c - assembles transactions and rows from the log, in the writing thread
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "observe.h"

struct transaction {
	uint64_t begin;
	struct hd_step *v, *next, *end; /* steps; the place of the next one; of the last for which there is room */
};

/* A transaction that goes on without its record. */
struct kept {
	struct transaction transaction;
	int64_t fields[HD_MOST_FIELDS];
};

struct hd_assembler {
	struct transaction *v;    /* by handle */
	size_t cap;
	struct kept *kept;        /* by number */
	size_t nkept;
};

struct hd_assembler *hd__assembler_new(void)
{
	return hd__xcalloc(1, sizeof(struct hd_assembler));
}

void hd__assembler_free(struct hd_assembler *f)
{
	for (size_t i = 0; i < f->cap; i++)
		free(f->v[i].v);
	for (size_t i = 0; i < f->nkept; i++)
		free(f->kept[i].transaction.v);
	free(f->v);
	free(f->kept);
	free(f);
}

static __attribute__((noinline, cold)) void more_transactions(struct hd_assembler *f, uint32_t handle)
{
	f->v = hd__xgrow_zero(f->v, &f->cap, handle, sizeof *f->v);
}

static inline struct transaction *transaction_of(struct hd_assembler *f, uint32_t handle)
{
	if (HD_UNLIKELY(handle >= f->cap))
		more_transactions(f, handle);
	return &f->v[handle];
}

static struct kept *kept_of(struct hd_assembler *f, uint32_t number)
{
	f->kept = hd__xgrow_zero(f->kept, &f->nkept, number, sizeof *f->kept);
	return &f->kept[number];
}

static inline uint32_t steps_of(const struct transaction *f)
{
	return (uint32_t)(f->next - f->v);
}

/* Returns where the next step goes. */
static __attribute__((noinline, cold)) struct hd_step *more_steps(struct transaction *f)
{
	size_t n = steps_of(f), cap = n;

	f->v = hd__xgrow(f->v, n, &cap, sizeof *f->v);
	f->next = f->v + n;
	f->end = f->v + cap;
	return f->next;
}

/* A mark in the cycle in which the instance took the record hides the step into the instance, so
 * that each step has a duration. */
static inline void step(struct transaction *f, uint64_t now, uint32_t place, uint32_t arg)
{
	struct hd_step *to = f->next;
	uint64_t at = now - f->begin;

	if (HD_UNLIKELY(to == f->end)) /* even if it turns out that there is no other step */
		to = more_steps(f);
	if (to == f->v) {
		f->begin = now;
		at = 0;
	} else {
		if (HD_UNLIKELY(to[-1].place == place) && to[-1].arg == arg)
			return;
		if (HD_UNLIKELY(at > UINT32_MAX))
			return; /* older than the cycle counter of a step reaches */
		if (to[-1].at == at) {
			to[-1].place = place;
			to[-1].arg = arg;
			return;
		}
	}
	to->at = (uint32_t)at;
	to->place = place;
	to->arg = arg;
	f->next = to + 1;
}

/* The steps so far are of this cycle. */
static void step_before(struct transaction *f, uint32_t place, uint32_t cycles)
{
	if (f->next == f->v || cycles == 0 || cycles > f->begin)
		return;
	if (f->next == f->end)
		more_steps(f);
	memmove(f->v + 1, f->v, steps_of(f) * sizeof *f->v);
	f->next++;
	for (struct hd_step *s = f->v + 1; s < f->next; s++)
		s->at += cycles;
	f->v[0] = (struct hd_step){ 0, place, 0 };
	f->begin -= cycles;
}

static __attribute__((noinline)) bool all_wanted(const struct hd_field_set *f, const int64_t *all)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!hd__in_ranges(&f->wanted[i], (uint64_t)all[i]))
			return false;
	return true;
}

static inline bool fields_wanted(const struct hd_field_set *f, const int64_t *all)
{
	return HD_LIKELY(!f->filtered) || all_wanted(f, all);
}

/* Drops the hidden fields. */
static inline void fields_store(const struct hd_field_set *f, const int64_t *all, int64_t *out)
{
	for (unsigned i = 0; i < f->nstored; i++)
		out[i] = all[f->stored[i]];
}

static bool was_there(const struct hd_observer *o, const struct transaction *f)
{
	for (const struct hd_step *s = f->v; o->place_wanted && s < f->next; s++)
		if (o->place_wanted[s->place & ~HD_PLACE_ARG])
			return true;
	return !o->place_wanted;
}

/* A transaction that goes on without its record, or one of which only some are wanted. */
static void write_chosen(const struct hd_transactions *l, struct transaction *f, uint64_t end, const int64_t *all,
                         bool unfinished)
{
	if (f->next > f->v && fields_wanted(l->fields, all) && was_there(l->observer, f))
		fields_store(l->fields, all,
		             hd__dump_transaction(l->table, f->begin, end, unfinished, f->v, steps_of(f)));
	f->next = f->v;
}

static inline int64_t field_value(const struct hd_transactions *l, const unsigned char *bytes, unsigned i)
{
	const struct hd_field *f = &l->fields->v[i];
	const unsigned char *at = bytes + (f->offset - l->log.begin);
	uint64_t v = 0;

	switch (f->size) { /* little-endian, like dumps */
	case 1: v = *at; break;
	case 2: memcpy(&v, at, 2); break;
	case 4: memcpy(&v, at, 4); break;
	default: memcpy(&v, at, 8); break;
	}
	return (int64_t)v;
}

static void read_fields(const struct hd_transactions *l, const uint32_t *words, int64_t *all)
{
	for (unsigned i = 0; i < l->fields->n; i++)
		all[i] = field_value(l, (const unsigned char *)words, i);
}

static void write_transaction(const struct hd_transactions *l, struct transaction *f, uint64_t end,
                              const uint32_t *words, bool unfinished)
{
	int64_t all[HD_MOST_FIELDS], *row;

	if (f->next == f->v)
		return;
	if (l->fields->filtered || l->observer->place_wanted) {
		read_fields(l, words, all);
		write_chosen(l, f, end, all, unfinished);
		return;
	}
	row = hd__dump_transaction(l->table, f->begin, end, unfinished, f->v, steps_of(f));
	for (unsigned i = 0; i < l->fields->nstored; i++)
		row[i] = field_value(l, (const unsigned char *)words, l->fields->stored[i]);
	f->next = f->v;
}

/* The record's transaction goes to the number, the number's memory to the record. */
static void keep(struct hd_assembler *f, struct transaction *transaction, uint32_t number, const int64_t *all,
                 unsigned n)
{
	struct kept *k = kept_of(f, number);
	struct transaction old = k->transaction;

	k->transaction = *transaction;
	*transaction = old;
	transaction->next = transaction->v;
	memcpy(k->fields, all, n * sizeof *all);
}

/* Recording has stopped. */
static void close_kept(const struct hd_observer *o)
{
	for (size_t pool = 0; pool < o->npools; pool++) {
		const struct hd_transactions *l = &o->transactions[pool];

		for (size_t i = 0; i < l->assembler->nkept; i++) {
			struct kept *k = &l->assembler->kept[i];

			write_chosen(l, &k->transaction, o->replayed, k->fields, true);
		}
	}
}

static const uint32_t *replay_other(const struct hd_observer *o, uint32_t what, const uint32_t *p)
{
	struct hd_def *def;

	if (what == HD_LOG_CLOSED) {
		close_kept(o);
		return p;
	}
	if (what == HD_LOG_BEFORE) {
		const struct hd_transactions *l = &o->transactions[p[0] >> HD_HANDLE_BITS];

		step_before(transaction_of(l->assembler, p[0] & ((1u << HD_HANDLE_BITS) - 1)), p[1], p[2]);
		return p + 3;
	}
	memcpy(&def, p, sizeof def);
	hd__dump_def(o->dump, hd__def_json(def));
	return p + sizeof def / sizeof *p;
}

static const uint32_t *replay_record(const struct hd_observer *o, enum hd_log_kind what,
                                     const struct hd_transactions *l, uint32_t handle, const uint32_t *p)
{
	struct transaction *f = transaction_of(l->assembler, handle);
	int64_t all[HD_MOST_FIELDS];

	if (what != HD_LOG_KEEP) {
		write_transaction(l, f, o->replayed, p, what == HD_LOG_UNFINISHED);
		return p + l->log.words;
	}
	read_fields(l, p, all);
	p += l->log.words;
	keep(l->assembler, f, *p, all, l->fields->n);
	return p + 1;
}

static const uint32_t *replay_kept(const struct hd_observer *o, const struct hd_transactions *l,
                                   uint32_t number, const uint32_t *p)
{
	struct kept *k = kept_of(l->assembler, number);

	if (p[0] == 0)
		write_chosen(l, &k->transaction, o->replayed, k->fields, false);
	else if (k->transaction.next > k->transaction.v)
		step(&k->transaction, o->replayed, p[0], p[1]);
	return p + 2;
}

static const uint32_t *replay_event(const struct hd_observer *o, uint32_t number, const uint32_t *p)
{
	const struct hd_event_table *t = o->tables[number];
	int64_t all[HD_EVENT_FIELDS];

	memcpy(all, p + 1, t->fields.n * sizeof *all);
	if (fields_wanted(&t->fields, all))
		fields_store(&t->fields, all, hd__dump_row(t->table, o->replayed, p[0]));
	return p + 1 + 2 * t->fields.n;
}

static const uint32_t *replay_rare(struct hd_observer *o, enum hd_log_kind what, uint32_t rest, const uint32_t *p)
{
	uint32_t pool = rest >> HD_HANDLE_BITS, handle = rest & ((1u << HD_HANDLE_BITS) - 1);

	switch (what) {
	case HD_LOG_CYCLE:
		memcpy(&o->replayed, p, sizeof o->replayed);
		return p + 2;
	case HD_LOG_EVENT:
		return replay_event(o, rest, p);
	case HD_LOG_OTHER:
		return replay_other(o, rest, p);
	case HD_LOG_KEPT:
		return replay_kept(o, &o->transactions[pool], handle, p);
	default:
		return replay_record(o, what, &o->transactions[pool], handle, p);
	}
}

void hd__replay(void *observer, const uint32_t *p, uint32_t n)
{
	struct hd_observer *o = observer;
	const struct hd_transactions *pools = o->transactions;
	const uint32_t *end = p + n;
	uint64_t now = o->replayed;

	while (p < end) {
		uint32_t head = *p, rest = head >> HD_LOG_BITS, place;
		struct transaction *f;

		if (HD_UNLIKELY((head & ((1u << HD_LOG_BITS) - 1)) != HD_LOG_STEP)) {
			p = replay_rare(o, head & ((1u << HD_LOG_BITS) - 1), rest, p + 1);
			now = o->replayed;
			continue;
		}
		f = transaction_of(pools[rest >> HD_HANDLE_BITS].assembler, rest & ((1u << HD_HANDLE_BITS) - 1));
		place = p[1];
		p += 2;
		step(f, now, place, place & HD_PLACE_ARG ? *p++ : 0);
	}
}
