/* build.c - from a netlist to a simulation: instances and their states
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "shard.h"
#include "timer.h"

#include <stdlib.h>

/* The clock of an instance; NULL with *bad unset if its module has no process. */
static struct hd_clock *clock_of(struct hd_sim *s, const struct hd_instance_decl *d,
                                 const struct hd_module *m, bool *bad)
{
	struct hd_clock *c;

	if (d->clock) {
		c = hd__clock_find(s, d->clock);
		if (!c) {
			const char **names, *near = NULL;

			if (hd__may_suggest(s->diags, s->nclocks)) {
				names = hd__xcalloc(s->nclocks + 1, sizeof *names);
				for (size_t i = 0; i < s->nclocks; i++)
					names[i] = s->clocks[i].name;
				near = hd__nearest(d->clock, names, s->nclocks);
				free(names);
			}
			hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, d->at, "clock",
			                 near ? "unknown clock '%s'; did you mean '%s'?"
			                      : "unknown clock '%s'; expected one of \"clocks\"",
			                 d->clock, near);
			*bad = true;
		}
		return c;
	}
	if (d->first_clock && (d->nclocks == 1 || !m->eval)) /* passive: only a sense of time */
		return hd__clock_find(s, d->first_clock);
	if (d->nclocks == 0 && s->nclocks == 1)
		return &s->clocks[0];
	if (s->nclocks > 0) /* else the missing clock was reported */
		hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, d->at, NULL,
		                 "instance '%s' has no clock; expected \"clock\" since there are %u "
		                 "clocks", d->name, d->nclocks > 0 ? d->nclocks : s->nclocks);
	*bad = true;
	return NULL;
}

static void unknown_module(struct hd_sim *s, const struct hd_instance_decl *d)
{
	const char **names, *near;

	if (!d->module)
		return; /* reported by the reader */
	for (size_t i = 0; i < s->registry->nrefused; i++)
		if (strcmp(s->registry->refused[i], d->module) == 0)
			return; /* reported when its plug-in was loaded */
	names = hd__xcalloc(s->registry->n, sizeof *names);
	for (size_t i = 0; i < s->registry->n; i++)
		names[i] = s->registry->v[i].module->name;
	near = hd__may_suggest(s->diags, s->registry->n) ? hd__nearest(d->module, names, s->registry->n) : NULL;
	hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, d->at, "module",
	                 near ? "unknown module '%s'; did you mean '%s', or one of a plug-in (--plugin)?"
	                      : "unknown module '%s'; 'heddle modules' lists what exists, --plugin loads another",
	                 d->module, near);
	free(names);
}

/* Does the instance give a value that only the wide module of the name takes? */
static bool needs_wide(const struct hd_registered *r, const struct hd_instance_decl *d)
{
	const struct hd_module *m = r->module, *wide = r->wide;

	for (size_t i = 0; wide != NULL && wide->params != NULL && wide->params[i].name; i++) {
		const json_t *v;

		if (wide->params[i].max <= m->params[i].max)
			continue;
		v = json_object_get(d->params, wide->params[i].name);
		if (json_is_integer(v) && json_integer_value(v) > (json_int_t)m->params[i].max)
			return true;
	}
	return false;
}

/* Bytes of the state up to the end of the last parameter. */
static size_t stored_bytes(const struct hd_module *m)
{
	size_t n = 0;

	for (const struct hd_param *p = m->params; p && p->name; p++)
		if (p->offset + sizeof(struct hd_table) > n) /* no value is larger */
			n = p->offset + sizeof(struct hd_table);
	return n < m->state_size ? n : m->state_size;
}

/* Makes a state with parameters, from which elements are copied.  Returns false if a parameter is
 * wrong. */
static bool make_template(struct hd_sim *s, const struct hd_array *b, const json_t *params,
                          const char *at, unsigned char **template)
{
	static const struct hd_param none[] = { { .name = NULL } };
	static const char *const beside[] = { "module", "count", "clock", "elements", NULL };
	const struct hd_instance_decl *d = b->decl;
	const char *const who[] = { "instance '", d->name, "' (module '", d->module, "')", NULL };

	*template = hd__zeroed(s, 1, b->template_bytes);
	if (!b->module->params && json_object_size(params) == 0)
		return true;
	return hd__params_store(&s->store, b->module->params ? b->module->params : none, *template,
	                        params, at, who, NULL, beside) == 0;
}

