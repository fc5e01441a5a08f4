/* recorder_open.c - selects what a dump records: fields, tables, places, by the filter
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "recorder.h"
#include "base/path.h"

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
		f->first = f->nstored == i;
		f->stored[f->nstored++] = (uint8_t)i;
	}
}

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
		o->first_cause[i] = causes++; /* reason not known */
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
	struct hd_taker *taker;
	size_t ntakers = 0;

	o->watches = hd__xcalloc(s->nchannels, sizeof *o->watches);
	hd__observe_askable(o);
	for (size_t i = 0; i < s->nchannels; i++)
		ntakers += s->channels[i]->nto;
	taker = o->takers = hd__xcalloc(ntakers, sizeof *o->takers);
	for (size_t i = 0; i < s->nchannels; i++) {
		struct hd_channel *c = s->channels[i];
		struct hd_record_watch *w = &o->watches[i];

		w->channel = c;
		for (size_t k = 0; k < o->npools && c->type->record; k++)
			if (strcmp(s->pools[k].type->name, c->type->name) == 0)
				w->transactions = &o->transactions[k];
		w->log.next = w->transactions ? w->transactions->log.next : NULL;
		w->log.now = &s->roots[0].period;
		w->place = o->nplaces++;
		w->log.put = hd__log_word(w->place, 0);
		for (size_t k = 0; k < c->nto; k++, taker++) {
			const struct hd_instance *in = c->to[k].instance;

			*taker = (struct hd_taker){ in->module->stall_cause, in->state, c->to[k].port,
				count_before(c, &c->to[k]), o->first_cause[in->number], in->rank };
			for (unsigned slot = 0; slot < 64; slot++)
				if (k == 0 || (c->slotted && c->to[k].slots >> slot & 1)) {
					w->log.taken[slot] = hd__log_word(o->first_place[in->number], 0);
					w->taker[slot] = taker;
				}
		}
		w->observer = o;
		w->log.watch = (struct hd_watch){ .probe = &hd__record_probe, .log = o->end };
		c->chan->watch = &w->log.watch;
	}
}

/* Finds the bytes of a record that are logged: from its first field to its last, HD_LOG_FEW at least if it has them. */
static void bound_fields(struct hd_transactions *l)
{
	uint32_t begin = UINT32_MAX, end = 0;

	for (unsigned i = 0; i < l->fields->n; i++) {
		const struct hd_field *f = &l->fields->v[i];

		begin = f->offset < begin ? f->offset : begin;
		end = f->offset + f->size > end ? f->offset + f->size : end;
	}
	begin = l->fields->n ? begin : 0;
	l->bytes = end - begin > HD_LOG_FEW ? end - begin : HD_LOG_FEW;
	l->log.words = (l->bytes + 3) / 4;
	l->log.few = l->bytes == HD_LOG_FEW && HD_LOG_FEW <= l->type->record;
	if (begin + l->bytes > l->type->record) { /* those at the end would reach beyond it */
		l->bytes = l->bytes < l->type->record ? l->bytes : l->type->record;
		begin = l->type->record - l->bytes;
	}
	l->log.begin = begin;
	for (unsigned i = 0; i < l->fields->n; i++) {
		const struct hd_field *f = &l->fields->v[i];

		l->field[i] = (struct hd_dump_bits){ f->offset - begin,
			                             f->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * f->size) - 1 };
	}
	for (unsigned i = 0; i < l->fields->nstored; i++)
		l->stored[i] = l->field[l->fields->stored[i]];
}

#define LONGEST 96u /* words of an entry that has no bytes of a record, and of what is written behind it */

