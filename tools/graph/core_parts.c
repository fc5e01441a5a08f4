/* core_parts.c - parts of a core, such as sub-cores or halves: elements of arrays that are linked to each other
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The links between two arrays often join some elements of one with some of the other: an issue stage with a
 * scheduler, a collector with two of four units.  Arrays that are joined so, one by another, are a group, and it
 * has parts.  A group may have groups in it with smaller parts.
 *
 * What is in no such array and linked to one part only belongs to this part, so parts may differ.  Those that do
 * not are of one kind, which is drawn once.
 *
 * Everything follows the order of names, so that the picture does not depend on the order of the netlist.
 */
#include "model.h"
#include "box_names.h"

#define MOST_KINDS 4u /* more would fill the picture, and are not told apart */

struct array {
	uint32_t first, count;   /* places in `sorted` */
	uint32_t area;           /* the netlist that it is in, whichever of its copies */
	uint32_t group;          /* the smallest that it is in, or NONE */
	uint32_t set, size;      /* of the group that is looked for: another array, or itself; how many have this one */
};

/* A link that is drawn, between instances of one area. */
struct joint {
	uint32_t from, to;
	const char *from_port, *to_port;
};

/* All of them between the same ports of two arrays. */
struct bundle {
	size_t first, n;
	uint32_t a, b;
	uint32_t parts;          /* in each copy of the area; 0: there are none */
};

struct finder {
	struct drawing *d;
	uint32_t n, *sorted;     /* instances by name */
	uint32_t *array_of;      /* by instance */
	uint32_t *copies;        /* by area */
	struct array *arrays;
	struct joint *joints;
	struct bundle *bundles;
	size_t njoints, nbundles;
	uint32_t narrays, ngroups;
	uint32_t *root, *tally;  /* by instance */
};

/* ---- arrays --------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b, void *arg)
{
	char *const *keys = ((void **)arg)[0];
	const struct instance *v = ((void **)arg)[1];
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = strcmp(keys[x], keys[y]);

	return c ? c : hd__name_compare(v[x].path, v[y].path);
}

/* The number of a name, a new one if it is not known. */
static uint32_t number_of(json_t *known, const char *name)
{
	uint32_t n = (uint32_t)json_object_size(known);
	const json_t *v = json_object_get(known, name);

	if (v)
		return (uint32_t)json_integer_value(v);
	json_object_set_new(known, name, json_integer(n));
	return n;
}

/* Of "cluster[3].sm[0].sp" the area is "cluster[].sm[]". */
static void find_areas(struct finder *f)
{
	json_t *areas = hd__xcheck(json_object()), *copies = hd__xcheck(json_object());

	for (uint32_t i = 0; i < f->n; i++) {
		const struct instance *in = &f->d->p->instances[f->sorted[i]];
		char *path = hd__xstrndup(in->path, in->parent), *open = hd__name_open(path);
		uint32_t area = number_of(areas, open);
		size_t before = json_object_size(copies);

		number_of(copies, path);
		f->copies[area] += json_object_size(copies) > before;
		f->arrays[f->array_of[f->sorted[i]]].area = area;
		free(path);
		free(open);
	}
	json_decref(areas);
	json_decref(copies);
}

static void find_arrays(struct finder *f)
{
	const struct instance *v = f->d->p->instances;
	char **keys = hd__xcalloc(f->n, sizeof *keys);
	void *order[] = { keys, f->d->p->instances };

	for (uint32_t i = 0; i < f->n; i++) {
		keys[i] = hd__picture_key(&v[i]);
		f->sorted[i] = i;
	}
	if (f->n > 1)
		qsort_r(f->sorted, f->n, sizeof *f->sorted, by_key, order);
	for (uint32_t i = 0; i < f->n; i++) {
		if (i == 0 || strcmp(keys[f->sorted[i - 1]], keys[f->sorted[i]]) != 0)
			f->arrays[f->narrays++] = (struct array){ .first = i, .group = NONE };
		f->arrays[f->narrays - 1].count++;
		f->array_of[f->sorted[i]] = f->narrays - 1;
	}
	for (uint32_t i = 0; i < f->n; i++)
		free(keys[i]);
	free(keys);
	find_areas(f);
}

/* ---- what joins them ------------------------------------------------------------------------ */

