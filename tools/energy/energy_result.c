/* energy_result.c - energy and power of a run and of its kernels, as JSON, as CSV and for reading
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "energy.h"

#include "base/xalloc.h"
#include "kernel/stats/stats.h"

#include <inttypes.h>

static double total(const struct hd_energy *e, const double *v)
{
	return v[hd__energy_more(e) + HD_ENERGY_TOTAL];
}

static double joules(const struct hd_energy *e, const struct hd_energy_item *item)
{
	double sum = 0;

	for (size_t i = 0; i < e->table->ncomponents; i++)
		sum += item->joules[i];
	return sum;
}

/* The sum of what a group has of values by component. */
static double of_group(const struct hd_energy *e, json_t *list, const double *v)
{
	double sum = 0;
	size_t i;
	json_t *name;

	json_array_foreach(list, i, name)
		for (size_t k = 0; k < e->table->ncomponents; k++)
			sum += strcmp(e->table->components[k], json_string_value(name)) == 0 ? v[k] : 0;
	return sum;
}

/* Energy and mean power. */
static json_t *amount(double j, double seconds)
{
	return json_pack("{s:f, s:f}", "joules", j, "mean_w", seconds > 0 ? j / seconds : 0);
}

/* Power of the intervals: on average, in that with the largest total, and with the smallest. */
static json_t *power(double mean, double largest, double smallest)
{
	return json_pack("{s:f, s:f, s:f}", "mean_w", mean, "largest_w", largest, "smallest_w", smallest);
}

static json_t *intervals(const struct hd_energy *e, const struct hd_energy_mean *m)
{
	const struct hd_energy_table *t = e->table;
	json_t *o = json_pack("{s:I}", "number", (json_int_t)m->n), *components, *groups, *list;
	double n = (double)m->n;
	const char *name;

	if (m->n == 0)
		return o;
	json_object_update_new(o, power(total(e, m->sum) / n, total(e, m->most), total(e, m->least)));
	components = json_object();
	groups = json_object();
	for (size_t i = 0; i < t->ncomponents; i++)
		json_object_set_new(components, t->components[i], power(m->sum[i] / n, m->most[i], m->least[i]));
	json_object_foreach((json_t *)t->groups, name, list)
		json_object_set_new(groups, name, power(of_group(e, list, m->sum) / n, of_group(e, list, m->most),
		                                        of_group(e, list, m->least)));
	json_object_set_new(o, "groups", groups);
	json_object_set_new(o, "components", components);
	return o;
}

static json_t *item_json(const struct hd_energy *e, const struct hd_energy_item *item)
{
	const struct hd_energy_table *t = e->table;
	double seconds = (double)item->cycles / e->hz;
	json_t *o = amount(joules(e, item), seconds), *components = json_object(), *groups = json_object(), *list;
	const char *name;

	json_object_set_new(o, "seconds", json_real(seconds));
	json_object_set_new(o, "joule_seconds", json_real(joules(e, item) * seconds)); /* energy x delay */
	for (size_t i = 0; i < t->ncomponents; i++)
		json_object_set_new(components, t->components[i], amount(item->joules[i], seconds));
	json_object_foreach((json_t *)t->groups, name, list)
		json_object_set_new(groups, name, amount(of_group(e, list, item->joules), seconds));
	json_object_set_new(o, "groups", groups);
	json_object_set_new(o, "components", components);
	json_object_set_new(o, "intervals", intervals(e, &item->mean));
	return o;
}

static json_t *instances(const struct hd_energy *e)
{
	size_t n = e->table->ncomponents, some;
	double *v = hd__xcalloc(e->sim->ninstances * n, sizeof *v);
	const struct hd_instance **sorted = hd__instances_among(e->sim, e->read, &some);
	json_t *all = json_object();

	hd__energy_instances(e, v);
	for (size_t i = 0; i < some; i++) {
		const double *of = v + sorted[i]->number * n;
		json_t *o = json_object();

		for (size_t k = 0; k < n; k++)
			if (of[k] != 0)
				json_object_set_new(o, e->table->components[k], json_real(of[k]));
		if (json_object_size(o) > 0)
			json_object_set(all, sorted[i]->path, o);
		json_decref(o);
	}
	free((void *)sorted);
	free(v);
	return all;
}

/* How often each event was. */
static json_t *counts(const struct hd_energy *e)
{
	json_t *all = json_object();

	for (size_t i = 0; i < e->table->nevents; i++) {
		const struct hd_energy_event *v = &e->table->events[i];
		char *name = v->instances ? hd__format("%s %s.%s", v->module, v->instances, v->statistic)
		             : hd__format("%s.%s", v->module, v->statistic);

		if (v->found && v->pj.n > 0)
			json_object_set_new(all, name, json_integer((json_int_t)e->now[v->sum]));
		free(name);
	}
	return all;
}

