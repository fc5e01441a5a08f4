/* energy.c - reads what a run has counted at the ends of intervals, and makes power of it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All is linear in sums of counters but the static power.  So the results are those of any order of evaluation, and of
 * runs in one thread or several.
 */
#include "energy.h"

#include "base/path.h"
#include "base/pointer.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "kernel/stats/per_item.h"
#include "kernel/stats/stats.h"

#define SAY(f, d, ...) hd__from_diag(&(struct hd_json_from){ (f)->file, (f)->text, d }, __VA_ARGS__)

/* A counter of an instance.  There are thousands, so this is small. */
struct hd_energy_reader {
	const uint64_t *at;
	uint64_t last;                   /* what was read last */
	uint32_t sum, instance;          /* to which it adds: in .now; the number of the instance */
};

/* What has to be added up, or follows from a state. */
struct hd_energy_other {
	struct hd_energy_reader as;
	const struct hd_stat *stat;      /* a sum of several; NULL: */
	uint64_t (*value)(const void *state);
	const void *state;
};

/* A unit that counts by class.  What it has counted is read if its instructions have grown. */
struct hd_energy_unit {
	const uint64_t *instructions, *lanes;
	uint64_t before;                 /* .instructions when they were read last */
	uint32_t instance;
};

/* Readers and units of instances that follow each other and grow only when that has moved (moves_of()). */
struct hd_energy_block {
	const uint64_t *moves;
	uint64_t seen;                   /* its value when they were read last */
	size_t end, units_end;           /* behind the last ones; those of the block before it are in front */
};

/* The events of a module: they are among these. */
struct hd_energy_rows {
	const struct hd_module *module;  /* NULL: there are no more */
	size_t first, end;
};

/* Sums behind those of the events; LANES: the first of them, by class. */
enum { RESIDENT, COMPLETED, INSTRUCTIONS, LANES };

static inline size_t sum_of(const struct hd_energy *e, int which)
{
	return e->table->nevents + (size_t)which;
}

/* ---- what is read ---- */

static const struct hd_kind *classes_of(const struct hd_sim *s, const char *kind)
{
	for (size_t i = 0; i < s->nkinds; i++)
		if (strcmp(s->kinds[i].name, kind) == 0)
			return &s->kinds[i];
	return NULL;
}

/* What a name in a table stands for: a statistic, or activity, perhaps one class of it. */
static struct hd_energy_counter counter_of(const struct hd_sim *s, const struct hd_module *m, const char *name)
{
	struct hd_energy_counter c = { .class = 0 };
	const char *dot = strchr(name, '.');
	size_t n = dot ? (size_t)(dot - name) : strlen(name);

	for (const struct hd_stat *st = m ? m->stats : NULL; st && st->name; st++)
		if (strcmp(st->name, name) == 0)
			c.stat = st;
	for (const struct hd_activity *a = m ? m->activity : NULL; a && a->name; a++) {
		const struct hd_kind *k = a->kind ? classes_of(s, a->kind) : NULL;

		if (strncmp(a->name, name, n) != 0 || a->name[n] || (dot && !a->kind))
			continue;
		c.activity = a;
		while (k && dot && c.class < k->n && strcmp(k->symbol[c.class], dot + 1) != 0)
			c.class++;
		c.unknown = a->kind && (!k || c.class == k->n);
	}
	return c;
}

/* Where an instance has it; of a kind that of the first class, or NULL: it has none. */
static const uint64_t *place_of(const struct hd_instance *in, const struct hd_energy_counter *c)
{
	const char *at = (const char *)in->state + (c->stat ? c->stat->offset : c->activity->offset);
	const uint64_t *first;

	if (!c->activity || !c->activity->kind)
		return (const uint64_t *)(const void *)at;
	memcpy(&first, at, sizeof first);
	return first;
}

