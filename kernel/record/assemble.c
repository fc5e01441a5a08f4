/* assemble.c - assembles transactions and rows from the log, in the writing thread
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump/dump_table.h"
#include "recorder.h"

/* Steps that are not in one entry of the log. */
struct step_list {
	struct hd_step *v;
	size_t n, cap;
};

/* A transaction that goes on without its record. */
struct kept {
	struct step_list steps;
	void *record;             /* its bytes that are logged, and eight more */
};

struct hd_assembler {
	struct step_list *early;    /* by handle: what they begin with */
	size_t nlong;
	struct kept *kept;        /* by number */
	size_t nkept;
	struct hd_stop *stops;    /* of the transaction that is looked at */
	size_t nstops;
};

struct hd_assembler *hd__assembler_new(void)
{
	return hd__xcalloc(1, sizeof(struct hd_assembler));
}

void hd__assembler_free(struct hd_assembler *f)
{
	for (size_t i = 0; i < f->nlong; i++)
		free(f->early[i].v);
	for (size_t i = 0; i < f->nkept; i++) {
		free(f->kept[i].steps.v);
		free(f->kept[i].record);
	}
	free(f->early);
	free(f->kept);
	free(f->stops);
	free(f);
}

static struct step_list *early_steps_of(struct hd_assembler *f, uint32_t handle)
{
	f->early = hd__xgrow_zero(f->early, &f->nlong, handle, sizeof *f->early);
	return &f->early[handle];
}

static struct kept *kept_of(struct hd_assembler *f, uint32_t number)
{
	f->kept = hd__xgrow_zero(f->kept, &f->nkept, number, sizeof *f->kept);
	return &f->kept[number];
}