static void open_transactions(struct hd_observer *o, struct hd_filter *f)
{
	struct hd_sim *s = o->sim;

	o->npools = s->npools;
	o->transactions = hd__xcalloc(s->npools, sizeof *o->transactions);
	o->longest = LONGEST;
	for (size_t i = 0; i < s->npools; i++) {
		struct hd_transactions *l = &o->transactions[i];
		uint32_t longest;

		*l = (struct hd_transactions){ .log.watch.probe = &hd__record_probe, .observer = o,
		                              .type = s->pools[i].type,
			                .pool = s->pools[i].pool, .number = o->ntables++,
			                .index = (uint32_t)i, .assembler = hd__assembler_new() };
		l->log.now = &s->roots[0].period;
		l->log.over = hd__log_head(HD_LOG_OVER, l, 0);
		l->fields = hd__xcalloc(1, sizeof *l->fields);
		make_fields(l->fields, l->type->fields, HD_MOST_FIELDS, f);
		bound_fields(l);
		l->blocks = hd__xpages(HD_POOL_MAX * sizeof *l->blocks);
		l->log.next = hd__xpages(HD_POOL_MAX * sizeof *l->log.next);
		longest = 4 + l->log.words; /* eight bytes are read where a field is */
		o->longest = longest > o->longest ? longest : o->longest;
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
	o->entries = hd__xcalloc(s->ninstances, sizeof *o->entries);
	o->reported_by = hd__xcalloc(s->ninstances, sizeof *o->reported_by);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_module *m = s->instances[i].module;
		size_t k = 0, n = 0;

		while (k < o->nmodules && o->modules[k] != m)
			k++;
		if (k < o->nmodules) {
			o->reported_by[i] = o->events[k];
			s->instances[i].events = o->entries[k];
			continue;
		}
		o->modules[o->nmodules++] = m;
		while (m->events && m->events[n].name)
			n++;
		o->events[k] = hd__xcalloc(n, sizeof **o->events);
		o->entries[k] = hd__xcalloc(n, sizeof **o->entries);
		for (size_t e = 0; e < n; e++) {
			o->events[k][e].number = o->ntables++;
			make_fields(&o->events[k][e].fields, m->events[e].fields, HD_EVENT_FIELDS, f);
			o->entries[k][e] = (struct hd_log_event){ HD_LOG_EVENT | o->events[k][e].number << HD_LOG_BITS,
				                                  2 * o->events[k][e].fields.n };
		}
		o->reported_by[i] = o->events[k];
		s->instances[i].events = o->entries[k];
	}
	o->sample_table.number = o->ntables++;
	make_fields(&o->sample_table.fields, sample_fields, 1, &(struct hd_filter){ .nfields = 0 });
}

static void note_turns(struct hd_observer *o)
{
	const struct hd_sim *s = o->sim;

	o->turns = hd__xcalloc(s->ninstances, sizeof *o->turns);
	for (size_t i = 0; i < s->ninstances; i++)
		o->turns[i] = (struct hd_rotation){ s->instances[i].turns, s->instances[i].turn };
}

/* Opens the tables that the filter selects. */
static void open_tables(struct hd_observer *o)
{
	const struct hd_filter *f = &o->opt->filter;

	o->tables = hd__xcalloc(o->ntables, sizeof *o->tables);
	for (size_t i = 0; i < o->npools; i++) {
		struct hd_transactions *l = &o->transactions[i];

		if (l->fields->n == 0 || i >= HD_MOST_POOLS || !hd__filter_event(f, l->type->name, false))
			continue;
		l->record = (struct hd_dump_record){ 4 * l->log.words, l->stored, o->columns };
		l->table = hd__dump_table(o->dump, l->number, HD_TABLE_TRANSACTIONS, l->fields->nstored, -1,
		                          l->fields->key, &l->record);
		l->pool->transactions = l;
	}
	for (size_t k = 0; k < o->nmodules; k++) {
		const struct hd_event *e = o->modules[k]->events;

		for (struct hd_event_table *t = o->events[k]; e && e->name; e++, t++) {
			char *name = hd__format("%s.%s", o->modules[k]->name, e->name);

			if (hd__filter_event(f, name, e->flags & HD_EVENT_DETAIL)) {
				t->table = hd__dump_table(o->dump, t->number, HD_TABLE_EVENTS,
				                          t->fields.nstored, t->fields.span,
				                          t->fields.key, NULL);
				hd__dump_turns(t->table, o->turns);
			}
			o->tables[t->number] = t;
			free(name);
		}
	}
	if ((o->opt->sample || o->opt->nmore) && hd__filter_event(f, "counters", false))
		o->sample_table.table = hd__dump_table(o->dump, o->sample_table.number,
		                                       HD_TABLE_SAMPLES, 1, -1, -1, NULL);
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
			o->reported_by[i] = NULL;
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
	bool yes = hd__path_fits(pattern, "counters");

	for (size_t i = 0; i < o->npools && !yes; i++)
		yes = hd__path_fits(pattern, o->transactions[i].type->name);
	for (size_t k = 0; k < o->nmodules && !yes; k++)
		for (const struct hd_event *e = o->modules[k]->events; e && e->name && !yes; e++) {
			char *name = hd__format("%s.%s", o->modules[k]->name, e->name);

			yes = hd__path_fits(pattern, name);
			free(name);
		}
	return yes;
}

static bool is_instance(const struct hd_sim *s, const char *pattern)
{
	for (size_t i = 0; i < s->ninstances; i++)
		if (hd__path_fits(pattern, s->instances[i].path))
			return true;
	return false;
}

