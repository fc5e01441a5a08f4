/* report_events.c - times of kernels and CTAs from events
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Any module may report them: events "kernel" with the fields kernel and cycles, "cta" and
 * "cta_end" with the field slot.  Without them both are derived from the instructions.
 */
#include "report.h"
#include "base/xalloc.h"

/* CTAs that are resident, by instance << 32 | slot: the cycle of their placement, + 1. */
struct residents {
	struct report *r;
	struct hd_int_map now, next; /* next: placed in a slot that is freed in the same cycle */
};

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

	if (dump_is_event(i->rows->table, "cta_end")) {
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

		if ((!dump_is_event(t, "cta") && !dump_is_event(t, "cta_end")) || dump_find_field(t, "slot") < 0)
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
	r->launches = dump_launches(r->d);
	read_ctas(r);
}
