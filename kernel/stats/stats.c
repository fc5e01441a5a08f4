/* stats.c - statistics of a run, as JSON and as a table
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/path.h"
#include "stats.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t value_of(const struct hd_instance *in, const struct hd_stat *st)
{
	return hd_stat_value(st, in->state);
}

/* What a share is a share of. */
static uint64_t whole_of(const struct hd_instance *in, const struct hd_stat *st)
{
	for (const struct hd_stat *all = in->module->stats; all->name; all++)
		if (strcmp(all->name, st->of) == 0)
			return value_of(in, all);
	return 0;
}

json_t *hd__stats_figure(const struct hd_instance *in, const struct hd_stat *st)
{
	if (!hd__stat_is_share(st))
		return json_integer((json_int_t)value_of(in, st));
	return hd__share_json(value_of(in, st), whole_of(in, st));
}

/* "cycles" is time, which passes for all instances at once; the others are sums, or the largest. */
static json_t *totals(const struct hd_sim *s, const struct hd_instance **v)
{
	struct hd_figures f = { .n = 0 };
	json_t *t = json_object();

	for (size_t i = 0; i < s->ninstances; i++)
		for (const struct hd_stat *st = v[i]->module->stats; st && st->name; st++)
			if (st->total)
				hd__figures_add(&f, st, value_of(v[i], st),
				                hd__stat_is_share(st) ? whole_of(v[i], st) : 0);
	json_object_set_new(t, "cycles", json_integer((json_int_t)hd__sim_cycles(s)));
	hd__figures_json(&f, t);
	return t;
}

json_t *hd__stats_totals(const struct hd_sim *s)
{
	const struct hd_instance **v = hd__instances_sorted(s);
	json_t *t = totals(s, v);

	free(v);
	return t;
}

json_t *hd__stats_ratios(const struct hd_sim *s)
{
	json_t *o = json_object();

	for (size_t i = 0; i < s->narrays; i++)
		for (const struct hd_stat *st = s->arrays[i].module->stats; st && st->name; st++)
			if (st->total && st->ratio && !json_object_get(o, st->total))
				json_object_set_new(o, st->total, json_string(st->ratio));
	return o;
}

/* What a rate is a share of: another statistic, or the edges that the instances had. */
static uint64_t whole(const struct hd_instance *const *v, const struct hd_stat *st)
{
	uint64_t sum = 0;

	if (!st->of)
		return v[0]->clock ? v[0]->decl->count * (v[0]->clock->now + 1) : 0;
	for (const struct hd_stat *all = v[0]->module->stats; all->name; all++)
		for (uint32_t k = 0; strcmp(all->name, st->of) == 0 && k < v[0]->decl->count; k++)
			sum += value_of(v[k], all);
	return sum;
}

/* Statistics under a heading of instances that differ in indices only. */
struct rate {
	const char *heading;
	char *name;
	uint64_t count, sum, edges; /* the share is sum / edges */
};

struct rates {
	struct rate *v; /* in the order in which they came */
	size_t n, cap;
};

static struct rate *rate_of(struct rates *r, const char *heading, const char *instance)
{
	char *name = hd__path_any_index(instance);

	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->v[i].heading, heading) == 0 && strcmp(r->v[i].name, name) == 0) {
			free(name);
			return &r->v[i];
		}
	r->v = hd__xgrow(r->v, r->n, &r->cap, sizeof *r->v);
	r->v[r->n] = (struct rate){ .heading = heading, .name = name };
	return &r->v[r->n++];
}

static struct rates find_rates(const struct hd_sim *s)
{
	const struct hd_instance **v = hd__instances_sorted(s);
	struct rates all = { .n = 0 };

	for (size_t i = 0; i < s->ninstances; i += v[i]->decl->count)
		for (const struct hd_stat *st = v[i]->module->stats; st && st->name; st++) {
			struct rate *r;

			if (!st->rate)
				continue;
			r = rate_of(&all, st->rate, v[i]->decl->name);
			r->count += v[i]->decl->count;
			r->edges += whole(&v[i], st);
			for (uint32_t k = 0; k < v[i]->decl->count; k++)
				r->sum += value_of(v[i + k], st);
		}
	free(v);
	return all;
}

static void free_rates(struct rates *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->v[i].name);
	free(r->v);
}

json_t *hd__stats_rates(const struct hd_sim *s)
{
	struct rates r = find_rates(s);
	json_t *headings = json_object();

	for (size_t i = 0; i < r.n; i++) {
		if (!json_object_get(headings, r.v[i].heading))
			json_object_set_new(headings, r.v[i].heading, json_object());
		json_object_set_new(json_object_get(headings, r.v[i].heading), r.v[i].name,
			json_pack("{s:I, s:I, s:I}", "count", (json_int_t)r.v[i].count, "sum", (json_int_t)r.v[i].sum,
			          "edges", (json_int_t)r.v[i].edges));
	}
	free_rates(&r);
	return headings;
}

