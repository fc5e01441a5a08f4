/* observe.c - follows events, records and statistics of a run for a dump
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "observe.h"

/* ---- fields and filters ---- */

static unsigned count_fields(const struct hd_field *v, unsigned most)
{
	unsigned n = 0;

	while (v && n < most && v[n].name)
		n++;
	return n;
}

static void make_fields(struct hd_field_set *f, const struct hd_field *v, unsigned most,
                        struct hd_filter *filter)
{
	*f = (struct hd_field_set){ .v = v, .n = count_fields(v, most), .span = -1, .key = -1 };
	f->wanted = hd__xcalloc(f->n, sizeof *f->wanted);
	for (unsigned i = 0; i < f->n; i++) {
		for (size_t k = 0; k < filter->nfields; k++) {
			if (strcmp(filter->fields[k].name, v[i].name) != 0)
				continue;
			f->wanted[i] = filter->fields[k].ranges;
			filter->fields[k].used = f->filtered = true;
		}
		if (v[i].flags & HD_FIELD_HIDDEN)
			continue;
		if (v[i].flags & HD_FIELD_SPAN)
			f->span = (int)f->nstored;
		if (v[i].flags & HD_FIELD_KEY)
			f->key = (int)f->nstored;
		f->stored[f->nstored++] = (uint8_t)i;
	}
}

bool hd__fields_wanted(const struct hd_field_set *f, const int64_t *all)
{
	for (unsigned i = 0; f->filtered && i < f->n; i++)
		if (!hd__in_ranges(&f->wanted[i], (uint64_t)all[i]))
			return false;
	return true;
}

void hd__fields_store(const struct hd_field_set *f, const int64_t *all, int64_t *out)
{
	for (unsigned i = 0; i < f->nstored; i++)
		out[i] = all[f->stored[i]];
}

/* ---- the log ---- */

#define LONGEST 96u /* words that are said at once */

static void next_log(struct hd_observer *o)
{
	if (o->log)
		o->log->n = (uint32_t)(o->at - o->log->words);
	o->log = hd__dump_log(o->dump, o->log);
	o->at = o->log->words;
	o->full = o->log->words + HD_LOG_WORDS - LONGEST;
}

static void say_cycle(struct hd_observer *o, uint64_t cycle)
{
	if (o->at > o->full)
		next_log(o);
	*o->at++ = HD_SAID_CYCLE;
	memcpy(o->at, &cycle, sizeof cycle);
	o->at += 2;
	o->logged = *o->period;
}

/* A function of its own, so that those who say something need not keep anything over it. */
static __attribute__((noinline, cold)) void make_ready(struct hd_observer *o)
{
	if (*o->period != o->logged)
		say_cycle(o, *o->period);
	if (o->at > o->full)
		next_log(o);
}

/* Where to say something that belongs to the present cycle; the caller moves o->at on. */
static inline uint32_t *say(struct hd_observer *o)
{
	if (HD_UNLIKELY(*o->period != o->logged) || HD_UNLIKELY(o->at > o->full))
		make_ready(o);
	return o->at;
}

static inline uint32_t head(enum hd_said what, const struct hd_lives *l, uint32_t handle)
{
	return what | (handle | l->index << HD_HANDLE_BITS) << HD_SAID_BITS;
}

/* ---- events ---- */

void hd__emit(const struct hd_ctx *c, unsigned event, const int64_t *v)
{
	struct hd_sim *s = c->sim;
	struct hd_observer *o = s->observer;
	const struct hd_event_table *t;
	uint32_t *p;

	if (HD_UNLIKELY(s->opt.event != NULL))
		s->opt.event(s->opt.event_arg, c->instance, event, v);
	if (!o || !o->open || !(t = o->said_by[c->instance->number]) || !t[event].table)
		return;
	t += event;
	p = say(o);
	o->at += 2 + 2 * t->fields.n;
	p[0] = HD_SAID_EVENT | t->number << HD_SAID_BITS;
	p[1] = c->instance->number;
	memcpy(p + 2, v, t->fields.n * sizeof *v);
}