static void append(struct step_list *w, const void *steps, size_t n)
{
	if (n == 0)
		return;
	w->v = hd__xreserve(w->v, w->n + n, &w->cap, sizeof *w->v);
	memcpy(w->v + w->n, steps, n * sizeof *w->v);
	w->n += n;
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

static bool was_there(const struct hd_observer *o, struct hd_assembler *f, const void *steps, uint32_t n)
{
	if (!o->place_wanted)
		return true;
	f->stops = hd__xreserve(f->stops, n, &f->nstops, sizeof *f->stops);
	n = hd__dump_stops(steps, n, f->stops);
	for (uint32_t i = 0; i < n; i++)
		if (o->place_wanted[f->stops[i].place & ~HD_PLACE_ARG])
			return true;
	return false;
}

/* One of which only some are wanted. */
static __attribute__((noinline)) bool is_wanted(const struct hd_transactions *l, const void *record, const void *steps,
                                                uint32_t n)
{
	int64_t all[HD_MOST_FIELDS];

	for (unsigned i = 0; i < l->fields->n; i++)
		all[i] = hd__dump_field(&l->field[i], record);
	return fields_wanted(l->fields, all) && was_there(l->observer, l->assembler, steps, n);
}

/* record: the bytes that are logged; there are steps. */
static inline void write_transaction(const struct hd_transactions *l, const void *record, const void *steps, uint32_t n,
                                     uint64_t end, bool unfinished, bool lasts)
{
	if (HD_UNLIKELY(l->fields->filtered || l->observer->place_wanted) && !is_wanted(l, record, steps, n))
		return;
	hd__dump_transaction(l->table, end, unfinished, record, steps, n, lasts);
}

static void write_kept(const struct hd_transactions *l, struct kept *k, uint64_t end, bool unfinished)
{
	if (k->steps.n > 0)
		write_transaction(l, k->record, k->steps.v, (uint32_t)k->steps.n, end, unfinished, false);
	k->steps.n = 0;
}

/* Recording has stopped. */
static void close_kept(const struct hd_observer *o)
{
	for (size_t pool = 0; pool < o->npools; pool++) {
		const struct hd_transactions *l = &o->transactions[pool];

		for (size_t i = 0; i < l->assembler->nkept; i++)
			write_kept(l, &l->assembler->kept[i], o->replayed, true);
	}
}

static const uint32_t *replay_other(const struct hd_observer *o, uint32_t what, const uint32_t *p)
{
	struct hd_def *def;

	if (what == HD_LOG_CLOSED) {
		close_kept(o);
		return p;
	}
	memcpy(&def, p, sizeof def);
	hd__dump_def(o->dump, hd__def_json(def));
	return p + sizeof def / sizeof *p;
}

/* The record's steps: the next block of the log, or all, if some came before. */
struct found {
	const void *steps;
	struct step_list *joined;   /* or NULL */
	uint64_t over;
	uint32_t n;
};

static inline struct found find_steps(const struct hd_transactions *l, uint32_t handle)
{
	struct hd_assembler *f = l->assembler;
	const struct hd_steps *block = *l->observer->steps++, *later = l->observer->steps[HD_LOG_AHEAD - 1];
	struct found at = { .steps = block->step, .over = block->over,
		            .n = (hd__steps_used(block->used) - HD_STEPS_HEAD) / sizeof(struct hd_step) };

	for (size_t i = 0; i < sizeof *later; i += 64) /* a line at a time: the other thread has written them */
		__builtin_prefetch((const char *)later + i);
	if (HD_UNLIKELY(handle < f->nlong) && f->early[handle].n > 0) {
		at.joined = &f->early[handle];
		append(at.joined, at.steps, at.n);
		at.steps = at.joined->v;
		at.n = (uint32_t)at.joined->n;
		at.joined->n = 0;
	}
	return at;
}

static const uint32_t *replay_keep(const struct hd_transactions *l, uint32_t handle, const uint32_t *p)
{
	struct found found = find_steps(l, handle);
	struct kept *k = kept_of(l->assembler, p[l->log.words]);

	k->steps.n = 0;
	append(&k->steps, found.steps, found.n);
	if (!k->record)
		k->record = hd__xcalloc(1, l->record.bytes + sizeof(uint64_t));
	memcpy(k->record, p, l->record.bytes);
	return p + l->log.words + 1;
}

static inline const uint32_t *replay_record(const struct hd_transactions *l, bool unfinished, uint32_t handle,
                                            const uint32_t *p)
{
	struct found found = find_steps(l, handle);

	if (HD_LIKELY(found.n > 0))
		write_transaction(l, p, found.steps, found.n, found.over, unfinished, !found.joined);
	return p + l->log.words;
}

static const uint32_t *replay_kept(const struct hd_observer *o, const struct hd_transactions *l,
                                   uint32_t number, const uint32_t *p)
{
	struct kept *k = kept_of(l->assembler, number);
	const struct hd_step s = { o->replayed, p[0], p[1] };

	if (p[0] == 0)
		write_kept(l, k, o->replayed, false);
	else if (k->steps.n > 0)
		append(&k->steps, &s, 1);
	return p + 2;
}

static inline const uint32_t *replay_event(const struct hd_observer *o, uint32_t number, const uint32_t *p)
{
	const struct hd_event_table *t = o->tables[number];
	const struct hd_field_set *f = &t->fields;
	uint64_t at;

	memcpy(&at, p + 1, sizeof at);
	if (HD_LIKELY(f->first && !f->filtered)) {
		hd__dump_row(t->table, at, p[0], p + 3); /* those that it has are the first */
	} else {
		int64_t all[HD_EVENT_FIELDS], stored[HD_EVENT_FIELDS];

		memcpy(all, p + 3, sizeof all);
		if (fields_wanted(f, all)) {
			fields_store(f, all, stored);
			hd__dump_row(t->table, at, p[0], stored);
		}
	}
	return p + 3 + 2 * f->n;
}

static const uint32_t *replay_rare(struct hd_observer *o, enum hd_log_kind what, uint32_t rest, const uint32_t *p)
{
	const struct hd_transactions *l = &o->transactions[rest >> HD_HANDLE_BITS];
	uint32_t handle = rest & ((1u << HD_HANDLE_BITS) - 1);

	switch (what) {
	case HD_LOG_OTHER:
		return replay_other(o, rest, p);
	case HD_LOG_KEEP:
		return replay_keep(l, handle, p);
	case HD_LOG_KEPT:
		return replay_kept(o, l, handle, p);
	default: /* HD_LOG_STEPS */
		append(early_steps_of(l->assembler, handle), (*o->steps++)->step, HD_STEPS_MOST);
		return p + HD_LOG_RECORD_WORDS - 1;
	}
}

void hd__replay(void *observer, const void *arg)
{
	struct hd_observer *o = observer;
	const struct hd_log *log = arg;
	const uint32_t *p = log->words, *end = p + log->n;

	o->steps = log->steps;
	while (p < end) {
		uint32_t head = *p++, rest = head >> HD_LOG_BITS;

		switch ((enum hd_log_kind)(head & ((1u << HD_LOG_BITS) - 1))) {
		case HD_LOG_CYCLE:
			memcpy(&o->replayed, p, sizeof o->replayed);
			p += 2;
			break;
		case HD_LOG_EVENT:
			p = replay_event(o, rest, p);
			break;
		case HD_LOG_OVER:
		case HD_LOG_UNFINISHED:
			p = replay_record(&o->transactions[rest >> HD_HANDLE_BITS],
			                  (head & ((1u << HD_LOG_BITS) - 1)) == HD_LOG_UNFINISHED,
			                  rest & ((1u << HD_HANDLE_BITS) - 1), p);
			break;
		default:
			p = replay_rare(o, head & ((1u << HD_LOG_BITS) - 1), rest, p);
		}
	}
	for (size_t i = 0; i < o->npools; i++) /* the log will be written again */
		if (o->transactions[i].table)
			hd__dump_hold(o->transactions[i].table);
}
