/* plan.c - the points of a study: which have results, which will take how long
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "plan.h"
#include "inputs.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "study_result.h"

#include <inttypes.h>
#include <stdlib.h>

void study_plan_make(struct study_plan *p, const struct study *s, const char *program,
                     char (*hashes)[STUDY_KEY])
{
	*p = (struct study_plan){ .study = s, .whole = study_points(s), .statuses = json_object(),
		.seconds = s->seconds, .megabytes = s->megabytes };
	p->n = p->whole * (1 + s->pieces);
	p->v = hd__xcalloc(p->n, sizeof *p->v);
	for (size_t i = 0; i < p->n; i++) {
		struct study_point *one = &p->v[i];
		size_t of = i < p->whole ? i : (i - p->whole) / s->pieces;

		*one = (struct study_point){ .number = i + 1, .design = of / s->ntraces, .trace = of % s->ntraces,
		                             .piece = i < p->whole ? 0 : (i - p->whole) % s->pieces + 1 };
		study_point_key(s, program, hashes[one->design], one->trace, one->piece, one->key);
	}
}

bool study_plan_joins(const struct study_plan *p, size_t i)
{
	return p->study->pieces > 0 && i < p->whole;
}

bool study_plan_ready(const struct study_plan *p, size_t i)
{
	size_t first = p->whole + i * p->study->pieces;

	for (size_t k = 0; k < p->study->pieces; k++)
		if (!p->v[first + k].done)
			return false;
	return true;
}

void study_plan_free(struct study_plan *p)
{
	json_decref(p->statuses);
	free(p->v);
}

void study_plan_count(struct study_plan *p, const char *status)
{
	json_t *old = json_object_get(p->statuses, status);

	json_object_set_new(p->statuses, status, json_integer(json_integer_value(old) + 1));
	p->ndone++;
}

/* ---- what is there ------------------------------------------------------------------------- */

/* Seconds that points of a netlist and trace took. */
struct measure {
	double seconds, bytes;
	size_t n;
};

/* Does the result of a point stay? */
static bool stays(const struct study_plan *p, const json_t *result, bool retry)
{
	const char *status = json_string_value(json_object_get(result, "status"));

	if (status == NULL || study_result_finished(result))
		return status != NULL;
	if (strcmp(status, "time limit") == 0)
		return !retry && json_number_value(json_object_get(result, "limit")) == p->seconds;
	if (strcmp(status, "memory limit") == 0)
		return !retry && (uint64_t)json_integer_value(json_object_get(result, "limit")) == p->megabytes;
	return !retry;
}

/* Expected from the same netlist and trace, else from the netlist's seconds a byte, else from those of all. */
static double expect(const struct measure *same, const struct measure *netlist, const struct measure *all,
                     double bytes)
{
	if (same->n > 0)
		return same->seconds / (double)same->n;
	if (netlist->bytes > 0)
		return netlist->seconds / netlist->bytes * bytes;
	return all->bytes > 0 ? all->seconds / all->bytes * bytes : 0;
}

static void add(struct measure *m, double seconds, double bytes)
{
	m->seconds += seconds;
	m->bytes += bytes;
	m->n++;
}

/* That a point reads and simulates. */
static double bytes_of(const struct study_plan *p, size_t i)
{
	double all = (double)p->study->traces[p->v[i].trace].bytes;

	return p->v[i].piece ? all / (double)p->study->pieces : all;
}

void study_plan_look(struct study_plan *p, const struct study_folder *f, size_t first, size_t last, bool retry)
{
	const struct study *s = p->study;
	struct measure *same = hd__xcalloc(s->nnetlists * s->ntraces, sizeof *same);
	struct measure *netlist = hd__xcalloc(s->nnetlists, sizeof *netlist), all = { 0 };

	for (size_t i = first - 1; i < last; i++) {
		struct study_point *one = &p->v[i];
		char *path = study_folder_point(f, one->key);
		json_t *result = study_result_read(path);
		size_t n = s->designs[one->design].netlist;
		double seconds = json_number_value(json_object_get(result, "seconds"));
		double bytes = bytes_of(p, i);

		one->done = stays(p, result, retry);
		if (one->done)
			study_plan_count(p, json_string_value(json_object_get(result, "status")));
		if (study_result_finished(result) && !study_plan_joins(p, i)) {
			add(&same[n * s->ntraces + one->trace], seconds, bytes);
			add(&netlist[n], seconds, bytes);
			add(&all, seconds, bytes);
		}
		json_decref(result);
		free(path);
	}
	p->measured = all.n > 0;
	for (size_t i = first - 1; i < last; i++) {
		struct study_point *one = &p->v[i];
		size_t n = s->designs[one->design].netlist;
		double bytes = bytes_of(p, i);

		one->seconds = study_plan_joins(p, i) ? 0
		               : expect(&same[n * s->ntraces + one->trace], &netlist[n], &all, bytes);
		one->weight = p->measured ? one->seconds : bytes + 1;
	}
	free(same);
	free(netlist);
}

