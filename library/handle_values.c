/* handle_values.c - libheddle: single statistics by their paths
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "handle.h"
#include "kernel/stats/stats.h"

/* ---- the list of all ---- */

static struct hd_figure *add(struct heddle *h, int kind, char *path, const char *unit, const char *doc)
{
	struct hd_figure *f;

	h->figures = hd__xappend(h->figures, h->nfigures, sizeof *h->figures);
	f = &h->figures[h->nfigures++];
	*f = (struct hd_figure){ .kind = kind, .path = path, .unit = unit ? unit : "", .doc = doc ? doc : "" };
	return f;
}

/* The statistic of any module that adds to the figure of the run with this name. */
static const struct hd_stat *source_of(const struct hd_sim *s, const char *total)
{
	for (size_t i = 0; i < s->narrays; i++)
		for (const struct hd_stat *st = s->arrays[i].module->stats; st && st->name; st++)
			if (st->total && strcmp(st->total, total) == 0)
				return st;
	return NULL;
}

static void add_totals(struct heddle *h, json_t *group, const char *prefix)
{
	const char *key;
	json_t *v;

	json_object_foreach(group, key, v) {
		char *path = hd__join(prefix, key, "");

		if (json_is_object(v)) {
			char *inner = hd__join(path, ".", "");

			add_totals(h, v, inner);
			free(inner);
			free(path);
		} else {
			const struct hd_stat *st = source_of(h->sim, path);

			add(h, HD_FIGURE_TOTAL, path, st ? st->unit : "cycles",
			    st ? st->doc : "time of the run, in periods of its first clock");
		}
	}
}

static void add_instance(struct heddle *h, const struct hd_instance *in)
{
	for (const struct hd_stat *st = in->module->stats; st && st->name; st++) {
		struct hd_figure *f = add(h, HD_FIGURE_STAT, hd__format("%s.%s", in->path, st->name), st->unit,
		                          st->doc);

		f->instance = in;
		f->stat = st;
	}
}

static void add_gauge(struct heddle *h, const struct hd_gauge *g)
{
	add(h, HD_FIGURE_MEAN, hd__format("queues.%s.mean", g->name), g->unit, g->doc)->gauge = g;
	add(h, HD_FIGURE_MOST, hd__format("queues.%s.most", g->name), g->unit, g->doc)->gauge = g;
}

/* The first of equal paths comes first: figures of the run before those of instances. */
static int by_path(const void *va, const void *vb)
{
	const struct hd_figure *a = *(const struct hd_figure *const *)va, *b = *(const struct hd_figure *const *)vb;
	int c = strcmp(a->path, b->path);

	return c ? c : (a > b) - (a < b);
}

/* Figures of the run as of now. */
static json_t *totals(struct heddle *h)
{
	if (h->totals && h->totals_evals == h->sim->evals && h->totals_cycle == hd__sim_cycles(h->sim))
		return h->totals;
	json_decref(h->totals);
	h->totals = hd__stats_totals(h->sim);
	h->totals_evals = h->sim->evals;
	h->totals_cycle = hd__sim_cycles(h->sim);
	return h->totals;
}

static void list(struct heddle *h)
{
	const struct hd_sim *s = h->sim;
	const struct hd_instance **v;

	if (h->figures)
		return;
	add_totals(h, totals(h), "");
	v = hd__instances_sorted(s);
	for (size_t i = 0; i < s->ninstances; i++)
		add_instance(h, v[i]);
	free(v);
	for (size_t i = 0; i < s->ngauges; i++)
		add_gauge(h, &s->gauges[i]);
	h->by_path = hd__xcalloc(h->nfigures, sizeof *h->by_path);
	for (size_t i = 0; i < h->nfigures; i++)
		h->by_path[i] = &h->figures[i];
	qsort(h->by_path, h->nfigures, sizeof *h->by_path, by_path);
}

void hd__figures_free(struct heddle *h)
{
	for (size_t i = 0; i < h->nfigures; i++)
		free(h->figures[i].path);
	free(h->figures);
	free(h->by_path);
	json_decref(h->totals);
}

/* ---- one value ---- */

