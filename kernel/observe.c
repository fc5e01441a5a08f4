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
		f->nstored++;
	}
}

static bool wanted(const struct hd_field_set *f, const int64_t *all)
{
	for (unsigned i = 0; f->filtered && i < f->n; i++)
		if (!hd__in_ranges(&f->wanted[i], (uint64_t)all[i]))
			return false;
	return true;
}

/* Drops the hidden ones. */
static void store(const struct hd_field_set *f, const int64_t *all, int64_t *out)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!(f->v[i].flags & HD_FIELD_HIDDEN))
			*out++ = all[i];
}

static uint64_t present(const struct hd_sim *s)
{
	return s->roots[0].period;
}

/* ---- events ---- */

void hd__emit(const struct hd_ctx *c, unsigned event, const int64_t *v)
{
	struct hd_sim *s = c->sim;
	const struct hd_observer *o = s->observer;
	const struct hd_event_table *t;
	int64_t row[HD_EVENT_FIELDS];

	if (s->opt.event)
		s->opt.event(s->opt.event_arg, c->instance, event, v);
	if (!o || !o->open)
		return;
	t = &o->events[o->module_of[c->instance->number]][event];
	if (!t->table || !o->instance_wanted[c->instance->number] || !wanted(&t->fields, v))
		return;
	store(&t->fields, v, row);
	hd__dump_row(t->table, present(s), c->instance->number, row);
}

/* ---- lives ---- */

/* What an instance reports in the cycle in which it took a record hides that it took it, so that
 * each step lasts. */
static void step(const struct hd_lives *l, struct hd_life *f, uint32_t place, uint32_t arg)
{
	uint64_t now = present(l->observer->sim);

	if (f->n == 0) {
		f->begin = now;
	} else {
		struct hd_step *last = &f->v[f->n - 1];

		if (last->place == place && last->arg == arg)
			return;
		if (now - f->begin > UINT32_MAX)
			return; /* a record that is older than any counter of its age */
		if (last->at == now - f->begin)
			f->n--;
	}
	if (f->n == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 16;
		f->v = hd__xrealloc(f->v, f->cap * sizeof *f->v);
	}
	f->v[f->n++] = (struct hd_step){ (uint32_t)(now - f->begin), place, arg };
}

static struct hd_life *life_of(struct hd_lives *l, uint32_t handle)
{
	if (handle >= l->cap) {
		uint32_t cap = handle + handle / 2 + 64;

		l->v = hd__xrealloc(l->v, cap * sizeof *l->v);
		memset(l->v + l->cap, 0, (cap - l->cap) * sizeof *l->v);
		l->cap = cap;
	}
	return &l->v[handle];
}

static uint32_t handle_at(const struct hd_chan *c, uint32_t place)
{
	uint32_t h;

	memcpy(&h, c->data + (size_t)place * sizeof h, sizeof h);
	return h;
}

void hd__watch_put(struct hd_chan *c, uint32_t place)
{
	const struct hd_watch *w = c->watch;

	step(w->lives, life_of(w->lives, handle_at(c, place)), w->place, 0);
}

void hd__watch_take(struct hd_chan *c, uint32_t place)
{
	const struct hd_watch *w = c->watch;

	step(w->lives, life_of(w->lives, handle_at(c, place)),
	     w->taken[c->flags & HD_CHAN_SLOTS ? place : 0], 0);
}

static uint32_t mark_place(const struct hd_ctx *c, unsigned mark)
{
	const struct hd_instance *in = c->instance;

	return (c->sim->observer->first_place[in->number] + 1 + mark)
	       | (in->module->marks[mark].arg ? HD_PLACE_ARG : 0);
}

void hd__mark(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle, unsigned mark,
              uint32_t arg)
{
	struct hd_lives *l = p->lives;

	if (l && l->table && l->observer->open)
		step(l, life_of(l, handle), mark_place(c, mark), arg);
}

static void read_fields(const struct hd_lives *l, uint32_t handle, int64_t *all)
{
	const unsigned char *rec = hd_rec(l->pool, handle);

	for (unsigned i = 0; i < l->fields->n; i++) {
		const struct hd_field *f = &l->fields->v[i];
		uint64_t v = 0;

		memcpy(&v, rec + f->offset, f->size); /* little-endian, as dumps are */
		all[i] = (int64_t)v;
	}
}

