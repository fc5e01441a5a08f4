/* energy.c - reads what a run has counted at the ends of intervals, and makes power of it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All is linear in sums of counters but the static power.  So the results are those of any order of evaluation, and of
 * runs in one thread or several.
 */
#include "energy.h"

#include "base/path.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "kernel/stats/per_item.h"
#include "kernel/stats/stats.h"

/* What is read of an instance. */
struct hd_energy_reader {
	const uint64_t *at;              /* a counter; NULL: */
	const struct hd_stat *stat;      /* a sum of several; NULL: */
	uint64_t (*value)(const void *state);
	const void *state;
	uint32_t sum, instance;          /* to which it adds: in .now; the number of the instance */
};

/* Sums behind those of the events. */
static size_t resident(const struct hd_energy *e)
{
	return e->table->nevents;
}

static size_t completed(const struct hd_energy *e)
{
	return e->table->nevents + 1;
}

static size_t lanes(const struct hd_energy *e)
{
	return e->table->nevents + 2;
}

static size_t instructions(const struct hd_energy *e)
{
	return lanes(e) + e->nclasses;
}

/* ---- what is read ---- */

static const struct hd_kind *classes_of(const struct hd_sim *s, const char *kind)
{
	for (size_t i = 0; i < s->nkinds; i++)
		if (strcmp(s->kinds[i].name, kind) == 0)
			return &s->kinds[i];
	return NULL;
}

static void add_reader(struct hd_energy *e, struct hd_energy_reader r)
{
	e->readers = hd__xappend(e->readers, e->nreaders, sizeof *e->readers);
	e->readers[e->nreaders++] = r;
}

/* The counters of a kind of the instance, or that of one class of them, which is `only`, add to sums from `sum` on. */
static void read_classes(struct hd_energy *e, const struct hd_instance *in, const struct hd_activity *a,
                         const char *only, size_t sum)
{
	const struct hd_kind *k = classes_of(e->sim, a->kind);
	const uint64_t *v;

	memcpy(&v, (const char *)in->state + a->offset, sizeof v);
	for (uint32_t i = 0; v && k && i < k->n; i++)
		if (!only || strcmp(k->symbol[i], only) == 0)
			add_reader(e, (struct hd_energy_reader){ .at = v + i, .instance = in->number,
				.sum = (uint32_t)(only ? sum : sum + i) });
}

/* The counter of that name adds to a sum; with a name of a kind its counters add to several. */
static void read_counter(struct hd_energy *e, const struct hd_instance *in, const char *name, size_t sum)
{
	struct hd_energy_reader r = { .state = in->state, .sum = (uint32_t)sum, .instance = in->number };
	const char *dot = strchr(name, '.');

	for (const struct hd_stat *st = in->module->stats; st && st->name; st++) {
		if (strcmp(st->name, name) != 0)
			continue;
		if (st->n > 1)
			r.stat = st;
		else
			r.at = (const uint64_t *)(const void *)((const char *)in->state + st->offset);
		add_reader(e, r);
		return;
	}
	for (const struct hd_activity *a = in->module->activity; a && a->name; a++) {
		if (a->kind) {
			if (strncmp(a->name, name, dot ? (size_t)(dot - name) : strlen(name) + 1) == 0)
				read_classes(e, in, a, dot ? dot + 1 : NULL, sum);
		} else if (strcmp(a->name, name) == 0) {
			r.value = a->now;
			if (!a->now)
				r.at = (const uint64_t *)(const void *)((const char *)in->state + a->offset);
			add_reader(e, r);
		}
	}
}

/* "*.l1d" is for an SM that is a netlist of its own as well. */
static bool fits(const char *pattern, const char *path)
{
	return !pattern || hd__path_fits(pattern, path)
	       || (strncmp(pattern, "*.", 2) == 0 && hd__path_fits(pattern + 2, path));
}

static void read_instance(struct hd_energy *e, const struct hd_instance *in)
{
	const struct hd_energy_table *t = e->table;
	const char *name = in->module->name;

	for (size_t i = 0; i < t->nevents; i++) {
		struct hd_energy_event *v = &t->events[i];

		if (!hd__same(v->module, name) || !fits(v->instances, in->path))
			continue;
		v->found = true;
		if (v->pj.n > 0)
			read_counter(e, in, v->statistic, i);
	}
	if (t->sm && strcmp(t->sm, name) == 0) {
		e->nsms++;
		read_counter(e, in, t->resident, resident(e));
		if (t->completed)
			read_counter(e, in, t->completed, completed(e));
	}
	if (t->unit && strcmp(t->unit, name) == 0) {
		read_counter(e, in, t->lanes, lanes(e));
		read_counter(e, in, t->instructions, instructions(e));
	}
}