json_t *hd__energy_json(const struct hd_energy *e, bool each)
{
	const struct hd_energy_table *t = e->table;
	json_t *o = json_pack("{s:s, s:s*, s:s*, s:f, s:I}", "table", t->name, "doc", t->doc, "error", t->error, "mhz",
	                      e->hz / 1e6, "interval", (json_int_t)t->interval);

	json_object_update_new(o, item_json(e, &e->run));
	json_object_set_new(o, "counts", counts(e));
	if (each)
		json_object_set_new(o, "instances", instances(e));
	return o;
}

/* ---- rows of kernels ---- */

static size_t count_rows(void *arg, const char *table)
{
	const struct hd_energy *e = arg;

	return e->rows.count(e->rows.arg, table);
}

static json_t *make_row(void *arg, const char *table, size_t i)
{
	const struct hd_energy *e = arg;
	json_t *row = e->rows.row(e->rows.arg, table, i);

	if (row && strcmp(table, "kernels") == 0 && i < e->nkernels && i < e->most)
		json_object_set_new(row, "energy", item_json(e, &e->kernels[i]));
	return row;
}

struct hd_json_rows hd__energy_rows(struct hd_energy *e, struct hd_json_rows rows)
{
	e->rows = rows;
	return (struct hd_json_rows){ count_rows, make_row, e };
}

/* ---- for reading ---- */

void hd__energy_print(const struct hd_energy *e, FILE *out)
{
	const struct hd_energy_mean *m = &e->run.mean;
	double j = joules(e, &e->run), seconds = (double)e->run.cycles / e->hz;
	const char *name;
	json_t *list;

	fprintf(out, "\nenergy by table '%s'%s%s\n  %.4g J in %.4g s, %.2f W", e->table->name,
	        e->table->error ? "; its error: " : "", e->table->error ? e->table->error : "", j, seconds,
	        seconds > 0 ? j / seconds : 0);
	if (m->n > 0)
		fprintf(out, "; from %.2f W to %.2f W in intervals of %" PRIu64 " cycles", total(e, m->least),
		        total(e, m->most), e->table->interval);
	fputc('\n', out);
	json_object_foreach((json_t *)e->table->groups, name, list) {
		double of = of_group(e, list, e->run.joules);

		fprintf(out, "  %-22s %12.4g J  %5.1f%%\n", name, of, j > 0 ? 100 * of / j : 0);
	}
}

void hd__energy_head(const struct hd_energy *e, FILE *to)
{
	fputs("cycle,kernel,watts", to);
	for (size_t i = 0; i < e->table->ncomponents; i++)
		fprintf(to, ",%s", e->table->components[i]);
	fputc('\n', to);
}

void hd__energy_row(const struct hd_energy *e, uint64_t cycle, size_t kernel, FILE *to)
{
	fprintf(to, "%" PRIu64 ",%zu,%.9g", cycle, kernel + 1, total(e, e->v));
	for (size_t i = 0; i < e->table->ncomponents; i++)
		fprintf(to, ",%.9g", e->v[i]);
	fputc('\n', to);
}

/* ---- dumps ---- */

/* Femtojoules since the last interval, by component; its group is in the place of a meaning. */
void hd__energy_dump(struct hd_energy *e, struct hd_observe_options *o)
{
	const struct hd_energy_table *t = e->table;
	struct hd_observe_counter *v = hd__xcalloc(t->ncomponents, sizeof *v);

	for (size_t i = 0; i < t->ncomponents; i++) {
		const char *name;
		json_t *list, *of;
		size_t k;

		v[i] = (struct hd_observe_counter){ hd__format("energy.%s", t->components[i]), "fJ", t->components[i] };
		json_object_foreach((json_t *)t->groups, name, list)
			json_array_foreach(list, k, of)
				if (strcmp(json_string_value(of), t->components[i]) == 0)
					v[i].doc = name;
	}
	for (size_t i = e->sim->ninstances; i-- > 0;) /* where a reader looks for what is of the whole run */
		if (strcmp(e->sim->instances[i].module->name, "trace_source") == 0)
			o->more_of = i;
	o->more = v;
	o->nmore = t->ncomponents;
}

void hd__energy_dump_interval(const struct hd_energy *e)
{
	double seconds = (double)e->table->interval / e->hz;

	for (size_t i = 0; i < e->table->ncomponents; i++)
		hd__observe_growth(e->sim, i, (int64_t)(e->v[i] * seconds * 1e15 + 0.5));
}
