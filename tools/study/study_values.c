/* study_values.c - the values of a study: lists, ranges, lists that advance together, named designs
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study.h"
#include "base/pointer.h"
#include "base/words.h"
#include "base/xalloc.h"

#define MOST_VALUES 100000u /* of one range or list */
#define MOST_NUMBER 9007199254740992. /* integers up to here are exact in a double */

/* ---- lists and ranges ---------------------------------------------------------------------- */

/* A member of a range, or 0 after reporting that it is not a number. */
static double number(const struct study *s, const json_t *range, const char *at, const char *name,
                     struct hd_diags *d)
{
	json_t *v = json_object_get(range, name);
	char *place = hd__pointer_add(at, name), buf[80];

	if (v == NULL)
		study_bad(s, d, at, false, "a range without '%s'; expected { \"from\", \"to\", \"step\" or \"times\" }",
		          name);
	else if (!json_is_number(v))
		study_bad(s, d, place, false, "'%s' of a range: expected a number, found %s", name,
		          hd__found(v, buf, sizeof buf));
	else if (!(json_number_value(v) >= -MOST_NUMBER && json_number_value(v) <= MOST_NUMBER))
		study_bad(s, d, place, false, "'%s' of a range: expected a number from -2^53 to 2^53", name);
	free(place);
	return json_number_value(v);
}

/* Integers stay integers, and element i follows from i, so that errors do not add up. */
static json_t *element(const json_t *from, const json_t *step, double value, size_t i)
{
	char text[40];

	if (json_is_integer(from) && json_is_integer(step))
		return json_integer(json_integer_value(from) + (json_int_t)i * json_integer_value(step));
	snprintf(text, sizeof text, "%.15g", value); /* 0.3 rather than 0.30000000000000004 */
	return json_real(strtod(text, NULL));
}

/* The values of a range as a list; NULL after reporting an error. */
static json_t *range_values(const struct study *s, const json_t *o, const char *at, struct hd_diags *d)
{
	static const char *const members[] = { "from", "to", "step", "times", NULL };
	size_t before = d->errors;
	bool times = json_object_get(o, "times") != NULL;
	const char *by = times ? "times" : "step";
	double from = number(s, o, at, "from", d), to = number(s, o, at, "to", d), step = number(s, o, at, by, d);
	json_t *list, *first = json_object_get(o, "from"), *change = json_object_get(o, by);
	double slack, v = from;

	study_members(s, d, o, at, "a range", members);
	if (d->errors > before)
		return NULL;
	if (times && json_object_get(o, "step") != NULL)
		study_bad(s, d, at, false, "a range with 'step' and 'times'; expected one of them");
	else if (times ? step <= 1 || from <= 0 : step == 0 || (to - from) / step < 0)
		study_bad(s, d, at, false, "the range does not lead from %g to %g; expected %s", from, to,
		          times ? "'from' above 0 and 'times' above 1" : "a 'step' in that direction");
	if (d->errors > before)
		return NULL;
	list = json_array();
	slack = times ? to * 1e-9 : (step < 0 ? -step : step) * 1e-9;
	for (size_t i = 0; times || step > 0 ? v <= to + slack : v >= to - slack; i++) {
		if (i == MOST_VALUES) {
			study_bad(s, d, at, false, "a range of more than %u values; expected fewer", MOST_VALUES);
			json_decref(list);
			return NULL;
		}
		if (!times)
			json_array_append_new(list, element(first, change, v, i));
		else if (json_is_integer(first) && json_is_integer(change))
			json_array_append_new(list, json_integer((json_int_t)(v + 0.5)));
		else
			json_array_append_new(list, json_real(v));
		v = times ? v * step : from + (double)(i + 1) * step;
	}
	return list;
}

/* The values of a path: a new list.  NULL after reporting an error. */
static json_t *values_of(const struct study *s, json_t *v, const char *at, struct hd_diags *d)
{
	if (json_is_object(v))
		return range_values(s, v, at, d);
	if (!json_is_array(v))
		return json_pack("[O]", v);
	if (json_array_size(v) > 0 && json_array_size(v) <= MOST_VALUES)
		return json_incref(v);
	study_bad(s, d, at, false, json_array_size(v) == 0
	          ? "an empty list; expected values, of which each point has one"
	          : "a list of more than 100000 values; expected fewer");
	return NULL;
}

/* ---- factors ------------------------------------------------------------------------------- */

static struct study_factor *add_factor(struct study_factors *f, size_t choices)
{
	struct study_factor *one;