/* A misspelled pattern would otherwise be noticed only when the run is over and its dump is
 * empty. */
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
	bool known;

	o->sim = s;
	o->end = &s->log;
	o->opt = opt;
	s->observer = o;
	open_transactions(o, &opt->filter);
	open_events(o, &opt->filter);
	number_places(o);
	watch_channels(o);
	name_places(o);
	o->columns = hd__xcalloc(o->nplaces, sizeof *o->columns);
	choose_places(o);
	for (size_t i = 0; i < s->ninstances; i++)
		for (const struct hd_stat *st = s->instances[i].module->stats; st && st->name; st++)
			o->ncounters++;
	o->sampled = hd__xcalloc(o->ncounters, sizeof *o->sampled);
	o->next_sample = opt->sample;
	known = all_fields_used(&opt->filter);
	if (all_patterns_match(o, &opt->filter) && known) {
		o->symbols = hd__observe_symbols(s);
		o->dump = hd__dump_open(opt->path, hd__observe_meta, hd__replay, sizeof(struct hd_log), o);
	}
	if (!o->dump) {
		hd__observe_free(s);
		return false;
	}
	note_turns(o);
	open_tables(o);
	hd__observe_begin(s);
	return true;
}

void hd__observe_causes(struct hd_sim *s)
{
	struct hd_observer *o = hd__xcalloc(1, sizeof *o);

	o->sim = s;
	o->end = &s->log;
	s->observer = o;
	number_places(o);
	watch_channels(o);
	o->end->now = o->period = &s->roots[0].period;
	o->open = true;
}

void hd__observe_free(struct hd_sim *s)
{
	struct hd_observer *o = s->observer;

	for (size_t i = 0; i < s->nchannels; i++) {
		s->channels[i]->chan->watch = NULL;
		s->channels[i]->chan->flags &= ~(uint32_t)HD_CHAN_WATCHED;
	}
	for (size_t i = 0; i < o->npools; i++) {
		struct hd_transactions *l = &o->transactions[i];

		hd__assembler_free(l->assembler);
		hd__free_pages(l->blocks, HD_POOL_MAX * sizeof *l->blocks);
		hd__free_pages(l->log.next, HD_POOL_MAX * sizeof *l->log.next);
		free(l->fields->wanted);
		free(l->fields);
		free(l->numbers);
		l->pool->transactions = NULL;
	}
	for (size_t k = 0; k < o->nmodules; k++) {
		const struct hd_event *e = o->modules[k]->events;

		for (size_t i = 0; e && e[i].name; i++)
			free(o->events[k][i].fields.wanted);
		free(o->events[k]);
		free(o->entries[k]);
	}
	for (size_t i = 0; i < s->ninstances; i++)
		s->instances[i].events = NULL;
	for (uint32_t i = 0; i < s->nprocesses; i++)
		if (s->processes[i].flags & HD_PROCESS_ASKED) {
			s->processes[i].flags &= ~(uint32_t)HD_PROCESS_ASKED;
			hd__routine_changed(s, &s->processes[i]);
		}
	s->asked = NULL;
	json_decref(o->symbols);
	free(o->transactions);
	free(o->watches);
	free(o->takers);
	free(o->asked);
	free(o->wakes);
	free(o->routines);
	free(o->first_place);
	free(o->first_cause);
	free(o->place_wanted);
	free(o->instance_wanted);
	free(o->turns);
	free(o->modules);
	free(o->events);
	free(o->entries);
	free(o->reported_by);
	free(o->place_word);
	free(o->columns);
	free(o->sample_table.fields.wanted);
	free(o->sampled);
	free(o->tables);
	free(o);
	s->observer = NULL;
	s->record_at = UINT64_MAX;
	hd__observe_next(s);
}

struct ended {
	const struct hd_sim *sim;
	const char *status;
	json_t *last;
};

/* How the run ended.  Called in the other thread, for which this one waits. */
static json_t *last_object(void *arg)
{
	const struct ended *e = arg;
	json_t *object = hd__hooks.stats ? hd__hooks.stats->plain(e->sim, e->status) : json_object();

	json_object_set_new(object, "edges", json_integer((json_int_t)hd__sim_cycles(e->sim)));
	if (e->last)
		json_object_update(object, e->last);
	return object;
}

bool hd__observe_close(struct hd_sim *s, const char *status, bool keep)
{
	struct hd_observer *o = s->observer;
	struct ended ended = { s, status, o->opt ? o->opt->last : NULL };
	const struct hd_dump_end end = { last_object, &ended,
		hd__hooks.stats ? hd__hooks.stats->rows(s) : (struct hd_json_rows){ .arg = NULL } };
	bool ok;

	if (!o->dump) {
		hd__observe_window(s, false);
		hd__observe_free(s);
		return true;
	}
	hd__observe_end(o);
	ok = hd__dump_close(o->dump, o->log, &end, keep);
	o->dump = NULL;
	hd__observe_free(s);
	return ok;
}
