/* study_compare.c - how runs differ: pairs of runs, ratios, tables, and what each value of a study did
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_compare.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "study_arrays.h"
#include "study_stalls.h"

#include <inttypes.h>
#include <math.h>

/* ---- pairs --------------------------------------------------------------------------------- */

static bool is_same(const struct study_run *a, const struct study_run *b, bool designs)
{
	if (designs)
		return strcmp(a->trace, b->trace) == 0;
	return strcmp(a->label, b->label) == 0 && (a->set == b->set || json_equal(a->set, b->set));
}

void study_pairs_make(struct study_pairs *p, const struct study_side *base, const struct study_side *other,
                      bool designs)
{
	bool *used = hd__xcalloc(other->n, sizeof *used), single = base->n == 1 && other->n == 1 && !designs;
	size_t next = 0;

	*p = (struct study_pairs){ .base = base, .other = other, .single = single };
	p->v = hd__xcalloc(base->n, sizeof *p->v);
	for (size_t i = 0; i < base->n; i++) {
		size_t k = 0, at = 0;

		for (; k < other->n; k++) { /* mostly both have the same order */
			at = (next + k) % other->n;
			if (!used[at] && (single || is_same(&base->runs[i], &other->runs[at], designs)))
				break;
		}
		if (k == other->n) {
			p->only_a++;
			continue;
		}
		used[at] = true;
		next = at + 1;
		p->v[p->n++] = (struct study_pair){ &base->runs[i], &other->runs[at] };
	}
	p->only_b = other->n - p->n;
	free(used);
}

void study_pairs_free(struct study_pairs *p)
{
	free(p->v);
}

static bool have_finished(const struct study_pair *p)
{
	return strcmp(p->a->status, "finished") == 0 && study_pair_ends_alike(p);
}

size_t study_pairs_unfinished(const struct study_pairs *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += !have_finished(&p->v[i]);
	return n;
}

/* ---- ratios -------------------------------------------------------------------------------- */

double study_largest_change(const struct study_pairs *p, uint32_t name, const struct study_pair **where)
{
	double largest = p->only_a + p->only_b > 0 ? INFINITY : 0, change, a, b;

	*where = NULL;
	for (size_t i = 0; i < p->n; i++) {
		a = b = 0;
		study_value_of(p->v[i].a, 0, name, &a);
		study_value_of(p->v[i].b, 0, name, &b);
		change = !study_pair_ends_alike(&p->v[i]) ? INFINITY
		       : a == b ? 0 : a == 0 ? INFINITY : fabs(b / a - 1);
		if (change > largest || *where == NULL) {
			*where = &p->v[i];
			largest = change > largest ? change : largest;
		}
	}
	return largest;
}

double study_mean_ratio(const struct study_pairs *p, uint32_t name, size_t *n)
{
	double sum = 0, a, b;

	*n = 0;
	for (size_t i = 0; i < p->n; i++) {
		if (study_pair_counts(p, &p->v[i]) && study_value_of(p->v[i].a, 0, name, &a)
		    && study_value_of(p->v[i].b, 0, name, &b) && a > 0 && b > 0) {
			sum += log(b / a);
			++*n;
		}
	}
	return *n > 0 ? exp(sum / (double)*n) : 1;
}

double study_mean_cycles(const struct study_sides *s, const struct study_pairs *p, size_t *n)
{
	struct study_pairs finished = { .v = hd__xcalloc(p->n, sizeof *p->v) };
	double mean;

	for (size_t i = 0; i < p->n; i++)
		if (have_finished(&p->v[i]))
			finished.v[finished.n++] = p->v[i];
	mean = study_mean_ratio(&finished, study_name(&s->names, "run cycles"), n);
	free(finished.v);
	return mean;
}

struct study_sums study_sum(const struct study_pairs *p, uint32_t name)
{
	struct study_sums s = { 0, 0 };
	double v;

	for (size_t i = 0; i < p->n; i++) {
		if (!study_pair_counts(p, &p->v[i]))
			continue;
		if (study_value_of(p->v[i].a, 0, name, &v))
			s.a += v;
		if (study_value_of(p->v[i].b, 0, name, &v))
			s.b += v;
	}
	return s;
}

