/* scope.c - the parameters of a netlist: their values, every "$" string that stands for one, and which are read
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A string that is "$" and a name stands for that parameter's value, of any type.  Any other string
 * that starts with "$" is an expression (netlist_expr.c); "$$" starts a string that has one "$" there.
 *
 * Values are shared, not copied, so lists that double from parameter to parameter cost no memory;
 * but walking them could take forever, hence hd__netlist_grows().
 */
#include "scope.h"
#include "base/xalloc.h"

#include <inttypes.h>

enum { MAX_DEPTH = 200 };              /* of lists, objects and parameters inside each other */
enum { NAME_TAKES = 4, VALUE_OF_BYTES = 8 }; /* names and text of expressions, in values */

/* Size of a value, shared parts counted each time. */
struct hd_measure {
	uint64_t nodes;
	unsigned depth;
};

void hd__scope_report(struct hd_scope *s, const struct hd_place *place, const char *fmt, ...)
{
	char *at = hd__place_pointer(place), *text;
	va_list ap;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd__netlist_diag(s->n, s->d, HD_DIAG_ERROR, at, NULL, "%s", text);
	free(text);
	free(at);
}

struct hd_scope_param *hd__scope_find(const struct hd_scope *s, const char *name)
{
	const json_t *i = json_object_get(s->index, name);

	return i != NULL ? &s->v[json_integer_value(i)] : NULL;
}

static const struct hd_loop_var *find_loop(const struct hd_scope *s, const char *name)
{
	for (size_t i = s->nloop; i-- > 0;)
		if (strcmp(s->loop[i].name, name) == 0)
			return &s->loop[i];
	return NULL;
}

static void evaluate(struct hd_scope *s, struct hd_scope_param *p);
/* Resolves a place inside of the value being resolved; *m is the size of the result. */
static json_t *resolve_part(struct hd_scope *s, json_t *value, const struct hd_place *place,
                            struct hd_measure *m);

/* ---- one "$" string ------------------------------------------------------------------------ */

/* "a -> b -> a" */
static char *cycle_text(const struct hd_scope *s, const struct hd_scope_param *from)
{
	char *text = hd__xstrdup(from->name), *longer;

	for (const struct hd_scope_param *p = s->visiting; p != NULL;
	     p = p == from ? NULL : p->asked_by) {
		longer = hd__format("%s -> %s", p->name, text);
		free(text);
		text = longer;
	}
	return text;
}

/* The parameter `name` with its value, for the string `text`; NULL after reporting an error. */
static struct hd_scope_param *value_of(struct hd_scope *s, const char *name, const char *text,
                                       const struct hd_place *place)
{
	struct hd_scope_param *p = hd__scope_find(s, name);
	char buf[1000] = "", *cycle;

	if (p == NULL) {
		if (hd__may_suggest(s->d, s->nv))
			hd__suggest(name, s->names, s->nv, "the netlist has", buf, sizeof buf);
		hd__scope_report(s, place, "unknown parameter '%s' in '%s'%s", name, text, buf);
		return NULL;
	}
	if (p->state == HD_VISITING) {
		cycle = cycle_text(s, p);
		hd__scope_report(s, place, "'%s' makes parameter '%s' depend on itself: %s", text,
		                 name, cycle);
		free(cycle);
		return NULL;
	}
	if (p->state == HD_UNSEEN)
		evaluate(s, p);
	return json_is_null(p->value) ? NULL : p;
}

struct expression {
	struct hd_scope *s;
	const char *text;
	const struct hd_place *place;
};

static bool integer_of(void *arg, const char *name, int64_t *value)
{
	struct expression *e = arg;
	const struct hd_loop_var *loop = find_loop(e->s, name);
	struct hd_scope_param *p;
	char buf[80];

	hd__netlist_grows(e->s->n, NAME_TAKES);
	if (loop != NULL) {
		*value = loop->value;
		return true;
	}
	p = value_of(e->s, name, e->text, e->place);
	if (p == NULL)
		return false;
	if (!json_is_integer(p->value)) {
		hd__scope_report(e->s, e->place,
		                 "parameter '%s' in '%s' is %s; expected an integer", name, e->text,
		                 hd__found(p->value, buf, sizeof buf));
		return false;
	}
	*value = json_integer_value(p->value);
	return true;
}

static json_t *substitute(struct hd_scope *s, const char *text, const struct hd_place *place,
                          struct hd_measure *m)
{
	struct expression e = { s, text, place };
	struct hd_scope_param *p;
	char *problem;
	int64_t v;

