/* study_effect.c - what each value of a study did where everything else was the same
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_compare.h"
#include "base/xalloc.h"

/* The pairs of all designs that differ only in one path, in its values `from` and `to`. */
struct effect {
	const char *path;   /* NULL: the netlist */
	char *from, *to;
	struct study_pair *v;
	size_t n, cap;
};

struct effects {
	struct effect *v;
	size_t n, cap;
};

static char *text_of(const json_t *v)
{
	return v != NULL ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15))
	                 : hd__xstrdup("not set");
}

/* The only path in which two designs differ; *one: there is just one. */
static const char *only_path(const struct study_side *a, const struct study_side *b, bool *one)
{
	const char *path, *found = NULL;
	json_t *v;
	size_t n = strcmp(a->netlist, b->netlist) != 0;

	json_object_foreach(a->set, path, v) {
		if (!json_object_get(b->set, path) || !json_equal(v, json_object_get(b->set, path))) {
			found = path;
			n++;
		}
	}
	json_object_foreach(b->set, path, v) {
		if (!json_object_get(a->set, path)) {
			found = path;
			n++;
		}
	}
	*one = n == 1;
	return found;
}

static struct effect *effect_of(struct effects *e, const char *path, char *from, char *to)
{
	for (size_t i = 0; i < e->n; i++) {
		struct effect *f = &e->v[i];

		if ((f->path == path || (f->path && path && strcmp(f->path, path) == 0)) && strcmp(f->from, from) == 0
		    && strcmp(f->to, to) == 0) {
			free(from);
			free(to);
			return f;
		}
	}
	e->v = hd__xgrow(e->v, e->n, &e->cap, sizeof *e->v);
	e->v[e->n] = (struct effect){ .path = path, .from = from, .to = to };
	return &e->v[e->n++];
}

static void add_pairs(struct effects *e, const struct study_side *a, const struct study_side *b, const char *path)
{
	char *from = path ? text_of(json_object_get(a->set, path)) : hd__xstrdup(a->netlist);
	char *to = path ? text_of(json_object_get(b->set, path)) : hd__xstrdup(b->netlist);
	struct effect *f = effect_of(e, path, from, to);
	struct study_pairs p;

	study_pairs_make(&p, a, b, true);
	for (size_t i = 0; i < p.n; i++) {
		f->v = hd__xgrow(f->v, f->n, &f->cap, sizeof *f->v);
		f->v[f->n++] = p.v[i];
	}
	study_pairs_free(&p);
}

#define MOST_DESIGNS 4000u /* all are compared with all */

/* For each design the next one that differs in just one path, for each path: neighbours in a list of values. */
static void find(const struct study_sides *s, struct effects *e)
{
	for (size_t i = 0; i < s->n; i++) {
		const char *seen[64];
		size_t nseen = 0;

		for (size_t k = i + 1; k < s->n && nseen < 64; k++) {
			bool one, known = false;
			const char *path = only_path(&s->v[i], &s->v[k], &one);

			for (size_t j = 0; one && j < nseen; j++)
				known = known || (seen[j] == path || (seen[j] && path && strcmp(seen[j], path) == 0));
			if (!one || known)
				continue;
			seen[nseen++] = path;
			add_pairs(e, &s->v[i], &s->v[k], path);
		}
	}
}

static void print(const struct study_sides *s, const struct effect *f, FILE *out)
{
	struct study_pairs p = { .v = f->v, .n = f->n };
	char mean[32];
	size_t n;
	double ratio = study_mean_cycles(s, &p, &n);

	fprintf(out, "%s: %s -> %s\n  %zu runs, geometric mean of cycles %s", f->path ? f->path : "netlist", f->from, f->to,
	        n, n > 0 ? study_percent(1, ratio, mean) : "-");
	if (study_pairs_unfinished(&p) > 0)
		fprintf(out, "; %zu did not finish", study_pairs_unfinished(&p));
	fputc('\n', out);
	if (study_print_slots(s, &p, "  issue slots, as shares of those before: ", out))
		fputc('\n', out);
}

static int by_path(const void *a, const void *b)
{
	const struct effect *x = *(const struct effect *const *)a, *y = *(const struct effect *const *)b;
	int c = strcmp(x->path ? x->path : "", y->path ? y->path : "");

	return c ? c : x < y ? -1 : 1;
}

void study_print_effects(const struct study_sides *s, FILE *out)
{
	struct effects e = { 0 };
	const struct effect **v;

	if (s->n > MOST_DESIGNS)
		return;
	find(s, &e);
	v = hd__xcalloc(e.n, sizeof *v);
	for (size_t i = 0; i < e.n; i++)
		v[i] = &e.v[i];
	qsort(v, e.n, sizeof *v, by_path);
	if (e.n > 0)
		fputs("\nwhat one change did, everything else the same\n", out);
	for (size_t i = 0; i < e.n; i++)
		print(s, v[i], out);
	for (size_t i = 0; i < e.n; i++) {
		free(e.v[i].from);
		free(e.v[i].to);
		free(e.v[i].v);
	}
	free(e.v);
	free(v);
}
