/* netlist_instance.c - reads an instance of a module
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	"pipe": { "module": "delay", "count": 4, "clock": "main", "params": { "depth": 13 } }
 *	"core": { "netlist": "core.json", "params": { "width": 2 } }
 *
 * Elements of an array may differ in parameters, by "for" or by "elements":
 *
 *	"pipe": { "module": "delay", "count": 4, "for": "i", "params": { "depth": "$10 + i" } }
 *	"pipe": { "module": "delay", "count": 4, "params": { "depth": 13 },
 *	          "elements": { "0": { "depth": 8 }, "2..3": { "depth": 9 } } }
 */
#include "scope.h"
#include "base/xalloc.h"

#include <stdlib.h>

enum {
	MAX_COUNT = 65536,   /* elements of one array */
	MAX_TOTAL = HD_MOST_INSTANCES,
};

static void read_params(const struct hd_entry *e, struct hd_instance_decl *i)
{
	json_t *params = json_object_get(e->o, "params");

	if (json_is_object(params))
		i->params = json_incref(params);
	else if (params != NULL && !json_is_null(params))
		hd__entry_wrong(e, "params", "an object", params);
}

/* The full name of the clock.  A clock that an inner netlist does not have is reported here, with
 * the names that it has. */
static const char *find_clock(struct hd_netlist *whole, const struct hd_entry *e, const struct hd_frame *f,
                              const char *name)
{
	char hint[HD_HINT];

	if (f->part->up == NULL || json_object_get(f->clocks, name) != NULL)
		return hd__frame_clock(whole, f, name);
	hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, "clock", "unknown clock '%s'%s", name,
	                 hd__hint(e->d, name, f->clocks, "this netlist has", hint));
	return f->first_clock;
}

static void read_instance(struct hd_netlist *n, const struct hd_entry *e, const struct hd_frame *f,
                          struct hd_instance_decl *i)
{
	enum { MODULE, CLOCK, COUNT, PARAMS };
	static const char *const known[] = { [MODULE] = "module", [CLOCK] = "clock", [COUNT] = "count",
		                             [PARAMS] = "params", "for", "elements", NULL };
	const char *s;
	enum hd_got got;
	unsigned there;

	i->count = 1;
	if (!json_is_object(e->o)) {
		if (!json_is_null(e->o))
			hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
			                 "%s: expected an object such as {\"module\": \"...\"}",
			                 e->what);
		return;
	}
	there = hd__entry_known(e, known);
	got = hd__entry_name(e, "module", &s);
	if (got == HD_GOT)
		i->module = hd__store_text(&n->store, s);
	else if (got == HD_GOT_NONE)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
		                 "%s has no 'module'; expected the name of one", e->what);
	if (there & 1u << CLOCK && hd__entry_clock(e, "clock", &s) == HD_GOT)
		i->clock = find_clock(n, e, f, s);
	if (there & 1u << COUNT) {
		got = hd__entry_u32(e, "count", 1, MAX_COUNT, &i->count);
		i->array = got != HD_GOT_NONE;
		i->miscounted = got == HD_GOT_BAD;
	}
	if (there & 1u << PARAMS)
		read_params(e, i);
}

static void too_many(struct hd_netlist *n, const struct hd_instance_decl *i, struct hd_diags *d)
{
	if (n->full == NULL)
		n->full = "too many instances; expected at most 1048576 in all";
	hd__netlist_full(n, d, i->at, i->array ? "count" : NULL);
}

/* ---- elements that differ ------------------------------------------------------------------ */

struct member {
	const char *key;
	json_t *value;
	uint32_t first, last; /* elements */
};

struct each {
	const struct hd_entry *e;
	struct hd_instance_decl *i;
	struct hd_scope *s;
	json_t *params;       /* as in the file if there is a variable, else resolved */
	json_t *elements;     /* likewise */
	const char *variable; /* or NULL */
	struct member *members; /* of `elements`, those that name elements which exist */
	uint32_t *list;       /* positions in it: of element k those from start[k] up to start[k + 1], */
	size_t *start;        /* in the order of the file */
};

