/* report_pcs.c - issues and lost slots by instruction of the program; kernels
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each launch of a kernel has its own static instructions; here launches of one name are one.
 */
#include "report.h"
#include "kernel/base/xalloc.h"

#define MOST_REASONS 4u
#define MOST_PLACES 16u
#define MOST_PAIRS 8u

struct pc {
	uint32_t code;      /* the first equal one */
	uint32_t kernel;    /* number of the name */
	struct report_code sum;
};

struct reader {
	struct report *r;
	struct report_names kernels, pcs;
	struct pc *v;           /* in the order of `pcs` */
	size_t cap;
	uint32_t *of;           /* by code */
	struct hd_int_map why;  /* pc << 32 | kind of slot, */
	struct hd_int_map held; /* the same: in which others waited for it */
};

static void merge(struct reader *in, uint32_t code)
{
	const struct dump *d = in->r->d;
	const struct dump_code *c = &d->codes[code];
	const struct report_code *from = &in->r->codes[code];
	const char *name = c->kernel < d->nkernels ? d->kernels[c->kernel].name : NULL;
	uint32_t kernel = report_name(&in->kernels, name ? name : "?"), i;
	char *key = hd__format("%u %u %s", kernel, c->pc, c->text);
	size_t before = in->pcs.n;
	struct report_code *to;

	in->of[code] = i = report_name(&in->pcs, key);
	free(key);
	if (in->pcs.n > before) {
		in->v = hd__xgrow(in->v, i, &in->cap, sizeof *in->v);
		in->v[i] = (struct pc){ .code = code, .kernel = kernel };
	}
	to = &in->v[i].sum;
	to->issued += from->issued;
	to->lanes += from->lanes;
	to->waiting += from->waiting;
	to->awaited += from->awaited;
	to->cycles += from->cycles;
}

static void merge_reasons(const struct reader *in, const struct hd_int_map *from,
                          struct hd_int_map *to)
{
	uint64_t key, slots;
	size_t at = 0;

	while (hd__int_map_next(from, &at, &key, &slots))
		*hd__int_map_at(to, (uint64_t)in->of[key >> 32] << 32 | (key & UINT32_MAX)) += slots;
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
static void add_pairs(const struct reader *in, json_t *pcs, const char *name, const struct hd_int_map *map)
{
	struct hd_int_map merged = { .n = 0 };
	uint64_t key, n;
	struct pair *v;
	size_t at = 0, count = 0;

	while (hd__int_map_next(map, &at, &key, &n))
		*hd__int_map_at(&merged, (uint64_t)in->of[key >> 32] << 32 | in->of[key & UINT32_MAX]) += n;
	v = hd__xcalloc(merged.n + 1, sizeof *v);
	for (at = 0; hd__int_map_next(&merged, &at, &key, &n);)
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
	hd__int_map_free(&merged);
}

static json_t *pcs(struct reader *in)
{
	size_t kinds = json_array_size(json_object_get(in->r->out, "slots"));
	json_t *a = json_array();

	for (uint32_t i = 0; i < in->pcs.n; i++) {
		const struct pc *p = &in->v[i];
		const struct dump_code *c = &in->r->d->codes[p->code];

		json_array_append_new(a, json_pack("{s:i, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:b, s:o}",
			"kernel", (int)p->kernel, "pc", (json_int_t)c->pc, "text", report_text(c->text),
			"class", report_text(c->class), "issued", (json_int_t)p->sum.issued, "lanes",
			(json_int_t)p->sum.lanes, "waiting", (json_int_t)p->sum.waiting, "awaited",
			(json_int_t)p->sum.awaited, "cycles", (json_int_t)p->sum.cycles, "reasons",
			reasons(&in->why, i, kinds, MOST_REASONS), "load", c->space && c->dst >= 0, "held",
			reasons(&in->held, i, kinds, MOST_PLACES)));
	}
	return a;
}

void report_pcs(struct report *r)
{
	struct reader in = { .r = r };
	json_t *names = json_array(), *of = json_array(), *list;

	in.of = hd__xcalloc(r->d->ncodes, sizeof *in.of);
	memset(in.of, 0xff, r->d->ncodes * sizeof *in.of);
	for (uint32_t i = 0; i < r->d->ncodes; i++)
		if (r->d->codes[i].text)
			merge(&in, i);
	merge_reasons(&in, &r->why, &in.why);
	merge_reasons(&in, &r->held, &in.held);
	for (size_t i = 0; i < in.kernels.n; i++)
		json_array_append_new(names, report_text(in.kernels.v[i]));
	for (uint32_t i = 0; i < r->d->ncodes; i++)
		json_array_append_new(of, json_integer((int32_t)in.of[i]));
	json_object_set_new(r->out, "kernels", names);
	list = pcs(&in);
	add_pairs(&in, list, "awaits", &r->awaits);
	add_pairs(&in, list, "next", &r->next);
	json_object_set_new(r->out, "pcs", list);
	json_object_set_new(r->out, "pc_of_code", of);
	report_names_free(&in.kernels);
	report_names_free(&in.pcs);
	hd__int_map_free(&in.why);
	hd__int_map_free(&in.held);
	free(in.v);
	free(in.of);
}