void hd__observe_def(struct hd_observer *o, struct hd_def *def)
{
	uint32_t *p = say(o);

	p[0] = HD_SAID_OTHER | HD_SAID_DEF << HD_SAID_BITS;
	memcpy(p + 1, &def, sizeof def);
	o->at = p + 1 + sizeof def / sizeof *p;
}

/* ---- lives ---- */

static inline void say_step(struct hd_observer *o, uint32_t what, uint32_t place)
{
	uint32_t *p = say(o);

	p[0] = what;
	p[1] = place;
	o->at = p + 2;
}

static inline uint32_t handle_at(const struct hd_chan *c, uint32_t place)
{
	uint32_t h;

	memcpy(&h, c->data + (size_t)place * sizeof h, sizeof h);
	return h;
}

void hd__watch_put(struct hd_chan *c, uint32_t place)
{
	const struct hd_watch *w = c->watch;

	say_step(w->observer, w->head | handle_at(c, place) << HD_SAID_BITS, w->place);
}

void hd__watch_take(struct hd_chan *c, uint32_t place, uint32_t taker)
{
	const struct hd_watch *w = c->watch;

	say_step(w->observer, w->head | handle_at(c, place) << HD_SAID_BITS, w->taken[taker]);
}

static inline bool followed(const struct hd_lives *l)
{
	return l && l->open;
}

void hd__mark(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle, unsigned mark,
              uint32_t arg)
{
	const struct hd_lives *l = p->lives;
	uint32_t place, *to;

	if (!followed(l))
		return;
	place = c->instance->marks[mark];
	to = say(l->observer);
	to[0] = l->head | handle << HD_SAID_BITS;
	to[1] = place;
	to[2] = arg;
	l->observer->at = to + 2 + (place >> 31); /* HD_PLACE_ARG */
}

/* Says something about a record together with those of its bytes that count. */
static uint32_t *say_record(struct hd_lives *l, enum hd_said what, uint32_t handle, uint32_t more)
{
	const unsigned char *rec = hd_rec(l->pool, handle);
	uint32_t *p = say(l->observer);

	l->observer->at += 1 + l->words + more;
	p[0] = head(what, l, handle);
	memcpy(p + 1, rec + l->begin, l->words * sizeof *p);
	return p + 1 + l->words;
}

void hd__life_over(struct hd_pool *p, uint32_t handle)
{
	if (followed(p->lives))
		say_record(p->lives, HD_SAID_OVER, handle, 0);
}

uint32_t hd_life_keep(struct hd_pool *p, uint32_t handle)
{
	struct hd_lives *l = p->lives;
	uint32_t number;

	if (!followed(l))
		return 0;
	if (l->nnumbers > 0) {
		number = l->numbers[--l->nnumbers];
	} else {
		number = ++l->given;
		l->numbers = hd__xrealloc(l->numbers, l->given * sizeof *l->numbers);
	}
	*say_record(l, HD_SAID_KEEP, handle, 1) = number;
	return number;
}

static void say_kept(struct hd_lives *l, uint32_t life, uint32_t place, uint32_t arg)
{
	uint32_t *p = say(l->observer);

	l->observer->at += 3;
	p[0] = head(HD_SAID_KEPT, l, life);
	p[1] = place;
	p[2] = arg;
}

void hd_life_mark(const struct hd_ctx *c, struct hd_pool *p, uint32_t life, unsigned mark,
                  uint32_t arg)
{
	if (followed(p->lives) && life)
		say_kept(p->lives, life, c->instance->marks[mark], arg);
}

/* Said even when nobody listens, so that the number is free on both sides. */
void hd_life_end(struct hd_pool *p, uint32_t life)
{
	struct hd_lives *l = p->lives;

	if (!l || !life)
		return;
	say_kept(l, life, 0, 0);
	l->numbers[l->nnumbers++] = life;
}

