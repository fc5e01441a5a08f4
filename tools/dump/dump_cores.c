/* dump_cores.c - finds the cores of a netlist from its dump
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_cores.h"
#include "base/path.h"
#include "base/xalloc.h"

enum { BEGINS = 1, ISSUES = 2, HOLDS_CORES = 4 };

struct finder {
	const struct dump *d;
	json_t *modules; /* name -> BEGINS, ISSUES or both */
	json_t *scopes;  /* path -> what it and its inner netlists contain */
	json_t *cores;   /* path -> number */
	json_int_t all;  /* what a core must contain */
};

static void add_bits(json_t *map, const char *name, json_int_t bits)
{
	bits |= json_integer_value(json_object_get(map, name));
	json_object_set_new(map, name, json_integer(bits));
}

/* Issue slots are events with a duration and a reason. */
static void note_issuers(struct finder *f)
{
	for (uint32_t i = 0; i < f->d->ntables; i++) {
		const struct dump_table *t = &f->d->tables[i];
		int n = dump_find_field(t, "n");

		if (t->kind == HD_TABLE_EVENTS && t->module && n >= 0 && t->fields[n].span
		    && dump_find_field(t, "reason") >= 0)
			add_bits(f->modules, t->module, ISSUES);
	}
}

/* Instructions begin at a place of the decoding instance. */
static void note_beginners(struct finder *f, struct dump *d)
{
	int table = dump_find_table(d, "inst");

	for (size_t i = 0; table >= 0 && i < d->nblocks; i++) {
		struct dump_transaction t = { .n = 0 };
		struct dump_rows rows;

		if ((int)d->blocks[i].head.table != table
		    || d->tables[table].kind != HD_TABLE_TRANSACTIONS || !dump_rows(d, i, &rows))
			continue;
		while (dump_transaction(&rows, &t)) {
			uint32_t at = t.n ? d->places[t.steps[0].place].instance : UINT32_MAX;

			if (at < d->ninstances)
				add_bits(f->modules, d->instances[at].module, BEGINS);
		}
		free(t.steps);
		dump_rows_free(&rows);
		return;
	}
}

/* Removes the last name.  Returns false if there is none left. */
static bool outer(char *path)
{
	char *dot = strrchr(path, '.');

	if (dot)
		*dot = '\0';
	return dot != NULL;
}

static void note_scopes(struct finder *f)
{
	for (uint32_t i = 0; i < f->d->ninstances; i++) {
		json_int_t bits = json_integer_value(json_object_get(f->modules,
		                                                     f->d->instances[i].module));
		char *path = hd__xstrdup(f->d->instances[i].path);

		f->all |= bits;
		while (bits && outer(path))
			add_bits(f->scopes, path, bits);
		free(path);
	}
}

/* A netlist around a core is none itself. */
static void note_outer_scopes(struct finder *f)
{
	const char *path;
	json_t *bits;
	void *next;

	json_object_foreach_safe(f->scopes, next, path, bits) {
		char *outside = hd__xstrdup(path);

		while ((json_integer_value(bits) & ~HOLDS_CORES) == f->all && outer(outside))
			add_bits(f->scopes, outside, HOLDS_CORES);
		free(outside);
	}
}

static uint32_t core_number(struct dump_cores *c, struct finder *f, const char *path)
{
	json_t *known = json_object_get(f->cores, path);

	if (known)
		return (uint32_t)json_integer_value(known);
	c->paths = hd__xappend(c->paths, c->n, sizeof *c->paths);
	c->paths[c->n] = hd__xstrdup(path);
	json_object_set_new(f->cores, path, json_integer(c->n));
	return c->n++;
}

static uint32_t find_core(struct dump_cores *c, struct finder *f, const char *instance)
{
	char *path = hd__xstrdup(instance);
	uint32_t core = 0;

	while (f->all && outer(path))
		if (json_integer_value(json_object_get(f->scopes, path)) == f->all) {
			core = core_number(c, f, path);
			break;
		}
	free(path);
	return core;
}

/* A channel that leads out of a core belongs to it. */
static void find_places(struct dump_cores *c, const struct dump *d)
{
	json_t *numbers = json_object(); /* path -> instance */

	for (uint32_t i = 0; i < d->ninstances; i++)
		json_object_set_new(numbers, d->instances[i].path, json_integer(i));
	c->at = hd__xcalloc(d->nplaces, sizeof *c->at);
	for (uint32_t i = 0; i < d->nplaces; i++) {
		uint32_t in = d->places[i].instance;
		const char *from = d->places[i].from;
		const json_t *writer = from ? json_object_get(numbers, from) : NULL;

		if (in < d->ninstances)
			c->at[i] = c->of[in];
		if (writer && c->at[i] == 0)
			c->at[i] = c->of[json_integer_value(writer)];
	}
	json_decref(numbers);
}

struct dump_cores *dump_cores_new(struct dump *d)
{
	struct dump_cores *c = hd__xcalloc(1, sizeof *c);
	struct finder f = { .d = d, .modules = json_object(), .scopes = json_object(),
		.cores = json_object() };

	note_issuers(&f);
	note_beginners(&f, d);
	note_scopes(&f);
	note_outer_scopes(&f);
	core_number(c, &f, "");
	c->of = hd__xcalloc(d->ninstances, sizeof *c->of);
	for (uint32_t i = 0; i < d->ninstances; i++)
		c->of[i] = find_core(c, &f, d->instances[i].path);
	find_places(c, d);
	json_decref(f.modules);
	json_decref(f.scopes);
	json_decref(f.cores);
	return c;
}

void dump_cores_free(struct dump_cores *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		free(c->paths[i]);
	free(c->paths);
	free(c->of);
	free(c->at);
	free(c);
}

uint32_t dump_core_of(const struct dump_cores *c, const struct dump_transaction *t)
{
	return t->n ? c->at[t->steps[0].place] : 0;
}

char *dump_path_in_cores(const struct dump_cores *c, const struct dump *d, uint32_t instance)
{
	const char *core = c->paths[c->of[instance]], *path = d->instances[instance].path;
	char *any = hd__path_any_index(core), *all = hd__join(any, path + strlen(core), "");

	free(any);
	return all;
}