	if (hd__is_name(text + 1) && find_loop(s, text + 1) == NULL) {
		p = value_of(s, text + 1, text, place);
		if (p == NULL)
			return json_null();
		*m = (struct hd_measure){ p->nodes, p->depth };
		hd__netlist_grows(s->n, p->nodes);
		return json_incref(p->value);
	}
	hd__netlist_grows(s->n, strlen(text) / VALUE_OF_BYTES);
	if (hd__expr(text + 1, strlen(text + 1), text, integer_of, &e, &v, &problem))
		return hd__xcheck(json_integer(v));
	if (problem != NULL)
		hd__scope_report(s, place, "%s", problem);
	free(problem);
	return json_null();
}

bool hd__scope_expr(struct hd_scope *s, const char *text, size_t n, const char *whole,
                    const struct hd_place *place, int64_t *value)
{
	struct expression e = { s, whole, place };
	char *problem;

	if (hd__expr(text, n, whole, integer_of, &e, value, &problem))
		return true;
	if (problem != NULL)
		hd__scope_report(s, place, "%s", problem);
	free(problem);
	return false;
}

/* ---- values -------------------------------------------------------------------------------- */

static void add(struct hd_measure *m, const struct hd_measure *part)
{
	m->nodes += part->nodes;
	if (part->depth >= m->depth)
		m->depth = part->depth + 1;
}

/* A copy is made once something in it differs from the file. */
static json_t *resolve_list(struct hd_scope *s, json_t *value, const struct hd_place *place,
                            struct hd_measure *m)
{
	json_t *copy = NULL, *old, *new;
	size_t i;

	json_array_foreach(value, i, old) {
		const struct hd_place inner = { .up = place, .index = i };
		struct hd_measure part;

		new = resolve_part(s, old, &inner, &part);
		add(m, &part);
		if (new != old && copy == NULL)
			copy = hd__xcheck(json_copy(value));
		if (new != old)
			json_array_set_new(copy, i, new);
		else
			json_decref(new);
	}
	return copy != NULL ? copy : json_incref(value);
}

static json_t *resolve_object(struct hd_scope *s, json_t *value, const struct hd_place *place,
                              struct hd_measure *m)
{
	json_t *copy = NULL, *old, *new;
	const char *key;

	json_object_foreach(value, key, old) {
		const struct hd_place inner = { .up = place, .member = key };
		struct hd_measure part;

		if (strcmp(key, "doc") == 0)
			continue;
		new = resolve_part(s, old, &inner, &part);
		add(m, &part);
		if (new != old && copy == NULL)
			copy = hd__xcheck(json_copy(value));
		if (new != old)
			json_object_set_new_nocheck(copy, key, new);
		else
			json_decref(new);
	}
	return copy != NULL ? copy : json_incref(value);
}

static json_t *resolve_one(struct hd_scope *s, json_t *value, const struct hd_place *place,
                           struct hd_measure *m)
{
	const char *text = json_string_value(value);

	if (json_is_object(value))
		return resolve_object(s, value, place, m);
	if (json_is_array(value))
		return resolve_list(s, value, place, m);
	if (json_is_null(value))
		hd__scope_report(s, place,
		                 "null is not a value; leave the member out to get its default");
	if (text == NULL || text[0] != '$')
		return json_incref(value);
	if (text[1] == '$')
		return hd__xcheck(json_string(text + 1));
	return substitute(s, text, place, m);
}

static void report_full(struct hd_scope *s, const struct hd_place *place)
{
	char *at = s->n->full_reported ? NULL : hd__place_pointer(place);

	if (at != NULL)
		hd__netlist_full(s->n, s->d, at, NULL);
	free(at);
}

static json_t *resolve_part(struct hd_scope *s, json_t *value, const struct hd_place *place,
                         struct hd_measure *m)
{
	json_t *v = NULL;

	*m = (struct hd_measure){ 1, 0 };
	if (s->n->full != NULL)
		return json_null();
	hd__netlist_grows(s->n, 1);
	if (++s->depth <= MAX_DEPTH)
		v = resolve_one(s, value, place, m);
	s->depth--;
	if (v == NULL || m->depth > MAX_DEPTH) {
		hd__scope_report(s, place,
		                 "nested too deeply; expected at most %d lists, objects and "
		                 "parameters inside each other",
		                 MAX_DEPTH);
	} else if (s->n->full != NULL) {
		report_full(s, place);
	} else {
		return v;
	}
	json_decref(v);
	*m = (struct hd_measure){ 1, 0 };
	return json_null();
}

json_t *hd__resolve(struct hd_scope *s, json_t *value, const char *at)
{
	const struct hd_place place = { .base = at };
	struct hd_measure m;

	return resolve_part(s, value, &place, &m);
}