/* Who has not come to an end when nobody looks any more. */
static void say_unfinished(struct hd_observer *o)
{
	for (size_t i = 0; i < o->npools; i++)
		for (uint32_t h = 1; o->lives[i].table && h < o->lives[i].pool->fresh; h++)
			say_record(&o->lives[i], HD_SAID_UNFINISHED, h, 0);
	*say(o) = HD_SAID_OTHER | HD_SAID_CLOSED << HD_SAID_BITS;
	o->at++;
}

/* ---- causes ---- */

#define CHAIN 16 /* instances that wait for each other in a row */

uint32_t hd_why(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot)
{
	const struct hd_chan *ch = end->ch;

	if (!c->sim->observer)
		return 0;
	for (int i = 0; ch && i < CHAIN; i++) {
		const struct hd_taker *t = &ch->watch->taker[slot % 64];
		struct hd_answer a;

		if (!t->why)
			return t->cause;
		a = t->why(t->state, t->port, t->link);
		if (!a.behind)
			return t->cause + 1 + a.reason;
		ch = a.behind->ch;
		slot = a.slot;
	}
	return 0;
}

/* ---- statistics ---- */

static void say_sample(struct hd_observer *o, uint32_t counter, int64_t more)
{
	uint32_t *p = say(o);

	o->at += 4;
	p[0] = HD_SAID_EVENT | o->sample_table.number << HD_SAID_BITS;
	p[1] = counter;
	memcpy(p + 2, &more, sizeof more);
}

static void sample(struct hd_observer *o)
{
	struct hd_sim *s = o->sim;
	size_t n = 0;

	hd__sim_settle(s);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		const struct hd_stat *st = in->module->stats;

		for (; st && st->name; st++, n++) {
			int64_t more;
			uint64_t v;

			memcpy(&v, (const char *)in->state + st->offset, sizeof v);
			more = (int64_t)(v - o->sampled[n]);
			o->sampled[n] = v;
			if (more && o->open && o->instance_wanted[i])
				say_sample(o, (uint32_t)n, more);
		}
	}
}

/* ---- windows ---- */

static void set_next(struct hd_observer *o)
{
	const struct hd_range_list *w = &o->opt->filter.cycles;
	uint64_t at = o->sample_table.table ? o->next_sample : UINT64_MAX;

	if (o->window < w->n) {
		const struct hd_range *r = &w->v[o->window];
		/* opened and closed at the end of the period before */
		uint64_t then = !o->open ? r->first : r->last < UINT64_MAX ? r->last + 1 : UINT64_MAX;

		at = then < at ? then : at;
	}
	o->sim->observe_at = at ? at : 1;
}

static uint32_t events_wanted(const struct hd_observer *o, size_t instance)
{
	const struct hd_event *e = o->sim->instances[instance].module->events;
	uint32_t set = 0;

	for (unsigned i = 0; e && e[i].name && o->said_by[instance]; i++)
		if (o->said_by[instance][i].table)
			set |= UINT32_C(1) << (i < 31 ? i : 31);
	return set;
}

static void listen(struct hd_observer *o, bool open)
{
	struct hd_sim *s = o->sim;

	o->open = open;
	for (size_t i = 0; i < o->npools; i++)
		o->lives[i].open = open;
	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		in->ctx.observed = open || s->opt.event != NULL;
		in->ctx.events = s->opt.event ? UINT32_MAX : open ? events_wanted(o, i) : 0;
		if (open && in->rank != HD_NO_TURN) /* begins to look at itself */
			hd_wake(in->ctx.self);
	}
	for (size_t i = 0; i < s->nchannels; i++) {
		struct hd_chan *c = s->channels[i]->chan;

		if (open && o->watches[i].lives && o->watches[i].lives->table)
			c->flags |= HD_CHAN_WATCHED;
		else
			c->flags &= ~(uint32_t)HD_CHAN_WATCHED;
	}
}