static bool was_there(const struct hd_observer *o, const struct hd_life *f)
{
	for (uint32_t i = 0; o->place_wanted && i < f->n; i++)
		if (o->place_wanted[f->v[i].place & ~HD_PLACE_ARG])
			return true;
	return !o->place_wanted;
}

static void write_life(struct hd_lives *l, struct hd_life *f, const int64_t *all, bool unfinished)
{
	int64_t row[64];

	if (f->n > 0 && wanted(l->fields, all) && was_there(l->observer, f)) {
		store(l->fields, all, row);
		hd__dump_life(l->table, f->begin, present(l->observer->sim), unfinished, row, f->v,
		              f->n);
	}
	f->n = 0;
}

void hd__life_over(struct hd_pool *p, uint32_t handle)
{
	struct hd_lives *l = p->lives;
	int64_t all[64];

	if (handle >= l->cap || l->v[handle].n == 0)
		return;
	read_fields(l, handle, all);
	write_life(l, &l->v[handle], all, false);
}

uint32_t hd_life_keep(struct hd_pool *p, uint32_t handle)
{
	struct hd_lives *l = p->lives;
	struct hd_kept *k;
	struct hd_life life;
	uint32_t i;

	if (!l || handle >= l->cap || l->v[handle].n == 0)
		return 0;
	if (l->free_kept) {
		i = l->free_kept - 1;
		l->free_kept = l->kept[i].next;
	} else {
		i = l->nkept++;
		l->kept = hd__xrealloc(l->kept, l->nkept * sizeof *l->kept);
		l->kept[i] = (struct hd_kept){ .all = hd__xcalloc(l->fields->n, sizeof(int64_t)) };
	}
	k = &l->kept[i];
	k->dead = false;
	life = k->life; /* its memory goes to the record's next life */
	life.n = 0;
	k->life = l->v[handle];
	l->v[handle] = life;
	read_fields(l, handle, k->all);
	return i + 1;
}

void hd_life_mark(const struct hd_ctx *c, struct hd_pool *p, uint32_t life, unsigned mark,
                  uint32_t arg)
{
	struct hd_lives *l = p->lives;

	if (l && life && !l->kept[life - 1].dead)
		step(l, &l->kept[life - 1].life, mark_place(c, mark), arg);
}

void hd_life_end(struct hd_pool *p, uint32_t life)
{
	struct hd_lives *l = p->lives;
	struct hd_kept *k;

	if (!l || !life)
		return;
	k = &l->kept[life - 1];
	if (!k->dead)
		write_life(l, &k->life, k->all, false);
	k->dead = true;
	k->next = l->free_kept;
	l->free_kept = life;
}

/* Who has not come to an end when nobody looks any more. */
static void write_unfinished(struct hd_lives *l)
{
	int64_t all[64];

	for (uint32_t h = 1; h < l->cap; h++) {
		if (l->v[h].n == 0)
			continue;
		read_fields(l, h, all);
		write_life(l, &l->v[h], all, true);
	}
	for (uint32_t i = 0; i < l->nkept; i++) {
		if (!l->kept[i].dead)
			write_life(l, &l->kept[i].life, l->kept[i].all, true);
		l->kept[i].dead = true;
	}
}

/* ---- causes ---- */

static const struct hd_end *end_of(const struct hd_instance *in, unsigned port, uint32_t link)
{
	const struct hd_port *p = &in->module->ports[port];
	const void *at = (const char *)in->state + p->offset;

	if (p->kind != HD_OUT)
		return NULL;
	if (p->flags & HD_ARRAY)
		return link < ((const struct hd_ends *)at)->n ? &((const struct hd_ends *)at)->v[link]
		                                              : NULL;
	return ((const struct hd_end *)at)->ch ? at : NULL;
}

#define CHAIN 16 /* instances that wait for each other in a row */

