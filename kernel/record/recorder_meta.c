/* recorder_meta.c - the prologue of a dump: declarations of all names and numbers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "recorder.h"
#include "base/path.h"

static json_t *text(const char *s)
{
	json_t *j = json_string(s ? s : "");

	return j ? j : json_string("?"); /* not UTF-8 */
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* Members are pairs of a name and a value that is taken over; ends with NULL. */
static json_t *object(const char *name, ...)
{
	json_t *o = json_object();
	va_list ap;

	va_start(ap, name);
	for (; name; name = va_arg(ap, const char *)) {
		json_t *v = va_arg(ap, json_t *);

		if (v)
			json_object_set_new_nocheck(o, name, v); /* the names are those below */
	}
	va_end(ap);
	return o;
}

static json_t *fields(const struct hd_field_set *set)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < set->n; i++) {
		const struct hd_field *f = &set->v[i];

		if (f->flags & HD_FIELD_HIDDEN)
			continue;
		json_array_append_new(a, object("name", text(f->name), "unit", text(f->unit), "doc",
			text(f->doc), "names", f->names ? text(f->names) : NULL,
			"hex", f->flags & HD_FIELD_HEX ? json_true() : NULL,
			"span", f->flags & HD_FIELD_SPAN ? json_true() : NULL,
			"key", f->flags & HD_FIELD_KEY ? json_true() : NULL,
			"apart", f->flags & HD_FIELD_APART ? json_true() : NULL, NULL));
	}
	return a;
}

static json_t *tables(const struct hd_observer *o)
{
	json_t *a = json_array();

	for (size_t i = 0; i < o->npools; i++) {
		const struct hd_transactions *l = &o->transactions[i];

		json_array_append_new(a, object("kind", text("transactions"), "name", text(l->type->name),
			"doc", text("where each record was, and how long"), "fields",
			fields(l->fields), NULL));
	}
	for (size_t k = 0; k < o->nmodules; k++) {
		const struct hd_event *e = o->modules[k]->events;

		for (size_t i = 0; e && e[i].name; i++) {
			char *name = hd__format("%s.%s", o->modules[k]->name, e[i].name);

			json_array_append_new(a, object("kind", text("events"), "name", text(name),
				"module", text(o->modules[k]->name), "doc", text(e[i].doc), "fields",
				fields(&o->events[k][i].fields), NULL));
			free(name);
		}
	}
	json_array_append_new(a, object("kind", text("samples"), "name", text("counters"), "doc",
		text("growth of each statistic since the previous sample"), "fields",
		json_pack("[{s:s, s:s, s:s}]", "name", "growth", "unit", "", "doc",
		          "in the unit of the counter"), NULL));
	return a;
}

static json_t *instances(const struct hd_sim *s)
{
	json_t *a = json_array();

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];

		json_array_append_new(a, object("path", text(in->path), "module",
			text(in->module->name), "clock", in->clock ? text(in->clock->name) : NULL,
			"called", in->module->eval ? NULL : json_true(),
			"turns", in->turns ? number(in->turns) : NULL,
			"turn", in->turns ? number(in->turn) : NULL, NULL));
	}
	return a;
}

/* "collector.in[2]", the end at which a channel is read; "sfu.in" if elements of an array do so: it is not of one. */
static char *end_name(const struct hd_record_watch *w)
{
	const struct hd_link_end *e = &w->channel->to[0];
	const struct hd_port *p = &e->instance->module->ports[e->port];
	const char *path = e->instance->path, *index = strrchr(path, '[');
	bool shared = w->channel->nto > 1 && e->instance->array->decl->array && index != NULL;
	int n = shared ? (int)(index - path) : (int)strlen(path);

	if (p->flags & HD_ARRAY)
		return hd__format("%.*s.%s[%u]", n, path, p->name, w->taker[0]->link);
	return hd__format("%.*s.%s", n, path, p->name);
}

/* The first place that had this key, which is freed: this one if none had. */
static uint32_t first_of(json_t *seen, char *key, uint32_t place)
{
	const json_t *first = json_object_get(seen, key);

	if (first)
		place = (uint32_t)json_integer_value(first);
	else
		json_object_set_new(seen, key, number(place));
	free(key);
	return place;
}

/* What happens in elements of an array is alike, so their stays are in the same columns: few long ones rather than many
 * short ones. */
