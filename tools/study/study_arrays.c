/* study_arrays.c - arrays of different netlists that do the same, under other names or with other counts
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrays of the same name and module are one.  One that has no namesake is the only other one without a namesake that
 * has its module and, if there are several, its name inside of another netlist, or its size.
 */
#include "study_arrays.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static const char *text(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s != NULL ? s : "";
}

static const char *last(const char *bare)
{
	const char *dot = strrchr(bare, '.');

	return dot != NULL ? dot + 1 : bare;
}

/* ---- finding them -------------------------------------------------------------------------- */

/* The arrays of one run that are looked for among all. */
struct search {
	struct study_arrays *all;
	struct study_run *run;
	const json_t *arrays;
	bool *taken;      /* by index: the run has it */
	size_t before;    /* arrays of earlier runs */
};

static void assign(struct search *s, const char *name, const json_t *o, size_t at)
{
	struct study_array *x = &s->all->v[at];
	char *bare = hd__path_without_indices(name);
	json_int_t count = json_integer_value(json_object_get(o, "count"));
	bool renamed = strcmp(name, x->name) != 0;

	x->together |= renamed || count != x->count;
	s->run->renamed |= renamed;
	s->taken[at] = true;
	json_object_set_new(s->run->arrays, bare, json_pack("{s:I, s:s, s:I}", "at", (json_int_t)at, "name", name,
		"count", count));
	free(bare);
}

static bool is_assigned(const struct search *s, const char *name)
{
	char *bare = hd__path_without_indices(name);
	bool yes = json_object_get(s->run->arrays, bare) != NULL;

	free(bare);
	return yes;
}

/* By what arrays of one module may be the same, in this order: the name without that of the netlist around it; the
 * number of elements; nothing else. */
enum likeness { BY_LAST_NAME, BY_COUNT, BY_MODULE, LIKENESSES };

static bool fits(const struct study_array *x, const char *name, const json_t *o, enum likeness how)
{
	const char *a = last(x->name), *b = last(name);
	size_t n = strcspn(a, "[");

	if (strcmp(x->module, text(o, "module")) != 0)
		return false;
	if (how == BY_LAST_NAME)
		return n == strcspn(b, "[") && strncmp(a, b, n) == 0;
	return how == BY_MODULE || x->count == json_integer_value(json_object_get(o, "count"));
}

/* The only one of earlier runs that fits and is not taken; SIZE_MAX: there is none, or several. */
static size_t only_fit(const struct search *s, const char *name, const json_t *o, enum likeness how)
{
	size_t found = SIZE_MAX, n = 0;

	for (size_t i = 0; i < s->before; i++)
		if (!s->taken[i] && fits(&s->all->v[i], name, o, how)) {
			found = i;
			n++;
		}
	return n == 1 ? found : SIZE_MAX;
}

/* How many arrays of the run would take it? */
static size_t wanting(const struct search *s, const struct study_array *x, enum likeness how)
{
	const char *name;
	json_t *o;
	size_t n = 0;

	json_object_foreach((json_t *)s->arrays, name, o)
		n += !is_assigned(s, name) && fits(x, name, o, how);
	return n;
}

static void find_namesakes(struct search *s)
{
	const char *name;
	json_t *o;

	json_object_foreach((json_t *)s->arrays, name, o) {
		char *bare = hd__path_without_indices(name);

		for (size_t i = 0; i < s->before; i++)
			if (!s->taken[i] && strcmp(s->all->v[i].bare, bare) == 0
			    && fits(&s->all->v[i], name, o, BY_MODULE)) {
				assign(s, name, o, i);
				break;
			}
		free(bare);
	}
}

static void find_renamed(struct search *s, enum likeness how)
{
	const char *name;
	json_t *o;

	json_object_foreach((json_t *)s->arrays, name, o) {
		size_t at = is_assigned(s, name) ? SIZE_MAX : only_fit(s, name, o, how);

		if (at != SIZE_MAX && wanting(s, &s->all->v[at], how) == 1)
			assign(s, name, o, at);
	}
}

static void add_others(struct search *s)
{
	const char *name;
	json_t *o;

	json_object_foreach((json_t *)s->arrays, name, o) {
		struct study_array *x;

		if (is_assigned(s, name))
			continue;
		s->all->v = hd__xappend(s->all->v, s->all->n, sizeof *s->all->v);
		x = &s->all->v[s->all->n];
		*x = (struct study_array){ .name = hd__xstrdup(name), .bare = hd__path_without_indices(name),
			.module = hd__xstrdup(text(o, "module")),
			.count = json_integer_value(json_object_get(o, "count")) };
		assign(s, name, o, s->all->n++);
	}
}