/* A counter of the instance adds to a sum. */
static void read_counter(struct hd_energy *e, const struct hd_instance *in, const struct hd_energy_counter *c,
                         size_t sum)
{
	struct hd_energy_reader r = { .sum = (uint32_t)sum, .instance = in->number };
	const struct hd_stat *stat = c->stat && c->stat->n > 1 ? c->stat : NULL;

	if (stat || (c->activity && c->activity->now)) {
		e->others = hd__xappend(e->others, e->nothers, sizeof *e->others);
		e->others[e->nothers++] = (struct hd_energy_other){ .as = r, .stat = stat, .state = in->state,
			.value = stat ? NULL : c->activity->now };
	} else if ((c->stat || c->activity) && !c->unknown && (r.at = place_of(in, c)) != NULL) {
		r.at += c->class;
		e->readers = hd__xappend(e->readers, e->nreaders, sizeof *e->readers);
		e->readers[e->nreaders++] = r;
	}
}

static void read_unit(struct hd_energy *e, const struct hd_instance *in)
{
	struct hd_energy_unit u = { .instance = in->number };

	if (!(u.lanes = place_of(in, &e->lanes)))
		return;
	u.instructions = place_of(in, &e->instructions);
	e->units = hd__xappend(e->units, e->nunits, sizeof *e->units);
	e->units[e->nunits++] = u;
}

/* "*.l1d" is for an SM that is a netlist of its own as well. */
static bool fits(const char *pattern, const char *path)
{
	return !pattern || hd__path_fits(pattern, path)
	       || (strncmp(pattern, "*.", 2) == 0 && hd__path_fits(pattern + 2, path));
}

static const uint64_t any_time;

/* What moves if a counter of the instance may have grown: edges of its clock, if that has a gate; or evaluations of any
 * instance; &any_time, if sleep or time alone changes it. */
static const uint64_t *moves_of(const struct hd_sim *s, const struct hd_instance *in)
{
	if (in->module->eval && in->clock && hd__gated(in->clock))
		return &in->clock->now;
	if (in->module->skipped)
		return &any_time;
	return in->module->eval ? &s->evals : NULL;
}

/* The same by instance, with what those that use it do to it: `skipped` only if there is no other user.  NULL: no
 * instance uses it. */
static const uint64_t **find_moves(const struct hd_sim *s, const uint32_t *users)
{
	const uint64_t **moves = hd__xcalloc(s->ninstances, sizeof *moves);
	bool changed = true;

	for (size_t i = 0; i < s->ninstances; i++)
		moves[i] = moves_of(s, &s->instances[i]);
	while (changed) { /* from a clock to any_time at most, so this ends */
		changed = false;
		for (const struct hd_use *u = s->uses; u < s->uses + s->nuses; u++) {
			const uint64_t *by = moves[u->user->number], **to = &moves[u->provider->number];

			if (by == &any_time && u->user->module->eval && users[u->provider->number] > 1)
				by = &s->evals;
			if (*to && by && *to != by)
				by = *to == &any_time || by == &any_time ? &any_time : &s->evals;
			changed = changed || (by && *to != by);
			*to = by ? by : *to;
		}
	}
	return moves;
}

/* Instances whose `skipped` may change what is read. */
static void find_counting(struct hd_energy *e, const uint32_t *users)
{
	const struct hd_sim *s = e->sim;
	bool *read = e->read = hd__xcalloc(s->ninstances, sizeof *read);

	for (size_t i = 0; i < e->nreaders; i++)
		read[e->readers[i].instance] = true;
	for (size_t i = 0; i < e->nothers; i++)
		read[e->others[i].as.instance] = true;
	for (size_t i = 0; i < e->nunits; i++)
		read[e->units[i].instance] = true;
	for (const struct hd_use *u = s->uses; u < s->uses + s->nuses; u++)
		if (users[u->provider->number] == 1 && read[u->provider->number])
			read[u->user->number] = true;
	for (size_t i = 0; i < s->ninstances; i++)
		if (read[i] && s->instances[i].module->skipped && s->instances[i].rank != HD_NO_PROCESS) {
			e->counting = hd__xappend((void *)e->counting, e->ncounting, sizeof *e->counting);
			e->counting[e->ncounting++] = &s->instances[i];
		}
}