/* ---- parameters ---- */

static void evaluate(struct hd_scope *s, struct hd_scope_param *p)
{
	const struct hd_place all = { .base = s->params_at };
	const struct hd_place named = { .up = &all, .member = p->name };
	const struct hd_place value = { .up = &named, .member = "value" };
	struct hd_measure m = { 0 };

	p->state = HD_VISITING;
	p->asked_by = s->visiting;
	s->visiting = p;
	if (!p->long_form)
		p->value = resolve_part(s, p->raw, &named, &m);
	else
		p->value = resolve_part(s, json_object_get(p->raw, "value"), &value, &m);
	s->visiting = p->asked_by;
	p->nodes = m.nodes;
	p->depth = m.depth;
	p->state = HD_KNOWN;
}

/* ---- which are read ---- */

static void mark_read(void *scope, const char *name)
{
	struct hd_scope_param *p = hd__scope_find(scope, name);

	if (p != NULL && !p->read) {
		p->read = true;
		((struct hd_scope *)scope)->unread--;
	}
}

/* Marks the names in the brackets of an end "a[$n - 1].out". */
static void mark_indices(struct hd_scope *s, const char *text)
{
	for (const char *open = strchr(text, '['); open != NULL; open = strchr(open + 1, '[')) {
		char *inside = hd__xstrndup(open + 1, strcspn(open + 1, "]"));

		hd__expr_names(inside, mark_read, s);
		free(inside);
	}
}

/* Marks the names in any "$" string; `ends`: also those in the indices of ends; `all`: those in any
 * string.  Works on the text, so that an error elsewhere does not make a parameter look unread. */
static void mark_all(struct hd_scope *s, json_t *value, bool ends, bool all)
{
	const char *text = json_string_value(value), *key;
	json_t *inner;
	size_t i;

	if (s->unread == 0)
		return;
	if (text != NULL && (all || (text[0] == '$' && text[1] != '$')))
		hd__expr_names(text, mark_read, s);
	else if (text != NULL && ends)
		mark_indices(s, text);
	json_array_foreach(value, i, inner)
		mark_all(s, inner, ends, all);
	json_object_foreach(value, key, inner)
		if (strcmp(key, "doc") != 0)
			mark_all(s, inner, ends, all || (ends && strcmp(key, "for") == 0));
}

json_t *hd__sub_outside(json_t *entry, json_t **inside)
{
	json_t *o;

	*inside = json_object_get(entry, "netlist");
	if (!json_is_object(*inside)) {
		*inside = NULL;
		return json_incref(entry);
	}
	o = hd__xcheck(json_copy(entry));
	json_object_del(o, "netlist");
	return o;
}

/* Marks what the instances read that are not also in `before`, which have been marked. */
static void mark_instances(struct hd_scope *s, json_t *all, const json_t *before)
{
	json_t *v, *inside, *outside;
	const char *name;

	json_object_foreach(all, name, v) {
		if (s->unread == 0)
			break;
		if (strcmp(name, "doc") == 0 || json_object_get(before, name) == v)
			continue;
		outside = hd__sub_outside(v, &inside);
		mark_all(s, outside, false, false);
		json_decref(outside);
	}
}

/* The members of a section which are not also in `before`. */
static void mark_section(struct hd_scope *s, json_t *section, const json_t *before, bool ends)
{
	const char *key;
	json_t *v;
	size_t i;

	json_array_foreach(section, i, v)
		if (json_array_get(before, i) != v)
			mark_all(s, v, ends, false);
	json_object_foreach(section, key, v)
		if (json_object_get(before, key) != v && strcmp(key, "doc") != 0)
			mark_all(s, v, ends, false);
	if (json_is_string(section))
		mark_all(s, section, ends, false);
}

/* What is not also in `before`, another root. */
static void mark_root(struct hd_scope *s, json_t *root, const json_t *before)
{
	const char *key;
	json_t *v, *same;

	json_object_foreach(root, key, v) {
		if (s->unread == 0)
			break;
		same = json_object_get(before, key);
		if (same == v || strcmp(key, "doc") == 0)
			continue;
		if (strcmp(key, "instances") == 0 && json_is_object(v))
			mark_instances(s, v, same);
		else
			mark_section(s, v, same, strcmp(key, "links") == 0 || strcmp(key, "exports") == 0);
	}
}

/* Is the entry well formed?  An object is always the long form, so that a misspelled member is not
 * taken for a value. */
