/* random.c - private to address_map: the map that draws the slice of each block at random
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A block gets the next number of a random sequence when it is first used.  Uses of one cycle
 * are collected, and numbers given in the order of the users when a slice is requested or the
 * next cycle begins.
 */
#include "random.h"

#include <stdlib.h>

#define NO_BLOCK UINT64_MAX
#define FIRST_SIZE 4096u /* places of the table, a power of two */
#define WARM_UP 310u     /* numbers that are not used */

/* ---- the sequence ---- */

static uint32_t draw(struct random_source *s)
{
	uint32_t third = s->at < 3 ? s->at + RANDOM_WORDS - 3 : s->at - 3;
	uint32_t x = s->word[s->at] += s->word[third];

	s->at = s->at + 1 == RANDOM_WORDS ? 0 : s->at + 1;
	return x >> 1;
}

static void sow(struct random_source *s, uint32_t seed)
{
	int64_t x = (int32_t)(seed ? seed : 1);

	for (uint32_t i = 0; i < RANDOM_WORDS; i++) {
		s->word[i] = (uint32_t)x;
		x = x * 16807 % 2147483647;
		if (x < 0)
			x += 2147483647;
	}
	s->at = 3;
	for (uint32_t i = 0; i < WARM_UP; i++)
		draw(s);
}

/* ---- the table ---- */

/* The place of a block, or the free one where it belongs. */
static struct random_block *place(const struct random_map *m, uint64_t block)
{
	uint64_t i = block * UINT64_C(0x9e3779b97f4a7c15) >> 20 & m->mask;

	while (m->table[i].block != block && m->table[i].block != NO_BLOCK)
		i = (i + 1) & m->mask;
	return &m->table[i];
}

static int make_table(struct random_map *m, uint64_t size)
{
	m->table = malloc(size * sizeof *m->table);
	if (!m->table)
		return -1;
	for (uint64_t i = 0; i < size; i++)
		m->table[i].block = NO_BLOCK;
	m->mask = size - 1;
	return 0;
}

static int grow(struct random_map *m)
{
	struct random_block *old = m->table;
	uint64_t size = m->mask + 1;

	if (make_table(m, 2 * size) != 0) {
		m->table = old;
		return hd_fail(m->ctx, "out of memory for the slices of %llu blocks",
		               (unsigned long long)size);
	}
	for (uint64_t i = 0; i < size; i++)
		if (old[i].block != NO_BLOCK)
			*place(m, old[i].block) = old[i];
	free(old);
	return 0;
}

static uint32_t slice_of_block(struct random_map *m, uint64_t block)
{
	struct random_block *b = place(m, block);

	if (b->block == block)
		return b->slice;
	if (m->count > m->mask / 2) {
		if (grow(m) != 0)
			return 0;
		b = place(m, block);
	}
	m->count++;
	*b = (struct random_block){ block, draw(&m->source) % m->slices };
	return b->slice;
}

/* ---- uses ---- */

static int by_user(const void *a, const void *b)
{
	const struct random_use *x = a, *y = b;

	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

static void settle(struct random_uses *u)
{
	if (u->n > 1)
		qsort(u->v, u->n, sizeof *u->v, by_user);
	for (uint32_t i = 0; i < u->n; i++)
		slice_of_block(u->map, u->v[i].block);
	u->n = 0;
}

void hd__random_touch(void *self, uint64_t addr, uint32_t user, uint64_t cycle)
{
	struct random_uses *u = self;
	struct random_map *m = u->map;
	struct random_uses *other = u == &m->core ? &m->slice : &m->core;
	uint64_t block = addr >> m->shift;

	if (place(m, block)->block == block)
		return;
	settle(other);
	if (u->cycle != cycle)
		settle(u);
	u->cycle = cycle;
	if (u->n == u->size) {
		uint32_t size = u->size ? 2 * u->size : 256;
		struct random_use *v = realloc(u->v, size * sizeof *v);

		if (!v) {
			hd_fail(m->ctx, "out of memory for %u uses of a cycle", size);
			return;
		}
		u->v = v;
		u->size = size;
	}
	u->v[u->n] = (struct random_use){ block, user, u->n };
	u->n++;
}

uint32_t hd__random_slice(struct random_map *m, uint64_t addr)
{
	settle(&m->slice);
	settle(&m->core);
	return slice_of_block(m, addr >> m->shift);
}

int hd__random_init(struct random_map *m, const struct hd_ctx *ctx, uint32_t seed, uint32_t slices,
                    uint32_t shift)
{
	m->ctx = ctx;
	sow(&m->source, seed);
	m->slices = slices;
	m->shift = shift;
	m->core.map = m->slice.map = m;
	return make_table(m, FIRST_SIZE);
}

static void uses_saved(struct hd_checkpoint *k, struct random_uses *u)
{
	uint32_t n = (uint32_t)hd_saved_number(k, u->n, UINT32_MAX / 2);
	struct random_use *v = n > u->size ? realloc(u->v, n * sizeof *v) : u->v;

	if (n > 0 && !v) {
		hd_refuse(k, "out of memory for %u uses of a cycle", n);
		return;
	}
	u->v = v;
	u->size = n > u->size ? n : u->size;
	u->n = n;
	hd_saved(k, v, n * sizeof *v);
	HD_SAVED(k, u->cycle);
}

void hd__random_saved(struct random_map *m, struct hd_checkpoint *k)
{
	uint64_t mask = hd_saved_number(k, m->mask, UINT32_MAX);

	HD_SAVED(k, m->source);
	if (mask != m->mask) {
		free(m->table);
		m->table = NULL;
		if ((mask & (mask + 1)) != 0 || make_table(m, mask + 1) != 0) {
			hd_refuse(k, "a table of %llu blocks", (unsigned long long)mask + 1);
			return;
		}
	}
	hd_saved(k, m->table, (m->mask + 1) * sizeof *m->table);
	HD_SAVED(k, m->count);
	uses_saved(k, &m->core);
	uses_saved(k, &m->slice);
}

void hd__random_fini(struct random_map *m)
{
	free(m->table);
	free(m->core.v);
	free(m->slice.v);
}