/* The first component that both need energy for, or UINT32_MAX. */
static uint32_t common(const struct hd_energy_parts *a, const struct hd_energy_parts *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (a->v[i].component == b->v[k].component)
				return a->v[i].component;
	return UINT32_MAX;
}

/* Another row is for this instance, too: one message for each row. */
static void check_twice(const struct hd_energy *e, struct hd_energy_event *v, const char *path, struct hd_diags *d)
{
	for (const struct hd_energy_event *w = v->like; w; w = w->like) {
		uint32_t c = common(&v->pj, &w->pj);

		if (c == UINT32_MAX || !fits(w->instances, path))
			continue;
		SAY(v->from, d, HD_DIAG_ERROR, v->at, true, "'%s' of '%s' has energy of '%s' by the row of '%s' as "
		    "well; expected one row for each instance", v->statistic, path, e->table->components[c],
		    w->instances ? w->instances : "*");
		v->like = NULL;
		return;
	}
}

/* What is read of an instance, in the block before it if the same moves. */
static void read_instance(struct hd_energy *e, const struct hd_instance *in, const uint64_t *moves, struct hd_diags *d)
{
	const struct hd_energy_table *t = e->table;
	const struct hd_energy_rows *of = e->of;
	size_t before = e->nreaders + e->nunits;
	const char *pattern = NULL; /* that fits */

	while (of->module && of->module != in->module)
		of++;
	for (struct hd_energy_event *v = t->events + of->first; v < t->events + of->end; v++) {
		if (v->of != in->module || (v->instances != pattern && !fits(v->instances, in->path)))
			continue;
		pattern = v->instances;
		v->found = true;
		if (v->like)
			check_twice(e, v, in->path, d);
		if (v->pj.n > 0 && v->sum < t->nevents)
			read_counter(e, in, &v->counter, v->sum);
	}
	if (e->sm == in->module) {
		e->nsms++;
		read_counter(e, in, &e->resident, sum_of(e, RESIDENT));
		if (t->completed)
			read_counter(e, in, &e->done, sum_of(e, COMPLETED));
	}
	if (e->unit == in->module)
		read_unit(e, in);
	if (e->nreaders + e->nunits == before)
		return;
	if (e->nblocks == 0 || e->blocks[e->nblocks - 1].moves != moves) {
		e->blocks = hd__xappend(e->blocks, e->nblocks, sizeof *e->blocks);
		e->blocks[e->nblocks++] = (struct hd_energy_block){ .moves = moves, .seen = UINT64_MAX };
	}
	e->blocks[e->nblocks - 1].end = e->nreaders;
	e->blocks[e->nblocks - 1].units_end = e->nunits;
}

/* ---- before a run ---- */

#define WARN(event, d, ...) SAY((event)->from, d, HD_DIAG_WARNING, (event)->at, true, __VA_ARGS__)

/* Events without an instance: one message for each row of a file. */
static void warn_absent(const struct hd_energy *e, struct hd_diags *d)
{
	const struct hd_energy_event *last = NULL;

	for (size_t i = 0; i < e->table->nevents; i++) {
		const struct hd_energy_event *v = &e->table->events[i];
		bool same = last && last->from == v->from && strcmp(last->module, v->module) == 0
		            && last->instances == v->instances;

		if (v->found || v->optional || v->pj.n == 0 || same)
			continue;
		last = v;
		if (v->instances)
			WARN(v, d, "no instance of module '%s' fits '%s' in this netlist: its events need no energy",
			     v->module, v->instances);
		else
			WARN(v, d, "this netlist has no instance of module '%s': its events need no energy",
			     v->module);
	}
}

/* The classes are known once the opcodes are. */
static void warn_class(const struct hd_energy_file *f, const char *at, bool key, const struct hd_kind *k,
                       const char *name, struct hd_diags *d)
{
	char buf[400];

	SAY(f, d, HD_DIAG_WARNING, at, key, "no opcode has the %s class '%s'%s", k->name, name,
	    hd__suggest(name, (const char *const *)k->symbol, k->n, "classes are", buf, sizeof buf));
}