/* Makes the templates of all elements that differ; the others have the one of the array. */
static bool make_templates(struct hd_sim *s, struct hd_array *b)
{
	const struct hd_instance_decl *d = b->decl;
	char *at = hd__join(d->at, "/params", "");
	bool ok;

	if (d->copy_of > 0) { /* by an element of an array of netlists */
		const struct hd_array *other = &s->arrays[d->copy_of - 1];

		b->template = other->template;
		b->templates = other->templates;
		b->template_bytes = other->template_bytes;
		free(at);
		return true;
	}
	b->template_bytes = stored_bytes(b->module);
	ok = make_template(s, b, d->params, at, &b->template);
	free(at);
	if (!d->each)
		return ok;
	b->templates = hd__zeroed(s, d->count, sizeof *b->templates);
	for (uint32_t k = 0; ok && k < d->count; k++) {
		if (d->each[k] != d->params)
			ok = make_template(s, b, d->each[k], d->each_at[k], &b->templates[k]);
		else
			b->templates[k] = b->template;
	}
	return ok;
}

static void add_element(struct hd_sim *s, struct hd_array *b, uint32_t k)
{
	struct hd_instance *in = &s->instances[s->ninstances];
	const struct hd_instance_decl *d = b->decl;

	in->number = (uint32_t)s->ninstances++;
	in->path = d->array ? hd__numbered(b->bracket, k, "]") : hd__xstrdup(d->name);
	in->module = b->module;
	in->decl = d;
	in->array = b;
	in->clock = b->clock;
	in->index = k;
	in->rank = HD_NO_PROCESS;
	in->section = HD_NO_SECTION;
	in->shard = HD_NO_SHARD;
	in->ctx.sim = s;
	in->ctx.instance = in;
	in->ctx.index = k;
	in->ctx.count = d->count;
	in->ctx.observed = s->opt.event != NULL;
	in->ctx.events = in->ctx.observed ? UINT32_MAX : 0;
	in->ctx.active = s->opt.active;
	in->ctx.observable = s->opt.probe != NULL || in->ctx.observed;
	if (b->clock) {
		in->ctx.now = &b->clock->now;
		in->ctx.cycle = &b->clock->root->period;
		/* with a single root no code reads it between two periods */
		in->ctx.passed = s->nroots > 1 ? &b->clock->root->passed : in->ctx.cycle;
		in->ctx.rate = b->clock->root->clock->decl->millihertz * b->clock->per_period;
	}
}

static bool build_instances(struct hd_sim *s)
{
	const struct hd_netlist *n = s->netlist;
	bool ok = true, wide = false;

	s->arrays = hd__zeroed(s, n->ninstances, sizeof *s->arrays);
	s->narrays = n->ninstances;
	for (size_t i = 0; i < n->ninstances; i++) {
		const struct hd_instance_decl *d = &n->instances[i];
		const struct hd_registered *r = d->copy_of > 0 ? s->arrays[d->copy_of - 1].registered
		                                : hd__registry_entry(s->registry, d->module);

		s->arrays[i].registered = r;
		wide = wide || (r != NULL && d->copy_of == 0 && needs_wide(r, d));
	}
	s->instances = hd__zeroed(s, n->total, sizeof *s->instances);
	for (size_t i = 0; i < n->ninstances; i++) {
		struct hd_array *b = &s->arrays[i];
		bool bad = false;

		b->decl = &n->instances[i];
		b->first = (uint32_t)s->ninstances;
		if (!b->registered) {
			unknown_module(s, b->decl);
			ok = false;
			continue;
		}
		b->module = wide && b->registered->wide ? b->registered->wide : b->registered->module;
		b->clock = clock_of(s, b->decl, b->module, &bad);
		ok = make_templates(s, b) && ok && !bad;
		if (b->decl->array)
			b->bracket = hd__own(s, hd__join(b->decl->name, "[", ""));
		for (uint32_t k = 0; k < b->decl->count; k++)
			add_element(s, b, k);
	}
	return ok;
}

static void report_gate(struct hd_sim *s, const struct hd_clock *c)
{
	const char **names, *near = NULL;

	if (s->netlist->full != NULL) /* which is an error by itself: the gate may be in what was not read */
		return;
	if (hd__may_suggest(s->diags, s->ninstances)) {
		names = hd__xcalloc(s->ninstances + 1, sizeof *names);
		for (size_t k = 0; k < s->ninstances; k++)
			names[k] = s->instances[k].path;
		near = hd__nearest(c->decl->gate, names, s->ninstances);
		free(names);
	}
	hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, c->decl->at, "gate",
	                 near && strchr(near, '[') == NULL ? "unknown instance '%s'; did you mean '%s'?"
	                 : "unknown instance '%s'; expected the single instance that opens and closes "
	                   "this clock", c->decl->gate, near);
}

