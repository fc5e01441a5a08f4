/* stages.c - names of stages from the netlist, and the lanes of a transaction
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "stages.h"
#include "known.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <inttypes.h>

#define MOST_ARGS 256 /* names of a wait: viewers distinguish stages by name, and have a limited number */
#define COUNTERS 8    /* of them behind those, which are dependence counters */

static char *own(struct dump_stage_view *s, char *text)
{
	s->made = hd__xgrow(s->made, s->nmade, &s->capmade, sizeof *s->made);
	s->made[s->nmade++] = text;
	return text;
}

/* ---- names ---- */

static const char *last_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

/* Adds under `as` the instances at this end of a link: a path with a port, or a list. */
static void note_end(json_t *ends, const json_t *end, const char *as)
{
	const json_t *one;
	size_t i;

	if (json_is_string(end)) {
		char *path = hd__path_without_indices(json_string_value(end)), *dot = strrchr(path, '.');

		if (dot) {
			*dot = '\0';
			json_object_set_new(ends, path, json_string(as));
		}
		free(path);
	}
	json_array_foreach(end, i, one)
		note_end(ends, one, as);
}

/* Instances that execute instructions -> the names of their units. */
static json_t *find_units(const struct dump *d)
{
	json_t *netlist = dump_part(d, "netlist"), *links = json_object_get(netlist, "links"), *link;
	json_t *units = json_object(), *before = json_object();
	const char *path;
	json_t *unused;
	size_t i;

	json_array_foreach(links, i, link) {
		const char *unit = json_string_value(json_object_get(link, "unit"));

		if (!unit)
			continue;
		note_end(units, json_object_get(link, "to"), unit);
		note_end(before, json_object_get(link, "from"), unit);
	}
	json_object_foreach(before, path, unused)
		json_object_del(units, path);
	json_decref(before);
	json_decref(netlist);
	return units;
}

/* "collector", 2 -> "co"; "load_store", 2 -> "ls", 3 -> "los". */
static char *abbreviate(const char *name, size_t letters)
{
	char *out = hd__xcalloc(strlen(name) + 1, 1);
	const char *word = strchr(name, '_');
	size_t n = word ? letters - 1 : letters, first = word ? (size_t)(word - name) : strlen(name);

	n = n < first ? n : first;
	memcpy(out, name, n);
	for (; word; word = strchr(word + 1, '_'))
		if (word[1] && word[1] != '_')
			out[n++] = word[1];
	return out;
}

/* In capitals; but X means execution. */
static char *raise(char *name)
{
	for (char *c = name; *c; c++)
		*c = *c == 'x' || *c == 'X' ? 'x' : (char)toupper((unsigned char)*c);
	return name;
}

static char *lower(char *name)
{
	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return name;
}

/* A short name that is not in `taken`, short name -> long name. */
static char *short_name(json_t *taken, const char *path)
{
	const char *name = last_of(path);
	char *s;

	for (size_t letters = 2;; letters++) {
		const char *whose;

		s = abbreviate(name, letters);
		whose = json_string_value(json_object_get(taken, s));
		if (!whose || strcmp(whose, path) == 0 || letters > strlen(name))
			break;
		free(s);
	}
	json_object_set_new(taken, s, json_string(path));
	return s;
}

static void name_places(struct dump_stage_view *s)
{
	const struct dump *d = s->dump;
	json_t *units = find_units(d), *taken = json_object();

	/* channels first: not every instance is a stage, but each stage has a channel */
	for (int channels = 1; channels >= 0; channels--)
		for (uint32_t i = 0; i < d->nplaces; i++) {
			const struct dump_place *p = &d->places[i];
			struct dump_drawn *stage = &s->v[i];
			const char *unit;
			char *path;

			if ((p->kind == DUMP_CHANNEL) != channels)
				continue;
			if (p->kind == DUMP_MARK || p->instance >= d->ninstances) {
				stage->waits = p->kind == DUMP_MARK;
				stage->of_register = p->arg && strcmp(p->arg, "reg") == 0;
				stage->name = own(s, raise(short_name(taken, p->kind == DUMP_MARK ? p->mark
				                                                                 : p->name)));
				continue;
			}
			path = hd__path_without_indices(d->instances[p->instance].path);
			unit = json_string_value(json_object_get(units, path));
			stage->executes = unit && p->kind == DUMP_AT;
			if (stage->executes)
				stage->name = own(s, hd__format("X:%s", unit));
			else if (unit)
				stage->name = own(s, lower(hd__xstrdup(unit)));
			else if (p->kind == DUMP_AT)
				stage->name = own(s, raise(short_name(taken, path)));
			else
				stage->name = own(s, lower(short_name(taken, path)));
			free(path);
		}
	json_decref(taken);
	json_decref(units);
}

/* ---- instances ---- */

static void find_instances(struct dump_stage_view *s)
{
	const struct dump *d = s->dump;
	json_t *first = json_object();

	s->array = hd__xcalloc(d->ninstances, sizeof *s->array);
	s->inside = hd__xcalloc(d->ninstances, sizeof *s->inside);
	for (uint32_t i = 0; i < d->ninstances; i++) {
		char *path = hd__path_without_indices(d->instances[i].path);
		const json_t *known = json_object_get(first, path);

		s->array[i] = known ? (uint32_t)json_integer_value(known) : i;
		if (!known)
			json_object_set_new(first, path, json_integer(i));
		s->inside[i] = UINT32_MAX;
		free(path);
	}
	json_decref(first);
	for (uint32_t i = 0; i < d->nplaces; i++)
		if (d->places[i].kind == DUMP_AT && d->places[i].instance < d->ninstances)
			s->inside[d->places[i].instance] = i;
}

