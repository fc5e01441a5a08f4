/* scope.c - the parameters of a netlist: their names, their values, who reads them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "scope.h"
#include "xalloc.h"

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

void hd__scope_evaluate(struct hd_scope *s, struct hd_scope_param *p)
{
	const struct hd_place all = { .base = "/params" };
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

/* Marks what is named in any "$" string.  Goes by the text, so that a mistake elsewhere does not
 * make a parameter look unread. */
static void mark_all(struct hd_scope *s, json_t *value)
{
	const char *text = json_string_value(value), *key;
	json_t *inner;
	size_t i;

	if (s->unread == 0)
		return;
	if (text != NULL && text[0] == '$' && text[1] != '$')
		hd__expr_names(text, mark_read, s);
	json_array_foreach(value, i, inner)
		mark_all(s, inner);
	json_object_foreach(value, key, inner)
		if (strcmp(key, "doc") != 0)
			mark_all(s, inner);
}

/* Is the entry sound?  An object is always the long form, so that a slip in it is not a value. */
static bool check_param(struct hd_scope *s, const char *name, json_t *raw)
{
	static const char *const known[] = { "value", "doc", NULL };
	const struct hd_place all = { .base = "/params" };
	const struct hd_place place = { .up = &all, .member = name };
	char *at, *what;

	if (strcmp(name, "doc") == 0) {
		if (!json_is_string(raw))
			hd__scope_report(s, &place,
			                 "'doc' is no name of a parameter; expected string");
		return false;
	}
	if (!hd__check_name(s->n, s->d, "/params", name, "a parameter"))
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

static void add_params(struct hd_scope *s, json_t *params)
{
	const char *name;
	json_t *raw;

	s->v = hd__xcalloc(json_object_size(params), sizeof *s->v);
	s->names = hd__xcalloc(json_object_size(params), sizeof *s->names);
	json_object_foreach(params, name, raw) {
		if (!check_param(s, name, raw))
			continue;
		s->v[s->nv] = (struct hd_scope_param){ .name = name, .raw = raw };
		s->v[s->nv].long_form = json_is_object(raw);
		if (s->v[s->nv].long_form && json_object_get(raw, "value") == NULL) {
			s->v[s->nv].value = json_null();
			s->v[s->nv].state = HD_KNOWN;
		}
		s->names[s->nv] = name;
		json_object_set_new(s->index, name, json_integer((json_int_t)s->nv++));
	}
}

struct hd_scope *hd__scope_new(struct hd_netlist *n, struct hd_diags *d)
{
	struct hd_scope *s = hd__xcalloc(1, sizeof *s);
	json_t *params = json_object_get(n->root, "params");
	char buf[80];

	*s = (struct hd_scope){ .n = n, .d = d, .index = hd__xcheck(json_object()) };
	n->params = hd__xcheck(json_object());
	if (params != NULL && !json_is_object(params))
		hd__netlist_diag(n, d, HD_DIAG_ERROR, "/params", NULL,
		                 "'params': expected an object, found %s",
		                 hd__found(params, buf, sizeof buf));
	add_params(s, params);
	for (size_t i = 0; i < s->nv; i++) {
		if (s->v[i].state == HD_UNSEEN)
			hd__scope_evaluate(s, &s->v[i]);
		if (!json_is_null(s->v[i].value))
			json_object_set(n->params, s->v[i].name, s->v[i].value);
	}
	return s;
}

void hd__scope_unread(struct hd_scope *s)
{
	s->unread = s->nv;
	mark_all(s, s->n->root);
	for (size_t i = 0; i < s->nv; i++)
		if (!s->v[i].read)
			hd__netlist_diag_key(s->n, s->d, HD_DIAG_ERROR, "/params", s->v[i].name,
			                     "parameter '%s' is never read", s->v[i].name);
}

void hd__scope_free(struct hd_scope *s)
{
	for (size_t i = 0; i < s->nv; i++)
		json_decref(s->v[i].value);
	free(s->v);
	free(s->names);
	json_decref(s->index);
	free(s);
}
