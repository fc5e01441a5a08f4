/* report_events.c - times of kernels and CTAs from events
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Any module may report them: events "kernel" with the fields kernel and cycles, "cta" and
 * "cta_end" with the field slot.  Without them both are derived from the instructions.
 */
#include "report.h"
#include "kernel/base/xalloc.h"

/* CTAs that are resident, by instance << 32 | slot: the cycle of their placement, + 1. */
struct residents {
	struct report *r;
	struct hd_int_map now, next; /* next: placed in a slot that is freed in the same cycle */
};

/* The event's name without that of the module. */
static bool is_event(const struct dump_table *t, const char *name)
{
	const char *dot = strrchr(t->name, '.');

	return t->kind == HD_TABLE_EVENTS && dot && strcmp(dot + 1, name) == 0;
}

/* The event comes in the last of its cycles. */
static void kernel_rows(struct report *r, const struct dump_rows *rows)
{
	int kernel = dump_find_field(rows->table, "kernel");
	int cycles = dump_find_field(rows->table, "cycles");

	for (uint32_t i = 0; kernel >= 0 && cycles >= 0 && i < rows->n; i++) {
		int64_t k = rows->field[kernel][i], n = rows->field[cycles][i];
		uint64_t end = (uint64_t)rows->cycle[i] + 1;

		if (k < 0 || k >= r->d->nkernels || n < 0)
			continue;
		r->launches = hd__xgrow(r->launches, r->nlaunches, &r->launches_cap, sizeof *r->launches);
		r->launches[r->nlaunches++] = (struct report_launch){ (uint32_t)k, (uint32_t)rows->who[i],
			(uint64_t)n < end ? end - (uint64_t)n : 0, end };
	}
}

static uint64_t slot_of(const struct dump_item *i)
{
	int slot = dump_find_field(i->rows->table, "slot");

	return (uint64_t)i->rows->who[i->row] << 32
	       | ((uint64_t)i->rows->field[slot][i->row] & UINT32_MAX);
}

static void resided(struct report *r, uint64_t begin, uint64_t end)
{
	if (begin && end > begin - 1)
		report_spread(&r->ctas, &r->bins, begin - 1, end, 1000);
}

/* A CTA is placed, or ends. */
static bool take_cta(void *arg, const struct dump_item *i)
{
	struct residents *in = arg;
	uint64_t slot = slot_of(i), *now = hd__int_map_at(&in->now, slot);
	uint64_t *next = hd__int_map_at(&in->next, slot);

	if (is_event(i->rows->table, "cta_end")) {
		resided(in->r, *now, i->begin);
		*now = *next;
		*next = 0;
		return true;
	}
	if (*next) { /* the end of an earlier one is missing */
		resided(in->r, *now, in->r->cycles);
		*now = *next;
	}
	*(*now ? next : now) = i->begin + 1;
	return true;
}

static void read_ctas(struct report *r)
{
	struct residents in = { .r = r };
	struct dump_query q = { .head = 0 };
	uint64_t slot, begin;
	bool any = false;

	for (uint32_t i = 0; i < r->d->ntables; i++) {
		const struct dump_table *t = &r->d->tables[i];

		if ((!is_event(t, "cta") && !is_event(t, "cta_end")) || dump_find_field(t, "slot") < 0)
			continue;
		dump_query_event(&q, r->d, (int)i);
		any = true;
	}
	if (any && dump_query_bind(&q, r->d))
		dump_in_order(r->d, &q, take_cta, &in);
	dump_query_free(&q, r->d);
	for (size_t at = 0; hd__int_map_next(&in.now, &at, &slot, &begin);)
		resided(r, begin, r->cycles);
	for (size_t at = 0; hd__int_map_next(&in.next, &at, &slot, &begin);)
		resided(r, begin, r->cycles);
	hd__int_map_free(&in.now);
	hd__int_map_free(&in.next);
}

void report_events(struct report *r)
{
	for (size_t i = 0; i < r->d->nblocks; i++) {
		struct dump_rows rows;

		if (!is_event(&r->d->tables[r->d->blocks[i].head.table], "kernel")
		    || !dump_rows(r->d, i, &rows))
			continue;
		kernel_rows(r, &rows);
		dump_rows_free(&rows);
	}
	read_ctas(r);
}
