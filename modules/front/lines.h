/* lines.h - private to the front end: lines of a small cache, the least recently used is replaced
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_FRONT_LINES_H
#define MODULES_FRONT_LINES_H

#include <heddle/module.h>

#include <stdlib.h>

struct front_lines {
	uint32_t sets, ways;
	uint64_t *tag;  /* by set and way: number of the line + 1, 0: empty */
	uint64_t *used; /* when it was used last */
	uint64_t clock;
};

/* Returns 0, or -1 without memory. */
static inline int front_lines_init(struct front_lines *l, uint32_t sets, uint32_t ways)
{
	l->sets = sets;
	l->ways = ways;
	l->tag = calloc((size_t)sets * ways, sizeof *l->tag);
	l->used = calloc((size_t)sets * ways, sizeof *l->used);
	return l->tag && l->used ? 0 : -1;
}

static inline void front_lines_free(struct front_lines *l)
{
	free(l->tag);
	free(l->used);
}

static inline void front_lines_saved(struct hd_checkpoint *k, struct front_lines *l)
{
	hd_saved(k, l->tag, (size_t)l->sets * l->ways * sizeof *l->tag);
	hd_saved(k, l->used, (size_t)l->sets * l->ways * sizeof *l->used);
	HD_SAVED(k, l->clock);
}

/* Is the line there?  If so it is used now. */
static inline bool front_lines_find(struct front_lines *l, uint64_t number)
{
	size_t at = (size_t)(number % l->sets) * l->ways;

	for (uint32_t i = 0; i < l->ways; i++) {
		if (l->tag[at + i] == number + 1) {
			l->used[at + i] = ++l->clock;
			return true;
		}
	}
	return false;
}

static inline bool front_lines_has(const struct front_lines *l, uint64_t number)
{
	size_t at = (size_t)(number % l->sets) * l->ways;

	for (uint32_t i = 0; i < l->ways; i++)
		if (l->tag[at + i] == number + 1)
			return true;
	return false;
}

static inline void front_lines_put(struct front_lines *l, uint64_t number)
{
	size_t at = (size_t)(number % l->sets) * l->ways, victim = at;

	if (front_lines_find(l, number))
		return;
	for (size_t i = at; i < at + l->ways; i++)
		if (l->used[i] < l->used[victim])
			victim = i;
	l->tag[victim] = number + 1;
	l->used[victim] = ++l->clock;
}

/* Parameters of a cache whose member `lines` has the geometry. */
#define FRONT_LINES_PARAMS(state, set_count, way_count, bytes)                                     \
	{ .name = "sets", .unit = "sets", .doc = "sets of lines", .type = HD_U32,                  \
	  .offset = offsetof(state, sets), .def = set_count, .min = 1, .max = 65536 },             \
	{ .name = "ways", .unit = "lines", .doc = "lines of a set; the least recently used is "     \
	  "replaced", .type = HD_U32, .offset = offsetof(state, ways), .def = way_count, .min = 1,  \
	  .max = 1024 },                                                                           \
	{ .name = "line", .unit = "bytes", .doc = "length of a line", .type = HD_U32,              \
	  .offset = offsetof(state, line), .def = bytes, .min = 8, .max = 4096 }

#endif
