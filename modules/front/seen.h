/* seen.h - private to the front end: lines that were used before
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_FRONT_SEEN_H
#define MODULES_FRONT_SEEN_H

#include <heddle/module.h>

#include <stdlib.h>

#define FRONT_SEEN_MOST (UINT64_C(1) << 24) /* lines */

struct front_seen {
	uint64_t *line; /* in order */
	size_t n, cap;
};

static inline bool front_seen_reserve(struct front_seen *s, size_t n)
{
	size_t cap = 2 * s->cap > n ? 2 * s->cap : n < 64 ? 64 : n;
	uint64_t *v;

	if (n <= s->cap)
		return true;
	v = n <= FRONT_SEEN_MOST ? realloc(s->line, cap * sizeof *v) : NULL;
	if (!v)
		return false;
	s->line = v;
	s->cap = cap;
	return true;
}

/* Adds the line.  Returns false if it was there, or there is no room for it. */
static inline bool front_seen_add(struct front_seen *s, uint64_t line)
{
	size_t from = 0, to = s->n;

	while (from < to) {
		size_t half = from + (to - from) / 2;

		if (s->line[half] < line)
			from = half + 1;
		else
			to = half;
	}
	if ((from < s->n && s->line[from] == line) || !front_seen_reserve(s, s->n + 1))
		return false;
	memmove(s->line + from + 1, s->line + from, (s->n - from) * sizeof *s->line);
	s->line[from] = line;
	s->n++;
	return true;
}

static inline void front_seen_free(struct front_seen *s)
{
	free(s->line);
}

static inline void front_seen_saved(struct hd_checkpoint *k, struct front_seen *s)
{
	uint64_t n = hd_saved_number(k, s->n, FRONT_SEEN_MOST);

	if (!front_seen_reserve(s, n)) {
		hd_refuse(k, "out of memory");
		n = 0;
	}
	s->n = n;
	if (n)
		hd_saved(k, s->line, n * sizeof *s->line);
}

#endif