/* The elements "3" or "1..3" that a member of "elements" names. */
static bool read_elements_of(const struct each *c, const char *key, uint32_t *first, uint32_t *last)
{
	char *end, *at;
	unsigned long a, b;
	bool ok = key[0] >= '0' && key[0] <= '9';

	a = b = strtoul(key, &end, 10);
	if (ok && strncmp(end, "..", 2) == 0 && end[2] >= '0' && end[2] <= '9')
		b = strtoul(end + 2, &end, 10);
	ok = ok && *end == '\0' && a <= b && b < c->i->count;
	*first = (uint32_t)a;
	*last = (uint32_t)b;
	if (ok)
		return true;
	at = hd__format("%s/elements", c->e->at);
	hd__netlist_diag_key(c->e->n, c->e->d, HD_DIAG_ERROR, at, key,
	                     "%s has no elements '%s'; expected 0..%u, one of them or a range such as "
	                     "\"0..%u\"", c->e->what, key, c->i->count - 1, c->i->count - 1);
	free(at);
	return false;
}

/* The values of one member of "elements", resolved; NULL after an error. */
static json_t *own_values(const struct each *c, const char *at, json_t *v)
{
	json_t *own = c->variable ? hd__resolve(c->s, v, at) : json_incref(v);

	if (json_is_object(own))
		return own;
	if (!json_is_null(own))
		hd__netlist_diag(c->e->n, c->e->d, HD_DIAG_ERROR, at, NULL,
		                 "expected an object of parameters");
	json_decref(own);
	return NULL;
}

/* May so many elements be read that have so many values each?  Reports it if not. */
static bool may_read(const struct each *c, uint64_t elements, size_t values, const char *member)
{
	return hd__netlist_takes(c->s->n, c->e->d, elements * (HD_OWN_TAKES + 2 * values), c->e->at, member);
}

/* Lists the members of "elements" by the elements that they name, so that reading takes a time
 * for each pair of these, and not of all members and elements. */
static void list_members(struct each *c)
{
	size_t m = 0, pairs = 0, values = json_object_size(c->variable ? c->params : c->i->params);
	const char *key;
	json_t *v;

	if (c->variable && !may_read(c, c->i->count, values, "for"))
		return;
	c->members = hd__xcalloc(json_object_size(c->elements) + 1, sizeof *c->members);
	c->start = hd__xcalloc((size_t)c->i->count + 2, sizeof *c->start);
	json_object_foreach(c->elements, key, v) {
		struct member *own = &c->members[m];

		own->key = key;
		own->value = v;
		if (!read_elements_of(c, key, &own->first, &own->last))
			continue;
		m++;
		pairs += own->last - own->first + 1;
		if (!may_read(c, own->last - own->first + 1, json_object_size(v) + values, "elements"))
			return;
		for (uint32_t k = own->first; k <= own->last; k++)
			c->start[k + 2]++;
	}
	c->list = hd__xcalloc(pairs + 1, sizeof *c->list);
	for (uint32_t k = 0; k < c->i->count; k++)
		c->start[k + 1] += c->start[k];
	for (size_t j = 0; j < m; j++)
		for (uint32_t k = c->members[j].first; k <= c->members[j].last; k++)
			c->list[c->start[k + 1]++] = (uint32_t)j;
}

/* Adds to the parameters of element k those that are its own. */
static void add_own(const struct each *c, uint32_t k)
{
	json_t **all = &c->i->each[k], *own, *copy;

	for (size_t j = c->start[k]; j < c->start[k + 1]; j++) {
		const struct member *m = &c->members[c->list[j]];
		char *below = hd__format("%s/elements", c->e->at);
		char *at = hd__pointer_add(below, m->key);

		free(below);
		own = own_values(c, at, m->value);
		if (own != NULL) {
			if (*all == NULL || (*all)->refcount > 1) {
				copy = hd__xcheck(*all ? json_copy(*all) : json_object());
				json_decref(*all);
				*all = copy;
			}
			json_object_update(*all, own);
			free(c->i->each_at[k]);
			c->i->each_at[k] = at;
			at = NULL;
		}
		json_decref(own);
		free(at);
	}
}

static void read_element(const struct each *c, uint32_t k)
{
	char *at = hd__format("%s/params", c->e->at);

	if (c->variable && c->params != NULL)
		c->i->each[k] = hd__resolve(c->s, c->params, at);
	else
		c->i->each[k] = json_incref(c->i->params);
	c->i->each_at[k] = at;
	add_own(c, k);
}