/* ---- before a run ---- */

#define WARN(event, d, ...) hd__energy_diag((event)->from, d, HD_DIAG_WARNING, (event)->at, true, __VA_ARGS__)

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

/* "lanes.itn": the classes are known once the opcodes are. */
static void warn_classes(const struct hd_energy *e, struct hd_diags *d)
{
	for (size_t i = 0; i < e->table->nevents; i++) {
		const struct hd_energy_event *v = &e->table->events[i];
		const char *dot = strchr(v->statistic, '.');
		const struct hd_module *m = dot && v->found ? hd__registry_find(e->sim->registry, v->module) : NULL;

		for (const struct hd_activity *a = m ? m->activity : NULL; a && a->name; a++) {
			const struct hd_kind *k = a->kind ? classes_of(e->sim, a->kind) : NULL;
			char buf[400];
			bool known = false;

			for (uint32_t c = 0; k && c < k->n; c++)
				known = known || strcmp(k->symbol[c], dot + 1) == 0;
			if (k && !known && strncmp(a->name, v->statistic, (size_t)(dot - v->statistic)) == 0)
				WARN(v, d, "no opcode has the %s class '%s'%s", a->kind, dot + 1,
				     hd__suggest(dot + 1, (const char *const *)k->symbol, k->n, "classes are", buf,
				                 sizeof buf));
		}
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
		hd__energy_diag(f, d, HD_DIAG_ERROR, "/clock", false, "'clock' is '%s'; intervals are cycles of the "
		                "first clock of the netlist, so expected '%s'", e->table->clock, name);
		return false;
	}
	e->hz = (double)(r->rate / r->ticks / 1000 / 1000000) * 1e6;
	if (e->hz < 1)
		hd__energy_diag(f, d, HD_DIAG_ERROR, "", false, "clock '%s' has less than 1 MHz; expected a frequency "
		                "in the netlist", name);
	return e->hz >= 1;
}

static struct hd_energy_item new_item(const struct hd_energy *e)
{
	double *v = hd__xcalloc(e->table->ncomponents + 3 * e->nvalues, sizeof *v), *mean = v + e->table->ncomponents;

	return (struct hd_energy_item){ .joules = v,
		.mean = { .sum = mean, .most = mean + e->nvalues, .least = mean + 2 * e->nvalues } };
}

bool hd__energy_begin(struct hd_energy *e, struct hd_sim *s, struct hd_diags *d)
{
	const struct hd_energy_table *t = e->table;
	const struct hd_kind *k = classes_of(s, "power");

	e->sim = s;
	e->nclasses = k ? k->n : 0;
	if (!find_clock(e, d))
		return false;
	e->nsums = t->nevents + 2 + 2 * (size_t)e->nclasses;
	e->nvalues = hd__energy_more(e) + HD_ENERGY_MORE;
	e->now = hd__xcalloc(3 * e->nsums, sizeof *e->now);
	e->before = e->now + e->nsums;
	e->cut = e->before + e->nsums;
	e->v = hd__xcalloc(2 * e->nvalues, sizeof *e->v);
	e->piece = e->v + e->nvalues;
	e->run = new_item(e);
	e->present = new_item(e);
	for (size_t i = 0; i < s->ninstances; i++)
		read_instance(e, &s->instances[i]);
	warn_absent(e, d);
	warn_classes(e, d);
	e->next = t->interval;
	return true;
}

void hd__energy_drop(struct hd_energy *e)
{
	for (size_t i = 0; i < e->nkernels && i < e->most; i++)
		free(e->kernels[i].joules);
	free(e->kernels);
	free(e->run.joules);
	free(e->present.joules);
	free(e->readers);
	free(e->now);
	free(e->v);
	*e = (struct hd_energy){ .table = e->table, .most = e->most, .interval = e->interval, .arg = e->arg };
}

/* ---- power ---- */

static uint64_t value_of(const struct hd_energy_reader *r)
{
	return r->at ? *r->at : r->stat ? hd_stat_value(r->stat, r->state) : r->value(r->state);
}

