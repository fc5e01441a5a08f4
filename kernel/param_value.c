/* param_value.c - checks one value of a netlist and stores it for the module
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "param_call.h"
#include "base/xalloc.h"

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

static void wrong_form(struct hd_param_call *c, const struct hd_param *p,
                       const struct hd_place *place, const json_t *found)
{
	char form[900];

	hd__param_wrong(c, place, hd__param_form(p, form, sizeof form), found, NULL);
}

/* ---- one value ----------------------------------------------------------------------------- */

bool hd__param_range(const struct hd_param *p, uint64_t n)
{
	return (p->min == 0 && p->max == 0) || (n >= p->min && n <= p->max);
}

static bool to_u32(const struct hd_param *p, const json_t *v, uint32_t *out)
{
	json_int_t i = json_integer_value(v);

	if (!json_is_integer(v) || i < 0 || i > UINT32_MAX || !hd__param_range(p, (uint64_t)i))
		return false;
	*out = (uint32_t)i;
	return true;
}

/* For an integer, the message names the range. */
static void wrong_u32(struct hd_param_call *c, const struct hd_param *p,
                      const struct hd_place *place, const json_t *found)
{
	if (json_is_integer(found) && p->min == 0 && p->max == 0)
		hd__param_wrong(c, place, "integer 0..4294967295", found, NULL);
	else
		wrong_form(c, p, place, found);
}

static void store_u32(struct hd_param_call *c, const struct hd_param *p, void *dst, const json_t *v,
                      const struct hd_place *place)
{
	uint32_t n;

	if (to_u32(p, v, &n))
		memcpy(dst, &n, sizeof n);
	else
		wrong_u32(c, p, place, v);
}

static void store_string(struct hd_param_call *c, const struct hd_param *p, void *dst,
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
	hd__param_own(c->s, (void *)s);
	memcpy(dst, &s, sizeof s);
}

static void store_choice(struct hd_param_call *c, const struct hd_param *p, void *dst,
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
	hd__param_wrong(c, place, hd__param_form(p, form, sizeof form), v, hint);
	free(hint);
}

static void store_list(struct hd_param_call *c, const struct hd_param *p, void *dst,
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
	out = hd__param_own(c->s, hd__xcalloc(json_array_size(v), sizeof *out));
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
static bool to_symbol(struct hd_param_call *c, const struct hd_param *p, const json_t *v,
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
	hd__param_report(c, place, false,
	                 "too many names of kind '%s'; expected at most 64, and '%s' is one more",
	                 p->kind, s);
	return false;
}

static void store_symbols(struct hd_param_call *c, const struct hd_param *p, void *dst,
                          const json_t *v, const struct hd_place *place)
{
	uint64_t set = 0;
	uint32_t bit;
	json_t *item;
	size_t i;

	if (!json_is_array(v) || !hd__param_range(p, json_array_size(v))) {
		wrong_form(c, p, place, v);
		return;
	}
	json_array_foreach(v, i, item) {
		const struct hd_place inner = { .up = place, .index = i };

		if (!to_symbol(c, p, item, &inner, &bit))
			continue;
		if (set >> bit & 1) {
			char *name = hd__param_name(place);

			hd__param_report(c, &inner, false, "parameter '%s' of %s names '%s' twice",
			                 name, hd__param_who(c), json_string_value(item));
			free(name);
		}
		set |= UINT64_C(1) << bit;
	}
	memcpy(dst, &set, sizeof set);
}

/* ---- values of any type -------------------------------------------------------------------- */

static void store_bool(struct hd_param_call *c, const struct hd_param *p, void *dst,
                       const json_t *v, const struct hd_place *place)
{
	bool b = json_is_true(v);

	if (json_is_boolean(v))
		memcpy(dst, &b, sizeof b);
	else
		wrong_form(c, p, place, v);
}

static void store_symbol(struct hd_param_call *c, const struct hd_param *p, void *dst,
                         const json_t *v, const struct hd_place *place)
{
	uint32_t symbol;

	if (to_symbol(c, p, v, place, &symbol))
		memcpy(dst, &symbol, sizeof symbol);
}

void hd__param_value(struct hd_param_call *c, const struct hd_param *p, void *dst, const json_t *v,
                     const struct hd_place *place)
{
	typedef void store(struct hd_param_call *, const struct hd_param *, void *, const json_t *,
	                   const struct hd_place *);
	static store *const stores[] = {
		[HD_U32] = store_u32,       [HD_BOOL] = store_bool,
		[HD_STRING] = store_string, [HD_PATH] = store_string,
		[HD_CHOICE] = store_choice, [HD_U32S] = store_list,
		[HD_SYMBOL] = store_symbol, [HD_SYMBOLS] = store_symbols,
	};

	stores[p->type](c, p, dst, v, place);
}