static bool check_param(struct hd_scope *s, const char *name, json_t *raw)
{
	static const char *const known[] = { "value", "doc", NULL };
	const struct hd_place all = { .base = s->params_at };
	const struct hd_place place = { .up = &all, .member = name };
	char *at, *what;

	if (strcmp(name, "doc") == 0) {
		if (!json_is_string(raw))
			hd__scope_report(s, &place,
			                 "'doc' cannot name a parameter; expected a string");
		return false;
	}
	if (!hd__check_name(s->n, s->d, s->params_at, name, "a parameter", false))
		return false;
	if (!json_is_object(raw))
		return true;
	at = hd__place_pointer(&place);
	what = hd__format("parameter '%s'", name);
	hd__entry_known(&(struct hd_entry){ s->n, s->d, raw, at, what }, known);
	free(what);
	free(at);
	if (json_object_get(raw, "value") != NULL)
		return true;
	hd__scope_report(s, &place, "parameter '%s' has no 'value'; expected one in an object",
	                 name);
	return true;
}

static uint64_t count_nodes(json_t *v, unsigned depth, unsigned *deepest)
{
	uint64_t n = 1;
	const char *key;
	json_t *inner;
	size_t i;

	if (depth > *deepest)
		*deepest = depth;
	json_array_foreach(v, i, inner)
		n += count_nodes(inner, depth + 1, deepest);
	json_object_foreach(v, key, inner)
		n += count_nodes(inner, depth + 1, deepest);
	return n;
}

static void add_params(struct hd_scope *s, json_t *params, const json_t *given)
{
	const char *name;
	json_t *raw, *value;

	hd__netlist_grows(s->n, HD_MEMBER_TAKES * json_object_size(params));
	s->v = hd__xcalloc(json_object_size(params), sizeof *s->v);
	s->names = hd__xcalloc(json_object_size(params), sizeof *s->names);
	json_object_foreach(params, name, raw) {
		struct hd_scope_param *p = &s->v[s->nv];

		if (!check_param(s, name, raw))
			continue;
		*p = (struct hd_scope_param){ .name = name, .raw = raw };
		p->long_form = json_is_object(raw);
		value = json_object_get(given, name);
		if (value == NULL && p->long_form && json_object_get(raw, "value") == NULL)
			value = json_null();
		if (value != NULL) {
			p->value = json_incref(value);
			p->nodes = count_nodes(value, 0, &p->depth);
			hd__netlist_grows(s->n, p->nodes);
			p->state = HD_KNOWN;
		}
		s->names[s->nv] = name;
		json_object_set_new(s->index, name, json_integer((json_int_t)s->nv++));
	}
}

struct hd_scope *hd__scope_new(struct hd_netlist *n, const struct hd_part *part,
                               const json_t *given, struct hd_diags *d)
{
	struct hd_scope *s = hd__xcalloc(1, sizeof *s);
	json_t *params = json_object_get(part->doc->root, "params");
	char buf[80];

	*s = (struct hd_scope){ .n = n, .part = part, .d = d,
		                .index = hd__xcheck(json_object()) };
	s->params_at = hd__format("%s/params", part->root);
	if (params != NULL && !json_is_object(params))
		hd__netlist_diag(n, d, HD_DIAG_ERROR, s->params_at, NULL,
		                 "'params': expected an object, found %s",
		                 hd__found(params, buf, sizeof buf));
	add_params(s, params, given);
	for (size_t i = 0; i < s->nv; i++)
		if (s->v[i].state == HD_UNSEEN)
			evaluate(s, &s->v[i]);
	if (part->up != NULL)
		return s;
	n->params = hd__xcheck(json_object());
	for (size_t i = 0; i < s->nv; i++)
		if (!json_is_null(s->v[i].value))
			json_object_set(n->params, s->v[i].name, s->v[i].value);
	return s;
}

void hd__scope_unread(struct hd_scope *s)
{
	json_t *before, *last = s->part->doc->root;
	size_t i;

	s->unread = s->nv;
	mark_root(s, last, NULL);
	/* a parameter that a change made superfluous is not an error */
	for (i = json_array_size(s->part->doc->before); i-- > 0; last = before) {
		before = json_array_get(s->part->doc->before, i);
		mark_root(s, before, last);
	}
	for (i = 0; i < s->nv; i++)
		if (!s->v[i].read)
			hd__netlist_diag_key(s->n, s->d, HD_DIAG_ERROR, s->params_at, s->v[i].name,
			                     "parameter '%s' is never read", s->v[i].name);
}

void hd__scope_free(struct hd_scope *s)
{
	for (size_t i = 0; i < s->nv; i++)
		json_decref(s->v[i].value);
	free(s->v);
	free(s->names);
	free(s->params_at);
	json_decref(s->index);
	free(s);
}