/* "lanes.itn" */
static void warn_classes(const struct hd_energy *e, struct hd_diags *d)
{
	for (size_t i = 0; i < e->table->nevents; i++) {
		const struct hd_energy_event *v = &e->table->events[i];
		const struct hd_kind *k = v->found && v->counter.unknown ? classes_of(e->sim, v->counter.activity->kind)
		                          : NULL;

		if (k)
			warn_class(v->from, v->at, true, k, strchr(v->statistic, '.') + 1, d);
	}
}

static bool find_clock(struct hd_energy *e, struct hd_diags *d)
{
	const struct hd_root *r = &e->sim->roots[0];
	const char *name = r->clock->name;
	const struct hd_energy_file *f = e->table->file;

	if (e->table->clock && strcmp(e->table->clock, name) != 0) {
		while (f->base && !json_object_get(f->root, "clock"))
			f = f->base;
		SAY(f, d, HD_DIAG_ERROR, "/clock", false, "'clock' is '%s'; intervals are cycles of the first clock of "
		    "the netlist, so expected '%s'", e->table->clock, name);
		return false;
	}
	e->hz = (double)(r->rate / r->ticks / 1000 / 1000000) * 1e6;
	if (e->hz < 1)
		SAY(f, d, HD_DIAG_ERROR, "", false, "clock '%s' has less than 1 MHz; expected a frequency in the "
		    "netlist", name);
	return e->hz >= 1;
}

/* The set of these classes, which are at that place. */
static uint64_t set_of(const struct hd_energy *e, const json_t *list, const char *at, struct hd_diags *d)
{
	const struct hd_kind *k = classes_of(e->sim, "power");
	uint64_t set = 0;
	size_t i;
	json_t *v;

	json_array_foreach((json_t *)list, i, v) {
		char *place = hd__format("%s/%zu", at, i);
		uint32_t c = 0;

		while (k && c < k->n && strcmp(k->symbol[c], json_string_value(v)) != 0)
			c++;
		if (k && c < k->n)
			set |= hd_bit(c);
		else if (k)
			warn_class(e->table->static_from, place, false, k, json_string_value(v), d);
		free(place);
	}
	return set;
}

/* Groups of classes, and for each row of the static power those that must not be there. */
static void find_sets(struct hd_energy *e, struct hd_diags *d)
{
	const struct hd_energy_table *t = e->table;
	size_t n = 0;
	const char *name;
	json_t *list;
	char *at;

	e->groups = hd__xcalloc(json_object_size(t->classes) + t->nrows, sizeof *e->groups);
	json_object_foreach((json_t *)t->classes, name, list) {
		at = hd__pointer_add("/static_w/groups", name);
		e->groups[n++] = set_of(e, list, at, d);
		free(at);
	}
	e->absent = e->groups + n;
	for (size_t i = 0; i < t->nrows; i++) {
		at = hd__format("/static_w/rows/%zu/classes_absent", i);
		e->absent[i] = set_of(e, t->rows[i].absent, at, d);
		free(at);
	}
}

static struct hd_energy_item new_item(const struct hd_energy *e)
{
	double *v = hd__xcalloc(e->table->ncomponents + 3 * e->nvalues, sizeof *v), *mean = v + e->table->ncomponents;

	return (struct hd_energy_item){ .joules = v,
		.mean = { .sum = mean, .most = mean + e->nvalues, .least = mean + 2 * e->nvalues } };
}

static const struct hd_module *module_of(const struct hd_energy *e, const char *name)
{
	return name ? hd__registry_find(e->sim->registry, name) : NULL;
}

/* The event is one of its module. */
static void add_row(struct hd_energy *e, size_t event)
{
	struct hd_energy_rows *of = e->of;

	while (of->module && of->module != e->table->events[event].of)
		of++;
	if (!of->module)
		*of = (struct hd_energy_rows){ .module = e->table->events[event].of, .first = event };
	of->end = event + 1;
}