static void find(struct study_arrays *a, struct study_run *r, const json_t *arrays)
{
	struct search s = { .all = a, .run = r, .arrays = arrays, .before = a->n,
		.taken = hd__xcalloc(a->n + json_object_size(arrays) + 1, sizeof *s.taken) };

	r->arrays = json_object();
	find_namesakes(&s);
	for (enum likeness how = 0; how < LIKENESSES; how++)
		find_renamed(&s, how);
	add_others(&s);
	free(s.taken);
}

void study_arrays_take(struct study_arrays *a, struct study_run *r, const json_t *arrays)
{
	size_t i = a->nlayouts;

	while (i > 0 && !json_equal(arrays, a->layouts[i - 1].arrays))
		i--;
	if (i > 0) {
		r->arrays = json_incref(a->layouts[i - 1].found);
		r->renamed = a->layouts[i - 1].renamed;
		return;
	}
	find(a, r, arrays);
	if (arrays == NULL)
		return;
	a->layouts = hd__xappend(a->layouts, a->nlayouts, sizeof *a->layouts);
	a->layouts[a->nlayouts++] = (struct study_layout){ json_incref((json_t *)arrays), json_incref(r->arrays),
		r->renamed };
}

void study_arrays_free(struct study_arrays *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->v[i].name);
		free(a->v[i].bare);
		free(a->v[i].module);
	}
	for (size_t i = 0; i < a->nlayouts; i++) {
		json_decref(a->layouts[i].arrays);
		json_decref(a->layouts[i].found);
	}
	free(a->v);
	free(a->layouts);
}

/* ---- adding up their elements -------------------------------------------------------------- */

/* The array whose path is path[from .. to); NULL: it is none that is added up. */
static const struct study_array *array_at(const struct study_arrays *a, const struct study_run *r, const char *from,
                                          const char *to)
{
	char *path = hd__xstrndup(from, (size_t)(to - from)), *bare = hd__path_without_indices(path);
	const json_t *known = json_object_get(r->arrays, bare);
	const struct study_array *x = known != NULL ? &a->v[json_integer_value(json_object_get(known, "at"))] : NULL;

	if (x != NULL && (!x->together || strcmp(path, x->name) == 0))
		x = NULL;
	free(path);
	free(bare);
	return x;
}

/* The end of the path that begins there; of one longer by a name, from its end on.  NULL: it was the whole text. */
static const char *next_end(const char *end)
{
	return *end != '\0' ? end + 1 + strcspn(end + 1, ".") : NULL;
}

char *study_arrays_path(const struct study_arrays *a, const struct study_run *r, const char *kind, const char *path)
{
	bool inside = strcmp(kind, "rate") == 0 || strncmp(path, "causes.", 7) == 0; /* behind other words */
	const char *from = path;

	if (strcmp(kind, "clock") == 0 || (strcmp(kind, "run") == 0 && !inside))
		return NULL;
	while (from != NULL) {
		for (const char *to = from + strcspn(from, "."); to != NULL; to = next_end(to)) {
			const struct study_array *x = array_at(a, r, from, to);

			if (x != NULL)
				return hd__format("%.*s%s%s", (int)(from - path), path, x->name, to);
		}
		from = inside ? strchr(from, '.') : NULL;
		from += from != NULL;
	}
	return NULL;
}

/* For each name the number of the one that has its place in this run.  The caller frees them. */
static uint32_t *places_of(struct study_sides *s, const struct study_run *r)
{
	struct study_names *names = &s->names;
	size_t n = names->n;
	uint32_t *to = hd__xcalloc(n, sizeof *to);

	for (uint32_t i = 0; i < n; i++) {
		const char *path = strchr(names->v[i], ' ') + 1;
		char *kind = hd__xstrndup(names->v[i], (size_t)(path - 1 - names->v[i]));
		char *other = study_arrays_path(&s->arrays, r, kind, path);
		char *name = other != NULL ? hd__join(kind, " ", other) : NULL;

		to[i] = name == NULL ? i : study_name_add(names, name,
			json_string_value(json_object_get(names->units, names->v[i])), names->share[i]);
		free(name);
		free(other);
		free(kind);
	}
	return to;
}

