/* ahead_domain.c - runs the moments of a window in one domain
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All domains share the clocks without gate; a clock with a gate has processes in one domain only.  Where a clock
 * stands at a moment follows from where it stood when the window began, or when it was switched on: so nothing has to
 * be done at moments at which nothing runs.
 */
#include "ahead_plan.h"
#include "kernel/sweep.h"

/* ---- what ticks ------------------------------------------------------------------------------ */

/* Lists the processes in d->some, and empties that.  Returns how many words they are in. */
static uint32_t list_some(const struct hd_domain *d, struct hd_share *v)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < d->nwords; w++) {
		if (d->some[w] != 0)
			v[n++] = (struct hd_share){ d->words[w], d->some[w] };
		d->some[w] = 0;
	}
	return n;
}

static void add_some(const struct hd_domain *d, const struct hd_tick *t)
{
	for (uint32_t k = 0, w = 0; k < t->nshares; k++) {
		while (d->words[w] != t->shares[k].word)
			w++;
		d->some[w] |= t->shares[k].bits;
	}
}

static void make_ticking(const struct hd_ahead *a, const struct hd_domain *d, struct hd_ticking *b, size_t moment)
{
	if (!b->shares)
		b->shares = hd__xcalloc(d->nwords + 1, sizeof *b->shares);
	for (uint32_t i = 0; i < d->nticks; i++)
		if (d->ticks[i].on && a->paces[d->ticks[i].pace].next[moment] == moment)
			add_some(d, &d->ticks[i]);
	b->nshares = list_some(d, b->shares);
	b->generation = d->generation;
}

/* Unless no clock of the domain was switched on or off since the last call. */
static void find_live(struct hd_domain *d)
{
	if (d->lived == d->generation)
		return;
	d->lived = d->generation;
	for (struct hd_pulse *p = d->pulses; p < d->running; p++) {
		for (const struct hd_tick *t = p->first; t < p->end; t++)
			if (t->on)
				add_some(d, t);
		p->nlive = list_some(d, p->live);
	}
}

static __attribute__((noinline)) const struct hd_ticking *new_ticking(const struct hd_ahead *a, struct hd_domain *d,
                                                                      size_t moment)
{
	uint32_t kind = a->kind[moment];

	if (kind >= d->nby_kind) {
		d->by_kind = hd__xrealloc(d->by_kind, (kind + 1) * sizeof *d->by_kind);
		memset(d->by_kind + d->nby_kind, 0, (kind + 1 - d->nby_kind) * sizeof *d->by_kind);
		d->nby_kind = kind + 1;
	}
	make_ticking(a, d, &d->by_kind[kind], moment);
	return &d->by_kind[kind];
}

/* What ticks in the domain at this moment. */
static inline const struct hd_ticking *ticking_of(const struct hd_ahead *a, struct hd_domain *d, size_t moment)
{
	uint32_t kind = a->kind[moment];

	if (HD_LIKELY(kind < d->nby_kind && d->by_kind[kind].generation == d->generation))
		return &d->by_kind[kind];
	return new_ticking(a, d, moment);
}

/* Its clocks of the root are gated as the gates are now. */
static void sample_gates(const struct hd_ahead *a, struct hd_domain *d, unsigned root, size_t moment)
{
	for (uint32_t i = 0; i < d->nticks; i++) {
		struct hd_tick *t = &d->ticks[i];
		struct hd_clock *c = t->clock;
		bool on = true;

		if (t->root != root || t->column != HD_GATED)
			continue;
		for (const struct hd_clock *up = c; up; up = up->parent)
			on = on && (!up->gated || up->open);
		if (on == t->on)
			continue;
		if (on)
			t->begin = c->now - hd__ahead_before(a, t->pace, moment);
		else
			c->now = t->begin + hd__ahead_before(a, t->pace, moment);
		t->on = c->on = on;
		d->generation++;
		d->switched |= UINT64_C(1) << root;
	}
}

