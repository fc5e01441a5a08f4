/* json_made.c - the values of JSON texts that the build has read
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "json_made.h"
#include "xalloc.h"

static json_t *value_of(const struct hd_json_maker *m, const struct hd_json_value **next);

static json_t *object_of(const struct hd_json_maker *m, uint32_t n, const struct hd_json_value **next)
{
	json_t *made = hd__xcheck(json_object());

	for (uint32_t i = 0; i < n; i++) {
		const char *name = m->made->words + (*next)->member;

		if (json_object_set_new_nocheck(made, name, value_of(m, next)) != 0)
			hd__out_of_memory();
	}
	return made;
}

static json_t *array_of(const struct hd_json_maker *m, uint32_t n, const struct hd_json_value **next)
{
	json_t *made = hd__xcheck(json_array());

	for (uint32_t i = 0; i < n; i++)
		if (json_array_append_new(made, value_of(m, next)) != 0)
			hd__out_of_memory();
	return made;
}

static json_t *string_of(const struct hd_json_maker *m, const struct hd_json_value *v)
{
	json_t *made = hd__xcheck(json_stringn_nocheck(m->made->words + v->word, v->n));

	if (v->source != 0 && m->texts != NULL)
		*hd__int_map_at(m->texts, (uint64_t)(uintptr_t)made) = v->source;
	return made;
}

/* The value at *next, which then is the one after it. */
static json_t *value_of(const struct hd_json_maker *m, const struct hd_json_value **next)
{
	const struct hd_json_value *v = (*next)++;
	json_t *made;

	switch (v->type) {
	case JSON_OBJECT: made = object_of(m, v->n, next); break;
	case JSON_ARRAY: made = array_of(m, v->n, next); break;
	case JSON_STRING: return string_of(m, v);
	case JSON_INTEGER: return hd__xcheck(json_integer(v->integer));
	case JSON_REAL: return hd__xcheck(json_real(v->real));
	case JSON_TRUE: return json_true();
	case JSON_FALSE: return json_false();
	case HD_JSON_SAME: return hd__json_made_at(m, v->n);
	default: return json_null();
	}
	if (m->known != NULL)
		m->known[v - m->made->values] = made;
	return made;
}

json_t *hd__json_made_at(const struct hd_json_maker *m, uint32_t position)
{
	const struct hd_json_value *next = &m->made->values[position];

	if (m->known != NULL && m->known[position] != NULL)
		return json_incref(m->known[position]);
	return value_of(m, &next);
}

const struct hd_json_made *hd__json_made_find(const char *text, size_t length)
{
	const struct hd_json_made *m = hd__json_made;

	while (m->text != NULL && (m->length != length || memcmp(m->text, text, length) != 0))
		m++;
	return m->text != NULL ? m : NULL;
}

json_t *hd__json_made_of(const char *text, size_t length)
{
	const struct hd_json_maker m = { .made = hd__json_made_find(text, length) };

	return m.made != NULL ? hd__json_made_at(&m, 0) : NULL;
}