uint32_t hd_why(const struct hd_ctx *c, unsigned port, uint32_t link, uint32_t slot)
{
	const struct hd_observer *o = c->sim->observer;
	const struct hd_instance *in = c->instance;

	for (int i = 0; o && i < CHAIN; i++) {
		const struct hd_end *e = end_of(in, port, link);
		const struct hd_watch *w = e ? e->ch->watch : NULL;
		const struct hd_link_end *to;
		struct hd_answer a;
		size_t k = 0;

		if (!w)
			return 0;
		to = w->channel->to;
		if (w->channel->slotted && slot < 64)
			while (k + 1 < w->channel->nto && !(to[k].slots >> slot & 1))
				k++;
		in = to[k].instance;
		if (!in->module->why)
			break;
		a = in->module->why(in->state, to[k].port, w->to_link[k]);
		if (a.reason != HD_BEHIND)
			return o->first_cause[in->number] + 1 + a.reason;
		port = a.port;
		link = a.link;
		slot = a.slot;
	}
	return o ? o->first_cause[in->number] : 0;
}

/* ---- statistics ---- */

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
				hd__dump_row(o->samples, present(s), (int64_t)n, &more);
		}
	}
}

/* ---- windows ---- */

static void set_next(struct hd_observer *o)
{
	const struct hd_range_list *w = &o->opt->filter.cycles;
	uint64_t at = o->samples ? o->next_sample : UINT64_MAX;

	if (o->window < w->n) {
		const struct hd_range *r = &w->v[o->window];
		/* opened and closed at the end of the period before */
		uint64_t then = !o->open ? r->first : r->last < UINT64_MAX ? r->last + 1 : UINT64_MAX;

		at = then < at ? then : at;
	}
	o->sim->observe_at = at ? at : 1;
}

static void listen(struct hd_observer *o, bool open)
{
	struct hd_sim *s = o->sim;

	o->open = open;
	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		in->ctx.observed = open || s->opt.event != NULL;
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
		for (size_t i = 0; i < s->ninstances; i++)
			if (s->instances[i].module->flush)
				s->instances[i].module->flush(s->instances[i].state);
		for (size_t i = 0; i < s->npools && i < o->npools; i++)
			if (o->lives[i].table)
				write_unfinished(&o->lives[i]);
	}
	listen(o, open);
}

void hd__observe_due(struct hd_sim *s)
{
	struct hd_observer *o = s->observer;
	const struct hd_range_list *w = &o->opt->filter.cycles;
	uint64_t next = present(s) + 1;

	if (o->samples && next >= o->next_sample) {
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

static uint32_t count_before(const struct hd_sim *s, const struct hd_channel *c,
                             const struct hd_link_end *e)
{
	const struct hd_port *p = &e->instance->module->ports[e->port];
	const struct hd_ends *v;
	uint32_t i = 0;

	(void)s;
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
		w->to_link = hd__xcalloc(c->nto, sizeof *w->to_link);
		for (size_t k = 0; k < c->nto; k++) {
			w->to_link[k] = count_before(s, c, &c->to[k]);
			for (unsigned slot = 0; slot < 64; slot++)
				if (k == 0 || (c->slotted && c->to[k].slots >> slot & 1))
					w->taken[slot] = o->first_place[c->to[k].instance->number];
		}
		for (size_t k = 0; k < s->npools && c->type->record; k++)
			if (strcmp(s->pools[k].type->name, c->type->name) == 0)
				w->lives = &o->lives[k];
		c->chan->watch = w;
	}
}

static void open_lives(struct hd_observer *o, struct hd_filter *f)
{
	struct hd_sim *s = o->sim;

	o->npools = s->npools;
	o->lives = hd__xcalloc(s->npools, sizeof *o->lives);
	for (size_t i = 0; i < s->npools; i++) {
		struct hd_lives *l = &o->lives[i];

		*l = (struct hd_lives){ .observer = o, .type = s->pools[i].type,
			                .pool = s->pools[i].pool, .number = o->ntables++ };
		l->fields = hd__xcalloc(1, sizeof *l->fields);
		make_fields(l->fields, l->type->fields, 64, f);
	}
}

static void open_events(struct hd_observer *o, struct hd_filter *f)
{
	struct hd_sim *s = o->sim;

	o->modules = hd__xcalloc(s->ninstances, sizeof *o->modules);
	o->events = hd__xcalloc(s->ninstances, sizeof *o->events);
	o->module_of = hd__xcalloc(s->ninstances, sizeof *o->module_of);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_module *m = s->instances[i].module;
		size_t k = 0, n = 0;

		while (k < o->nmodules && o->modules[k] != m)
			k++;
		o->module_of[i] = (uint32_t)k;
		if (k < o->nmodules)
			continue;
		o->modules[o->nmodules++] = m;
		while (m->events && m->events[n].name)
			n++;
		o->events[k] = hd__xcalloc(n, sizeof **o->events);
		for (size_t e = 0; e < n; e++) {
			o->events[k][e].number = o->ntables++;
			make_fields(&o->events[k][e].fields, m->events[e].fields, HD_EVENT_FIELDS, f);
		}
	}
	o->samples_number = o->ntables++;
}