void hd__observe_window(struct hd_sim *s, bool open)
{
	struct hd_observer *o = s->observer;

	if (!o || o->open == open)
		return;
	hd__sim_settle(s);
	if (!open) {
		say_cycle(o, *o->period + 1); /* what is said now belongs to the cycle behind */
		for (size_t i = 0; i < s->ninstances; i++)
			if (s->instances[i].module->flush)
				s->instances[i].module->flush(s->instances[i].state);
		say_unfinished(o);
	}
	listen(o, open);
}

void hd__observe_due(struct hd_sim *s)
{
	struct hd_observer *o = s->observer;
	const struct hd_range_list *w = &o->opt->filter.cycles;
	uint64_t next = s->roots[0].period + 1;

	if (o->sample_table.table && next >= o->next_sample) {
		sample(o);
		while (o->next_sample <= next)
			o->next_sample += o->opt->sample;
	}
	if (o->window < w->n && o->open && next > w->v[o->window].last) {
		hd__observe_window(s, false);
		o->window++;
	}
	if (o->window < w->n && !o->open && next >= w->v[o->window].first)
		hd__observe_window(s, true);
	set_next(o);
}

/* ---- opening ---- */

static void number_places(struct hd_observer *o)
{
	struct hd_sim *s = o->sim;
	uint32_t causes = 1;

	o->first_place = hd__xcalloc(s->ninstances, sizeof *o->first_place);
	o->first_cause = hd__xcalloc(s->ninstances, sizeof *o->first_cause);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_module *m = s->instances[i].module;

		o->first_place[i] = o->nplaces++;
		for (const struct hd_mark *k = m->marks; k && k->name; k++)
			o->nplaces++;
		o->first_cause[i] = causes++; /* nobody knows why */
		for (const struct hd_reason *r = m->reasons; r && r->name; r++)
			causes++;
	}
}

static uint32_t count_before(const struct hd_channel *c, const struct hd_link_end *e)
{
	const struct hd_port *p = &e->instance->module->ports[e->port];
	const struct hd_ends *v;
	uint32_t i = 0;

	if (!(p->flags & HD_ARRAY))
		return 0;
	v = (const struct hd_ends *)((const char *)e->instance->state + p->offset);
	while (i < v->n && v->v[i].ch != c->chan)
		i++;
	return i;
}

static void watch_channels(struct hd_observer *o)
{
	struct hd_sim *s = o->sim;

	o->watches = hd__xcalloc(s->nchannels, sizeof *o->watches);
	for (size_t i = 0; i < s->nchannels; i++) {
		struct hd_channel *c = s->channels[i];
		struct hd_watch *w = &o->watches[i];

		w->channel = c;
		w->place = o->nplaces++;
		for (size_t k = 0; k < c->nto; k++) {
			const struct hd_instance *in = c->to[k].instance;
			uint32_t link = count_before(c, &c->to[k]);

			for (unsigned slot = 0; slot < 64; slot++)
				if (k == 0 || (c->slotted && c->to[k].slots >> slot & 1)) {
					w->taken[slot] = o->first_place[in->number];
					w->taker[slot] = (struct hd_taker){ in->module->why, in->state,
						c->to[k].port, link, o->first_cause[in->number] };
				}
		}
		for (size_t k = 0; k < s->npools && c->type->record; k++)
			if (strcmp(s->pools[k].type->name, c->type->name) == 0)
				w->lives = &o->lives[k];
		if (w->lives)
			w->head = w->lives->head;
		w->observer = o;
		c->chan->watch = w;
	}
}

