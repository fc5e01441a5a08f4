/* report_map.c - maps of numbers, and names by number
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "report.h"
#include "kernel/base/xalloc.h"

/* Index of the key, or where to insert it; open addressing, one slot in four is free.  Keys are
 * stored plus one, so that 0 is free: no key is UINT64_MAX. */
static size_t find(const struct report_map *m, uint64_t key)
{
	uint64_t h = (key + 1) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32) & (m->cap - 1);

	while (m->key[i] && m->key[i] != key + 1)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static void grow(struct report_map *m)
{
	struct report_map old = *m;

	m->cap = old.cap ? 2 * old.cap : 64;
	m->key = hd__xcalloc(m->cap, sizeof *m->key);
	m->value = hd__xcalloc(m->cap, sizeof *m->value);
	for (size_t i = 0; i < old.cap; i++)
		if (old.key[i]) {
			size_t k = find(m, old.key[i] - 1);

			m->key[k] = old.key[i];
			m->value[k] = old.value[i];
		}
	free(old.key);
	free(old.value);
}

uint64_t *report_map_at(struct report_map *m, uint64_t key)
{
	size_t i;

	if (4 * m->n >= 3 * m->cap)
		grow(m);
	i = find(m, key);
	if (!m->key[i]) {
		m->key[i] = key + 1;
		m->n++;
	}
	return &m->value[i];
}

uint64_t report_map_get(const struct report_map *m, uint64_t key)
{
	return m->cap ? m->value[find(m, key)] : 0;
}

void report_map_free(struct report_map *m)
{
	free(m->key);
	free(m->value);
	*m = (struct report_map){ .n = 0 };
}

uint32_t report_name(struct report_names *s, const char *name)
{
	json_t *known;

	if (!s->number)
		s->number = json_object();
	known = json_object_get(s->number, name);
	if (known)
		return (uint32_t)json_integer_value(known);
	s->v = hd__xgrow(s->v, s->n, &s->cap, sizeof *s->v);
	s->v[s->n] = hd__xstrdup(name);
	json_object_set_new(s->number, name, json_integer((json_int_t)s->n));
	return (uint32_t)s->n++;
}

void report_names_free(struct report_names *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	json_decref(s->number);
	*s = (struct report_names){ .n = 0 };
}
