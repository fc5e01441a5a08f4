/* param.c - checks the values of a netlist, and stores them at the offsets in the descriptor of a module
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A null among the values was reported when the netlist was read: it counts as an error but is not
 * reported again.
 */
#include "param.h"
#include "base/pointer.h"
#include "base/xalloc.h"

#include <inttypes.h>

/* ---- types and ranges as text, for messages and documentation ----------------------------- */

enum { MAX_LISTED = 12 }; /* columns in one message */

static const char *noun(enum hd_param_type type)
{
	switch (type) {
	case HD_U32:
		return "integer";
	case HD_BOOL:
		return "true or false";
	case HD_STRING:
		return "string";
	case HD_PATH:
		return "path of a file or folder";
	case HD_CHOICE:
		return "one of ";
	case HD_U32S:
		return "list of integers";
	case HD_SYMBOL:
		return "name";
	case HD_SYMBOLS:
		return "names";
	case HD_TABLE:
		return "objects";
	}
	return "nothing";
}

/* The names in a NULL-terminated list, or of parameters. */
static const char *choices(const struct hd_param *p, char *buf, size_t size)
{
	size_t n = 0;

	while (p->choices != NULL && p->choices[n] != NULL)
		n++;
	return hd__names(p->choices, n, buf, size);
}

static const char *columns(const struct hd_param *p, char *buf, size_t size)
{
	const char *names[MAX_LISTED];
	size_t n = 0;

	for (const struct hd_param *c = p->columns; c != NULL && c->name != NULL; c++)
		if (n < MAX_LISTED)
			names[n++] = c->name;
	return hd__names(names, n, buf, size);
}

const char *hd__param_form(const struct hd_param *p, char *buf, size_t size)
{
	char range[48] = "", count[48] = "", list[700];

	if (p->min != 0 || p->max != 0) {
		snprintf(range, sizeof range, " %" PRIu64 "..%" PRIu64, p->min, p->max);
		snprintf(count, sizeof count, "%s ", range + 1);
	}
	if (p->type == HD_U32 || p->type == HD_U32S)
		snprintf(buf, size, "%s%s", noun(p->type), range);
	else if (p->type == HD_CHOICE)
		snprintf(buf, size, "%s%s", noun(p->type), choices(p, list, sizeof list));
	else if (p->type == HD_TABLE)
		snprintf(buf, size, "list of %s%s with %s", count, noun(p->type),
		         columns(p, list, sizeof list));
	else if (p->type == HD_SYMBOLS)
		snprintf(buf, size, "list of %s%s (%s)", count, noun(p->type), p->kind);
	else if (p->type == HD_SYMBOL)
		snprintf(buf, size, "%s (%s)", noun(p->type), p->kind);
	else
		snprintf(buf, size, "%s", noun(p->type));
	return buf;
}

/* One call of hd__params_store or hd__params_defaults. */
struct call {
	struct hd_param_store *s;
	const char *const *who, *const *beside;
	char *who_text;     /* the same as one word, once a message has needed it */
	size_t errors;
	bool defaults;      /* the value being stored is from a descriptor */
	bool only_defaults; /* hd__params_defaults: a parameter without default is not an error */
};

/* ---- messages ----------------------------------------------------------------------------- */

/* "ops[2].latency": the place below the object that holds the parameters. */
static char *name_of(const struct hd_place *p)
{
	char *up, *s;

	if (p->up == NULL || p->up->up == NULL)
		return hd__xstrdup(p->up != NULL ? p->member : "");
	up = name_of(p->up);
	s = p->member != NULL ? hd__format("%s.%s", up, p->member)
	                      : hd__format("%s[%zu]", up, p->index);
	free(up);
	return s;
}

static const char *who_of(struct call *c)
{
	size_t n = 1;

	if (c->who_text != NULL)
		return c->who_text;
	for (size_t i = 0; c->who[i] != NULL; i++)
		n += strlen(c->who[i]);
	c->who_text = hd__xcalloc(n, 1);
	for (size_t i = 0; c->who[i] != NULL; i++)
		strcat(c->who_text, c->who[i]);
	return c->who_text;
}