static int longer_first(const void *a, const void *b, void *points)
{
	const struct study_point *v = points, *x = &v[*(const size_t *)a], *y = &v[*(const size_t *)b];

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

size_t *study_plan_order(const struct study_plan *p, size_t first, size_t last, bool joins, size_t *n)
{
	size_t *v = hd__xcalloc(last - first + 1, sizeof *v);

	*n = 0;
	for (size_t i = first - 1; i < last; i++)
		if (!p->v[i].done && study_plan_joins(p, i) == joins && (!joins || study_plan_ready(p, i)))
			v[(*n)++] = i;
	qsort_r(v, *n, sizeof *v, longer_first, p->v);
	return v;
}

/* ---- as JSON and as text ------------------------------------------------------------------- */

/* The paths that have several values in the study, or are not set in every design. */
static json_t *varied(const struct study *s)
{
	json_t *first = json_object(), *count = json_object(), *all = json_object(), *v;
	const char *path;

	for (size_t i = 0; i < s->ndesigns; i++) {
		for (size_t k = 0; k < s->designs[i].n; k++) {
			const struct study_value *one = s->designs[i].v[k];
			const json_t *old = json_object_get(first, one->path);

			if (old == NULL)
				json_object_set(first, one->path, one->value);
			else if (!json_equal(old, one->value))
				json_object_set_new(all, one->path, json_true());
			v = json_object_get(count, one->path);
			json_object_set_new(count, one->path, json_integer(json_integer_value(v) + 1));
		}
	}
	json_object_foreach(count, path, v)
		if ((size_t)json_integer_value(v) != s->ndesigns)
			json_object_set_new(all, path, json_true());
	json_decref(first);
	json_decref(count);
	return all;
}

static json_t *values(const struct study_design *d)
{
	json_t *o = json_object();

	for (size_t i = 0; i < d->n; i++)
		json_object_set(o, d->v[i]->path, d->v[i]->value);
	return o;
}

json_t *study_plan_json(const struct study_plan *p)
{
	const struct study *s = p->study;
	json_t *root = json_pack("{s:i, s:s, s:s, s:s}", "study", 1, "name", s->name, "doc", s->doc ? s->doc : "",
	                         "heddle", PACKAGE_VERSION);
	json_t *traces = json_array(), *points = json_array(), *set = NULL;

	json_object_set_new(root, "varied", varied(s));
	for (size_t i = 0; i < s->ntraces; i++)
		json_array_append_new(traces, json_pack("{s:s, s:s}", "name", s->traces[i].name, "file",
		                                        s->traces[i].file));
	json_object_set_new(root, "traces", traces);
	for (size_t i = 0; i < p->whole; i++) {
		const struct study_design *d = &s->designs[p->v[i].design];

		if (p->v[i].trace == 0) {
			json_decref(set);
			set = values(d);
		}
		json_array_append_new(points, json_pack("{s:s, s:s, s:s, s:O, s:s}",
			"netlist", s->netlists[d->netlist].name, "design", d->label,
			"trace", s->traces[p->v[i].trace].name, "set", set, "key", p->v[i].key));
	}
	json_decref(set);
	json_object_set_new(root, "points", points);
	return root;
}

/* "1 h 5 min", "3 min 20 s", "12 s" */
const char *study_duration(double seconds, char buf[32])
{
	unsigned long s = (unsigned long)(seconds + 0.999);

	if (s >= 3600)
		snprintf(buf, 32, "%lu h %lu min", s / 3600, s % 3600 / 60);
	else if (s >= 60)
		snprintf(buf, 32, "%lu min %lu s", s / 60, s % 60);
	else
		snprintf(buf, 32, "%lu s", s);
	return buf;
}

void study_plan_print(const struct study_plan *p, size_t first, size_t last, unsigned jobs, FILE *out)
{
	const struct study *s = p->study;
	size_t left = 0;
	double sum = 0, longest = 0;
	char buf[32];

	for (size_t i = first - 1; i < last; i++) {
		const struct study_point *one = &p->v[i];
		const struct study_design *d = &s->designs[one->design];

		fprintf(out, "%6zu %s%s%s %s", one->number, s->netlists[d->netlist].name, d->label[0] ? " " : "",
		        d->label, s->traces[one->trace].name);
		for (size_t k = 0; k < d->n; k++)
			fprintf(out, " %s", d->v[k]->set);
		if (one->piece)
			fprintf(out, " piece %" PRIu64, one->piece);
		fputs(one->done ? "  (done)\n" : "\n", out);
		left += !one->done;
		sum += one->done ? 0 : one->seconds;
		if (!one->done && one->seconds > longest)
			longest = one->seconds;
	}
	sum /= jobs;
	fprintf(out, "%s: %zu points, %zu to run", s->name, last + 1 - first, left);
	if (left > 0 && p->measured)
		fprintf(out, ", about %s with %u at a time\n", study_duration(sum > longest ? sum : longest, buf),
		        jobs);
	else
		fputs(left > 0 ? "; none has been measured yet\n" : "\n", out);
}

/* ---- unit and meaning of every statistic, from the descriptors of the modules ---- */

static json_t *about(const char *unit, const char *doc)
{
	return json_pack("{s:s, s:s}", "unit", unit, "doc", doc);
}

json_t *study_catalogue(const struct hd_registry *r)
{
	json_t *run = json_object(), *modules = json_object(), *behind = json_object();
	char name[120];

	json_object_set_new(run, "cycles", about("cycles", "periods of the first clock"));
	for (size_t i = 0; i < r->n; i++) {
		const struct hd_module *m = r->v[i].module;
		json_t *all = json_object(), *reasons = json_object();

		for (const struct hd_stat *st = m->stats; st != NULL && st->name != NULL; st++) {
			json_object_set_new(all, st->name, about(st->unit, st->doc));
			if (st->total != NULL && json_object_get(run, st->total) == NULL)
				json_object_set_new(run, st->total, about(st->unit, st->doc));
		}
		for (const struct hd_reason *one = m->reasons; one != NULL && one->name != NULL; one++) {
			snprintf(name, sizeof name, "reasons.%s", one->name);
			json_object_set_new(run, name, about("scheduler cycles", one->doc));
			json_object_set_new(reasons, one->name, about("scheduler cycles", one->doc));
		}
		json_object_set_new(modules, m->name, all);
		json_object_set_new(behind, m->name, reasons);
	}
	return json_pack("{s:o, s:o, s:o}", "run", run, "modules", modules, "reasons", behind);
}
