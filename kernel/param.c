/* param.c - stores the values of a netlist at the offsets in the descriptor of a module
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A null among the values was reported when the netlist was read: it counts as an error but is not
 * reported again.
 */
#include "param_call.h"
#include "base/xalloc.h"

enum { FEW = 24 }; /* parameters: most modules have fewer */

static void store_all(struct hd_param_call *c, const struct hd_param *params, void *base,
                      const json_t *values, const struct hd_place *place, const char *const *skip);

static void store_table(struct hd_param_call *c, const struct hd_param *p, void *dst,
                        const json_t *v, const struct hd_place *place)
{
	size_t n = json_array_size(v), i;
	struct hd_table table = { .n = (uint32_t)n };
	char form[900];
	unsigned char *rows;
	json_t *row;

	if (!json_is_array(v) || !hd__param_range(p, n)) {
		hd__param_wrong(c, place, hd__param_form(p, form, sizeof form), v, NULL);
		return;
	}
	rows = n > 0 ? hd__param_own(c->s, hd__xcalloc(n, p->row_size)) : NULL;
	json_array_foreach(v, i, row) {
		const struct hd_place inner = { .up = place, .index = i };

		if (json_is_object(row))
			store_all(c, p->columns, rows + i * p->row_size, row, &inner, NULL);
		else if (json_is_null(row) && !c->defaults)
			c->errors++;
		else
			hd__param_wrong(c, &inner, "an object", row, NULL);
	}
	table.rows = rows;
	memcpy(dst, &table, sizeof table);
}

/* ---- all parameters ------------------------------------------------------------------------ */

static void store_value(struct hd_param_call *c, const struct hd_param *p, void *dst,
                        const json_t *v, const struct hd_place *place)
{
	if (json_is_null(v) && !c->defaults)
		c->errors++;
	else if (p->type == HD_TABLE)
		store_table(c, p, dst, v, place);
	else
		hd__param_value(c, p, dst, v, place);
}

static void store_default(struct hd_param_call *c, const struct hd_param *p, void *dst,
                          const struct hd_place *place)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	bool outer = c->defaults;
	size_t n = strlen(p->def);
	json_t *v;

	/* Most defaults are small numbers or words, and there is one per parameter and instance. */
	if (n > 0 && n < 10 && (p->def[0] != '0' || n == 1) && strspn(p->def, "0123456789") == n)
		v = json_integer(strtol(p->def, NULL, 10));
	else if (n >= 2 && p->def[0] == '"' && strspn(p->def + 1, letters) == n - 2 && p->def[n - 1] == '"')
		v = hd__xcheck(json_stringn_nocheck(p->def + 1, n - 2));
	else if (strcmp(p->def, "true") == 0 || strcmp(p->def, "false") == 0)
		v = json_boolean(p->def[0] == 't');
	else
		v = json_loadb(p->def, n, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	c->defaults = true;
	if (v != NULL)
		store_value(c, p, dst, v, place);
	else
		hd__param_report(c, place, false, "default of parameter '%s' of %s is not JSON: %s",
		                 p->name, hd__param_who(c), p->def);
	c->defaults = outer;
	json_decref(v);
}

/* The number of the parameter; that of the end of the list if it is none. */
static size_t number_of(const struct hd_param *params, const char *name)
{
	size_t i = 0;

	while (params[i].name != NULL && !hd__same(params[i].name, name))
		i++;
	return i;
}

static bool skipped(const char *const *skip, const char *name)
{
	for (; skip != NULL && *skip != NULL; skip++)
		if (strcmp(*skip, name) == 0)
			return true;
	return strcmp(name, "doc") == 0;
}

/* Lists the parameters that the owner has, and suggests one. */
static void unknown(struct hd_param_call *c, const struct hd_param *params,
                    const struct hd_place *place)
{
	const char **names, *near;
	size_t n = 0, i;
	char list[900], *name = hd__param_name(place), *hint;

	while (params[n].name != NULL)
		n++;
	names = hd__xcalloc(n, sizeof *names);
	for (i = 0; i < n; i++)
		names[i] = params[i].name;
	near = hd__nearest(place->member, names, n);
	hint = near != NULL ? hd__format("; did you mean '%s'?", near) : hd__xstrdup("");
	hd__param_report(c, place, true, "unknown parameter '%s' of %s; it has %s%s", name,
	                 hd__param_who(c), hd__names(names, n, list, sizeof list), hint);
	free(hint);
	free(names);
	free(name);
}

/* Reports a value that is neither given nor has a default, at the object that lacks it. */
static void missing(struct hd_param_call *c, const struct hd_param *p,
                    const struct hd_place *object, const struct hd_place *place)
{
	char form[900], *name = hd__param_name(place);

	hd__param_report(c, object, false, "parameter '%s' of %s is missing; expected %s", name,
	                 hd__param_who(c), hd__param_form(p, form, sizeof form));
	free(name);
}

static void store_all(struct hd_param_call *c, const struct hd_param *params, void *base,
                      const json_t *values, const struct hd_place *place, const char *const *skip)
{
	json_t *given[FEW] = { NULL }; /* of the first parameters */
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)values, key, v) {
		const struct hd_place inner = { .up = place, .member = key };
		size_t i = number_of(params, key);

		if (i < FEW && params[i].name != NULL)
			given[i] = v;
		if (params[i].name == NULL && !skipped(skip, key))
			unknown(c, params, &inner);
	}
	for (const struct hd_param *p = params; p->name != NULL; p++) {
		const struct hd_place inner = { .up = place, .member = p->name };
		void *dst = (unsigned char *)base + p->offset;

		v = p - params < FEW ? given[p - params] : json_object_get(values, p->name);
		if (v != NULL)
			store_value(c, p, dst, v, &inner);
		else if (p->def != NULL)
			store_default(c, p, dst, &inner);
		else if (!c->only_defaults || c->defaults)
			missing(c, p, place, &inner);
	}
}

size_t hd__params_store(struct hd_param_store *s, const struct hd_param *params, void *base,
                        const json_t *values, const char *at, const char *const *who,
                        const char *const *skip)
{
	const struct hd_place place = { .base = at };
	struct hd_param_call c = { .s = s, .who = who };

	store_all(&c, params, base, values, &place, skip);
	free(c.who_text);
	return c.errors;
}

/* The defaults of one list of parameters, and of the columns of its tables. */
static void store_defaults(struct hd_param_call *c, const struct hd_param *params, void *base,
                           const struct hd_place *place)
{
	store_all(c, params, base, NULL, place, NULL);
	for (const struct hd_param *p = params; p->name != NULL; p++) {
		const struct hd_place inner = { .up = place, .member = p->name };
		void *row;

		if (p->type != HD_TABLE)
			continue;
		row = hd__xcalloc(1, p->row_size);
		store_defaults(c, p->columns, row, &inner);
		free(row);
	}
}

size_t hd__params_defaults(struct hd_param_store *s, const struct hd_param *params, void *base,
                           const char *const *who)
{
	const struct hd_place place = { .base = "" };
	struct hd_param_call c = { .s = s, .who = who, .only_defaults = true };

	store_defaults(&c, params, base, &place);
	free(c.who_text);
	return c.errors;
}