struct dump_stage_view *dump_stage_view_new(const struct dump *d)
{
	struct dump_stage_view *s = hd__xcalloc(1, sizeof *s);

	s->dump = d;
	s->v = hd__xcalloc(d->nplaces, sizeof *s->v);
	name_places(s);
	find_instances(s);
	return s;
}

void dump_stage_view_free(struct dump_stage_view *s)
{
	for (size_t i = 0; i < s->nmade; i++)
		free(s->made[i]);
	for (uint32_t i = 0; i < s->dump->nplaces; i++)
		free(s->v[i].args);
	free(s->made);
	free(s->array);
	free(s->inside);
	free(s->v);
	free(s);
}

/* ---- waits ---- */

static char *wait_text(const struct dump *d, const struct dump_place *p, bool of_register,
                       int64_t arg)
{
	const char *name;
	char reg[24];

	/* the usual abbreviation for a wait at the scoreboard */
	if (of_register && strncmp(p->mark, "reg", 3) == 0)
		return hd__format("sbR%" PRId64, arg);
	if (of_register)
		return hd__format("%s %s", p->mark, dump_register_name(reg, arg));
	name = dump_name(d, p->names, p->instance < d->ninstances ? d->instances[p->instance].module
	                                                          : NULL, arg);
	if (name)
		return hd__format("%s %s", p->mark, name);
	return hd__format("%s %" PRId64, p->mark, arg);
}

const char *dump_stage_view_text(struct dump_stage_view *s, const struct dump_change *c)
{
	const struct dump_place *p = &s->dump->places[c->place];
	struct dump_drawn *stage = &s->v[c->place];
	int64_t arg = c->arg, at = arg;

	if (c->lane == DUMP_LANE_STAGE)
		return stage->name;
	if (!p->arg)
		return p->mark;
	/* larger numbers share a name */
	if (stage->of_register && arg >= DUMP_COUNTER && arg < DUMP_COUNTER + COUNTERS)
		at = MOST_ARGS + arg - DUMP_COUNTER;
	else if (arg < 0 || arg >= MOST_ARGS)
		return p->mark;
	if (!stage->args)
		stage->args = hd__xcalloc(MOST_ARGS + COUNTERS, sizeof *stage->args);
	if (!stage->args[at])
		stage->args[at] = own(s, wait_text(s->dump, p, stage->of_register, arg));
	return stage->args[at];
}

/* ---- transactions ---- */

/* A stay in one of the lanes. */
struct stay {
	uint32_t place; /* UINT32_MAX: none */
	int64_t arg;
};
#define NOWHERE ((struct stay){ UINT32_MAX, 0 })

static void add(struct dump_changes *c, uint64_t cycle, struct stay at, uint8_t lane, bool opens)
{
	c->v = hd__xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n++] = (struct dump_change){ cycle, at.place, lane, opens, at.arg, 0 };
}

static bool same(struct stay a, struct stay b)
{
	return a.place == b.place && a.arg == b.arg;
}

/* The place of an instance when it gets a mark there. */
static uint32_t marked_at(const struct dump_stage_view *s, uint32_t at, uint32_t mark)
{
	const struct dump_place *p = &s->dump->places[at], *m = &s->dump->places[mark];
	uint32_t n = s->dump->ninstances;

	if (p->kind != DUMP_CHANNEL || p->instance >= n || m->instance >= n
	    || s->array[p->instance] != s->array[m->instance]
	    || s->inside[m->instance] == UINT32_MAX)
		return at;
	return s->inside[m->instance];
}

void dump_split(const struct dump_stage_view *s, const struct dump_transaction *transaction, struct dump_changes *out)
{
	struct stay at = NOWHERE, stage = NOWHERE, wait = NOWHERE; /* stage, wait: open ones */

	out->n = 0;
	for (uint32_t i = 0; i < transaction->n; i++) {
		const struct dump_step *step = &transaction->steps[i];
		struct stay here = { step->place, step->arg };
		bool waits = s->v[step->place].waits && at.place != UINT32_MAX;

		if (waits)
			at.place = marked_at(s, at.place, step->place);
		else
			at = here;
		if (step->cycles == 0)
			continue;
		if (wait.place != UINT32_MAX && !(waits && same(wait, here))) {
			add(out, step->cycle, wait, DUMP_LANE_WAIT, false);
			wait = NOWHERE;
		}
		if (!same(stage, at)) {
			if (stage.place != UINT32_MAX)
				add(out, step->cycle, stage, DUMP_LANE_STAGE, false);
			add(out, step->cycle, at, DUMP_LANE_STAGE, true);
			stage = at;
		}
		if (waits && wait.place == UINT32_MAX) {
			add(out, step->cycle, here, DUMP_LANE_WAIT, true);
			wait = here;
		}
	}
	if (wait.place != UINT32_MAX)
		add(out, transaction->end, wait, DUMP_LANE_WAIT, false);
	if (stage.place != UINT32_MAX)
		add(out, transaction->end, stage, DUMP_LANE_STAGE, false);
}