/* Of those roots whose gates have moved; looks at those of which a period begins. */
static __attribute__((noinline)) void begin_periods(const struct hd_ahead *a, struct hd_domain *d, uint64_t *moved,
                                                    size_t moment)
{
	const struct hd_moment_kind *k = &a->kinds[a->kind[moment]];

	for (uint64_t left = *moved & d->gates & k->due; left;) {
		unsigned r = hd_bits_pop(&left);

		if (k->phase[r] != 0)
			continue;
		*moved &= ~(UINT64_C(1) << r);
		sample_gates(a, d, r, moment);
	}
	find_live(d);
}

/* ---- time ------------------------------------------------------------------------------------ */

static inline void set_roots(struct hd_sim *s, const struct hd_domain *d, const struct hd_root_time *t)
{
	const struct hd_root_time *end = t + s->nroots;

	if (d->shard != HD_NO_SHARD) {
		for (struct hd_shard_time *v = s->shards[d->shard].times; t < end; t++, v++) {
			v->period = t->period;
			v->passed = t->passed;
		}
	} else {
		for (struct hd_root *r = s->roots; t < end; t++, r++) {
			r->period = t->period;
			r->passed = t->passed;
		}
	}
}

/* Buckets in which timers of these processes may be. */
static inline uint64_t filled(const struct hd_sim *s, const struct hd_pulse *p)
{
	uint64_t some = 0;

	for (const struct hd_share *v = p->live, *end = v + p->nlive; v < end; v++)
		some |= s->noted[v->word].armed & v->bits ? s->noted[v->word].filled : 0;
	return some;
}

/* Timers that are due at this edge of the clock wake its processes.  Not inline, so that the loop over clocks of
 * which none are keeps what it needs in registers. */
static __attribute__((noinline)) void expire(struct hd_sim *s, const struct hd_tick *t, uint64_t edge)
{
	for (uint32_t i = 0; i < t->nshares; i++) {
		const struct hd_share *v = &t->shares[i];

		if ((s->noted[v->word].filled >> edge % HD_WHEEL & 1) && (s->noted[v->word].armed & v->bits))
			hd__expire_word(s, v->word, v->bits, edge);
	}
}

/* All that its processes can read of the time is that of the moment.  Timers that are due wake them. */
static inline void set_time(const struct hd_ahead *a, struct hd_domain *d, size_t moment)
{
	struct hd_sim *s = a->s;

	for (struct hd_pulse *p = d->pulses; p < d->silent; p++) {
		uint32_t ticks = p->ticks[moment];
		uint64_t some;

		if (ticks == p->seen)
			continue;
		p->seen = ticks;
		some = filled(s, p);
		for (const struct hd_tick *t = p->first, *end = p->end; t < end; t++) {
			uint64_t edge = t->begin + ticks;

			if (!t->on)
				continue;
			t->clock->now = edge;
			if (some >> edge % HD_WHEEL & 1)
				expire(s, t, edge);
		}
	}
	if (a->row[moment] == d->row)
		return;
	d->row = a->row[moment];
	set_roots(s, d, hd__ahead_times(a, moment));
}

/* The first edge for which a process of the domain on that clock has a timer; UINT64_MAX: none has. */
static uint64_t first_due(const struct hd_sim *s, const struct hd_tick *t)
{
	uint64_t due = UINT64_MAX;

	for (uint32_t i = 0; i < t->nshares; i++) {
		uint32_t word = t->shares[i].word;

		for (uint64_t left = s->noted[word].armed & t->shares[i].bits; left;) {
			uint64_t other = s->processes[word * 64 + hd_bits_pop(&left)].due;

			due = other < due ? other : due;
		}
	}
	return due;
}

static inline bool any_awake(const struct hd_sim *s, const struct hd_pulse *p)
{
	uint64_t some = 0;

	for (const struct hd_share *v = p->live, *end = v + p->nlive; v < end; v++)
		some |= s->awake[v->word] & v->bits;
	return some != 0;
}