static uint32_t root_of(uint32_t *v, uint32_t i)
{
	while (v[i] != i)
		i = v[i] = v[v[i]];
	return i;
}

static void join(uint32_t *v, uint32_t a, uint32_t b)
{
	v[root_of(v, a)] = root_of(v, b);
}

static void join_bundle(struct finder *f, const struct bundle *b)
{
	for (size_t i = b->first; i < b->first + b->n; i++)
		join(f->root, f->joints[i].from, f->joints[i].to);
}

static void open_array(struct finder *f, uint32_t array)
{
	const struct array *a = &f->arrays[array];

	for (uint32_t i = a->first; i < a->first + a->count; i++)
		f->root[f->sorted[i]] = f->sorted[i];
}

/* Has each of so many parts the same number of elements? */
static bool is_even(struct finder *f, uint32_t array, uint32_t parts)
{
	const struct array *a = &f->arrays[array];
	bool even = a->count % parts == 0;

	for (uint32_t i = a->first; i < a->first + a->count; i++)
		f->tally[root_of(f->root, f->sorted[i])] = 0;
	for (uint32_t i = a->first; i < a->first + a->count; i++)
		f->tally[root_of(f->root, f->sorted[i])]++;
	for (uint32_t i = a->first; even && i < a->first + a->count; i++)
		even = f->tally[root_of(f->root, f->sorted[i])] == a->count / parts;
	return even;
}

static uint32_t count_parts(struct finder *f, uint32_t array)
{
	const struct array *a = &f->arrays[array];
	uint32_t n = 0;

	for (uint32_t i = a->first; i < a->first + a->count; i++)
		f->tally[root_of(f->root, f->sorted[i])] = 0;
	for (uint32_t i = a->first; i < a->first + a->count; i++)
		n += f->tally[root_of(f->root, f->sorted[i])]++ == 0;
	return n;
}

static int by_bundle(const void *a, const void *b, void *array_of)
{
	const struct joint *x = a, *y = b;
	const uint32_t *of = array_of;
	int c;

	if (of[x->from] != of[y->from])
		return of[x->from] < of[y->from] ? -1 : 1;
	if (of[x->to] != of[y->to])
		return of[x->to] < of[y->to] ? -1 : 1;
	c = strcmp(x->from_port, y->from_port);
	return c ? c : strcmp(x->to_port, y->to_port);
}

static void find_joints(struct finder *f)
{
	const struct hd_picture *p = f->d->p;
	size_t n = 0;

	for (size_t i = 0; i < p->nlinks; i++) {
		const struct hd_picture_link *l = &p->links[i];

		if (l->from != l->to && f->arrays[f->array_of[l->from]].area == f->arrays[f->array_of[l->to]].area
		    && hd__picture_is_drawn(f->d, l))
			f->joints[n++] = (struct joint){ l->from, l->to, l->from_port, l->to_port };
	}
	f->njoints = n;
	if (n > 1)
		qsort_r(f->joints, n, sizeof *f->joints, by_bundle, f->array_of);
}

static void measure(struct finder *f, struct bundle *b)
{
	uint32_t copies = f->copies[f->arrays[b->a].area], parts;

	if (b->a == b->b || f->arrays[b->a].count <= copies || f->arrays[b->b].count <= copies)
		return;
	open_array(f, b->a);
	open_array(f, b->b);
	join_bundle(f, b);
	parts = count_parts(f, b->a);
	if (parts % copies == 0 && parts > copies && is_even(f, b->a, parts) && is_even(f, b->b, parts))
		b->parts = parts / copies;
}

static void find_bundles(struct finder *f)
{
	for (size_t i = 0; i < f->njoints; i++) {
		const struct joint *j = &f->joints[i];

		if (i == 0 || by_bundle(j - 1, j, f->array_of) != 0)
			f->bundles[f->nbundles++] = (struct bundle){ .first = i, .a = f->array_of[j->from],
				.b = f->array_of[j->to] };
		f->bundles[f->nbundles - 1].n++;
	}
	for (size_t i = 0; i < f->nbundles; i++)
		measure(f, &f->bundles[i]);
}

/* ---- groups --------------------------------------------------------------------------------- */

static uint32_t set_of(struct finder *f, uint32_t array)
{
	while (f->arrays[array].set != array)
		array = f->arrays[array].set = f->arrays[f->arrays[array].set].set;
	return array;
}