/* The tables that the filter leaves. */
static void open_tables(struct hd_observer *o)
{
	const struct hd_filter *f = &o->opt->filter;

	for (size_t i = 0; i < o->npools; i++) {
		struct hd_lives *l = &o->lives[i];

		if (l->fields->n == 0 || !hd__filter_event(f, l->type->name, false))
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
			free(name);
		}
	}
	if (o->opt->sample && hd__filter_event(f, "counters", false))
		o->samples = hd__dump_table(o->dump, o->samples_number, HD_TABLE_SAMPLES, 1, -1, -1);
}

static void choose_places(struct hd_observer *o)
{
	const struct hd_filter *f = &o->opt->filter;
	struct hd_sim *s = o->sim;

	o->instance_wanted = hd__xcalloc(s->ninstances, sizeof *o->instance_wanted);
	for (size_t i = 0; i < s->ninstances; i++)
		o->instance_wanted[i] = hd__filter_instance(f, s->instances[i].path);
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

bool hd__observe_open(struct hd_sim *s, struct hd_observe_options *opt)
{
	struct hd_observer *o = hd__xcalloc(1, sizeof *o);
	json_t *meta;

	o->sim = s;
	o->opt = opt;
	s->observer = o;
	open_lives(o, &opt->filter);
	open_events(o, &opt->filter);
	number_places(o);
	watch_channels(o);
	choose_places(o);
	for (size_t i = 0; i < s->ninstances; i++)
		for (const struct hd_stat *st = s->instances[i].module->stats; st && st->name; st++)
			o->ncounters++;
	o->sampled = hd__xcalloc(o->ncounters, sizeof *o->sampled);
	o->next_sample = opt->sample;
	if (all_fields_used(&opt->filter)) {
		meta = hd__observe_meta(s, opt);
		o->dump = hd__dump_open(opt->path, meta);
		json_decref(meta);
	}
	if (!o->dump) {
		hd__observe_free(s);
		return false;
	}
	open_tables(o);
	hd__observe_defs(s);
	if (opt->filter.cycles.n == 0 || opt->filter.cycles.v[0].first == 0)
		listen(o, true);
	set_next(o);
	return true;
}

void hd__observe_defs(struct hd_sim *s)
{
	if (s->defs && s->observer->dump)
		hd__dump_defs(s->observer->dump, s->defs);
}

bool hd__observe_close(struct hd_sim *s, const char *status)
{
	struct hd_observer *o = s->observer;
	json_t *end;
	bool ok;

	if (o->samples && present(s) != UINT64_MAX)
		sample(o);
	hd__observe_window(s, false);
	end = hd__stats_json(s, status);
	json_object_set_new(end, "edges", json_integer((json_int_t)hd__sim_cycles(s)));
	ok = hd__dump_close(o->dump, end);
	json_decref(end);
	o->dump = NULL;
	hd__observe_free(s);
	return ok;
}

void hd__observe_free(struct hd_sim *s)
{
	struct hd_observer *o = s->observer;

	for (size_t i = 0; i < s->nchannels; i++) {
		if (o->watches)
			free(o->watches[i].to_link);
		s->channels[i]->chan->watch = NULL;
		s->channels[i]->chan->flags &= ~(uint32_t)HD_CHAN_WATCHED;
	}
	for (size_t i = 0; i < o->npools; i++) {
		struct hd_lives *l = &o->lives[i];

		for (uint32_t k = 0; k < l->cap; k++)
			free(l->v[k].v);
		for (uint32_t k = 0; k < l->nkept; k++) {
			free(l->kept[k].life.v);
			free(l->kept[k].all);
		}
		free(l->fields->wanted);
		free(l->fields);
		free(l->v);
		free(l->kept);
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
	free(o->module_of);
	free(o->sampled);
	free(o);
	s->observer = NULL;
	s->observe_at = UINT64_MAX;
}