/* "issue[0]", "issue", "stall", "issue[0].stall", "issue.stall" */
static bool selected(const char *pattern, const struct hd_instance *in, const char *name)
{
	char *one, *all;
	bool yes;

	if (!pattern || hd__path_fits(pattern, in->path) || hd__path_fits(pattern, in->decl->name)
	    || hd__path_fits(pattern, name))
		return true;
	one = hd__format("%s.%s", in->path, name);
	all = hd__format("%s.%s", in->decl->name, name);
	yes = hd__path_fits(pattern, one) || hd__path_fits(pattern, all);
	free(one);
	free(all);
	return yes;
}

json_t *hd__stats_select(const struct hd_sim *s, const char *pattern, size_t most, size_t *n)
{
	const struct hd_instance **v = hd__instances_sorted(s);
	json_t *all = json_object();

	*n = 0;
	for (size_t i = 0; i < s->ninstances; i++) {
		json_t *o = json_object();

		for (const struct hd_stat *st = v[i]->module->stats; st && st->name; st++)
			if (selected(pattern, v[i], st->name) && (*n)++ < most)
				json_object_set_new(o, st->name, hd__stats_figure(v[i], st));
		if (json_object_size(o))
			json_object_set(all, v[i]->path, o);
		json_decref(o);
	}
	free(v);
	return all;
}

static json_t *module_docs(const struct hd_module *m)
{
	json_t *o = json_object(), *stats = json_object();

	json_object_set_new(o, "doc", json_string(m->doc));
	for (const struct hd_stat *st = m->stats; st && st->name; st++) {
		json_t *about = json_object();

		json_object_set_new_nocheck(about, "unit", json_string(st->unit));
		json_object_set_new_nocheck(about, "doc", json_string(st->doc));
		if (st->total)
			json_object_set_new_nocheck(about, "total", json_string(st->total));
		json_object_set_new_nocheck(stats, st->name, about);
	}
	json_object_set_new(o, "statistics", stats);
	return o;
}

/* Counters of edges are to be seen against those of the clocks that others derive from. */
static json_t *clocks(const struct hd_sim *s)
{
	json_t *all = json_object(), *o;

	for (uint32_t i = 0; i < s->nclocks; i++) {
		const struct hd_root *r = s->clocks[i].root;
		double hz = (double)r->rate / r->ticks / 1000;

		if (s->clocks[i].parent)
			continue;
		o = json_pack("{s:f, s:I}", "mhz", hz / 1e6, "edges", (json_int_t)(r->period + 1));
		json_object_set_new_nocheck(all, s->clocks[i].name, o);
	}
	return all;
}

json_t *hd__stats_plain(const struct hd_sim *s, const char *status)
{
	const struct hd_instance **v = hd__instances_sorted(s);
	json_t *root = json_object(), *sum = totals(s, v), *mods = json_object();
	json_t *insts = json_object(), *value;
	const char *key;

	json_object_set_new(root, "heddle", json_string(PACKAGE_VERSION));
	json_object_set_new(root, "netlist", json_string(s->netlist->name ? s->netlist->name : ""));
	json_object_set_new(root, "status", json_string(status));
	json_object_foreach(sum, key, value)
		json_object_set(root, key, value);
	for (size_t i = 0; (key = hd__row_table(s, i)) != NULL; i++)
		json_object_set_new(root, key, json_array());
	hd__per_item_rest(s, root);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_module *m = v[i]->module;
		json_t *o;

		if (!m->stats)
			continue;
		o = json_object();
		json_object_set_new(o, "module", json_string(m->name));
		for (const struct hd_stat *st = m->stats; st->name; st++)
			json_object_set_new_nocheck(o, st->name, hd__stats_figure(v[i], st));
		json_object_set_new_nocheck(insts, v[i]->path, o);
		if (!json_object_get(mods, m->name))
			json_object_set_new(mods, m->name, module_docs(m));
	}
	json_object_set_new(root, "clocks", clocks(s));
	if (s->ngauges)
		json_object_set_new(root, "queues", hd__gauges_json(s));
	json_object_set_new(root, "arrays", hd__stats_arrays(s, v));
	json_object_set_new(root, "instances", insts);
	json_object_set_new(root, "modules", mods);
	json_decref(sum);
	free(v);
	return root;
}

/* ---- rows ---- */

static size_t count_rows(void *arg, const char *table)
{
	return hd__rows(arg, table);
}

static json_t *make_row(void *arg, const char *table, size_t i)
{
	return hd__per_item_row(arg, table, i);
}

struct hd_json_rows hd__stats_rows(const struct hd_sim *s)
{
	return (struct hd_json_rows){ count_rows, make_row, (void *)s };
}

json_t *hd__stats_json(const struct hd_sim *s, const char *status)
{
	json_t *root = hd__stats_plain(s, status);
	const char *table;

	for (size_t i = 0; (table = hd__row_table(s, i)) != NULL; i++)
		for (size_t k = 0; k < hd__rows(s, table); k++)
			json_array_append_new(json_object_get(root, table), hd__per_item_row(s, table, k));
	return root;
}

/* ---- writing ---- */