/* An instance named as a gate must exist and be a single one; it calls hd_gate(). */
static bool find_gates(struct hd_sim *s)
{
	json_t *numbers = hd__xcheck(json_object()), *number; /* path -> its instance's, from 1 */
	bool ok = true;

	for (uint32_t i = 0; i < s->nclocks; i++)
		if (s->clocks[i].gated)
			json_object_set_new(numbers, s->clocks[i].decl->gate, json_integer(0));
	for (size_t k = 0; k < s->ninstances && json_object_size(numbers) > 0; k++) {
		number = json_object_get(numbers, s->instances[k].path);
		if (number != NULL)
			json_integer_set(number, (json_int_t)k + 1);
	}
	for (uint32_t i = 0; i < s->nclocks; i++) {
		struct hd_clock *c = &s->clocks[i];
		json_int_t k;

		if (!c->gated)
			continue;
		k = json_integer_value(json_object_get(numbers, c->decl->gate));
		if (k > 0)
			c->gatekeeper = &s->instances[k - 1];
		else
			report_gate(s, c);
		ok = ok && k > 0;
	}
	json_decref(numbers);
	return ok;
}

static const unsigned char *template_of(const struct hd_instance *in)
{
	return in->array->templates ? in->array->templates[in->index] : in->array->template;
}

/* The time is that of its shard. */
static void see_shard(struct hd_instance *in)
{
	const struct hd_sim *s = in->ctx.sim;
	struct hd_shard_time *t;

	if (in->shard == HD_NO_SHARD || !in->clock)
		return;
	t = &s->shards[in->shard].times[in->clock->root - s->roots];
	in->ctx.now = &hd__clock_seen(in)->now;
	in->ctx.cycle = &t->period;
	in->ctx.passed = s->nroots > 1 ? &t->passed : in->ctx.cycle;
}

/* States in order of rank, so that a sweep over the processes walks through memory. */
static bool build_states(struct hd_sim *s)
{
	struct hd_instance **by_rank = hd__xcalloc(s->nprocesses + s->ninstances, sizeof *by_rank);
	size_t n = s->nprocesses, bytes = 0, at = 0;

	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		if (in->rank != HD_NO_PROCESS)
			by_rank[in->rank] = in;
		else
			by_rank[n++] = in;
		bytes += hd__state_room(in->module, s->opt.checker != NULL);
	}
	s->arena_bytes = bytes + 64;
	s->arena = hd__xpages(s->arena_bytes); /* states begin at cache lines */
	if (s->arena_bytes >= HD_MANY_STATES && !s->opt.checker)
		hd__advise_large(s->arena, s->arena_bytes);
	for (size_t i = 0; i < n; i++) {
		struct hd_instance *in = by_rank[i];

		if (!in)
			continue;
		see_shard(in);
		in->state = s->arena + at;
		at += hd__state_room(in->module, s->opt.checker != NULL);
		if (s->opt.checker != NULL)
			memset((char *)in->state + in->module->state_size, HD_GUARD,
			       hd__state_room(in->module, true) - in->module->state_size);
		memcpy(in->state, template_of(in), in->array->template_bytes);
		if (in->rank != HD_NO_PROCESS) {
			struct hd_process *t = &s->processes[in->rank];

			in->ctx.self = (struct hd_waker){ &s->awake[in->rank / 64],
				                          UINT64_C(1) << (in->rank % 64) };
			t->eval = in->ctx.active && in->module->eval_active ? in->module->eval_active
			          : in->module->eval;
			t->skipped = in->module->skipped;
			t->state = in->state;
			t->clock = hd__clock_seen(in);
			t->sim = s;
			t->last = UINT64_MAX;
			t->flags = (t->group ? HD_PROCESS_GROUP : 0u)
			           | (t->skipped ? HD_PROCESS_COUNTS | HD_PROCESS_SLEPT : 0u);
			hd__routine_changed(s, t);
			if (t->skipped)
				s->noted[in->rank / 64].counting |= in->ctx.self.bit;
		} else {
			in->ctx.self = (struct hd_waker){ &s->no_process, 0 };
		}
	}
	free(by_rank);
	return true;
}

/* Divides it, or finds why the lock step alone does it, as far as options and links tell: to be freed, or NULL.  It is
 * found before channels are bound, as those that may be divided cost more. */