static void share_columns(const struct hd_observer *o)
{
	const struct hd_sim *s = o->sim;
	json_t *seen = json_object();

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		char *path = hd__path_without_indices(in->path);
		uint32_t place = o->first_place[i], n = place;
		uint32_t first = first_of(seen, hd__format("%s %s", path, in->module->name), place);

		for (const struct hd_mark *k = in->module->marks; k && k->name; k++)
			n++;
		for (uint32_t p = place; p <= n; p++)
			o->columns[p] = first + (p - place);
		free(path);
	}
	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_record_watch *w = &o->watches[i];
		const struct hd_instance *to = w->channel->to[0].instance;
		char *path = hd__path_without_indices(to->path);

		o->columns[w->place] = first_of(seen, hd__format("%s %s %u %u", path, to->module->name,
			w->channel->to[0].port, w->taker[0]->link), w->place);
		free(path);
	}
	json_decref(seen);
}

/* A place that is like the one whose columns it shares; NULL if it has its own. */
static json_t *like_first(const struct hd_observer *o, uint32_t place, const char *name, size_t instance)
{
	if (o->columns[place] == place)
		return NULL;
	return object("like", number(o->columns[place]), "instance", number(instance), "name", text(name), NULL);
}

static void add_instance_places(json_t *a, const struct hd_observer *o, size_t i)
{
	const struct hd_instance *in = &o->sim->instances[i];
	const struct hd_mark *k = in->module->marks;
	uint32_t place = o->first_place[i];
	json_t *like = like_first(o, place, in->path, i);

	json_array_append_new(a, like ? like : object("name", text(in->path), "kind", text("instance"),
		"instance", number(i), "doc", text(in->module->doc), NULL));
	for (; k && k->name; k++) {
		char *name = hd__join(in->path, ":", k->name);

		like = like_first(o, ++place, name, i);
		json_array_append_new(a, like ? like : object("name", text(name), "kind", text("mark"),
			"instance", number(i), "mark", text(k->name), "doc", text(k->doc), "arg",
			k->arg ? text(k->arg) : NULL, "names", k->names ? text(k->names) : NULL, NULL));
		free(name);
	}
}

static void add_channel_place(json_t *a, const struct hd_observer *o, const struct hd_record_watch *w)
{
	const struct hd_link_end *to = &w->channel->to[0];
	size_t instance = to->instance->number;
	char *name = end_name(w);
	json_t *place = like_first(o, w->place, name, instance);

	if (!place)
		place = object("name", text(name), "kind", text("channel"), "instance", number(instance), "port",
			text(to->instance->module->ports[to->port].name), "type", text(w->channel->type->name), NULL);
	json_object_set_new_nocheck(place, "capacity", number(w->channel->capacity));
	json_object_set_new_nocheck(place, "from", text(w->channel->from[0].instance->path));
	json_array_append_new(a, place);
	free(name);
}

static json_t *places(const struct hd_observer *o)
{
	json_t *a = json_array();

	for (size_t i = 0; i < o->sim->ninstances; i++)
		add_instance_places(a, o, i);
	for (size_t i = 0; i < o->sim->nchannels; i++)
		add_channel_place(a, o, &o->watches[i]);
	return a;
}

/* Causes and counters of an instance are like those of the first one of its module, which stand there once. */
struct firsts {
	const struct hd_module *module;
	uint32_t number; /* of its first item */
};

/* Adds one element for the `count` items of instance i from `first` on; false: none was like them. */
static bool add_like(json_t *a, struct firsts *f, const struct hd_sim *s, size_t i, uint32_t first, uint32_t count)
{
	const struct hd_module *m = s->instances[i].module;

	while (f->module && f->module != m)
		f++;
	if (!f->module) {
		*f = (struct firsts){ m, first };
		return false;
	}
	if (count > 0)
		json_array_append_new(a, object("instance", number(i), "like", number(f->number), "count",
		                                number(count), NULL));
	return true;
}

/* Of an instance that gives no reason at least the reader should know what it does. */
static json_t *busy_doc(const struct hd_module *m)
{
	char *doc = hd__format("does not take it, reason not given; what %s does: %s", m->name, m->doc);
	json_t *v = text(doc);

	free(doc);
	return v;
}

static json_t *causes(const struct hd_observer *o)
{
	const struct hd_sim *s = o->sim;
	struct firsts *firsts = hd__xcalloc(o->nmodules + 1, sizeof *firsts);
	json_t *a = json_array();

	json_array_append_new(a, object("reason", text("unknown"), "doc", text("no reason known"), NULL));
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_reason *r = s->instances[i].module->reasons;
		uint32_t n = 1;

		while (r && r[n - 1].name)
			n++;
		if (add_like(a, firsts, s, i, o->first_cause[i], n))
			continue;
		json_array_append_new(a, object("instance", number(i), "reason", text(HD_CAUSE_BUSY), "doc",
			busy_doc(s->instances[i].module), NULL));
		for (; r && r->name; r++)
			json_array_append_new(a, object("instance", number(i), "reason", text(r->name),
				"doc", text(r->doc), NULL));
	}
	free(firsts);
	return a;
}