static void HD_PRINTF(4, 5) report(struct call *c, const struct hd_place *place, bool key, const char *fmt, ...)
{
	char *text, *at;
	va_list ap;

	c->errors++;
	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	at = hd__place_pointer(key ? place->up : place);
	if (c->defaults || c->s->netlist == NULL)
		hd__diag(c->s->diags, HD_DIAG_ERROR, NULL, 0, 0, "%s", text);
	else if (key)
		hd__netlist_diag_key(c->s->netlist, c->s->diags, HD_DIAG_ERROR, at, place->member,
		                     "%s", text);
	else
		hd__netlist_diag(c->s->netlist, c->s->diags, HD_DIAG_ERROR, at, NULL, "%s", text);
	free(at);
	free(text);
}

/* "parameter 'depth' of instance 'a' (module 'm'): expected ..., found ..." */
static void wrong(struct call *c, const struct hd_place *place, const char *expected,
                  const json_t *found, const char *hint)
{
	char *name = name_of(place), buf[80];

	report(c, place, false, "%sparameter '%s' of %s: expected %s, found %s%s",
	                 c->defaults ? "default of " : "", name, who_of(c), expected,
	                 hd__found(found, buf, sizeof buf), hint != NULL ? hint : "");
	free(name);
}

/* ---- memory -------------------------------------------------------------------------------- */

static void *own(struct hd_param_store *s, void *p)
{
	s->owned = hd__xgrow(s->owned, s->nowned, &s->cap, sizeof *s->owned);
	s->owned[s->nowned++] = p;
	return p;
}

void hd__params_free(struct hd_param_store *s)
{
	for (size_t i = 0; i < s->nowned; i++)
		free(s->owned[i]);
	free(s->owned);
	s->owned = NULL;
	s->nowned = s->cap = 0;
}

/* ---- one value ---------------------------------------------------------------------------- */

size_t hd__param_size(enum hd_param_type type)
{
	switch (type) {
	case HD_BOOL:
		return sizeof(bool);
	case HD_STRING:
	case HD_PATH:
		return sizeof(const char *);
	case HD_U32S:
		return sizeof(struct hd_list);
	case HD_TABLE:
		return sizeof(struct hd_table);
	case HD_SYMBOLS:
		return sizeof(uint64_t);
	case HD_U32:
	case HD_CHOICE:
	case HD_SYMBOL:
		break;
	}
	return sizeof(uint32_t);
}

static void wrong_form(struct call *c, const struct hd_param *p,
                       const struct hd_place *place, const json_t *found)
{
	char form[900];

	wrong(c, place, hd__param_form(p, form, sizeof form), found, NULL);
}

/* ---- one value ----------------------------------------------------------------------------- */

static bool in_range(const struct hd_param *p, uint64_t n)
{
	return (p->min == 0 && p->max == 0) || (n >= p->min && n <= p->max);
}

static bool to_u32(const struct hd_param *p, const json_t *v, uint32_t *out)
{
	json_int_t i = json_integer_value(v);

	if (!json_is_integer(v) || i < 0 || i > UINT32_MAX || !in_range(p, (uint64_t)i))
		return false;
	*out = (uint32_t)i;
	return true;
}

/* For an integer, the message names the range. */
static void wrong_u32(struct call *c, const struct hd_param *p,
                      const struct hd_place *place, const json_t *found)
{
	if (json_is_integer(found) && p->min == 0 && p->max == 0)
		wrong(c, place, "integer 0..4294967295", found, NULL);
	else
		wrong_form(c, p, place, found);
}

static void store_u32(struct call *c, const struct hd_param *p, void *dst, const json_t *v,
                      const struct hd_place *place)
{
	uint32_t n;

	if (to_u32(p, v, &n))
		memcpy(dst, &n, sizeof n);
	else
		wrong_u32(c, p, place, v);
}

static void store_string(struct call *c, const struct hd_param *p, void *dst,
                         const json_t *v, const struct hd_place *place)
{
	const struct hd_netlist *n = c->s->netlist;
	const char *s = json_string_value(v);

	if (s == NULL) {
		wrong_form(c, p, place, v);
		return;
	}
	if (p->type != HD_PATH)
		s = hd__xstrdup(s);
	else if (n != NULL) /* a default is not in a file */
		s = hd__data_path(c->defaults ? n->file : hd__netlist_file_of(n, v), s);
	else
		s = hd__data_path(NULL, s);
	own(c->s, (void *)s);
	memcpy(dst, &s, sizeof s);
}

