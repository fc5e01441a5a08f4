/* study_stalls.c - the difference of two sides by what their issue slots were lost to, down to causes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs may have different numbers of schedulers, so slots do not compare.  A slot is one scheduler's part of a cycle,
 * and slots divided by schedulers are cycles.  SMs without a block count no slots, and so does a launch: what is
 * missing is a reason of its own.  So all reasons add up to the cycles, and their differences to the difference of
 * the cycles.
 */
#include "study_stalls.h"
#include "base/xalloc.h"

#include <math.h>
#include <stdlib.h>

static const char reasons[] = "run reasons.", causes[] = "run causes.", figures[] = "run issue.";

/* A reason that no module has, of one level. */
static const char not_running[] = "not running: launch, or no block on the SM";

#define LEAST 0.01 /* of the largest difference: what is less is not printed */

/* A group of reasons, a reason, or a cause. */
struct node {
	char *path;  /* from the root on, levels divided by tabs */
	double slots[2], cycles[2];
};

struct tree {
	struct node *v;
	size_t n, cap;
	json_t *known; /* paths -> places in v */
	double slots[2], cycles[2]; /* of all */
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* ---- making the tree ---- */

static const struct node *find(const struct tree *t, const char *path)
{
	const json_t *at = json_object_get(t->known, path);

	return at != NULL ? &t->v[json_integer_value(at)] : NULL;
}

static struct node *node_of(struct tree *t, const char *path, size_t length)
{
	char *own = hd__xstrndup(path, length);
	const struct node *known = find(t, own);

	if (known != NULL) {
		free(own);
		return &t->v[known - t->v];
	}
	json_object_set_new_nocheck(t->known, own, json_integer((json_int_t)t->n));
	t->v = hd__xgrow(t->v, t->n, &t->cap, sizeof *t->v);
	t->v[t->n] = (struct node){ .path = own };
	return &t->v[t->n++];
}

/* The length of the reason in "REASON.CAUSE": the longest one that is known. */
static size_t reason_in(const struct study_sides *s, const char *text)
{
	size_t n = strlen(text);
	bool known = false;

	while (n > 0 && !known) {
		char *name;

		while (n > 0 && text[--n] != '.')
			;
		name = hd__format("%s%.*s", reasons, (int)n, text);
		known = study_name(&s->names, name) != UINT32_MAX;
		free(name);
	}
	return n;
}

/* "stall.full.INT", or with a cause below it "stall.full.INT" "collector.operands": levels divided by tabs.  NULL: the
 * name is of something else. */
static char *path_of(const struct study_sides *s, const char *name, const char *root)
{
	bool cause = root == reasons && begins(name, causes);
	const char *text = name + strlen(cause ? causes : root);
	char *path, *end;

	if (!cause && !begins(name, root))
		return NULL;
	path = hd__xstrdup(text);
	end = path + (cause ? reason_in(s, text) : strlen(path));
	for (char *p = path; p < end; p++)
		*p = *p == '.' ? '\t' : *p;
	*end = cause ? '\t' : '\0';
	return path;
}

/* A cause only divides the reason above it, which is counted already. */
static void add(struct tree *t, const char *path, bool cause, int side, double slots, double cycles)
{
	for (size_t i = cause ? strlen(path) : 1; i <= strlen(path); i++) {
		struct node *x;

		if (path[i] != '\t' && path[i] != '\0')
			continue;
		x = node_of(t, path, i);
		x->slots[side] += slots;
		x->cycles[side] += cycles;
	}
}

static double slots_of(const struct study_sides *s, const struct study_run *r, const char *root)
{
	double sum = 0;

	for (size_t i = 0; i < r->n && r->v[i].kernel == 0; i++)
		if (begins(s->names.v[r->v[i].name], root))
			sum += r->v[i].value;
	return sum;
}

static void add_run(struct tree *t, const struct study_sides *s, const struct study_run *r, const char *root, int side)
{
	double slots = slots_of(s, r, root), all = slots, cycles = 0, each; /* each: slots of a cycle */

	study_value_of(r, 0, study_name(&s->names, "run cycles"), &cycles);
	each = r->schedulers > 0 ? r->schedulers : slots / cycles;
	if (r->schedulers > 0)
		all = each * cycles;
	for (size_t i = 0; i < r->n && r->v[i].kernel == 0; i++) {
		const char *name = s->names.v[r->v[i].name];
		char *path = path_of(s, name, root);

		if (path != NULL && r->v[i].value > 0)
			add(t, path, begins(name, causes), side, r->v[i].value, r->v[i].value / each);
		free(path);
	}
	if (all != slots)
		add(t, not_running, false, side, all - slots, cycles - slots / each);
	t->slots[side] += all;
	t->cycles[side] += cycles;
}

/* What all runs of the pairs that count have: reasons, or the groups of them that are among the figures; NULL: not all
 * have issue slots. */
static const char *root_of(const struct study_sides *s, const struct study_pairs *p)
{
	bool all = true, any = false;
	const char *root = reasons;

	for (int i = 0; i < 2; i++, root = figures) {
		all = true;
		any = false;
		for (size_t k = 0; k < p->n && all; k++) {
			if (!study_pair_counts(p, &p->v[k]))
				continue;
			any = true;
			all = slots_of(s, p->v[k].a, root) > 0 && slots_of(s, p->v[k].b, root) > 0;
		}
		if (all && any)
			return root;
	}
	return NULL;
}

/* ---- printing ---- */

static double difference(const struct node *x)
{
	return x->cycles[1] - x->cycles[0];
}

/* The largest difference first; of equal ones that with more slots, then by name. */
static int larger(const struct node *a, const struct node *b)
{
	double x = fabs(difference(a)), y = fabs(difference(b)), m = fmax(a->slots[0], a->slots[1]),
	       n = fmax(b->slots[0], b->slots[1]);

	if (x != y)
		return x > y ? -1 : 1;
	return m != n ? (m > n ? -1 : 1) : strcmp(a->path, b->path);
}

/* The node of the first bytes of a path that is in the tree, or would be if its name began with no dot. */
static struct node part_of(const struct tree *t, const char *path, size_t length)
{
	char *part = hd__xstrndup(path, length);
	const struct node *x = find(t, part);