/* The bytes of a record from its first field to its last. */
static void bound_fields(struct hd_lives *l)
{
	uint32_t begin = UINT32_MAX, end = 0;

	for (unsigned i = 0; i < l->fields->n; i++) {
		const struct hd_field *f = &l->fields->v[i];

		begin = f->offset < begin ? f->offset : begin;
		end = f->offset + f->size > end ? f->offset + f->size : end;
	}
	l->begin = l->fields->n ? begin : 0;
	l->words = l->fields->n ? (end - begin + 3) / 4 : 0;
	if (l->begin + 4 * l->words > l->type->record) /* the last word would reach beyond it */
		l->begin -= l->begin + 4 * l->words - l->type->record;
}

static void open_lives(struct hd_observer *o, struct hd_filter *f)
{
	struct hd_sim *s = o->sim;

	o->npools = s->npools;
	o->lives = hd__xcalloc(s->npools, sizeof *o->lives);
	for (size_t i = 0; i < s->npools; i++) {
		struct hd_lives *l = &o->lives[i];

		*l = (struct hd_lives){ .observer = o, .type = s->pools[i].type,
			                .pool = s->pools[i].pool, .number = o->ntables++,
			                .index = (uint32_t)i, .follow = hd__follow_new() };
		l->head = head(HD_SAID_STEP, l, 0);
		l->fields = hd__xcalloc(1, sizeof *l->fields);
		make_fields(l->fields, l->type->fields, HD_MOST_FIELDS, f);
		bound_fields(l);
	}
}

static const struct hd_field sample_fields[] = {
	{ .name = "growth" }, { .name = NULL },
};

static void open_events(struct hd_observer *o, struct hd_filter *f)
{
	struct hd_sim *s = o->sim;

	o->modules = hd__xcalloc(s->ninstances, sizeof *o->modules);
	o->events = hd__xcalloc(s->ninstances, sizeof *o->events);
	o->said_by = hd__xcalloc(s->ninstances, sizeof *o->said_by);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_module *m = s->instances[i].module;
		size_t k = 0, n = 0;

		while (k < o->nmodules && o->modules[k] != m)
			k++;
		if (k < o->nmodules) {
			o->said_by[i] = o->events[k];
			continue;
		}
		o->modules[o->nmodules++] = m;
		while (m->events && m->events[n].name)
			n++;
		o->events[k] = hd__xcalloc(n, sizeof **o->events);
		for (size_t e = 0; e < n; e++) {
			o->events[k][e].number = o->ntables++;
			make_fields(&o->events[k][e].fields, m->events[e].fields, HD_EVENT_FIELDS, f);
		}
		o->said_by[i] = o->events[k];
	}
	o->sample_table.number = o->ntables++;
	make_fields(&o->sample_table.fields, sample_fields, 1, &(struct hd_filter){ .nfields = 0 });
}

/* The tables that the filter leaves. */
static void open_tables(struct hd_observer *o)
{
	const struct hd_filter *f = &o->opt->filter;

	o->tables = hd__xcalloc(o->ntables, sizeof *o->tables);
	for (size_t i = 0; i < o->npools; i++) {
		struct hd_lives *l = &o->lives[i];

		if (l->fields->n == 0 || i >= HD_MOST_POOLS || !hd__filter_event(f, l->type->name, false))
			continue;
		l->table = hd__dump_table(o->dump, l->number, HD_TABLE_LIVES, l->fields->nstored, -1,
		                          l->fields->key);
		l->pool->lives = l;
	}
	for (size_t k = 0; k < o->nmodules; k++) {
		const struct hd_event *e = o->modules[k]->events;

		for (struct hd_event_table *t = o->events[k]; e && e->name; e++, t++) {
			char *name = hd__format("%s.%s", o->modules[k]->name, e->name);

			if (hd__filter_event(f, name, e->flags & HD_EVENT_DETAIL))
				t->table = hd__dump_table(o->dump, t->number, HD_TABLE_EVENTS,
				                          t->fields.nstored, t->fields.span,
				                          t->fields.key);
			o->tables[t->number] = t;
			free(name);
		}
	}
	if (o->opt->sample && hd__filter_event(f, "counters", false))
		o->sample_table.table = hd__dump_table(o->dump, o->sample_table.number,
		                                       HD_TABLE_SAMPLES, 1, -1, -1);
	o->tables[o->sample_table.number] = &o->sample_table;
}