static void store_choice(struct call *c, const struct hd_param *p, void *dst,
                         const json_t *v, const struct hd_place *place)
{
	const char *s = json_string_value(v), *near;
	char form[900], *hint;
	uint32_t n = 0;

	if (s == NULL) {
		wrong_form(c, p, place, v);
		return;
	}
	for (; p->choices[n] != NULL; n++) {
		if (strcmp(p->choices[n], s) == 0) {
			memcpy(dst, &n, sizeof n);
			return;
		}
	}
	near = hd__nearest(s, p->choices, n);
	hint = near != NULL ? hd__format("; did you mean '%s'?", near) : NULL;
	wrong(c, place, hd__param_form(p, form, sizeof form), v, hint);
	free(hint);
}

static void store_list(struct call *c, const struct hd_param *p, void *dst,
                       const json_t *v, const struct hd_place *place)
{
	const struct hd_param one = { .type = HD_U32, .min = p->min, .max = p->max };
	struct hd_list list = { 0 };
	uint32_t *out;
	json_t *item;
	size_t i;

	if (!json_is_array(v)) {
		wrong_form(c, p, place, v);
		return;
	}
	out = own(c->s, hd__xcalloc(json_array_size(v), sizeof *out));
	json_array_foreach(v, i, item) {
		const struct hd_place inner = { .up = place, .index = i };

		if (json_is_null(item) && !c->defaults)
			c->errors++;
		else if (!to_u32(&one, item, &out[i]))
			wrong_u32(c, &one, &inner, item);
	}
	list.n = (uint32_t)json_array_size(v);
	list.v = out;
	memcpy(dst, &list, sizeof list);
}

/* ---- symbols ------------------------------------------------------------------------------- */

/* The number of a symbol, which is below 64. */
static bool to_symbol(struct call *c, const struct hd_param *p, const json_t *v,
                      const struct hd_place *place, uint32_t *out)
{
	const struct hd_param one = { .type = HD_SYMBOL, .kind = p->kind };
	const char *s = json_string_value(v);

	if (json_is_null(v) && !c->defaults) {
		c->errors++;
		return false;
	}
	if (s == NULL || s[0] == '\0') {
		wrong_form(c, &one, place, v);
		return false;
	}
	*out = c->s->symbol(c->s->arg, p->kind, s);
	if (*out < 64)
		return true;
	report(c, place, false,
	                 "too many names of kind '%s'; expected at most 64, and '%s' is one more",
	                 p->kind, s);
	return false;
}

static void store_symbols(struct call *c, const struct hd_param *p, void *dst,
                          const json_t *v, const struct hd_place *place)
{
	uint64_t set = 0;
	uint32_t bit;
	json_t *item;
	size_t i;

	if (!json_is_array(v) || !in_range(p, json_array_size(v))) {
		wrong_form(c, p, place, v);
		return;
	}
	json_array_foreach(v, i, item) {
		const struct hd_place inner = { .up = place, .index = i };

		if (!to_symbol(c, p, item, &inner, &bit))
			continue;
		if (set >> bit & 1) {
			char *name = name_of(place);

			report(c, &inner, false, "parameter '%s' of %s names '%s' twice",
			                 name, who_of(c), json_string_value(item));
			free(name);
		}
		set |= UINT64_C(1) << bit;
	}
	memcpy(dst, &set, sizeof set);
}

/* ---- values of any type -------------------------------------------------------------------- */

static void store_bool(struct call *c, const struct hd_param *p, void *dst,
                       const json_t *v, const struct hd_place *place)
{
	bool b = json_is_true(v);

	if (json_is_boolean(v))
		memcpy(dst, &b, sizeof b);
	else
		wrong_form(c, p, place, v);
}

static void store_symbol(struct call *c, const struct hd_param *p, void *dst,
                         const json_t *v, const struct hd_place *place)
{
	uint32_t symbol;

	if (to_symbol(c, p, v, place, &symbol))
		memcpy(dst, &symbol, sizeof symbol);
}

static void store_one(struct call *c, const struct hd_param *p, void *dst, const json_t *v,
                      const struct hd_place *place)
{
	typedef void store(struct call *, const struct hd_param *, void *, const json_t *,
	                   const struct hd_place *);
	static store *const stores[] = {
		[HD_U32] = store_u32,       [HD_BOOL] = store_bool,
		[HD_STRING] = store_string, [HD_PATH] = store_string,
		[HD_CHOICE] = store_choice, [HD_U32S] = store_list,
		[HD_SYMBOL] = store_symbol, [HD_SYMBOLS] = store_symbols,
	};

	stores[p->type](c, p, dst, v, place);
}

