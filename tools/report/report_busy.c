/* report_busy.c - how busy each array of a run was, as a share of its cycles
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/path.h"
#include "base/xalloc.h"
#include "report_limit.h"

#define MOST_BUSY 256u /* arrays that the page has */

/* Modules whose throughput is not counted as cycles in which they are busy: requests, one a cycle. */
static const struct {
	const char *module, *counters[3];
} served[] = {
	{ "memory_perfect", { "reads", "writes" } },
};

const json_t *report_instances(const struct report_limit *l)
{
	return json_object_get(l->r->netlist, "instances");
}

const json_t *report_in_netlist(const struct report_limit *l, const char *path, const char **name)
{
	const json_t *all = report_instances(l), *found = json_object_get(all, path);
	char *array = hd__xstrdup(path), *index = strrchr(array, '[');

	if (!found && index && array[strlen(array) - 1] == ']')
		*index = '\0';
	*name = json_object_iter_key(json_object_iter_at((json_t *)all, array));
	found = *name ? json_object_get(all, *name) : NULL;
	free(array);
	return found;
}

static double mhz(const struct report_limit *l, const char *clock)
{
	const json_t *all = json_object_get(l->r->d->meta, "clocks"), *one;
	size_t i;

	json_array_foreach((json_t *)all, i, one)
		if (clock && strcmp(report_member(one, "name"), clock) == 0)
			return json_number_value(json_object_get(one, "mhz"));
	return 0;
}

static bool ends_in_busy(const char *name)
{
	size_t n = strlen(name);

	return n >= 4 && strcmp(name + n - 4, "busy") == 0;
}

/* Cycles of its own clock in which an instance could do nothing else. */
static double busy_cycles(const json_t *figures, const char *module)
{
	const char *name;
	double most = -1;
	json_t *v;

	json_object_foreach((json_t *)figures, name, v)
		if (json_is_integer(v) && ends_in_busy(name) && json_number_value(v) > most)
			most = json_number_value(v);
	for (size_t i = 0; i < sizeof served / sizeof *served; i++)
		if (strcmp(served[i].module, module) == 0) {
			most = 0;
			for (size_t k = 0; served[i].counters[k]; k++)
				most += json_number_value(json_object_get(figures, served[i].counters[k]));
		}
	return most;
}

static void add_busy(struct report_limit *l, const char *path, const json_t *figures)
{
	const char *instance, *module, *cycle = report_member(l->r->d->meta, "cycle");
	const json_t *one = report_in_netlist(l, path, &instance);
	double cycles, ticks;
	struct report_busy b;

	if (!one)
		return;
	module = report_member(one, "module");
	cycles = busy_cycles(figures, module);
	ticks = mhz(l, cycle) > 0 ? (double)l->r->cycles * mhz(l, report_member(one, "clock")) / mhz(l, cycle) : 0;
	if (cycles <= 0 || ticks <= 0)
		return;
	b = (struct report_busy){ hd__path_any_index(path), module, instance, cycles / ticks };
	for (size_t i = 0; i < l->nbusy; i++) {
		if (strcmp(l->busy[i].name, b.name) != 0)
			continue;
		if (b.share > l->busy[i].share)
			l->busy[i].share = b.share;
		free(b.name);
		return;
	}
	l->busy = hd__xgrow(l->busy, l->nbusy, &l->cap, sizeof *l->busy);
	l->busy[l->nbusy++] = b;
}

static int busiest_first(const void *a, const void *b)
{
	const struct report_busy *x = a, *y = b;

	return x->share != y->share ? (x->share < y->share) - (x->share > y->share)
	                            : strcmp(x->name, y->name);
}

void report_find_busy(struct report_limit *l)
{
	const char *path;
	json_t *figures;

	json_object_foreach(json_object_get(l->r->statistics, "instances"), path, figures)
		add_busy(l, path, figures);
	if (l->nbusy)
		qsort(l->busy, l->nbusy, sizeof *l->busy, busiest_first);
}

const struct report_busy *report_busy_at(const struct report_limit *l, const char *plain)
{
	for (size_t i = 0; plain && i < l->nbusy; i++) {
		char *mine = hd__path_without_indices(l->busy[i].name);
		bool same = strcmp(mine, plain) == 0;

		free(mine);
		if (same)
			return &l->busy[i];
	}
	return NULL;
}

json_t *report_busy_list(const struct report_limit *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->nbusy && i < MOST_BUSY; i++)
		json_array_append_new(list, json_pack("{s:o, s:o, s:f}", "name", report_text(l->busy[i].name),
			"module", report_text(l->busy[i].module), "share", l->busy[i].share));
	return list;
}

/* A wider scheduler might use fewer. */
double report_issue_share(const struct report_limit *l)
{
	const json_t *all = json_object_get(l->r->out, "schedulers"), *one;
	double most = 0;
	size_t i, k;

	json_array_foreach((json_t *)all, i, one) {
		const json_t *sums = json_object_get(one, "sums"), *kind;
		const char *name;
		const json_t *it = report_in_netlist(l, report_member(one, "name"), &name);
		json_int_t width = json_integer_value(json_object_get(json_object_get(it, "params"), "width"));
		double used = 0;

		json_array_foreach((json_t *)l->slots, k, kind)
			if (report_is_issue(kind))
				used += json_number_value(json_array_get(sums, k));
		used /= (double)(width > 1 ? width : 1);
		most = used > most ? used : most;
	}
	return l->r->cycles ? most / (double)l->r->cycles : 0;
}