	f->v = hd__xappend(f->v, f->n, sizeof *f->v);
	one = &f->v[f->n++];
	*one = (struct study_factor){ .v = hd__xcalloc(choices, sizeof *one->v), .n = choices };
	return one;
}

static void add_value(struct study_choice *c, const char *path, json_t *value, const char *at)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));

	c->v = hd__xappend(c->v, c->n, sizeof *c->v);
	c->v[c->n++] = (struct study_value){ .path = path, .value = json_incref(value), .at = hd__xstrdup(at),
		.set = hd__join(path, "=", hd__xcheck(text)) };
	free(text);
}

/* Returns false after reporting a path that cannot be one, or a null. */
static bool check_path(const struct study *s, const char *path, const json_t *v, const char *at,
                       struct hd_diags *d)
{
	if (path[0] == '\0' || strchr(path, '=') != NULL)
		study_bad(s, d, at, true, "'%s' is not a path of a netlist; expected one as for --set", path);
	else if (json_is_null(v))
		study_bad(s, d, at, false, "value of '%s': expected a value, found null", path);
	else
		return true;
	return false;
}

void study_read_set(struct study *s, struct study_factors *f, json_t *set, const char *at,
                    struct hd_diags *d)
{
	const char *path;
	json_t *v, *one;
	size_t i;

	json_object_foreach(set, path, v) {
		char *place = hd__pointer_add(at, path);
		json_t *list = check_path(s, path, v, place, d) ? values_of(s, v, place, d) : NULL;
		struct study_factor *factor = list != NULL ? add_factor(f, json_array_size(list)) : NULL;

		json_array_foreach(list, i, one)
			add_value(&factor->v[i], path, one, place);
		json_decref(list);
		free(place);
	}
}

/* One object of "together". */
static void read_rows(struct study *s, struct study_factors *f, json_t *rows, const char *at,
                      struct hd_diags *d)
{
	struct study_factor *factor = NULL;
	const char *path, *first = NULL;
	json_t *v, *one;
	size_t i;

	json_object_foreach(rows, path, v) {
		char *place = hd__pointer_add(at, path);
		json_t *list = check_path(s, path, v, place, d) ? values_of(s, v, place, d) : NULL;

		if (list != NULL && factor == NULL) {
			factor = add_factor(f, json_array_size(list));
			first = path;
		}
		if (list != NULL && json_array_size(list) != factor->n)
			study_bad(s, d, place, false, "'%s' has a list of %zu and '%s' one of %zu; expected lists of "
			          "one length in an object of \"together\"", path, json_array_size(list), first,
			          factor->n);
		else
			json_array_foreach(list, i, one)
				add_value(&factor->v[i], path, one, place);
		json_decref(list);
		free(place);
	}
}

void study_read_together(struct study *s, struct study_factors *f, json_t *list, struct hd_diags *d)
{
	char buf[80];
	json_t *rows;
	size_t i;

	json_array_foreach(list, i, rows) {
		char *at = hd__numbered("/together/", i, "");

		if (json_is_object(rows) && json_object_size(rows) > 0)
			read_rows(s, f, rows, at, d);
		else
			study_bad(s, d, at, false, "expected an object of paths and lists of values, found %s",
			          json_is_object(rows) ? "an empty one" : hd__found(rows, buf, sizeof buf));
		free(at);
	}
}

void study_read_designs(struct study *s, struct study_factors *f, json_t *designs, struct hd_diags *d)
{
	struct study_factor *factor;
	const char *label, *path;
	json_t *set, *v;
	char buf[80];
	size_t n = 0;

	if (json_object_size(designs) == 0)
		return;
	factor = add_factor(f, json_object_size(designs));
	factor->designs = true;
	json_object_foreach(designs, label, set) {
		char *at = hd__pointer_add("/designs", label);

		factor->v[n].label = label;
		if (!json_is_object(set))
			study_bad(s, d, at, false, "design '%s': expected an object of paths and values, found %s",
			          label, hd__found(set, buf, sizeof buf));
		json_object_foreach(set, path, v) {
			char *place = hd__pointer_add(at, path);

			if (check_path(s, path, v, place, d))
				add_value(&factor->v[n], path, v, place);
			free(place);
		}
		free(at);
		n++;
	}
}

void study_free_factors(struct study_factors *f)
{
	for (size_t i = 0; i < f->n; i++) {
		for (size_t k = 0; k < f->v[i].n; k++) {
			struct study_choice *c = &f->v[i].v[k];

			for (size_t j = 0; j < c->n; j++) {
				json_decref(c->v[j].value);
				free(c->v[j].set);
				free(c->v[j].at);
			}
			free(c->v);
		}
		free(f->v[i].v);
	}
	free(f->v);
}
