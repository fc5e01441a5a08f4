/* json_made.c - the values of JSON texts that the build has read
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "json_made.h"
#include "xalloc.h"

/* The value at *next, which then is the one after it. */
static json_t *value_of(const struct hd_json_made *m, const struct hd_json_value **next)
{
	const struct hd_json_value *v = (*next)++;
	json_t *made;

	switch (v->type) {
	case JSON_OBJECT:
		made = hd__xcheck(json_object());
		for (uint32_t i = 0; i < v->n; i++) {
			const char *name = m->words + (*next)->member;

			if (json_object_set_new_nocheck(made, name, value_of(m, next)) != 0)
				hd__out_of_memory();
		}
		return made;
	case JSON_ARRAY:
		made = hd__xcheck(json_array());
		for (uint32_t i = 0; i < v->n; i++)
			if (json_array_append_new(made, value_of(m, next)) != 0)
				hd__out_of_memory();
		return made;
	case JSON_STRING: return hd__xcheck(json_stringn_nocheck(m->words + v->word, v->n));
	case JSON_INTEGER: return hd__xcheck(json_integer(v->integer));
	case JSON_REAL: return hd__xcheck(json_real(v->real));
	case JSON_TRUE: return json_true();
	case JSON_FALSE: return json_false();
	default: return json_null();
	}
}

json_t *hd__json_made_of(const char *text, size_t length)
{
	const struct hd_json_made *m = hd__json_made;
	const struct hd_json_value *first;

	while (m->text != NULL && (m->length != length || memcmp(m->text, text, length) != 0))
		m++;
	first = m->values;
	return m->text != NULL ? value_of(m, &first) : NULL;
}
