/* report_pcs.c - issues and lost slots by instruction of the program; kernels
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each launch of a kernel has its own static instructions; here launches of one name are one.
 */
#include "report.h"
#include "base/xalloc.h"

#define MOST_REASONS 4u
#define MOST_PLACES 16u
#define MOST_PAIRS 8u
#define MOST_CODES 65536u /* numbers that a page lists one by one */

uint32_t report_page_code(const struct report *r, uint32_t code)
{
	return r->d->ncodes <= MOST_CODES ? code : dump_line_of(r->program, code);
}

/* The kinds of slots that it has most of, with their numbers. */
static json_t *reasons(struct hd_int_map *map, uint32_t pc, size_t kinds, unsigned limit)
{
	json_t *a = json_array();

	for (unsigned k = 0; k < limit; k++) {
		uint64_t most = 0, where = 0;

		for (uint64_t i = 0; i < kinds; i++) {
			uint64_t key = (uint64_t)pc << 32 | i;
			uint64_t n = hd__int_map_get(map, key);

			if (n > most) {
				most = n;
				where = i;
			}
		}
		if (!most)
			break;
		json_array_append_new(a, json_pack("[I, I]", (json_int_t)where, (json_int_t)most));
		*hd__int_map_at(map, (uint64_t)pc << 32 | where) = 0;
	}
	return a;
}

/* ---- pairs of instructions ---- */

struct pair {
	uint32_t from, to;
	uint64_t n;
};

static int most_first(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->from != y->from)
		return (x->from > y->from) - (x->from < y->from);
	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->to > y->to) - (x->to < y->to);
}

/* Gives each instruction a member `name`: those with which it makes a pair in `map`, by codes, and how
 * often, the most frequent first. */
static void add_pairs(json_t *pcs, const char *name, const struct hd_int_map *map)
{
	uint64_t key, n;
	struct pair *v = hd__xcalloc(map->n + 1, sizeof *v);
	size_t at = 0, count = 0;

	while (hd__int_map_next(map, &at, &key, &n))
		v[count++] = (struct pair){ (uint32_t)(key >> 32), (uint32_t)key, n };
	qsort(v, count, sizeof *v, most_first);
	for (size_t i = 0; i < count; i++) {
		json_t *pc = json_array_get(pcs, v[i].from), *list = json_object_get(pc, name);

		if (!list) {
			list = json_array();
			json_object_set_new(pc, name, list);
		}
		if (json_array_size(list) < MOST_PAIRS)
			json_array_append_new(list, json_pack("[I, I]", (json_int_t)v[i].to, (json_int_t)v[i].n));
	}
	free(v);
}

static json_t *pcs(struct report *r)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < r->program->n; i++) {
		const struct dump_line *p = &r->program->v[i];
		const struct report_code *sum = &r->codes[i];
		struct dump_code c;
		json_t *pc;

		dump_code(r->d, p->code, &c);
		pc = json_pack("{s:i, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:b, s:o}",
			"kernel", (int)p->name, "pc", (json_int_t)c.pc, "text", report_text(c.text), "class",
			report_text(c.class), "issued", (json_int_t)sum->issued, "lanes", (json_int_t)sum->lanes,
			"waiting", (json_int_t)sum->waiting, "awaited", (json_int_t)sum->awaited, "ended",
			(json_int_t)sum->ended, "cycles", (json_int_t)sum->cycles, "reasons",
			reasons(&r->why, i, r->nkinds, MOST_REASONS), "load",
			c.space && c.dst >= 0, "held", reasons(&r->held, i, r->nkinds, MOST_PLACES));
		if (p->source)
			json_object_set_new(pc, "source", report_text(p->source));
		json_array_append_new(a, pc);
	}
	return a;
}

/* By the numbers of report_page_code(). */
static json_t *pc_of_code(const struct report *r)
{
	bool own = r->d->ncodes <= MOST_CODES;
	json_t *of = json_array();

	for (uint32_t i = 0; i < (own ? r->d->ncodes : r->program->n); i++)
		json_array_append_new(of, json_integer(own ? (int32_t)dump_line_of(r->program, i) : (int32_t)i));
	return of;
}

void report_pcs(struct report *r)
{
	json_t *names = json_array(), *list;

	for (uint32_t i = 0; i < r->program->nkernels; i++)
		json_array_append_new(names, report_text(r->program->kernels[i]));
	json_object_set_new(r->out, "kernels", names);
	list = pcs(r);
	add_pairs(list, "awaits", &r->awaits);
	add_pairs(list, "next", &r->next);
	json_object_set_new(r->out, "pcs", list);
	json_object_set_new(r->out, "pc_of_code", pc_of_code(r));
}