static json_t *total(struct heddle *h, const char *path)
{
	json_t *at = totals(h);

	while (json_is_object(at)) {
		size_t n = strcspn(path, ".");

		at = json_object_getn(at, path, n);
		path += n + (path[n] == '.');
	}
	return json_incref(at);
}

/* The caller owns the result. */
static json_t *value_of(struct heddle *h, const struct hd_figure *f)
{
	json_t *queue, *v;

	if (f->kind == HD_FIGURE_TOTAL)
		return total(h, f->path);
	if (f->kind == HD_FIGURE_STAT)
		return hd__stats_figure(f->instance, f->stat);
	queue = hd__gauge_json(f->gauge->meter->sum, hd__gauge_edges(f->gauge), hd__gauge_most(f->gauge));
	v = json_incref(json_object_get(queue, f->kind == HD_FIGURE_MEAN ? "mean" : "most"));
	json_decref(queue);
	return v;
}

/* Writes as much as the caller's struct has. */
static int give(struct heddle *h, const struct hd_figure *f, struct heddle_value *v)
{
	json_t *j = value_of(h, f);
	struct heddle_value all = {
		.size = v->size,
		.path = f->path,
		.unit = f->unit,
		.doc = f->doc,
		.number = json_number_value(j),
		.count = (uint64_t)json_integer_value(j),
		.whole = json_is_integer(j),
	};

	json_decref(j);
	memcpy(v, &all, all.size < sizeof all ? all.size : sizeof all);
	return HEDDLE_OK;
}

struct question {
	const char *path; /* NULL: number i */
	size_t i;
	struct heddle_value *v;
};

static const struct hd_figure *find(const struct heddle *h, const char *path)
{
	size_t low = 0, high = h->nfigures;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(h->by_path[middle]->path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < h->nfigures && strcmp(h->by_path[low]->path, path) == 0 ? h->by_path[low] : NULL;
}

static int unknown(struct heddle *h, const char *path)
{
	const char **names = hd__xcalloc(h->nfigures, sizeof *names), *near;

	for (size_t i = 0; i < h->nfigures; i++)
		names[i] = h->figures[i].path;
	near = hd__nearest(path, names, h->nfigures);
	if (near)
		hd__diag(&h->diags, HD_DIAG_ERROR, NULL, 0, 0, "no statistic '%s'; did you mean '%s'?", path, near);
	else
		hd__diag(&h->diags, HD_DIAG_ERROR, NULL, 0, 0,
		         "no statistic '%s'; expected the path of an instance and "
		         "the name of a statistic, as heddle_value_at() lists them", path);
	free(names);
	return HEDDLE_BAD_INPUT;
}

static int answer(struct heddle *h, const void *arg)
{
	const struct question *q = arg;
	const struct hd_figure *f;

	if (!q->v || q->v->size < sizeof q->v->size) {
		hd__diag(&h->diags, HD_DIAG_ERROR, NULL, 0, 0, "a struct heddle_value without its size");
		return HEDDLE_BAD_CALL;
	}
	if (!hd__has_results(h))
		return HEDDLE_BAD_CALL;
	list(h);
	if (!q->path && q->i >= h->nfigures) {
		hd__diag(&h->diags, HD_DIAG_ERROR, NULL, 0, 0, "no statistic %zu; there are %zu", q->i, h->nfigures);
		return HEDDLE_BAD_CALL;
	}
	f = q->path ? find(h, q->path) : &h->figures[q->i];
	return f ? give(h, f, q->v) : unknown(h, q->path);
}

int heddle_value(struct heddle *h, const char *path, struct heddle_value *v)
{
	const struct question q = { path ? path : "", 0, v };

	return hd__guarded(h, answer, &q);
}

int heddle_value_at(struct heddle *h, size_t i, struct heddle_value *v)
{
	const struct question q = { NULL, i, v };

	return hd__guarded(h, answer, &q);
}

static int count(struct heddle *h, const void *arg)
{
	(void)arg;
	if (h->sim)
		list(h);
	return HEDDLE_OK;
}

size_t heddle_values(struct heddle *h)
{
	return hd__guarded(h, count, NULL) == HEDDLE_OK && h->sim ? h->nfigures : 0;
}
