/* scope.c - the parameters of a netlist: their names, their values, and which are read
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "scope.h"
#include "base/xalloc.h"

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

const struct hd_loop_var *hd__scope_loop(const struct hd_scope *s, const char *name)
{
	for (size_t i = s->nloop; i-- > 0;)
		if (strcmp(s->loop[i].name, name) == 0)
			return &s->loop[i];
	return NULL;
}

void hd__scope_evaluate(struct hd_scope *s, struct hd_scope_param *p)
{
	const struct hd_place all = { .base = s->params_at };
	const struct hd_place named = { .up = &all, .member = p->name };
	const struct hd_place value = { .up = &named, .member = "value" };
	struct hd_measure m = { 0 };

	p->state = HD_VISITING;
	p->asked_by = s->visiting;
	s->visiting = p;
	if (!p->long_form)
		p->value = hd__resolve_part(s, p->raw, &named, &m);
	else
		p->value = hd__resolve_part(s, json_object_get(p->raw, "value"), &value, &m);
	s->visiting = p->asked_by;
	p->nodes = m.nodes;
	p->depth = m.depth;
	p->state = HD_KNOWN;
}

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

/* Those that are not also in `before`, which have been marked. */
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
			hd__scope_evaluate(s, &s->v[i]);
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