static inline bool any_armed(const struct hd_sim *s, const struct hd_pulse *p)
{
	uint64_t some = 0;

	for (const struct hd_share *v = p->live, *end = v + p->nlive; v < end; v++)
		some |= s->noted[v->word].armed & v->bits;
	return some != 0;
}

/* The moment, before `end`, at which the first timer on these clocks is due; or `end`. */
static size_t timer_moment(const struct hd_ahead *a, const struct hd_pulse *p, size_t from, size_t end)
{
	for (const struct hd_tick *t = p->first; t < p->end; t++) {
		uint64_t due = t->on ? first_due(a->s, t) : UINT64_MAX;
		size_t at = due == UINT64_MAX ? end : hd__ahead_reaches(a, p->pace, due - t->begin, from);

		end = at < end ? at : end;
	}
	return end;
}

/* The moment before which nothing runs in the domain unless others wake it.  Mostly it is the next one. */
static inline size_t next_moment(const struct hd_ahead *a, struct hd_domain *d, uint64_t moved, size_t end)
{
	const struct hd_sim *s = a->s;
	const struct hd_pulse *p, *last = d->running;
	const size_t at = d->at;

	for (p = d->pulses; p < last; p++) {
		if (p->next[at] >= end || !any_awake(s, p))
			continue;
		end = p->next[at];
		if (end == at)
			return end;
	}
	for (uint64_t left = moved & d->gates; HD_UNLIKELY(left != 0);) {
		const struct hd_pace *begins = &a->paces[a->period_begins[hd_bits_pop(&left)]];

		end = begins->next[at] < end ? begins->next[at] : end;
	}
	for (p = d->pulses; p < last; p++)
		if (p->next[at] < end && HD_UNLIKELY(any_armed(s, p)))
			end = timer_moment(a, p, at, end);
	return end;
}

/* Its clocks with gates, which it alone has, are where the others are. */
static void settle_clocks(const struct hd_ahead *a, const struct hd_domain *d)
{
	for (uint32_t i = 0; d->gates && i < d->nticks; i++) {
		const struct hd_tick *t = &d->ticks[i];

		if (t->column == HD_GATED && t->on)
			t->clock->now = t->begin + hd__ahead_before(a, t->pace, d->at);
	}
}

/* ---- a domain -------------------------------------------------------------------------------- */

/* The domain has woken the instance that others wait for, and goes on up to the next edge of that, which is evaluated
 * before anything else happens.  Returns the moment behind it, `end` at the latest. */
static size_t hold(const struct hd_ahead *a, struct hd_domain *d, size_t moment, size_t end)
{
	size_t next;

	if (d->held)
		return end;
	d->held = true;
	next = hd__ahead_awaited_tick(a, moment) + 1;
	if (next < d->goal)
		d->goal = next;
	return d->goal < end ? d->goal : end;
}

/* The domain at one moment. */
static inline void run_moment(const struct hd_ahead *a, struct hd_domain *d, uint64_t *moved, size_t moment)
{
	struct hd_sim *s = d->view;
	const struct hd_ticking *b;

	d->at = moment + 1;
	if (HD_UNLIKELY(*moved & d->gates))
		begin_periods(a, d, moved, moment);
	b = ticking_of(a, d, moment);
	set_time(a, d, moment);
	for (const struct hd_share *v = b->shares, *end = v + b->nshares; v < end; v++) {
		if (!(s->awake[v->word] & v->bits))
			continue;
		sweep(s, v->word, v->bits);
		d->ran = moment + 1; /* if not, gates were looked at */
	}
	if (HD_UNLIKELY(s->late))
		hd__end_edge(s);
}