/* Does it join arrays of one set into so many parts, or into parts of these? */
static bool joins(struct finder *f, const struct bundle *b, uint32_t parts)
{
	return b->parts && b->parts % parts == 0 && f->arrays[b->a].group == f->arrays[b->b].group;
}

static void find_sets(struct finder *f, uint32_t parts)
{
	for (uint32_t i = 0; i < f->narrays; i++) {
		f->arrays[i].set = i;
		f->arrays[i].size = 0;
	}
	for (size_t i = 0; i < f->nbundles; i++)
		if (joins(f, &f->bundles[i], parts)) {
			uint32_t a = set_of(f, f->bundles[i].a), b = set_of(f, f->bundles[i].b);

			f->arrays[a > b ? a : b].set = a < b ? a : b;
		}
	for (uint32_t i = 0; i < f->narrays; i++)
		f->arrays[set_of(f, i)].size++;
}

/* Are the arrays of the set divided into so many parts? */
static bool is_divided(struct finder *f, uint32_t set, uint32_t parts)
{
	uint32_t all = parts * f->copies[f->arrays[set].area];
	bool even = true;

	for (uint32_t i = set; i < f->narrays; i++)
		if (set_of(f, i) == set)
			open_array(f, i);
	for (size_t i = 0; i < f->nbundles; i++)
		if (joins(f, &f->bundles[i], parts) && set_of(f, f->bundles[i].a) == set)
			join_bundle(f, &f->bundles[i]);
	for (uint32_t i = set; even && i < f->narrays; i++)
		even = set_of(f, i) != set || is_even(f, i, all);
	return even && count_parts(f, set) == all;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* A group that is made.  The leader of a part is the first of its elements that are of the first array. */
struct group {
	struct finder *f;
	uint32_t set;
	uint32_t *leaders, n;    /* of all parts, in all copies of the area */
	uint32_t *leader;        /* by root */
	uint32_t *outer;         /* by instance outside: of the only part that it is linked to, or NONE */
	uint32_t *part;          /* by leader */
};

static bool is_in(const struct group *g, uint32_t instance)
{
	return set_of(g->f, g->f->array_of[instance]) == g->set;
}

static uint32_t leader_of(const struct group *g, uint32_t instance)
{
	return g->leader[root_of(g->f->root, instance)];
}

static void find_leaders(struct group *g)
{
	const struct array *a = &g->f->arrays[g->set];

	for (uint32_t i = 0; i < g->f->n; i++)
		g->leader[i] = NONE;
	for (uint32_t i = a->first; i < a->first + a->count; i++) {
		uint32_t *l = &g->leader[root_of(g->f->root, g->f->sorted[i])];

		if (*l == NONE)
			g->leaders[g->n++] = *l = g->f->sorted[i];
	}
}

static void note_outer(struct group *g, uint32_t x, uint32_t element, bool *several)
{
	if (is_in(g, x) || !is_in(g, element))
		return;
	several[x] |= g->outer[x] != NONE && g->outer[x] != leader_of(g, element);
	g->outer[x] = leader_of(g, element);
}

static void find_outer(struct group *g)
{
	const struct finder *f = g->f;
	bool *several = hd__xcalloc(f->n, sizeof *several);

	for (uint32_t i = 0; i < f->n; i++)
		g->outer[i] = NONE;
	for (size_t i = 0; i < f->njoints; i++) {
		note_outer(g, f->joints[i].from, f->joints[i].to, several);
		note_outer(g, f->joints[i].to, f->joints[i].from, several);
	}
	for (uint32_t i = 0; i < f->n; i++)
		if (several[i] || (g->outer[i] != NONE && f->d->part_of[i] != f->d->part_of[g->outer[i]]))
			g->outer[i] = NONE;
	free(several);
}

/* Adds a part for each kind, and returns how many: of parts that are in one, and have the same around them; with
 * `expand` each is of its own. */
static uint32_t find_kinds(struct group *g)
{
	struct drawing *d = g->f->d;
	char **words = hd__xcalloc(g->f->n, sizeof *words);
	json_t *kinds = hd__xcheck(json_object());
	uint32_t before = d->nparts;

	for (uint32_t i = 0; i < g->n; i++)
		words[g->leaders[i]] = hd__format("%u %u", d->part_of[g->leaders[i]], d->o->expand ? i : 0);
	for (uint32_t i = 0; i < g->f->n; i++) {
		uint32_t x = g->f->sorted[i], l = g->outer[x];

		if (l != NONE) {
			char *more = hd__format("%s %u", words[l], g->f->array_of[x]);

			free(words[l]);
			words[l] = more;
		}
	}
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t l = g->leaders[i], kind = number_of(kinds, words[l]);

		g->part[l] = before + kind;
		if (g->part[l] == d->nparts) {
			d->parts = hd__xgrow(d->parts, d->nparts, &d->capparts, sizeof *d->parts);
			d->parts[d->nparts++] = (struct part){ .parent = d->part_of[l] };
		}
		free(words[l]);
	}
	free(words);
	json_decref(kinds);
	return d->nparts - before;
}