/* What the names in the table stand for.  Lanes of all units are counted once. */
static void find_counters(struct hd_energy *e)
{
	const struct hd_energy_table *t = e->table;

	e->sm = module_of(e, t->sm);
	if (t->sm)
		e->resident = counter_of(e->sim, e->sm, t->resident);
	if (t->completed)
		e->done = counter_of(e->sim, e->sm, t->completed);
	e->unit = module_of(e, t->unit);
	if (t->unit) {
		e->lanes = counter_of(e->sim, e->unit, t->lanes);
		e->instructions = counter_of(e->sim, e->unit, t->instructions);
	}
	e->of = hd__xcalloc(t->nevents + 1, sizeof *e->of);
	for (size_t i = 0; i < t->nevents; i++) {
		struct hd_energy_event *v = &t->events[i];

		v->of = module_of(e, v->module);
		v->counter = counter_of(e->sim, v->of, v->statistic);
		v->sum = v->of == e->unit && v->counter.activity == e->lanes.activity && !v->instances
		         && v->counter.activity && !v->counter.unknown ? sum_of(e, LANES) + v->counter.class : i;
		v->like = NULL;
		for (size_t k = 0; k < i; k++)
			if (t->events[k].of == v->of && strcmp(t->events[k].statistic, v->statistic) == 0)
				v->like = &t->events[k];
		add_row(e, i);
	}
}

bool hd__energy_begin(struct hd_energy *e, struct hd_sim *s, struct hd_diags *d)
{
	const struct hd_energy_table *t = e->table;
	const struct hd_kind *k = classes_of(s, "power");
	const uint64_t **moves;
	uint32_t *users;
	size_t before = d->errors;

	e->sim = s;
	e->nclasses = k ? k->n : 0;
	if (!find_clock(e, d))
		return false;
	e->nsums = sum_of(e, LANES) + e->nclasses;
	e->nvalues = hd__energy_more(e) + HD_ENERGY_MORE;
	e->now = hd__xcalloc(3 * e->nsums, sizeof *e->now);
	e->before = e->now + e->nsums;
	e->cut = e->before + e->nsums;
	e->v = hd__xcalloc(2 * e->nvalues, sizeof *e->v);
	e->piece = e->v + e->nvalues;
	e->run = new_item(e);
	e->present = new_item(e);
	find_counters(e);
	users = hd__xcalloc(s->ninstances, sizeof *users);
	for (size_t i = 0; i < s->nuses; i++)
		users[s->uses[i].provider->number]++;
	moves = find_moves(s, users);
	for (int turn = 0; turn < 3; turn++) /* few blocks */
		for (size_t i = 0; i < s->ninstances; i++)
			if (turn == (moves[i] == &s->evals ? 1 : moves[i] == &any_time || !moves[i] ? 0 : 2))
				read_instance(e, &s->instances[i], moves[i], d);
	find_counting(e, users);
	free((void *)moves);
	free(users);
	e->last = hd__xcalloc(e->nunits * e->nclasses, sizeof *e->last);
	warn_absent(e, d);
	warn_classes(e, d);
	find_sets(e, d);
	e->next = t->interval;
	return d->errors == before;
}

void hd__energy_drop(struct hd_energy *e)
{
	for (size_t i = 0; i < e->nkernels && i < e->most; i++)
		free(e->kernels[i].joules);
	free(e->kernels);
	free(e->run.joules);
	free(e->present.joules);
	free(e->of);
	free(e->readers);
	free(e->others);
	free(e->units);
	free(e->last);
	free((void *)e->counting);
	free(e->read);
	free(e->blocks);
	free(e->now);
	free(e->v);
	free(e->groups);
	*e = (struct hd_energy){ .table = e->table, .most = e->most, .interval = e->interval, .arg = e->arg };
}

/* ---- power ---- */