static void run(const struct hd_ahead *a, struct hd_domain *d, uint64_t *moved, size_t end)
{
	struct hd_shard *shard = d->shard != HD_NO_SHARD ? &a->s->shards[d->shard] : NULL;
	/* that instance, which sleeps until all have come as far */
	uint64_t *woke = shard ? &shard->woke : a->awaited.word;
	const uint64_t bit = !d->wakes ? 0 : shard ? 1 : a->awaited.bit;

	while (d->at < end) {
		size_t moment = next_moment(a, d, *moved, end);

		if (moment == end) {
			d->at = end;
			break;
		}
		run_moment(a, d, moved, moment);
		if (bit != 0 && HD_UNLIKELY(*woke & bit)) {
			*woke &= ~bit;
			end = hold(a, d, moment, end);
		}
	}
	settle_clocks(a, d);
}

void hd__ahead_window(const struct hd_ahead *a, struct hd_domain *d)
{
	for (struct hd_pulse *p = d->pulses; p < d->silent; p++) {
		p->next = a->paces[p->pace].next;
		p->ticks = a->paces[p->pace].ticks;
	}
	d->at = d->ran = 0;
	d->switched = 0;
	d->held = false;
	for (uint32_t i = 0; i < d->nticks; i++) {
		struct hd_tick *t = &d->ticks[i];

		d->generation += t->on != t->clock->on; /* by the lock step */
		t->on = t->clock->on;
		t->begin = t->column == HD_GATED ? t->clock->now : a->begin[t->column];
	}
	find_live(d);
}

void hd__domain_arriving(const struct hd_ahead *a, struct hd_crossing *x)
{
	struct hd_domain *d = &a->domains[x->to];
	const struct hd_type *type = x->channel->type;

	if (type->record == 0 || type->size != sizeof(uint32_t) || x->channel->slotted)
		return;
	for (size_t i = 0; i < a->s->npools; i++)
		if (strcmp(a->s->pools[i].type->name, type->name) == 0)
			x->records = a->s->pools[i].pool->base;
	if (x->records == NULL)
		return;
	x->fetched = x->channel->chan->tail;
	d->arriving = hd__xappend(d->arriving, d->narriving, sizeof(struct hd_crossing *));
	d->arriving[d->narriving++] = x;
}

/* What other domains have put since it ran last refers to records that they have touched last, and it touches next. */
static void fetch_records(struct hd_domain *d)
{
	for (uint32_t i = 0; i < d->narriving; i++) {
		struct hd_crossing *x = d->arriving[i];
		const struct hd_chan *c = x->channel->chan;

		for (; x->fetched != c->tail; x->fetched++) {
			uint32_t handle;

			memcpy(&handle, c->data + (size_t)(x->fetched & c->mask) * sizeof handle, sizeof handle);
			__builtin_prefetch(x->records + (size_t)handle * x->channel->type->record, 1, 2);
		}
	}
}

void hd__ahead_apart(struct hd_ahead *a, uint32_t domain, size_t end)
{
	struct hd_domain *d = &a->domains[domain];
	struct hd_shard *shard = d->shard != HD_NO_SHARD ? &a->s->shards[d->shard] : NULL;
	uint64_t *moved = hd__gates_moved(a->s, d->shard);

	*moved = d->moved;
	d->row = HD_NO_ROW; /* others have run */
	for (struct hd_pulse *p = d->pulses; p < d->silent; p++)
		p->seen = HD_NO_TICKS;
	fetch_records(d);
	if (shard)
		shard->runs = true;
	run(a, d, moved, end);
	if (shard)
		shard->runs = false;
	d->moved = *moved;
	if (d->at == a->nmoments)
		hd__domain_fill(d);
}

size_t hd__ahead_own_moment(const struct hd_ahead *a)
{
	const struct hd_instance *in = a->awaited.instance;
	const struct hd_process *t = &a->s->processes[in->rank];
	size_t from = a->domains[a->awaited.domain].at;

	if (a->s->awake[in->rank / 64] >> in->rank % 64 & 1)
		return hd__ahead_awaited_tick(a, from);
	if (!(a->s->noted[in->rank / 64].armed >> in->rank % 64 & 1))
		return a->nmoments;
	return hd__ahead_reaches(a, a->open_pace[a->awaited.column], t->due - a->begin[a->awaited.column], from);
}