static char *only_in_step(struct hd_sim *s)
{
	if (!hd__hooks.parallel)
		return hd__xstrdup("this program has nothing that runs ahead");
	if (s->opt.no_sleep || s->opt.checker || s->opt.saves || s->opt.event || s->opt.probe || s->nopen > 0)
		return hd__xstrdup("what is observed, checked or saved is so at every edge");
	for (size_t i = 0; i < s->narrays; i++)
		if (s->arrays[i].registered->handle != NULL && !s->arrays[i].module->confined)
			return hd__format("module '%s' is a plug-in that does not declare 'confined', so that its "
			                  "instances may have more to do with others than the links",
			                  s->arrays[i].module->name);
	return hd__hooks.parallel->divide(s) ? NULL
	       : hd__xstrdup("no link divides it that has room enough and a producer that declares how much it puts");
}

struct hd_sim *hd__sim_new(struct hd_netlist *n, const struct hd_registry *r,
                           const struct hd_options *o, bool check_only, struct hd_diags *d)
{
	struct hd_sim *s = hd__xcalloc(1, sizeof *s);
	bool ok;

	s->netlist = n;
	s->registry = r;
	s->opt = *o;
	hd__sim_halt(s, UINT64_MAX);
	s->diags = d;
	s->record_at = UINT64_MAX;
	s->sample_at = o->sample && !check_only ? o->sample_at : UINT64_MAX;
	hd__observe_next(s);
	s->store = (struct hd_param_store){ .symbol = hd__symbol, .arg = s, .netlist = n,
		                            .diags = d };
	ok = hd__build_clocks(s);
	ok = build_instances(s) && ok;
	if (s->nclocks)
		ok = find_gates(s) && ok;
	ok = hd__build_links(s) && ok;
	if (ok && s->opt.ahead && (s->lockstep = only_in_step(s)) != NULL)
		s->opt.ahead = 0;
	ok = ok && d->errors == 0 && hd__build_order(s);
	ok = ok && build_states(s);
	if (ok) {
		hd__bind_ends(s);
		hd__bind_interfaces(s);
		if (hd__hooks.stats)
			hd__hooks.stats->make(s);
		if (s->opt.checker)
			s->opt.checker->attach(s);
		ok = s->nopen > 0 || hd__start(s, check_only); /* not with open ports */
	}
	if (ok && !check_only && s->opt.ahead)
		s->ahead = hd__hooks.parallel->plan(s, &s->lockstep);
	if (!ok) {
		hd__sim_free(s);
		return NULL;
	}
	return s;
}

void hd__sim_free(struct hd_sim *s)
{
	if (!s)
		return;
	hd__call_fini(s);
	if (s->ahead)
		hd__hooks.parallel->free(s->ahead);
	free(s->rollback);
	if (hd__hooks.stats)
		hd__hooks.stats->free(s); /* what instances have counted, before they go */
	for (size_t i = 0; i < s->ninstances; i++) {
		free(s->instances[i].path);
		free(s->instances[i].most);
	}
	for (size_t i = 0; i < s->nchannels; i++) {
		struct hd_channel *c = s->channels[i];

		free(c->wakers);
		free(c->from);
		free(c->to);
		free(c);
	}
	for (size_t i = 0; i < s->npools; i++) {
		struct hd_pool *p = s->pools[i].pool;

		if (s->opt.checker)
			s->opt.checker->pool_free(p);
		else
			hd__free_fenced(p->base, HD_POOL_MAX * (size_t)p->record);
		free(p);
		free(s->pools[i].views);
	}
	if (s->nshards > 0)
		hd__hooks.parallel->free_shards(s);
	if (s->opt.checker)
		s->opt.checker->detach(s);
	for (size_t i = 0; i < s->nkinds; i++) {
		for (uint32_t k = 0; k < s->kinds[i].n; k++)
			free(s->kinds[i].symbol[k]);
		free(s->kinds[i].name);
	}
	for (size_t i = 0; i < s->nowned; i++)
		free(s->owned[i]);
	if (s->timed_in)
		for (uint32_t i = 0; i < s->nprocesses; i++)
			free(s->timed_in[i]);
	if (s->crash)
		hd__hooks.check->crash_free(s->crash);
	hd__params_free(&s->store);
	if (s->opt.probe)
		s->opt.probe->release(s);
	free(s->timed_in);
	free(s->owned);
	free(s->kinds);
	free(s->pools);
	free(s->channels);
	free(s->staged);
	free(s->uses);
	free(s->groups);
	free(s->orders);
	hd__free_pages(s->arena, s->arena_bytes);
	for (uint32_t i = 0; i < s->nclocks; i++)
		free(s->clocks[i].shares);
	free(s->clocks);
	json_decref(s->clock_numbers);
	free(s->roots);
	hd__zeroed_free(s);
	free(s->deadlock);
	free(s->withheld);
	free(s->lockstep);
	free(s->circle);
	hd__netlist_free(s->netlist);
	free(s);
}