static void name_places(struct hd_observer *o)
{
	struct hd_sim *s = o->sim;

	o->place_word = hd__xcalloc(o->nplaces, sizeof *o->place_word);
	for (uint32_t i = 0; i < o->nplaces; i++)
		o->place_word[i] = i;
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_mark *k = s->instances[i].module->marks;

		s->instances[i].marks = &o->place_word[o->first_place[i] + 1];
		for (uint32_t p = o->first_place[i] + 1; k && k->name; k++, p++)
			o->place_word[p] |= k->arg ? HD_PLACE_ARG : 0;
	}
}

static void choose_places(struct hd_observer *o)
{
	const struct hd_filter *f = &o->opt->filter;
	struct hd_sim *s = o->sim;

	o->instance_wanted = hd__xcalloc(s->ninstances, sizeof *o->instance_wanted);
	for (size_t i = 0; i < s->ninstances; i++) {
		o->instance_wanted[i] = hd__filter_instance(f, s->instances[i].path);
		if (!o->instance_wanted[i])
			o->said_by[i] = NULL;
	}
	if (f->ninstances == 0)
		return;
	o->place_wanted = hd__xcalloc(o->nplaces, sizeof *o->place_wanted);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_mark *k = s->instances[i].module->marks;
		uint32_t place = o->first_place[i];

		if (!o->instance_wanted[i])
			continue;
		o->place_wanted[place] = true;
		for (; k && k->name; k++)
			o->place_wanted[++place] = true;
	}
}

static bool all_fields_used(const struct hd_filter *f)
{
	bool ok = true;

	for (size_t i = 0; i < f->nfields; i++)
		if (!f->fields[i].used) {
			fprintf(stderr, "heddle: --dump-filter: nothing in this core has a field '%s'; "
			        "expected 'cycle', 'event', 'instance' or a field that 'heddle modules' "
			        "names\n", f->fields[i].name);
			ok = false;
		}
	return ok;
}

static bool is_table(const struct hd_observer *o, const char *pattern)
{
	bool yes = hd__filter_matches(pattern, "counters");

	for (size_t i = 0; i < o->npools && !yes; i++)
		yes = hd__filter_matches(pattern, o->lives[i].type->name);
	for (size_t k = 0; k < o->nmodules && !yes; k++)
		for (const struct hd_event *e = o->modules[k]->events; e && e->name && !yes; e++) {
			char *name = hd__format("%s.%s", o->modules[k]->name, e->name);

			yes = hd__filter_matches(pattern, name);
			free(name);
		}
	return yes;
}

static bool is_instance(const struct hd_sim *s, const char *pattern)
{
	for (size_t i = 0; i < s->ninstances; i++)
		if (hd__filter_matches(pattern, s->instances[i].path))
			return true;
	return false;
}

/* A slip in a pattern would be noticed when the run is over and its dump is empty. */
static bool all_patterns_match(const struct hd_observer *o, const struct hd_filter *f)
{
	bool ok = true;

	for (size_t i = 0; i < f->nevents; i++)
		if (!is_table(o, f->events[i])) {
			fprintf(stderr, "heddle: --dump-filter: nothing in this core reports '%s'; expected "
			        "'inst', 'counters' or MODULE.EVENT of 'heddle modules', such as "
			        "issue.slot or issue.*\n", f->events[i]);
			ok = false;
		}
	for (size_t i = 0; i < f->ninstances; i++)
		if (!is_instance(o->sim, f->instances[i])) {
			char *elements = hd__format("%s[*]", f->instances[i]);

			if (is_instance(o->sim, elements))
				fprintf(stderr, "heddle: --dump-filter: '%s' is an array; expected one of its "
				        "elements, or '%s' for all\n", f->instances[i], elements);
			else
				fprintf(stderr, "heddle: --dump-filter: this core has no instance '%s'; "
				        "'heddle flatten' lists them\n", f->instances[i]);
			free(elements);
			ok = false;
		}
	return ok;
}

