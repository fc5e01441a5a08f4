/* lines.h - private to the front end: lines of a small cache, the least recently used is replaced
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A warm cache has every line at its first use, as in a run that is not the first of its program, or if code is fetched
 * ahead.
 */
#ifndef MODULES_FRONT_LINES_H
#define MODULES_FRONT_LINES_H

#include <heddle/module.h>

#include <stdlib.h>

#define FRONT_SEEN_MOST (UINT64_C(1) << 24) /* lines */

struct front_lines {
	uint32_t sets, ways, line; /* parameters: their number, lines of a set, bytes of a line */
	bool warm;
	uint64_t *tag;  /* by set and way: number of the line + 1, 0: empty */
	uint64_t *used; /* when it was used last */
	uint64_t clock;
	uint64_t *seen; /* lines that were used before, in order, of a warm cache */
	size_t nseen, cap;
};

/* Returns 0, or -1 after a message. */
static inline int front_lines_init(struct front_lines *l, const struct hd_ctx *ctx)
{
	l->tag = hd_memory(ctx, (size_t)l->sets * l->ways, sizeof *l->tag);
	l->used = hd_memory(ctx, (size_t)l->sets * l->ways, sizeof *l->used);
	return l->tag && l->used ? 0 : hd_error(ctx, "out of memory");
}

static inline void front_lines_free(struct front_lines *l)
{
	free(l->seen);
}

static inline bool front_lines_reserve(struct front_lines *l, size_t n)
{
	size_t cap = 2 * l->cap > n ? 2 * l->cap : n < 64 ? 64 : n;
	uint64_t *v;

	if (n <= l->cap)
		return true;
	v = n <= FRONT_SEEN_MOST ? realloc(l->seen, cap * sizeof *v) : NULL;
	if (!v)
		return false;
	l->seen = v;
	l->cap = cap;
	return true;
}

static inline void front_lines_saved(struct hd_checkpoint *k, struct front_lines *l)
{
	uint64_t n = hd_saved_number(k, l->nseen, l->warm ? FRONT_SEEN_MOST : 0);

	hd_saved(k, l->tag, (size_t)l->sets * l->ways * sizeof *l->tag);
	hd_saved(k, l->used, (size_t)l->sets * l->ways * sizeof *l->used);
	HD_SAVED(k, l->clock);
	if (!front_lines_reserve(l, n)) {
		hd_refuse(k, "out of memory");
		n = 0;
	}
	l->nseen = n;
	if (n)
		hd_saved(k, l->seen, n * sizeof *l->seen);
}

static inline bool front_lines_has(const struct front_lines *l, uint64_t number)
{
	size_t at = (size_t)(number % l->sets) * l->ways;

	for (uint32_t i = 0; i < l->ways; i++)
		if (l->tag[at + i] == number + 1)
			return true;
	return false;
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

/* Is this the first use of the line, in a warm cache?  Then it is there from now on. */
static inline bool front_lines_first(struct front_lines *l, uint64_t number)
{
	size_t from = 0, to = l->nseen;

	while (from < to) {
		size_t half = from + (to - from) / 2;

		if (l->seen[half] < number)
			from = half + 1;
		else
			to = half;
	}
	if (!l->warm || (from < l->nseen && l->seen[from] == number)
	    || !front_lines_reserve(l, l->nseen + 1))
		return false;
	memmove(l->seen + from + 1, l->seen + from, (l->nseen - from) * sizeof *l->seen);
	l->seen[from] = number;
	l->nseen++;
	front_lines_put(l, number);
	return true;
}

/* Parameters of a cache with the member `lines`. */
#define FRONT_LINES_PARAMS(state, set_count, way_count, bytes) \
	{ .name = "sets", .unit = "sets", .doc = "sets of lines", .type = HD_U32, \
	  .offset = offsetof(state, lines.sets), .def = set_count, .min = 1, .max = 65536 }, \
	{ .name = "ways", .unit = "lines", .doc = "lines of a set; the least recently used is " \
	  "replaced", .type = HD_U32, .offset = offsetof(state, lines.ways), .def = way_count, \
	  .min = 1, .max = 1024 }, \
	{ .name = "line", .unit = "bytes", .doc = "length of a line", .type = HD_U32, \
	  .offset = offsetof(state, lines.line), .def = bytes, .min = 8, .max = 4096 }
#define FRONT_WARM_PARAM(state) \
	{ .name = "warm", .unit = "", .doc = "the first use of a line finds it here, as in a run " \
	  "that is not the first of its program, or if code is fetched ahead", .type = HD_BOOL, \
	  .offset = offsetof(state, lines.warm), .def = "false" }

#endif