/* ---- all parameters ----------------------------------------------------------------------- */

enum { FEW = 24 }; /* parameters: most modules have fewer */

static void store_all(struct call *c, const struct hd_param *params, void *base,
                      const json_t *values, const struct hd_place *place, const char *const *skip);

static void store_table(struct call *c, const struct hd_param *p, void *dst,
                        const json_t *v, const struct hd_place *place)
{
	size_t n = json_array_size(v), i;
	struct hd_table table = { .n = (uint32_t)n };
	char form[900];
	unsigned char *rows;
	json_t *row;

	if (!json_is_array(v) || !in_range(p, n)) {
		wrong(c, place, hd__param_form(p, form, sizeof form), v, NULL);
		return;
	}
	rows = n > 0 ? own(c->s, hd__xcalloc(n, p->row_size)) : NULL;
	json_array_foreach(v, i, row) {
		const struct hd_place inner = { .up = place, .index = i };

		if (json_is_object(row))
			store_all(c, p->columns, rows + i * p->row_size, row, &inner, NULL);
		else if (json_is_null(row) && !c->defaults)
			c->errors++;
		else
			wrong(c, &inner, "an object", row, NULL);
	}
	table.rows = rows;
	memcpy(dst, &table, sizeof table);
}

/* ---- all parameters ------------------------------------------------------------------------ */

static void store_value(struct call *c, const struct hd_param *p, void *dst,
                        const json_t *v, const struct hd_place *place)
{
	if (json_is_null(v) && !c->defaults)
		c->errors++;
	else if (p->type == HD_TABLE)
		store_table(c, p, dst, v, place);
	else
		store_one(c, p, dst, v, place);
}

static void store_default(struct call *c, const struct hd_param *p, void *dst,
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
		report(c, place, false, "default of parameter '%s' of %s is not JSON: %s",
		                 p->name, who_of(c), p->def);
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
static void unknown(struct call *c, const struct hd_param *params,
                    const struct hd_place *place)
{
	const char **names, *near;
	size_t n = 0, others = 0, i;
	char list[900], *name = name_of(place), *hint;

	while (params[n].name != NULL)
		n++;
	while (c->beside != NULL && c->beside[others] != NULL)
		others++;
	names = hd__xcalloc(n, sizeof *names);
	for (i = 0; i < n; i++)
		names[i] = params[i].name;
	near = hd__nearest(place->member, names, n);
	if (near == NULL && others > 0 && place->up->member == NULL) {
		near = hd__nearest(place->member, c->beside, others);
		hint = near != NULL ? hd__format("; did you mean the instance's '%s'?", near) : hd__xstrdup("");
	} else {
		hint = near != NULL ? hd__format("; did you mean '%s'?", near) : hd__xstrdup("");
	}
	report(c, place, true, "unknown parameter '%s' of %s; it has %s%s", name,
	                 who_of(c), hd__names(names, n, list, sizeof list), hint);
	free(hint);
	free(names);
	free(name);
}

/* Reports a value that is neither given nor has a default, at the object that lacks it. */
static void missing(struct call *c, const struct hd_param *p,
                    const struct hd_place *object, const struct hd_place *place)
{
	char form[900], *name = name_of(place);

	report(c, object, false, "parameter '%s' of %s is missing; expected %s", name,
	                 who_of(c), hd__param_form(p, form, sizeof form));
	free(name);
}

static void store_all(struct call *c, const struct hd_param *params, void *base,
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
                        const char *const *skip, const char *const *beside)
{
	const struct hd_place place = { .base = at };
	struct call c = { .s = s, .who = who, .beside = beside };

	store_all(&c, params, base, values, &place, skip);
	free(c.who_text);
	return c.errors;
}

/* The defaults of one list of parameters, and of the columns of its tables. */
static void store_defaults(struct call *c, const struct hd_param *params, void *base,
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
	struct call c = { .s = s, .who = who, .only_defaults = true };

	store_defaults(&c, params, base, &place);
	free(c.who_text);
	return c.errors;
}