bool hd__observe_open(struct hd_sim *s, struct hd_observe_options *opt)
{
	struct hd_observer *o = hd__xcalloc(1, sizeof *o);
	struct hd_def *def;
	json_t *meta;
	bool known;

	o->sim = s;
	o->opt = opt;
	s->observer = o;
	open_lives(o, &opt->filter);
	open_events(o, &opt->filter);
	number_places(o);
	watch_channels(o);
	name_places(o);
	choose_places(o);
	for (size_t i = 0; i < s->ninstances; i++)
		for (const struct hd_stat *st = s->instances[i].module->stats; st && st->name; st++)
			o->ncounters++;
	o->sampled = hd__xcalloc(o->ncounters, sizeof *o->sampled);
	o->next_sample = opt->sample;
	known = all_fields_used(&opt->filter);
	if (all_patterns_match(o, &opt->filter) && known) {
		meta = hd__observe_meta(s, opt);
		o->dump = hd__dump_open(opt->path, meta, hd__replay, o);
	}
	if (!o->dump) {
		hd__observe_free(s);
		return false;
	}
	next_log(o);
	o->period = &s->roots[0].period;
	o->logged = *o->period - 1; /* nothing */
	open_tables(o);
	while ((def = hd__defs_take(s)) != NULL)
		hd__observe_def(o, def);
	if (opt->filter.cycles.n == 0 || opt->filter.cycles.v[0].first == 0)
		listen(o, true);
	set_next(o);
	return true;
}

bool hd__observe_close(struct hd_sim *s, const char *status)
{
	struct hd_observer *o = s->observer;
	json_t *end;
	bool ok;

	if (o->sample_table.table && s->roots[0].period != UINT64_MAX)
		sample(o);
	hd__observe_window(s, false);
	end = hd__stats_json(s, status);
	json_object_set_new(end, "edges", json_integer((json_int_t)hd__sim_cycles(s)));
	o->log->n = (uint32_t)(o->at - o->log->words);
	ok = hd__dump_close(o->dump, o->log, end);
	json_decref(end);
	o->dump = NULL;
	hd__observe_free(s);
	return ok;
}

void hd__observe_free(struct hd_sim *s)
{
	struct hd_observer *o = s->observer;

	for (size_t i = 0; i < s->nchannels; i++) {
		s->channels[i]->chan->watch = NULL;
		s->channels[i]->chan->flags &= ~(uint32_t)HD_CHAN_WATCHED;
	}
	for (size_t i = 0; i < o->npools; i++) {
		struct hd_lives *l = &o->lives[i];

		hd__follow_free(l->follow);
		free(l->fields->wanted);
		free(l->fields);
		free(l->numbers);
		l->pool->lives = NULL;
	}
	for (size_t k = 0; k < o->nmodules; k++) {
		const struct hd_event *e = o->modules[k]->events;

		for (size_t i = 0; e && e[i].name; i++)
			free(o->events[k][i].fields.wanted);
		free(o->events[k]);
	}
	free(o->lives);
	free(o->watches);
	free(o->first_place);
	free(o->first_cause);
	free(o->place_wanted);
	free(o->instance_wanted);
	free(o->modules);
	free(o->events);
	free(o->said_by);
	free(o->place_word);
	free(o->sample_table.fields.wanted);
	free(o->sampled);
	free(o->tables);
	free(o);
	s->observer = NULL;
	s->observe_at = UINT64_MAX;
}