static uint64_t value_of(const struct hd_energy_other *r)
{
	return r->stat ? hd_stat_value(r->stat, r->state) : r->value(r->state);
}

static inline void read_value(uint64_t *now, struct hd_energy_reader *r, uint64_t v)
{
	if (v == r->last) /* as most are */
		return;
	now[r->sum] += v - r->last;
	r->last = v;
}

static void read_lanes(struct hd_energy *e, struct hd_energy_unit *u)
{
	uint64_t n = *u->instructions, *last = e->last + (size_t)(u - e->units) * e->nclasses;
	uint64_t *now = e->now + sum_of(e, LANES);

	e->now[sum_of(e, INSTRUCTIONS)] += n - u->before;
	u->before = n;
	for (uint32_t c = 0; c < e->nclasses; c++) {
		now[c] += u->lanes[c] - last[c];
		last[c] = u->lanes[c];
	}
}

static void read_all(struct hd_energy *e)
{
	struct hd_energy_reader *r = e->readers;
	struct hd_energy_unit *u = e->units;
	uint64_t *now = e->now;

	for (struct hd_energy_block *b = e->blocks; b < e->blocks + e->nblocks; b++) {
		struct hd_energy_reader *end = e->readers + b->end;
		struct hd_energy_unit *units_end = e->units + b->units_end;

		if (b->moves && b->moves != &any_time && *b->moves == b->seen) {
			r = end;
			u = units_end;
			continue;
		}
		b->seen = b->moves ? *b->moves : 0;
		for (; r < end; r++)
			read_value(now, r, *r->at);
		for (; u < units_end; u++)
			if (*u->instructions != u->before)
				read_lanes(e, u);
	}
	for (size_t i = 0; i < e->nothers; i++)
		read_value(now, &e->others[i].as, value_of(&e->others[i]));
}

static uint64_t read_completed(const struct hd_energy *e)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < e->nreaders; i++)
		sum += e->readers[i].sum == sum_of(e, COMPLETED) ? *e->readers[i].at : 0;
	for (size_t i = 0; i < e->nothers; i++)
		sum += e->others[i].as.sum == sum_of(e, COMPLETED) ? value_of(&e->others[i]) : 0;
	return sum;
}

static void add_parts(double *watts, const struct hd_energy_parts *p, double factor)
{
	for (size_t i = 0; i < p->n; i++)
		watts[p->v[i].component] += p->v[i].v * factor;
}

/* The row that the set of classes seen in this interval chooses. */
static const struct hd_energy_static *static_row(const struct hd_energy *e, uint64_t seen)
{
	const struct hd_energy_table *t = e->table;
	uint64_t groups = 0;

	for (size_t i = 0; i < json_object_size(t->classes); i++)
		groups |= seen & e->groups[i] ? hd_bit((unsigned)i) : 0;
	for (size_t i = 0; i < t->nrows; i++) {
		const struct hd_energy_static *r = &t->rows[i];

		if (r->none ? seen == 0 : r->any || (seen && r->groups == groups && !(seen & e->absent[i])))
			return r;
	}
	return NULL;
}