const char *study_percent(double a, double b, char buf[32])
{
	if (a == 0)
		return strcpy(buf, b == 0 ? "0 %" : "-");
	snprintf(buf, 32, "%+.2f %%", (b / a - 1) * 100);
	return buf;
}

/* Counters as integers. */
static const char *plain(double v, char buf[32])
{
	if (v == floor(v) && fabs(v) < 1e15)
		snprintf(buf, 32, "%.0f", v);
	else
		snprintf(buf, 32, "%.6g", v);
	return buf;
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Does the value of any pair differ? */
static bool differs(const struct study_pairs *p, uint32_t name)
{
	for (size_t i = 0; i < p->n; i++) {
		double a = 0, b = 0;

		study_value_of(p->v[i].a, 0, name, &a);
		study_value_of(p->v[i].b, 0, name, &b);
		if (a != b && study_pair_counts(p, &p->v[i]))
			return true;
	}
	return false;
}

/* Reasons are printed as a tree (study_stalls.c). */
static bool is_in_tree(const char *name)
{
	return strncmp(name, "run reasons.", 12) == 0 || strncmp(name, "run causes.", 11) == 0;
}

/* "instance sp[0]" of "instance sp[0].busy".  The caller frees it. */
static char *instance_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return hd__xstrndup(name, dot != NULL ? (size_t)(dot - name) : strlen(name));
}

/* Instances by path, and what each of them has in its order. */
static int by_instance(const void *pa, const void *pb, void *arg)
{
	const struct study_names *names = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	char *x = instance_of(names->v[a]), *y = instance_of(names->v[b]);
	int c = hd__path_order(x, y);

	free(x);
	free(y);
	return c ? c : a < b ? -1 : a > b;
}

/* The statistics of that kind that differ, *n of them. */
static uint32_t *differing(const struct study_sides *s, const struct study_pairs *p, const char *kind, size_t *n)
{
	uint32_t *v = hd__xcalloc(s->names.n + 1, sizeof *v);
	size_t length = strlen(kind);

	*n = 0;
	for (uint32_t i = 0; i < s->names.n; i++)
		if (strncmp(s->names.v[i], kind, length) == 0 && s->names.v[i][length] == ' '
		    && !is_in_tree(s->names.v[i]) && differs(p, i))
			v[(*n)++] = i;
	if (strcmp(kind, "run") != 0)
		qsort_r(v, *n, sizeof *v, by_instance, (void *)&s->names);
	return v;
}

static void print_kind(const struct study_sides *s, const struct study_pairs *p, const char *kind,
                       const char *heading, FILE *out)
{
	size_t n, finished;
	uint32_t *v = differing(s, p, kind, &n);

	if (n > 0)
		fprintf(out, "\n%-44s %15s %15s %11s%s\n", heading, "before", "after", "change",
		        p->n > 1 ? "   geo. mean" : "");
	for (size_t i = 0; i < n; i++) {
		char a[32], b[32], change[32], mean[32];
		struct study_sums sum = study_sum(p, v[i]);
		double ratio = study_mean_ratio(p, v[i], &finished);

		fprintf(out, "  %-42s %15s %15s %11s", strchr(s->names.v[v[i]], ' ') + 1, plain(sum.a, a),
		        plain(sum.b, b), study_percent(sum.a, sum.b, change));
		if (p->n > 1)
			fprintf(out, " %11s", finished > 0 ? study_percent(1, ratio, mean) : "-");
		fputc('\n', out);
	}
	free(v);
}