	free(part);
	return x != NULL ? *x : (struct node){ .path = "" };
}

/* Parents before children. */
static int by_place(const void *pa, const void *pb, void *tree)
{
	const char *a = ((const struct node *)pa)->path, *b = ((const struct node *)pb)->path;
	const struct tree *t = tree;
	size_t at = 0;

	for (;;) {
		size_t la = strcspn(a + at, "\t"), lb = strcspn(b + at, "\t");

		if (la != lb || strncmp(a + at, b + at, la) != 0) {
			struct node x = part_of(t, a, at + la), y = part_of(t, b, at + lb);

			return larger(&x, &y);
		}
		at += la;
		if (a[at] == '\0' || b[at] == '\0')
			return (a[at] != '\0') - (b[at] != '\0');
		at++;
	}
}

static struct node *sorted(const struct tree *t)
{
	struct node *v = hd__xcalloc(t->n + 1, sizeof *v);

	memcpy(v, t->v, t->n * sizeof *v);
	qsort_r(v, t->n, sizeof *v, by_place, (void *)t);
	return v;
}

/* "  stall   32785   30000   -2785   -696.2   51.2 %" */
static void print_row(const char *name, int depth, const double slots[2], const double cycles[2], double all, FILE *out)
{
	double change = cycles[1] - cycles[0];
	int width = 44 - 2 * (depth + 1);

	fprintf(out, "  %*s%-*s %11.0f %11.0f %+11.0f %+11.1f", 2 * depth, "", width > 0 ? width : 0, name, slots[0],
	        slots[1], slots[1] - slots[0], change == 0 ? 0 : change);
	if (all != 0)
		fprintf(out, " %+9.1f %%\n", change / all * 100);
	else
		fprintf(out, " %11s\n", "-");
}

bool study_print_stalls(const struct study_sides *s, const struct study_pairs *p, bool all, FILE *out)
{
	const char *root = root_of(s, p);
	struct tree t = { .known = json_object() };
	double most = 0, change;
	size_t left = 0;
	bool printed = false;
	struct node *v;

	for (size_t i = 0; root != NULL && i < p->n; i++) {
		if (!study_pair_counts(p, &p->v[i]))
			continue;
		add_run(&t, s, p->v[i].a, root, 0);
		add_run(&t, s, p->v[i].b, root, 1);
	}
	change = t.cycles[1] - t.cycles[0];
	for (size_t i = 0; i < t.n; i++)
		most = fmax(most, fabs(difference(&t.v[i])));
	if (root == NULL || (!all && most == 0))
		goto free;
	printed = true;
	v = sorted(&t);
	fprintf(out, "\n%-44s %11s %11s %11s %11s %11s\n", "issue slots by reason and cause", "before", "after",
	        "slots", "cycles", "share");
	for (size_t i = 0; i < t.n; i++) {
		const char *name = v[i].path;
		int depth = 0;

		for (const char *tab; (tab = strchr(name, '\t')) != NULL; depth++)
			name = tab + 1;
		if (all || fabs(difference(&v[i])) > LEAST * most)
			print_row(name, depth, v[i].slots, v[i].cycles, change, out);
		else
			left++;
	}
	print_row("all issue slots", 0, t.slots, t.cycles, change, out);
	if (left > 0)
		fprintf(out, "  and %zu with a small difference, or none; --stalls has all\n", left);
	if (root == figures)
		fputs("  heddle run --reasons, a study with \"reasons\": true, or a dump divide them further\n", out);
	free(v);
free:
	for (size_t i = 0; i < t.n; i++)
		free(t.v[i].path);
	free(t.v);
	json_decref(t.known);
	return printed;
}