bool hd__json_write(const json_t *j, const struct hd_json_rows *rows, FILE *out)
{
	return hd__json_rows_write(j, rows, JSON_INDENT(1) | JSON_REAL_PRECISION(15), out);
}

bool hd__json_write_line(const json_t *j, const struct hd_json_rows *rows, FILE *out)
{
	return hd__json_rows_write(j, rows, JSON_COMPACT | JSON_REAL_PRECISION(15), out);
}

/* ---- as a table ---- */

static void bar(FILE *out, double share)
{
	int n = (int)(share * 40 + 0.5);

	for (int i = 0; i < 40; i++)
		fputs(i < n ? "#" : ".", out);
}

/* Groups with a share among them are for --stats. */
static bool has_counts(json_t *group)
{
	const char *key;
	json_t *v;

	json_object_foreach(group, key, v)
		if (!json_is_integer(v))
			return false;
	return true;
}

/* The unit of the group's member, or of all of them, which are parts of one whole then; NULL: they differ. */
static const char *unit_of(const struct hd_sim *s, const char *group, const char *member)
{
	const char *unit = NULL;

	for (size_t i = 0; i < s->narrays; i++)
		for (const struct hd_stat *st = s->arrays[i].module->stats; st && st->name; st++) {
			if (!st->total || !hd__figure_within(st->total, group)
			    || (member && strcmp(strchr(st->total, '.') + 1, member) != 0))
				continue;
			if ((unit && strcmp(unit, st->unit) != 0) || (st->most && !member))
				return NULL;
			unit = st->unit;
		}
	return unit;
}

static void print_group(const struct hd_sim *s, FILE *out, const char *name, json_t *group)
{
	const char *key;
	json_t *v;
	uint64_t sum = 0;
	bool whole = unit_of(s, name, NULL) != NULL;
	char num[32];

	json_object_foreach(group, key, v)
		sum += (uint64_t)json_integer_value(v);
	if (whole)
		fprintf(out, "\n%s (of %s)\n", name, hd__grouped(sum, num));
	else
		fprintf(out, "\n%s\n", name);
	json_object_foreach(group, key, v) {
		uint64_t n = (uint64_t)json_integer_value(v);
		double share = sum ? (double)n / (double)sum : 0;

		fprintf(out, "  %-14s %14s  ", key, hd__grouped(n, num));
		if (whole) {
			fprintf(out, "%5.1f%%  ", share * 100);
			bar(out, share);
		} else {
			const char *unit = unit_of(s, name, key);

			fputs(unit ? unit : "", out);
		}
		fputc('\n', out);
	}
}

static bool is_first(const struct rates *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(r->v[k].heading, r->v[i].heading) == 0)
			return false;
	return true;
}

/* Those from `first` on that have its heading. */
static void print_heading(const struct rates *r, size_t first, FILE *out)
{
	int width = 10;

	for (size_t i = first; i < r->n; i++)
		if (strcmp(r->v[i].heading, r->v[first].heading) == 0 && (int)strlen(r->v[i].name) > width)
			width = (int)strlen(r->v[i].name);
	fprintf(out, "\n%s\n", r->v[first].heading);
	for (size_t i = first; i < r->n; i++) {
		const struct rate *v = &r->v[i];
		double rate = v->edges ? (double)v->sum / (double)v->edges : 0;

		if (strcmp(v->heading, r->v[first].heading) != 0)
			continue;
		fprintf(out, "  %-*s x%-3u %14s  %5.1f%%  ", width, v->name, (unsigned)v->count,
		        hd__grouped(v->sum, (char[32]){ 0 }), rate * 100);
		bar(out, rate > 1 ? 1 : rate);
		fputc('\n', out);
	}
}

/* Statistics with a heading "rate": per edge that the instances had, all of them together. */
static void print_rates(const struct hd_sim *s, FILE *out)
{
	struct rates r = find_rates(s);

	for (size_t i = 0; i < r.n; i++)
		if (is_first(&r, i))
			print_heading(&r, i, out);
	free_rates(&r);
}

void hd__stats_table(const struct hd_sim *s, FILE *out)
{
	json_t *sum = hd__stats_totals(s), *ratios = hd__stats_ratios(s), *value;
	uint64_t cycles = (uint64_t)json_integer_value(json_object_get(sum, "cycles"));
	const char *key;
	char num[32];

	json_object_foreach(sum, key, value) {
		uint64_t n = (uint64_t)json_integer_value(value);

		if (json_is_real(value))
			fprintf(out, "%-22s %14.3f\n", key, json_real_value(value));
		if (!json_is_integer(value))
			continue;
		fprintf(out, "%-22s %14s", key, hd__grouped(n, num));
		if (cycles && strcmp(key, "cycles") != 0 && json_object_get(ratios, key))
			fprintf(out, "  %s %.3f", json_string_value(json_object_get(ratios, key)),
			        (double)n / (double)cycles);
		fputc('\n', out);
	}
	json_object_foreach(sum, key, value)
		if (json_is_object(value) && has_counts(value))
			print_group(s, out, key, value);
	print_rates(s, out);
	hd__gauges_table(s, out);
	json_decref(ratios);
	json_decref(sum);
}
