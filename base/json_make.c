/* json_make.c - JSON values as C, for a program of the build
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "json_make.h"
#include "json_made.h"
#include "xalloc.h"

size_t hd__make_word(struct hd_json_make *m, const char *word)
{
	const json_t *place;
	size_t n = strlen(word) + 1, at = m->nwords > 0 ? m->nwords : 1;

	if (m->word_places == NULL)
		m->word_places = hd__xcheck(json_object());
	place = json_object_get(m->word_places, word);
	if (place != NULL)
		return (size_t)json_integer_value(place);
	m->words = hd__xreserve(m->words, at + n, &m->cap, 1);
	m->words[0] = '\0';
	memcpy(m->words + at, word, n);
	m->nwords = at + n;
	json_object_set_new_nocheck(m->word_places, word, json_integer((json_int_t)at));
	return at;
}

/* A line for the value, and one for each in it. */
static void add_value(struct hd_json_make *m, const char *name, json_t *v)
{
	size_t member = name != NULL ? hd__make_word(m, name) : 0, i;
	bool inside = json_is_array(v) || json_is_object(v);
	uint64_t *known = inside ? hd__int_map_at(&m->known, (uint64_t)(uintptr_t)v) : NULL;
	const char *key;
	json_t *inner;

	m->nvalues++;
	if (inside && *known != 0) {
		fprintf(m->out, "\t{ %d, 0, %zu, %u, { 0 } },\n", HD_JSON_SAME, member, (unsigned)*known - 1);
		return;
	}
	if (inside)
		*known = m->nvalues;
	fprintf(m->out, "\t{ %d, %u, %zu, ", json_typeof(v), json_is_string(v) && m->source ? m->source(m->arg, v) : 0,
	        member);
	switch (json_typeof(v)) {
	case JSON_OBJECT: fprintf(m->out, "%zu, { 0 } },\n", json_object_size(v)); break;
	case JSON_ARRAY: fprintf(m->out, "%zu, { 0 } },\n", json_array_size(v)); break;
	case JSON_STRING:
		fprintf(m->out, "%zu, { %zu } },\n", json_string_length(v), hd__make_word(m, json_string_value(v)));
		break;
	case JSON_INTEGER:
		fprintf(m->out, "0, { .integer = INT64_C(%" JSON_INTEGER_FORMAT ") } },\n", json_integer_value(v));
		break;
	case JSON_REAL: fprintf(m->out, "0, { .real = %a } },\n", json_real_value(v)); break;
	default: fprintf(m->out, "0, { 0 } },\n");
	}
	json_array_foreach(v, i, inner)
		add_value(m, NULL, inner);
	json_object_foreach(v, key, inner)
		add_value(m, key, inner);
}

uint32_t hd__make_value(struct hd_json_make *m, json_t *v)
{
	uint64_t known = hd__int_map_get(&m->known, (uint64_t)(uintptr_t)v);
	uint32_t position = m->nvalues;

	if (known != 0)
		return (uint32_t)known - 1;
	if (m->out == NULL)
		m->out = hd__xcheck(open_memstream(&m->lines, &m->size));
	add_value(m, NULL, v);
	return position;
}

void hd__make_bytes(const char *name, unsigned number, const char *v, size_t n)
{
	printf("static const char %s_%u[] = {", name, number);
	for (size_t i = 0; i < n; i++)
		printf("%s%d,", i % 24 == 0 ? "\n\t" : " ", v[i]);
	printf("\n};\n\n");
}

void hd__make_print(struct hd_json_make *m, unsigned number)
{
	if (m->out == NULL || fclose(m->out) != 0)
		hd__out_of_memory();
	m->out = NULL;
	printf("static const struct hd_json_value values_%u[] = {\n%s};\n\n", number, m->lines);
	hd__make_bytes("words", number, m->words, m->nwords);
}

void hd__make_free(struct hd_json_make *m)
{
	if (m->out != NULL)
		fclose(m->out);
	free(m->lines);
	free(m->words);
	json_decref(m->word_places);
	hd__int_map_free(&m->known);
}