/* The reasons that are symbols. */
static void add_symbols(json_t *reasons, const struct hd_sim *s, const struct hd_reason *r)
{
	const char *kind = strrchr(r->symbols, '.') + 1;

	for (size_t i = 0; i < s->nkinds; i++)
		for (uint32_t k = 0; strcmp(s->kinds[i].name, kind) == 0 && k < s->kinds[i].n; k++) {
			char *name = hd__format("%.*s%s", (int)(kind - r->symbols), r->symbols, s->kinds[i].symbol[k]);

			json_array_append_new(reasons, object("name", text(name), "doc", text(r->doc), NULL));
			free(name);
		}
}

static json_t *modules(const struct hd_observer *o)
{
	json_t *all = json_object();

	for (size_t k = 0; k < o->nmodules; k++) {
		const struct hd_reason *r = o->modules[k]->reasons;
		json_t *reasons = json_array();

		for (; r && r->name; r++)
			json_array_append_new(reasons, object("name", text(r->name), "doc", text(r->doc),
				NULL));
		if (r && r->symbols)
			add_symbols(reasons, o->sim, r);
		json_object_set_new(all, o->modules[k]->name, object("doc", text(o->modules[k]->doc),
			"reasons", reasons, NULL));
	}
	return all;
}

static json_t *counters(const struct hd_observer *o)
{
	const struct hd_sim *s = o->sim;
	struct firsts *firsts = hd__xcalloc(o->nmodules + 1, sizeof *firsts);
	json_t *a = json_array();
	uint32_t all = 0, n;

	for (size_t i = 0; i < s->ninstances; i++, all += n) {
		const struct hd_stat *st = s->instances[i].module->stats;

		for (n = 0; st && st[n].name; n++)
			;
		if (add_like(a, firsts, s, i, all, n))
			continue;
		for (; st && st->name; st++)
			json_array_append_new(a, object("instance", number(i), "name", text(st->name),
				"unit", text(st->unit), "doc", text(st->doc), "total",
				st->total ? text(st->total) : NULL, NULL));
	}
	for (size_t i = 0; i < o->opt->nmore; i++) {
		const struct hd_observe_counter *c = &o->opt->more[i];

		json_array_append_new(a, object("instance", number(o->opt->more_of), "name", text(c->name), "unit",
			text(c->unit), "doc", text(c->doc), NULL));
	}
	free(firsts);
	return a;
}

json_t *hd__observe_symbols(const struct hd_sim *s)
{
	json_t *o = json_object();

	for (size_t i = 0; i < s->nkinds; i++) {
		json_t *a = json_array();

		for (uint32_t k = 0; k < s->kinds[i].n; k++)
			json_array_append_new(a, text(s->kinds[i].symbol[k]));
		json_object_set_new(o, s->kinds[i].name, a);
	}
	return o;
}

static json_t *clocks(const struct hd_sim *s)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < s->nclocks; i++) {
		const struct hd_clock *c = &s->clocks[i];
		double hz = (double)c->root->rate / c->root->ticks / 1000 * c->per_period;

		json_array_append_new(a, object("name", text(c->name), "mhz", json_real(hz / 1e6), NULL));
	}
	return a;
}

static json_t *filter(const struct hd_filter *f)
{
	json_t *a = json_array();

	for (size_t i = 0; i < f->ntext; i++)
		json_array_append_new(a, text(f->text[i]));
	return a;
}

json_t *hd__observe_meta(void *observer)
{
	struct hd_observer *o = observer;
	const struct hd_sim *s = o->sim;
	const struct hd_observe_options *opt = o->opt;
	json_t *meta;

	share_columns(o);
	meta = object("heddle", text(PACKAGE_VERSION), "core",
		text(s->netlist->name), "input", text(s->opt.input_name ? s->opt.input_name : s->opt.input), "cycle",
			text(s->roots[0].clock->name),
		"sample", number(opt->sample), "filter", filter(&opt->filter), "clocks", clocks(s),
		"tables", tables(o), "instances", instances(s), "links", hd__observe_links(s), "modules", modules(o),
		"places", places(o), "causes", causes(o), "counters", counters(o), "symbols", o->symbols,
		"netlist", opt->netlist ? opt->netlist(o->sim) : NULL, NULL);
	o->symbols = NULL;
	return meta;
}