/* Parts of a copy are numbered by their leaders. */
static void name_parts(const struct group *g, uint32_t parts)
{
	for (uint32_t i = 0; i < g->n; i++) {
		struct part *p = &g->f->d->parts[g->part[g->leaders[i]]];
		char *name = hd__format("[%u]", i % parts);

		p->name = p->name ? hd__name_join(p->name, name) : hd__xstrdup(name);
		free(name);
	}
}

static void add_group(struct finder *f, uint32_t set, uint32_t parts)
{
	struct group g = { .f = f, .set = set, .leaders = hd__xcalloc(f->n, sizeof *g.leaders),
		           .leader = hd__xcalloc(f->n, sizeof *g.leader), .outer = hd__xcalloc(f->n, sizeof *g.outer),
		           .part = hd__xcalloc(f->n, sizeof *g.part) };
	uint32_t before = f->d->nparts;

	find_leaders(&g);
	find_outer(&g);
	if (find_kinds(&g) > MOST_KINDS && !f->d->o->expand) {
		f->d->nparts = before;
		for (uint32_t i = 0; i < f->n; i++)
			g.outer[i] = NONE;
		find_kinds(&g);
	}
	name_parts(&g, parts);
	for (uint32_t i = 0; i < f->n; i++)
		if (g.outer[i] != NONE || is_in(&g, i))
			f->d->part_of[i] = g.part[g.outer[i] != NONE ? g.outer[i] : leader_of(&g, i)];
	for (uint32_t i = set; i < f->narrays; i++)
		if (set_of(f, i) == set)
			f->arrays[i].group = f->ngroups;
	f->ngroups++;
	free(g.leaders);
	free(g.leader);
	free(g.outer);
	free(g.part);
}

/* The next number of parts that a bundle has; 0: none. */
static uint32_t next_size(const struct finder *f, uint32_t parts)
{
	uint32_t next = 0;

	for (size_t i = 0; i < f->nbundles; i++)
		if (f->bundles[i].parts > parts && (next == 0 || f->bundles[i].parts < next))
			next = f->bundles[i].parts;
	return next;
}

void hd__picture_parts(struct drawing *d)
{
	uint32_t n = (uint32_t)d->p->ninstances;
	struct finder f = { .d = d, .n = n, .sorted = hd__xcalloc(n, sizeof *f.sorted),
		            .array_of = hd__xcalloc(n, sizeof *f.array_of), .copies = hd__xcalloc(n, sizeof *f.copies),
		            .arrays = hd__xcalloc(n, sizeof *f.arrays), .root = hd__xcalloc(n, sizeof *f.root),
		            .tally = hd__xcalloc(n, sizeof *f.tally),
		            .joints = hd__xcalloc(d->p->nlinks, sizeof *f.joints),
		            .bundles = hd__xcalloc(d->p->nlinks, sizeof *f.bundles) };

	d->part_of = hd__xcalloc(n, sizeof *d->part_of);
	for (uint32_t i = 0; i < n; i++)
		d->part_of[i] = NONE;
	find_arrays(&f);
	find_joints(&f);
	find_bundles(&f);
	for (uint32_t parts = next_size(&f, 1); parts; parts = next_size(&f, parts)) {
		find_sets(&f, parts);
		for (uint32_t set = 0; set < f.narrays; set++)
			if (f.arrays[set].size > 1 && is_divided(&f, set, parts))
				add_group(&f, set, parts);
	}
	free(f.sorted);
	free(f.array_of);
	free(f.copies);
	free(f.arrays);
	free(f.root);
	free(f.tally);
	free(f.joints);
	free(f.bundles);
}