/* The power of `n` cycles in which the sums have grown from `from` to .now, and so many lanes have completed. */
static void find_power(const struct hd_energy *e, const uint64_t *from, uint64_t n, uint64_t done, double *v)
{
	const struct hd_energy_table *t = e->table;
	double seconds = (double)n / e->hz, *more = v + hd__energy_more(e), *counts = v + hd__energy_counts(e);
	double squared = t->volts * t->volts, sms = e->nsms, active, share;
	uint64_t seen = 0, l = 0, w = e->now[sum_of(e, INSTRUCTIONS)] - from[sum_of(e, INSTRUCTIONS)];
	const struct hd_energy_static *row;

	memset(v, 0, e->nvalues * sizeof *v);
	for (size_t i = 0; i < t->nevents; i++) {
		size_t sum = t->events[i].sum;

		counts[i] = (double)(int64_t)(e->now[sum] - from[sum]); /* what is left to do may become less */
		add_parts(v, &t->events[i].pj, counts[i] * 1e-12 / seconds * squared);
	}
	for (uint32_t c = 0; c < e->nclasses; c++) {
		uint64_t grown = e->now[sum_of(e, LANES) + c] - from[sum_of(e, LANES) + c];

		seen |= grown ? hd_bit(c) : 0;
		l += grown;
	}
	add_parts(v, &t->constant_w, squared);
	active = (double)(e->now[sum_of(e, RESIDENT)] - from[sum_of(e, RESIDENT)]);
	share = e->nsms ? (double)done / (t->lanes_per_cycle * sms * (double)n) : 0;
	if (t->completed && e->nsms)
		add_parts(v, &t->pipeline_pj, (share < t->limit ? share : t->limit) * sms * e->hz * 1e-12 * squared);
	add_parts(v, &t->idle_w, (sms - active / (double)n) * t->volts);
	row = static_row(e, seen);
	if (row && e->nsms) {
		double further = w > 0 ? (double)((l + w - 1) / w) - 1 : 0;

		add_parts(v, &t->static_w, active / (double)n / sms * (row->first + further * row->further) * t->volts);
	}
	for (size_t i = 0; i < t->ncomponents; i++)
		more[HD_ENERGY_TOTAL] += v[i];
	more[HD_ENERGY_LANES] = (double)l;
	more[HD_ENERGY_WARPS] = (double)w;
	more[HD_ENERGY_RATIO] = w ? (double)l / (double)w : 0;
	more[HD_ENERGY_ACTIVE] = active;
	more[HD_ENERGY_DUTY] = share;
}

/* ---- intervals ---- */

static void add_interval(const struct hd_energy *e, struct hd_energy_mean *m)
{
	size_t total = hd__energy_more(e) + HD_ENERGY_TOTAL;

	if (m->n == 0 || e->v[total] > m->most[total])
		memcpy(m->most, e->v, e->nvalues * sizeof *e->v);
	if (m->n == 0 || e->v[total] < m->least[total])
		memcpy(m->least, e->v, e->nvalues * sizeof *e->v);
	for (size_t i = 0; i < e->nvalues; i++)
		m->sum[i] += e->v[i];
	m->n++;
}

/* The present kernel has lasted up to here. */
static void end_piece(struct hd_energy *e, uint64_t cycles)
{
	uint64_t n = cycles - e->cut_at;

	if (n == 0)
		return;
	find_power(e, e->cut, n, e->now[sum_of(e, COMPLETED)] - e->cut[sum_of(e, COMPLETED)], e->piece);
	for (size_t i = 0; i < e->table->ncomponents; i++) {
		e->present.joules[i] += e->piece[i] * (double)n / e->hz;
		e->run.joules[i] += e->piece[i] * (double)n / e->hz;
	}
	e->present.cycles += n;
	e->run.cycles += n;
	memcpy(e->cut, e->now, e->nsums * sizeof *e->cut);
	e->cut_at = cycles;
}

/* An interval belongs to the kernel in which it ends, of several that end then to the first. */
static void end_interval(struct hd_energy *e, uint64_t cycles)
{
	bool over = e->nkernels > 0 && e->ended == cycles;
	size_t kernel = over ? e->of_end : e->nkernels;
	uint64_t n = cycles - e->cut_at;

	hd__instances_count(e->sim, e->counting, e->ncounting);
	read_all(e);
	end_piece(e, cycles);
	if (!e->table->delay)
		e->completed = e->now[sum_of(e, COMPLETED)];
	if (n == e->table->interval && !e->table->delay) /* what the piece is, is the interval */
		memcpy(e->v, e->piece, e->nvalues * sizeof *e->v);
	else
		find_power(e, e->before, e->table->interval, e->completed - e->completed_before, e->v);
	add_interval(e, &e->run.mean);
	if (!over)
		add_interval(e, &e->present.mean);
	else if (kernel < e->most)
		add_interval(e, &e->kernels[kernel].mean);
	if (e->interval)
		e->interval(e->arg, e, cycles, kernel);
	memcpy(e->before, e->now, e->nsums * sizeof *e->before);
	e->completed_before = e->completed;
	e->next += e->table->interval;
}