static void read_all(struct hd_energy *e)
{
	memset(e->now, 0, e->nsums * sizeof *e->now);
	for (size_t i = 0; i < e->nreaders; i++)
		e->now[e->readers[i].sum] += value_of(&e->readers[i]);
}

static uint64_t read_completed(const struct hd_energy *e)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < e->nreaders; i++)
		if (e->readers[i].sum == completed(e))
			sum += value_of(&e->readers[i]);
	return sum;
}

static void add_parts(double *watts, const struct hd_energy_parts *p, double factor)
{
	for (size_t i = 0; i < p->n; i++)
		watts[p->v[i].component] += p->v[i].v * factor;
}

/* Has any class of the list, all if it is NULL, been seen? */
static bool any_seen(const struct hd_energy *e, const json_t *list, const uint64_t *grown)
{
	const struct hd_kind *k = classes_of(e->sim, "power");
	size_t i;
	json_t *v;

	json_array_foreach(list, i, v)
		for (uint32_t c = 0; c < e->nclasses; c++)
			if (grown[c] && strcmp(k->symbol[c], json_string_value(v) ? json_string_value(v) : "") == 0)
				return true;
	return false;
}

/* The row that the classes of this interval choose. */
static const struct hd_energy_static *static_row(const struct hd_energy *e, const uint64_t *grown, bool none)
{
	const struct hd_energy_table *t = e->table;
	uint64_t groups = 0, bit = 1;
	const char *name;
	json_t *list;

	json_object_foreach((json_t *)t->classes, name, list) {
		groups |= any_seen(e, list, grown) ? bit : 0;
		bit <<= 1;
	}
	for (size_t i = 0; i < t->nrows; i++) {
		const struct hd_energy_static *r = &t->rows[i];

		if (r->none ? none : r->any || (!none && r->groups == groups && !any_seen(e, r->absent, grown)))
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
	uint64_t grown[64], l = 0, w = 0;
	const struct hd_energy_static *row;

	memset(v, 0, e->nvalues * sizeof *v);
	for (size_t i = 0; i < t->nevents; i++) {
		counts[i] = (double)(int64_t)(e->now[i] - from[i]); /* what is left to do may become less */
		add_parts(v, &t->events[i].pj, counts[i] * 1e-12 / seconds * squared);
	}
	for (uint32_t c = 0; c < e->nclasses; c++) {
		grown[c] = e->now[lanes(e) + c] - from[lanes(e) + c];
		l += grown[c];
		w += e->now[instructions(e) + c] - from[instructions(e) + c];
	}
	add_parts(v, &t->constant_w, squared);
	active = (double)(e->now[resident(e)] - from[resident(e)]);
	share = e->nsms ? (double)done / (t->lanes_per_cycle * sms * (double)n) : 0;
	if (t->completed && e->nsms)
		add_parts(v, &t->pipeline_pj, (share < t->limit ? share : t->limit) * sms * e->hz * 1e-12 * squared);
	add_parts(v, &t->idle_w, (sms - active / (double)n) * t->volts);
	row = static_row(e, grown, l == 0);
	if (row && e->nsms) {
		double further = row->none ? 0 : (double)((l + w - 1) / w) - 1;

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
	find_power(e, e->cut, n, e->now[completed(e)] - e->cut[completed(e)], e->piece);
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

	hd__sim_settle(e->sim);
	read_all(e);
	end_piece(e, cycles);
	if (!e->table->delay)
		e->completed = e->now[completed(e)];
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
	o->active = o->per_item = true;
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

void hd__energy_instances(const struct hd_energy *e, double *to)
{
	const struct hd_energy_table *t = e->table;
	double cycles = (double)e->run.cycles, active = (double)e->now[resident(e)];
	double done = (double)e->now[completed(e)];

	for (size_t i = 0; i < e->nreaders; i++) {
		const struct hd_energy_reader *r = &e->readers[i];
		double *v = to + r->instance * t->ncomponents, n = (double)value_of(r);

		if (r->sum < t->nevents)
			add_parts(v, &t->events[r->sum].pj, n * t->volts * t->volts);
		if (r->sum == resident(e)) {
			add_parts(v, &t->idle_w, (cycles - n) / e->hz * 1e12 * t->volts);
			share(e, &t->static_w, n / active, v);
		}
		if (r->sum == completed(e))
			share(e, &t->pipeline_pj, n / done, v);
	}
}
