/* report_transactions.c - the instructions that were issued: when, what each waited for, and where
 * instructions were
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "report.h"
#include "base/xalloc.h"

#define MOST_UNITS 400u /* of all runs together */

/* The latest instruction of a warp. */
struct latest {
	bool any;
	uint32_t kernel, pc, line;
	uint64_t mask;
};

struct report_instructions {
	struct report *r;
	struct report_series *in; /* by array */
	struct report_series *at; /* by place; without values if too many were used for the page */
	uint32_t used;            /* places */
	struct dump_warps latest; /* of struct latest */
};

struct report_instructions *report_instructions_open(struct report *r)
{
	struct report_instructions *in = hd__xcalloc(1, sizeof *in);

	in->r = r;
	in->in = hd__xcalloc(r->narrays, sizeof *in->in);
	in->at = hd__xcalloc(r->d->nplaces, sizeof *in->at);
	dump_warps_init(&in->latest, r->known.cores->n, sizeof(struct latest));
	return in;
}

static void count_kernel(struct report *r, uint32_t kernel, const struct dump_transaction *t)
{
	if (kernel >= r->d->nkernels)
		return;
	if (t->begin < r->begin[kernel])
		r->begin[kernel] = t->begin;
	if (t->end > r->end[kernel])
		r->end[kernel] = t->end;
}

/* Where the warp came from.  Back at an earlier place of the program are either the lanes that went
 * there, or others, which have waited; a branch that no lane takes has none. */
static void count_step(struct report_instructions *in, const struct dump_item *item, uint32_t code,
                       uint64_t mask)
{
	struct report *r = in->r;
	const struct dump_known *k = &r->known;
	struct latest *last = dump_warp_make(&in->latest, dump_core_of_item(k, item),
	                                     item->rows->field[k->warp][item->row]);
	struct dump_code to;
	uint32_t line = dump_line_of(r->program, code);

	if (!last)
		return;
	dump_code(r->d, code, &to);
	mask = mask ? mask : last->mask;
	if (last->any && last->kernel == to.kernel && (to.pc > last->pc || (last->mask & mask))
	    && last->line != REPORT_NEVER && line != REPORT_NEVER)
		++*hd__int_map_at(&r->next, (uint64_t)last->line << 32 | line);
	*last = (struct latest){ true, to.kernel, to.pc, line, mask };
}

static uint32_t most_units(const struct report_instructions *in)
{
	return MOST_UNITS / in->r->opt->runs;
}

/* A whole GPU has thousands of places: once the page cannot have them, they are not counted. */
static void count_place(struct report_instructions *in, const struct dump_step *s)
{
	struct report_series *at = &in->at[s->place];

	if (in->used > most_units(in))
		return;
	in->used += s->cycles > 0 && !at->total;
	report_spread(at, &in->r->bins, s->cycle, s->cycle + s->cycles, 1);
	for (uint32_t i = 0; in->used > most_units(in) && i < in->r->d->nplaces; i++) {
		free(in->at[i].v);
		in->at[i].v = NULL;
	}
}

static void count_code(struct report *r, const struct dump_item *item, int64_t code, uint64_t mask)
{
	const struct dump_transaction *t = item->transaction;
	uint32_t line = dump_line_of(r->program, code), step = dump_issue_step(&r->known, t);

	if (line == REPORT_NEVER)
		return;
	r->codes[line].issued++;
	if (!t->unfinished && step < t->n) {
		r->codes[line].ended++;
		r->codes[line].cycles += t->end - t->steps[step].cycle;
	}
	r->codes[line].lanes += (uint64_t)__builtin_popcountll(mask);
}

void report_instruction(struct report_instructions *in, const struct dump_item *item,
                        struct dump_producers *p)
{
	struct report *r = in->r;
	const struct dump_known *k = &r->known;
	const struct dump_transaction *t = item->transaction;
	int64_t code = item->rows->field[k->code][item->row];
	uint64_t mask = (uint64_t)dump_value(item->rows, k->mask, item->row, 1);
	struct dump_code c;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct dump_step *s = &t->steps[i];

		report_spread(&in->in[r->array_of_place[s->place]], &r->bins, s->cycle, s->cycle + s->cycles, 1);
		count_place(in, s);
	}
	if (report_issued(r, item)) {
		r->nissued++;
		r->empty += mask == 0;
		count_code(r, item, code, mask);
		report_timeline_add(r->timeline, item, p);
		report_paths_add(r->paths, item);
		report_stages_add(r->stages, item);
		count_step(in, item, (uint32_t)code, mask);
		dump_code(r->d, code, &c);
		count_kernel(r, c.kernel, t);
	}
	dump_producers_add(p, item);
}

static json_t *series(const struct report_instructions *in, const char *name, const struct dump_place *p,
                      const struct report_series *s)
{
	return json_pack("{s:s, s:b, s:o, s:I, s:o}", "name", name, "waits", p->kind == DUMP_CHANNEL, "doc",
		report_text(p->kind == DUMP_CHANNEL ? "waits there to be taken" : p->doc), "total",
		(json_int_t)s->total, "v", report_array(s->v, in->r->bins.n));
}

static json_t *places(const struct report_instructions *in)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < in->r->narrays; i++) {
		uint32_t one = 0;

		while (in->r->array_of_place[one] != i)
			one++;
		if (in->in[i].total)
			json_array_append_new(a, series(in, in->r->arrays.v[i], &in->r->d->places[one], &in->in[i]));
	}
	return a;
}

/* The series of each place; NULL if those that were used are too many for a page. */
static json_t *units(const struct report_instructions *in)
{
	const struct dump *d = in->r->d;
	json_t *a;

	if (in->used > most_units(in))
		return NULL;
	a = json_array();
	for (uint32_t i = 0; i < d->nplaces; i++)
		if (in->at[i].total)
			json_array_append_new(a, series(in, d->places[i].name, &d->places[i], &in->at[i]));
	return a;
}

void report_instructions_close(struct report_instructions *in)
{
	json_t *each;

	if (!in)
		return;
	each = units(in);
	json_object_set_new(in->r->out, "places", places(in));
	if (each)
		json_object_set_new(in->r->out, "units", each);
	for (uint32_t i = 0; i < in->r->narrays; i++)
		free(in->in[i].v);
	for (uint32_t i = 0; i < in->r->d->nplaces; i++)
		free(in->at[i].v);
	dump_warps_free(&in->latest);
	free(in->in);
	free(in->at);
	free(in);
}