/* hd_options.sample: at the end of an interval, and before it, if what has completed then counts. */
static uint64_t sample(void *arg)
{
	struct hd_energy *e = arg;
	uint64_t cycles = hd__sim_cycles(e->sim);

	if (cycles < e->next) {
		e->completed = read_completed(e);
		return e->next;
	}
	end_interval(e, cycles);
	return e->next - e->table->delay;
}

void hd__energy_options(struct hd_energy *e, const struct hd_energy_table *t, struct hd_options *o)
{
	*e = (struct hd_energy){ .table = t, .most = HD_MOST_ITEMS };
	o->active = true;
	o->sample = sample;
	o->sample_arg = e;
	o->sample_at = t->interval - t->delay;
}

/* Several kernels may end in one cycle: the others have had no time. */
void hd__energy_item(struct hd_energy *e)
{
	uint64_t cycles = hd__sim_cycles(e->sim);

	read_all(e);
	end_piece(e, cycles);
	if (e->nkernels == 0 || e->ended != cycles)
		e->of_end = e->nkernels;
	e->ended = cycles;
	while (e->nkernels < hd__rows(e->sim, "kernels")) {
		if (e->nkernels < e->most) {
			e->kernels = hd__xappend(e->kernels, e->nkernels, sizeof *e->kernels);
			e->kernels[e->nkernels] = e->present;
		} else {
			free(e->present.joules);
		}
		e->nkernels++;
		e->present = new_item(e);
	}
}

void hd__energy_end(struct hd_energy *e)
{
	uint64_t cycles = hd__sim_cycles(e->sim);

	for (size_t i = 0; i < e->nblocks; i++)
		e->blocks[i].seen = UINT64_MAX;
	if (cycles == e->next)
		end_interval(e, cycles);
	read_all(e);
	end_piece(e, cycles);
}

/* ---- instances ---- */

/* Of what these components have needed in the run. */
static void share(const struct hd_energy *e, const struct hd_energy_parts *p, double of, double *v)
{
	for (size_t i = 0; of > 0 && i < p->n; i++)
		v[p->v[i].component] += e->run.joules[p->v[i].component] * 1e12 * of;
}

/* What the instance has needed for `n` of a sum. */
static void add_needs(const struct hd_energy *e, const struct hd_energy_reader *r, double n, double *to)
{
	const struct hd_energy_table *t = e->table;
	double *v = to + r->instance * t->ncomponents;

	if (r->sum < t->nevents)
		add_parts(v, &t->events[r->sum].pj, n * t->volts * t->volts);
	if (r->sum == sum_of(e, RESIDENT)) {
		add_parts(v, &t->idle_w, ((double)e->run.cycles - n) / e->hz * 1e12 * t->volts);
		share(e, &t->static_w, n / (double)e->now[sum_of(e, RESIDENT)], v);
	}
	if (r->sum == sum_of(e, COMPLETED))
		share(e, &t->pipeline_pj, n / (double)e->now[sum_of(e, COMPLETED)], v);
}

void hd__energy_instances(const struct hd_energy *e, double *to)
{
	const struct hd_energy_table *t = e->table;
	double squared = t->volts * t->volts;

	for (size_t i = 0; i < e->nreaders; i++)
		add_needs(e, &e->readers[i], (double)*e->readers[i].at, to);
	for (size_t i = 0; i < e->nothers; i++)
		add_needs(e, &e->others[i].as, (double)value_of(&e->others[i]), to);
	for (size_t i = 0; i < t->nevents; i++)
		for (size_t k = 0; k < e->nunits && t->events[i].sum >= sum_of(e, LANES); k++)
			add_parts(to + e->units[k].instance * t->ncomponents, &t->events[i].pj,
			          (double)e->units[k].lanes[t->events[i].sum - sum_of(e, LANES)] * squared);
}
