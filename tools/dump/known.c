/* known.c - finds the tables of instructions and issue slots, the cores, and the cycles of stages
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "known.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <inttypes.h>

enum role { OTHER, WAITS, ISSUED };

/* ---- cores ---- */

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

/* ---- tables ---- */

static void find_instructions(struct dump_known *k)
{
	const struct dump_table *t;

	k->inst = dump_find_table(k->d, "inst");
	k->uid = k->warp = k->code = k->mask = -1;
	if (k->inst < 0)
		return;
	t = &k->d->tables[k->inst];
	k->uid = dump_find_field(t, "uid");
	k->warp = dump_find_field(t, "warp");
	k->code = dump_find_field(t, "code");
	k->mask = dump_find_field(t, "mask");
	if (t->kind != HD_TABLE_TRANSACTIONS || k->uid < 0 || k->warp < 0 || k->code < 0)
		k->inst = -1;
}

static void find_slots(struct dump_known *k)
{
	k->slot = k->unit = k->cause = k->reg = k->slot_warp = k->slot_code = k->slot_kernel = -1;
	for (uint32_t i = 0; i < k->d->ntables; i++) {
		const struct dump_table *t = &k->d->tables[i];

		k->n = dump_find_field(t, "n");
		k->reason = dump_find_field(t, "reason");
		if (t->kind != HD_TABLE_EVENTS || k->n < 0 || k->reason < 0 || !t->fields[k->n].span)
			continue;
		k->slot = (int)i;
		k->unit = dump_find_field(t, "unit");
		k->cause = dump_find_field(t, "cause");
		k->reg = dump_find_field(t, "reg");
		k->slot_warp = dump_find_field(t, "warp");
		k->slot_code = dump_find_field(t, "code");
		k->slot_kernel = dump_find_field(t, "kernel");
		return;
	}
}

/* An instruction is issued when it enters the first channel that an instance of the issue module
 * fills; until then the marks of that module are what it waits for. */
static void find_roles(struct dump_known *k)
{
	const struct dump *d = k->d;
	const char *issue = k->slot >= 0 ? d->tables[k->slot].module : NULL;
	json_t *issuers = json_object(); /* paths */

	k->role = hd__xcalloc(d->nplaces, sizeof *k->role);
	for (uint32_t i = 0; issue && i < d->ninstances; i++)
		if (strcmp(d->instances[i].module, issue) == 0)
			json_object_set_new(issuers, d->instances[i].path, json_true());
	for (uint32_t i = 0; i < d->nplaces; i++) {
		const struct dump_place *p = &d->places[i];

		if (p->kind == DUMP_MARK && p->instance < d->ninstances
		    && json_object_get(issuers, d->instances[p->instance].path))
			k->role[i] = WAITS;
		else if (p->kind == DUMP_CHANNEL && p->from && json_object_get(issuers, p->from))
			k->role[i] = ISSUED;
		k->issues |= k->role[i] == ISSUED;
	}
	json_decref(issuers);
}

void dump_know(struct dump_known *k, struct dump *d)
{
	*k = (struct dump_known){ .d = d, .cores = dump_cores_new(d) };
	find_instructions(k);
	find_slots(k);
	find_roles(k);
}

void dump_known_free(struct dump_known *k)
{
	dump_cores_free(k->cores);
	free(k->role);
}

char *dump_register_name(char *to, int64_t reg)
{
	if (reg >= DUMP_COUNTER)
		snprintf(to, 24, "SB%" PRId64, reg - DUMP_COUNTER);
	else
		snprintf(to, 24, "R%" PRId64, reg);
	return to;
}

bool dump_is_register(const struct dump_place *p)
{
	return p->arg && strcmp(p->arg, "reg") == 0;
}

uint32_t dump_core_of_item(const struct dump_known *k, const struct dump_item *i)
{
	if (i->transaction)
		return dump_core_of(k->cores, i->transaction);
	return k->cores->of[i->rows->who[i->row]];
}

/* ---- stages ---- */

const char *const dump_stage_names[DUMP_STAGES] = {
	[DUMP_BEGIN] = "begin", [DUMP_ISSUE] = "issue", [DUMP_COLLECT] = "collect",
	[DUMP_DISPATCH] = "dispatch", [DUMP_EXECUTE] = "execute", [DUMP_WRITEBACK] = "writeback",
	[DUMP_END] = "end",
};

bool dump_is_wait(const struct dump_known *k, const struct dump_transaction *t, uint32_t step)
{
	const struct dump_step *s = &t->steps[step];

	return s->cycles && k->d->places[s->place].kind == DUMP_MARK && (step > 0 || k->role[s->place] == WAITS);
}

/* Of a dump that began later than the instruction, the place for what was issued may be missing:
 * then it was left before, and so may others have been. */
uint32_t dump_issue_step(const struct dump_known *k, const struct dump_transaction *t)
{
	uint32_t waited = 0, channel = t->n;

	for (uint32_t i = 0; i < t->n; i++) {
		if (k->role[t->steps[i].place] == ISSUED)
			return i;
		if (k->role[t->steps[i].place] == WAITS)
			waited = i + 1;
		if (!k->issues && channel == t->n && k->d->places[t->steps[i].place].kind == DUMP_CHANNEL)
			channel = i;
	}
	return waited ? waited : channel;
}

/* The channels that an instruction passes give the cycles: from the issue on it is in the first, dispatched when it
 * is put into the second, ready when it is put into the third; and taken from them in between. */
void dump_stages(const struct dump_known *k, const struct dump_transaction *t,
                 uint64_t at[DUMP_STAGES])
{
	unsigned channels = 0;

	for (int i = 0; i < DUMP_STAGES; i++)
		at[i] = DUMP_NEVER;
	at[DUMP_BEGIN] = t->begin;
	for (uint32_t i = dump_issue_step(k, t); i < t->n; i++) {
		const struct dump_step *s = &t->steps[i];

		if (k->d->places[s->place].kind == DUMP_CHANNEL) {
			if (channels < 3)
				at[DUMP_ISSUE + 2 * channels] = s->cycle;
			/* taken and put on in the same cycle */
			if (channels > 0 && channels < 3 && at[2 * channels] == DUMP_NEVER)
				at[2 * channels] = s->cycle;
			channels++;
		} else if ((channels == 1 || channels == 2) && at[2 * channels] == DUMP_NEVER) {
			at[2 * channels] = s->cycle;
		}
	}
	if (!t->unfinished)
		at[DUMP_END] = t->end;
}
