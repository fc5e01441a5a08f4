/* int_map.c - maps of numbers to numbers: a hash table
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "int_map.h"
#include "xalloc.h"

/* Index of the key, or where to insert it; open addressing, one slot in four is free.  Keys are
 * stored plus one, so that 0 is free: no key is UINT64_MAX. */
static size_t find(const struct hd_int_map *m, uint64_t key)
{
	uint64_t h = (key + 1) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32) & (m->cap - 1);

	while (m->key[i] && m->key[i] != key + 1)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static void grow(struct hd_int_map *m)
{
	struct hd_int_map old = *m;

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

uint64_t *hd__int_map_at(struct hd_int_map *m, uint64_t key)
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

bool hd__int_map_next(const struct hd_int_map *m, size_t *at, uint64_t *key, uint64_t *value)
{
	while (*at < m->cap && !m->key[*at])
		++*at;
	if (*at == m->cap)
		return false;
	*key = m->key[*at] - 1;
	*value = m->value[(*at)++];
	return true;
}

uint64_t hd__int_map_get(const struct hd_int_map *m, uint64_t key)
{
	return m->cap ? m->value[find(m, key)] : 0;
}

void hd__int_map_free(struct hd_int_map *m)
{
	free(m->key);
	free(m->value);
	*m = (struct hd_int_map){ .n = 0 };
}