/* Values that are set in one and not in the other, or to something else. */
static void print_values(const struct study_pairs *p, FILE *out)
{
	const json_t *a = p->base->set, *b = p->other->set;
	const char *path;
	char *before, *after;
	json_t *v;

	if (a == NULL && p->n == 1) {
		a = p->v[0].a->set;
		b = p->v[0].b->set;
	}
	if (p->base->netlist != NULL && strcmp(p->base->netlist, p->other->netlist) != 0)
		fprintf(out, "netlist: %s -> %s\n", p->base->netlist, p->other->netlist);
	json_object_foreach((json_t *)b, path, v) {
		const json_t *old = json_object_get(a, path);

		if (old != NULL && json_equal(old, v))
			continue;
		before = old != NULL ? json_dumps(old, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
		                     : hd__xstrdup("not set");
		after = json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
		fprintf(out, "%s: %s -> %s\n", path, before, after);
		free(before);
		free(after);
	}
	json_object_foreach((json_t *)a, path, v) {
		if (json_object_get(b, path) == NULL)
			fprintf(out, "%s: set -> not set\n", path);
	}
}

void study_print_arrays(const struct study_sides *s, const struct study_pairs *p, FILE *out)
{
	json_t *renamed = json_object(), *added = json_object(), *names;
	const char *line, *name, *sep;

	for (size_t i = 0; i < p->n; i++)
		study_arrays_differ(&s->arrays, p->v[i].a, p->v[i].b, renamed, added);
	json_object_foreach(renamed, line, names)
		fprintf(out, "%s\n", line);
	json_object_foreach(added, line, names) {
		json_t *o;

		fprintf(out, "%s, added up", line);
		sep = ": ";
		json_object_foreach(names, name, o) {
			fprintf(out, "%s%s", sep, name);
			sep = ", ";
		}
		fputc('\n', out);
	}
	json_decref(renamed);
	json_decref(added);
}

#define MOST_KERNELS 20

struct kernel_change {
	const struct study_pair *pair;
	uint32_t kernel;
	double a, b;
};

static int larger_first(const void *a, const void *b)
{
	const struct kernel_change *x = a, *y = b;
	double d = fabs(y->b - y->a) - fabs(x->b - x->a);

	if (d != 0)
		return d < 0 ? -1 : 1;
	return x->pair != y->pair ? (x->pair < y->pair ? -1 : 1) : x->kernel < y->kernel ? -1 : 1;
}

/* The kernels whose cycles changed most. */
static void print_kernels(const struct study_sides *s, const struct study_pairs *p, FILE *out)
{
	uint32_t cycles = study_name(&s->names, "run cycles");
	struct kernel_change *v = NULL;
	size_t n = 0, cap = 0;
	char a[32], b[32], change[32];

	for (size_t i = 0; i < p->n; i++) {
		for (uint32_t k = 1; k <= p->v[i].a->nkernels && p->v[i].a->nkernels > 1; k++) {
			struct kernel_change c = { .pair = &p->v[i], .kernel = k };
			uint32_t other = study_same_kernel(p->v[i].a, k, p->v[i].b);

			if (other == 0 || !study_value_of(p->v[i].a, k, cycles, &c.a)
			    || !study_value_of(p->v[i].b, other, cycles, &c.b) || c.a == c.b)
				continue;
			v = hd__xgrow(v, n, &cap, sizeof *v);
			v[n++] = c;
		}
	}
	if (n > 0) {
		qsort(v, n, sizeof *v, larger_first);
		fprintf(out, "\n%-44s %15s %15s %11s\n", "kernels, cycles", "before", "after", "change");
	}
	for (size_t i = 0; i < n && i < MOST_KERNELS; i++) {
		const struct study_run *r = v[i].pair->a;
		char *name = hd__format("%s%s%u %s", p->n > 1 ? r->label : "", p->n > 1 ? " " : "", v[i].kernel,
		                        r->kernels[v[i].kernel - 1].name);

		fprintf(out, "  %-42s %15s %15s %11s\n", name, plain(v[i].a, a), plain(v[i].b, b),
		        study_percent(v[i].a, v[i].b, change));
		free(name);
	}
	if (n > MOST_KERNELS)
		fprintf(out, "  and %zu more; --csv has all\n", n - MOST_KERNELS);
	free(v);
}

/* In how many of the runs instructions followed control words that were made for them. */
static void print_synthetic(const struct study_sides *s, const struct study_pairs *p, FILE *out)
{
	uint32_t name = study_name(&s->names, "run synthetic_control");
	size_t before = 0, after = 0;
	double n;

	if (name == UINT32_MAX)
		return;
	for (size_t i = 0; i < p->n; i++) {
		before += study_value_of(p->v[i].a, 0, name, &n) && n > 0;
		after += study_value_of(p->v[i].b, 0, name, &n) && n > 0;
	}
	if (before || after)
		fprintf(out, "synthetic control words: in %zu of %zu runs before, %zu after\n", before, p->n, after);
}

void study_print_pairs(const struct study_sides *s, const struct study_pairs *p, FILE *out)
{
	uint32_t cycles = study_name(&s->names, "run cycles");
	const struct study_pair *where;
	char buf[32];
	size_t n;
	double mean = study_mean_cycles(s, p, &n), largest;
	bool slots;

	fprintf(out, "%s -> %s\n", p->base->label, p->other->label);
	print_values(p, out);
	study_print_arrays(s, p, out);
	if (p->only_a + p->only_b > 0)
		fprintf(out, "runs in the first only: %zu, in the second only: %zu\n", p->only_a, p->only_b);
	for (size_t i = 0; i < p->n; i++)
		if (!study_pair_ends_alike(&p->v[i]))
			fprintf(out, "%s: was %s, is %s\n", p->v[i].a->label, p->v[i].a->status, p->v[i].b->status);
	print_synthetic(s, p, out);
	largest = study_largest_change(p, cycles, &where);
	if (p->n > 1)
		fprintf(out, "cycles of %zu runs: geometric mean %s", n, n > 0 ? study_percent(1, mean, buf) : "-");
	if (p->n > 1 && where != NULL && largest > 0)
		fprintf(out, ", largest change in %s", where->a->label);
	fputs(p->n > 1 ? "\n" : "", out);
	if (study_print_slots(s, p, "issue slots, as shares of those before: ", out))
		fputc('\n', out);
	slots = study_print_stalls(s, p, false, out);
	print_kind(s, p, "run", "figures of the run", out);
	print_kernels(s, p, out);
	print_kind(s, p, "instance", "statistics", out);
	print_kind(s, p, "queue", "queues", out);
	print_kind(s, p, "clock", "clocks", out);
	if (largest == 0 && !slots) {
		bool same = true;

		for (uint32_t i = 0; same && i < s->names.n; i++)
			same = is_in_tree(s->names.v[i]) || !differs(p, i);
		if (same)
			fprintf(out, "no difference (%zu compared)\n", p->n);
	}
	fputc('\n', out);
}

void study_print_line(const struct study_sides *s, const struct study_pairs *p, int width, FILE *out)
{
	char buf[32];
	size_t n;
	double mean = study_mean_cycles(s, p, &n);

	fprintf(out, "  %-*s %5zu runs %11s", width, p->other->label, n, n > 0 ? study_percent(1, mean, buf) : "-");
	study_print_slots(s, p, "  ", out);
	if (study_pairs_unfinished(p) > 0)
		fprintf(out, "; %zu did not finish", study_pairs_unfinished(p));
	fputc('\n', out);
}

/* ---- issue slots --------------------------------------------------------------------------- */

bool study_print_slots(const struct study_sides *s, const struct study_pairs *p, const char *head, FILE *out)
{
	const char *lead = "run issue.", *sep = head;
	double all = 0;

	for (uint32_t i = 0; i < s->names.n; i++)
		if (strncmp(s->names.v[i], lead, strlen(lead)) == 0)
			all += study_sum(p, i).a;
	for (uint32_t i = 0; i < s->names.n && all > 0; i++) {
		struct study_sums sum;

		if (strncmp(s->names.v[i], lead, strlen(lead)) != 0)
			continue;
		sum = study_sum(p, i);
		if (sum.a == sum.b)
			continue;
		fprintf(out, "%s%s %+.2f %%", sep, s->names.v[i] + strlen(lead), (sum.b - sum.a) / all * 100);
		sep = ", ";
	}
	return sep != head;
}

/* ---- a table of everything ----------------------------------------------------------------- */

static void cell(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputs("\",", out);
}

void study_csv_head(FILE *out)
{
	fputs("before,after,run,kernel,kernel_name,kind,path,unit,value_before,value_after,change\n", out);
}

static void row(const struct study_sides *s, const struct study_pairs *p, const struct study_pair *pair,
                const struct study_entry *e, double a, double b, FILE *out)
{
	const char *name = s->names.v[e->name], *space = strchr(name, ' ');
	const char *unit = json_string_value(json_object_get(s->names.units, name));
	const struct study_run *r = e->kernel <= pair->a->nkernels ? pair->a : pair->b;
	char text[32];

	cell(out, p->base->label);
	cell(out, p->other->label);
	cell(out, p->n > 1 ? pair->a->label : pair->a->trace);
	fprintf(out, "%" PRIu32 ",", e->kernel);
	cell(out, e->kernel > 0 && e->kernel <= r->nkernels ? r->kernels[e->kernel - 1].name : "");
	fprintf(out, "%.*s,", (int)(space - name), name);
	cell(out, space + 1);
	cell(out, unit != NULL ? unit : "");
	fprintf(out, "%s,", plain(a, text));
	fprintf(out, "%s,", plain(b, text));
	if (a != 0)
		fprintf(out, "%.6g", b / a - 1);
	fputc('\n', out);
}

/* Both runs, kernel by kernel. */
struct both {
	const struct study_sides *sides;
	const struct study_pairs *pairs;
	const struct study_pair *pair;
	FILE *out;
	bool only_b; /* the second one has values that the first one lacks */
	uint32_t differs; /* the last row that is of another kernel in the second one; 0: none */
};

/* Is it a value of the second run that the first one lacks? */
static bool is_only_b(const struct study_kernels *a, const struct study_entry *e)
{
	double other;

	return e->value != 0 && !study_value_of(&a->now, e->kernel, e->name, &other);
}

static void rows_of_a(struct both *w, const struct study_kernels *a, const struct study_kernels *b)
{
	for (size_t i = 0; i < a->now.n; i++) {
		const struct study_entry *e = &a->now.v[i];
		double other = 0;

		study_value_of(&b->now, e->kernel, e->name, &other);
		if (other != e->value)
			row(w->sides, w->pairs, w->pair, e, e->value, other, w->out);
	}
	for (size_t i = 0; i < b->now.n && !w->only_b; i++)
		w->only_b = is_only_b(a, &b->now.v[i]);
}

static void rows_of_b(struct both *w, const struct study_kernels *a, const struct study_kernels *b)
{
	for (size_t i = 0; i < b->now.n; i++)
		if (is_only_b(a, &b->now.v[i]))
			row(w->sides, w->pairs, w->pair, &b->now.v[i], 0, b->now.v[i].value, w->out);
}

/* Returns false after printing an error. */
static bool each_kernel(struct both *w, void rows(struct both *w, const struct study_kernels *a,
                                                  const struct study_kernels *b))
{
	struct study_kernels a, b;
	bool more_a = true, more_b = true, ok;

	if (!study_kernels_open(&a, w->sides, w->pair->a))
		return false;
	if (!study_kernels_open(&b, w->sides, w->pair->b)) {
		study_kernels_close(&a);
		return false;
	}
	while (more_a || more_b) {
		if (a.kernel > 0 && more_a && more_b && study_same_kernel(a.of, a.kernel, b.of) != a.kernel)
			w->differs = a.kernel;
		else if (!a.changed && !b.changed)
			rows(w, &a, &b);
		more_a = study_kernels_next(&a);
		more_b = study_kernels_next(&b);
	}
	ok = study_kernels_close(&a);
	return study_kernels_close(&b) && ok;
}

bool study_csv_pairs(const struct study_sides *s, const struct study_pairs *p, FILE *out)
{
	for (size_t i = 0; i < p->n; i++) {
		struct both w = { s, p, &p->v[i], out, false, 0 };

		if (!study_pair_has_results(&p->v[i]))
			continue;
		if (!each_kernel(&w, rows_of_a) || (w.only_b && !each_kernel(&w, rows_of_b)))
			return false;
		if (w.differs)
			fprintf(stderr,
			        "heddle: warning: %s: kernels are others, or end in another order, than in %s; such "
			        "kernels have no rows\n",
			        p->v[i].b->label, p->v[i].a->label);
	}
	return true;
}

/* ---- what one change did -------------------------------------------------------------------- */

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

	fprintf(out, "%s: %s -> %s\n  %zu runs, geometric mean of cycles %s", f->path ? f->path : "netlist", f->from,
	        f->to, n, n > 0 ? study_percent(1, ratio, mean) : "-");
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
