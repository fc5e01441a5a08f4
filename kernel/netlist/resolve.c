/* resolve.c - the parameters of a netlist, and every "$" string replaced by what it stands for
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A string that is "$" and a name stands for that parameter's value, of any type.  Any other string
 * that starts with "$" is an expression (expr.c); "$$" starts a string that has one "$" there.
 *
 * Values are shared, not copied, so lists that double from parameter to parameter cost no memory;
 * but walking them could take forever, hence MAX_VALUES.
 */
#include "scope.h"
#include "base/xalloc.h"

#include <inttypes.h>

enum { MAX_DEPTH = 200 };              /* of lists, objects and parameters inside each other */
#define MAX_VALUES HD_MOST_VALUES
enum { NAME_TAKES = 4, VALUE_OF_BYTES = 8 }; /* names and text of expressions, in values */

bool hd__netlist_grows(struct hd_netlist *n, uint64_t values)
{
	n->nodes += values;
	if (n->nodes > MAX_VALUES && n->full == NULL)
		n->full = "the netlist grows too large here; expected at most 8388608 values, those of "
		          "parameters and of netlists in netlists each time that they are read";
	return n->full == NULL;
}

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
		hd__scope_evaluate(s, p);
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
	const struct hd_loop_var *loop = hd__scope_loop(e->s, name);
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

	if (hd__is_name(text + 1) && hd__scope_loop(s, text + 1) == NULL) {
		p = value_of(s, text + 1, text, place);
		if (p == NULL)
			return json_null();
		*m = (struct hd_measure){ p->nodes, p->depth };
		hd__netlist_grows(s->n, p->nodes);
		return json_incref(p->value);
	}
	hd__netlist_grows(s->n, strlen(text) / VALUE_OF_BYTES);
	if (hd__expr(text, integer_of, &e, &v, &problem))
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

	if (hd__expr_part(text, n, whole, integer_of, &e, value, &problem))
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

		new = hd__resolve_part(s, old, &inner, &part);
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
		new = hd__resolve_part(s, old, &inner, &part);
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

json_t *hd__resolve_part(struct hd_scope *s, json_t *value, const struct hd_place *place,
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

	return hd__resolve_part(s, value, &place, &m);
}