static bool check_each(const struct each *c)
{
	size_t errors = c->e->d->errors;
	char buf[80];

	if (c->elements != NULL && !json_is_object(c->elements)) {
		if (!json_is_null(c->elements))
			hd__entry_wrong(c->e, "elements", "an object such as {\"0\": {\"depth\": 8}}",
			                c->elements);
	} else if (!c->i->array) {
		hd__netlist_diag(c->e->n, c->e->d, HD_DIAG_ERROR, c->e->at,
		                 c->elements ? "elements" : "for", "%s is not an array; expected a "
		                 "\"count\"", c->e->what);
	} else if (c->variable && (!hd__is_name(c->variable) || hd__scope_find(c->s, c->variable))) {
		hd__netlist_diag(c->e->n, c->e->d, HD_DIAG_ERROR, c->e->at, "for",
		                 "'%s' cannot name the number of an element; expected a name that no "
		                 "parameter has", c->variable);
	} else if (c->params != NULL && !json_is_object(c->params)) {
		hd__netlist_diag(c->e->n, c->e->d, HD_DIAG_ERROR, c->e->at, "params",
		                 "expected an object, found %s", hd__found(c->params, buf, sizeof buf));
	}
	return c->e->d->errors == errors;
}

static void read_each(struct each *c)
{
	struct hd_loop_var *var = NULL;
	size_t errors;

	if ((!c->variable && !c->elements) || !check_each(c) || !json_is_object(c->elements ? c->elements : c->e->o))
		return;
	errors = c->e->d->errors;
	list_members(c);
	if (c->e->n->full != NULL)
		return;
	c->i->each = hd__xcalloc(c->i->count, sizeof *c->i->each);
	c->i->each_at = hd__xcalloc(c->i->count, sizeof *c->i->each_at);
	if (c->variable) {
		var = &c->s->loop[c->s->nloop++];
		var->name = c->variable;
	}
	for (uint32_t k = 0; k < c->i->count && (k == 0 || c->e->d->errors == errors); k++) {
		if (var)
			var->value = k;
		read_element(c, k);
		if (k == 0 && var && c->params != NULL) /* those of the others differ from these */
			c->i->params = hd__resolve(c->s, c->params, c->i->each_at[0]);
	}
	if (var)
		c->s->nloop--;
	for (uint32_t k = 0; k < c->i->count; k++) /* those after an error */
		if (c->i->each[k] == NULL)
			c->i->each[k] = json_incref(c->i->params);
}

/* An instance of a module: one declaration, in the order of the file. */
static struct hd_instance_decl *read_one(const struct hd_frame *f, const struct hd_entry *e, const char *name,
                     struct hd_netlist *n)
{
	struct hd_instance_decl *i;

	n->instances = hd__xgrow(n->instances, n->ninstances, &n->cap_instances,
	                         sizeof *n->instances);
	i = &n->instances[n->ninstances++];
	*i = (struct hd_instance_decl){ .name = hd__frame_name(n, f, name),
		                        .at = e->at,
		                        .first_clock = f->first_clock,
		                        .nclocks = f->nclocks };
	read_instance(n, e, f, i);
	n->total += i->count;
	if (n->total > MAX_TOTAL)
		too_many(n, i, e->d);
	return i;
}

void hd__read_array(struct hd_netlist *n, const struct hd_frame *f, struct hd_scope *s,
                    struct hd_entry *e, json_t *v, const char *name)
{
	struct each c = { .e = e, .s = s, .variable = json_string_value(json_object_get(v, "for")) };
	json_t *rest = json_incref(v);

	if (c.variable) {
		json_decref(rest);
		rest = hd__xcheck(json_copy(v));
		c.params = json_object_get(v, "params");
		c.elements = json_object_get(v, "elements");
		json_object_del(rest, "params");
		json_object_del(rest, "elements");
	}
	e->o = hd__resolve(s, rest, e->at);
	c.i = read_one(f, e, name, n);
	if (!c.variable && json_object_get(e->o, "for") != NULL)
		hd__entry_wrong(e, "for", "the name of a variable, such as \"i\"", json_object_get(e->o, "for"));
	if (!c.variable)
		c.elements = json_object_get(e->o, "elements");
	read_each(&c);
	free(c.members);
	free(c.start);
	free(c.list);
	json_decref(e->o);
	json_decref(rest);
}

void hd__free_instances(struct hd_netlist *n)
{
	for (size_t i = 0; i < n->ninstances; i++) {
		json_decref(n->instances[i].params);
		for (uint32_t k = 0; n->instances[i].each && k < n->instances[i].count; k++) {
			json_decref(n->instances[i].each[k]);
			free(n->instances[i].each_at[k]);
		}
		free(n->instances[i].each);
		free(n->instances[i].each_at);
	}
	free(n->instances);
}