static int by_name(const void *a, const void *b)
{
	const struct study_entry *x = a, *y = b;

	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Of n values with one name, which stand one behind another. */
static double together(const struct study_names *names, const struct study_entry *e, size_t n)
{
	const char *name = names->v[e->name], *dot = strrchr(name, '.');
	bool queue = strncmp(name, "queue ", 6) == 0;
	bool mean = names->share[e->name] || (queue && dot != NULL && strcmp(dot, ".mean") == 0);
	double sum = 0, most = e->value;

	for (size_t i = 0; i < n; i++) {
		sum += e[i].value;
		most = e[i].value > most ? e[i].value : most;
	}
	return mean ? sum / (double)n : queue ? most : sum;
}

static void join(const struct study_names *names, struct study_run *r, const uint32_t *to)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		r->v[i].name = to[r->v[i].name];
	if (r->n > 0)
		qsort(r->v, r->n, sizeof *r->v, by_name);
	for (size_t i = 0, same; i < r->n; i += same) {
		struct study_entry e = r->v[i];

		for (same = 1; i + same < r->n && by_name(&e, &r->v[i + same]) == 0; same++)
			;
		e.value = together(names, &r->v[i], same);
		r->v[n++] = e;
	}
	r->n = n;
}

/* Joins the runs that have these arrays. */
static void join_like(struct study_sides *s, const struct study_layout *l)
{
	uint32_t *to = NULL;

	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->v[i].n; k++) {
			struct study_run *r = &s->v[i].runs[k];

			if (r->arrays != l->found)
				continue;
			if (to == NULL)
				to = places_of(s, r);
			join(&s->names, r, to);
		}
	free(to);
}

void study_arrays_join(struct study_sides *s)
{
	bool any = false;

	for (size_t i = 0; i < s->arrays.n; i++)
		any |= s->arrays.v[i].together;
	for (size_t i = 0; any && i < s->arrays.nlayouts; i++)
		join_like(s, &s->arrays.layouts[i]);
}

/* ---- how they differ ----------------------------------------------------------------------- */

static char *name_of(const json_t *o)
{
	json_int_t n = json_integer_value(json_object_get(o, "count"));

	return n == 1 ? hd__xstrdup(text(o, "name"))
	              : hd__format("%s x%" JSON_INTEGER_FORMAT, text(o, "name"), n);
}

static const json_t *of_place(const struct study_run *r, json_int_t at)
{
	const char *bare;
	json_t *o;

	json_object_foreach(r->arrays, bare, o)
		if (json_integer_value(json_object_get(o, "at")) == at)
			return o;
	return NULL;
}

static char *line_of(const struct study_array *x, const json_t *a, const json_t *b)
{
	char *before = name_of(a), *after = name_of(b), *line;

	line = hd__format("array %s is %s, by its module %s; shown as %s", before, after, x->module, x->name);
	free(before);
	free(after);
	return line;
}

/* "cluster[*].sm[*]" of "cluster[*].sm[*].sp[*]".  The caller frees it. */
static char *above(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL ? hd__xstrndup(name, (size_t)(dot - name)) : hd__xstrdup("the netlist itself");
}

/* What the two have in common with other pairs of arrays; NULL: nothing, as they have other names, or do not differ.
 * The caller frees it. */
static char *group_of(const json_t *a, const char *bare, const json_t *b, const char *other)
{
	json_int_t n = json_integer_value(json_object_get(a, "count"));
	json_int_t m = json_integer_value(json_object_get(b, "count"));
	char *from = above(text(a, "name")), *to = above(text(b, "name")), *group = NULL;

	if (strcmp(bare, other) == 0 && n != m)
		group = hd__format("arrays of %" JSON_INTEGER_FORMAT " -> %" JSON_INTEGER_FORMAT " elements", n, m);
	else if (strcmp(bare, other) != 0 && strcmp(last(bare), last(other)) == 0)
		group = hd__format("arrays of %s -> %s", from, to);
	free(from);
	free(to);
	return group;
}

void study_arrays_differ(const struct study_arrays *all, const struct study_run *a, const struct study_run *b,
                         json_t *renamed, json_t *added)
{
	const char *bare;
	json_t *x;

	json_object_foreach(a->arrays, bare, x) {
		json_int_t at = json_integer_value(json_object_get(x, "at"));
		const json_t *y = of_place(b, at);
		char *other = y != NULL ? hd__path_without_indices(text(y, "name")) : hd__xstrdup(bare);
		char *group = y != NULL ? group_of(x, bare, y, other) : NULL;

		if (group != NULL) {
			if (json_object_get(added, group) == NULL)
				json_object_set_new(added, group, json_object());
			json_object_set_new(json_object_get(added, group), all->v[at].name, json_null());
		} else if (strcmp(other, bare) != 0) {
			char *line = line_of(&all->v[at], x, y);

			json_object_set_new(renamed, line, json_null());
			free(line);
		}
		free(group);
		free(other);
	}
}
