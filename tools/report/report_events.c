/* report_events.c - times of kernels and CTAs from events
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Any module may report them: events "kernel" with the fields kernel and cycles, "cta" and
 * "cta_end" with the field slot.  Without them both are derived from the instructions.
 */
#include "report.h"
#include "kernel/base/xalloc.h"

struct mark {
	uint64_t cycle;
	int64_t who, slot;
	bool end;
};

struct marks {
	struct mark *v;
	size_t n, cap;
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

static void cta_rows(struct marks *m, const struct dump_rows *rows, bool end)
{
	int slot = dump_find_field(rows->table, "slot");

	for (uint32_t i = 0; slot >= 0 && i < rows->n; i++) {
		m->v = hd__xgrow(m->v, m->n, &m->cap, sizeof *m->v);
		m->v[m->n++] = (struct mark){ (uint64_t)rows->cycle[i], rows->who[i],
			rows->field[slot][i], end };
	}
}

/* By slot, in the order of time; a slot that is freed may be taken in the same cycle. */
static int by_slot(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->who != y->who)
		return x->who < y->who ? -1 : 1;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return y->end - x->end;
}

static void count_ctas(struct report *r, const struct marks *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct mark *k = &m->v[i], *next = i + 1 < m->n ? k + 1 : NULL;
		bool ends = next && next->end && next->who == k->who && next->slot == k->slot;
		uint64_t end = ends ? next->cycle : r->cycles;

		if (!k->end && end > k->cycle)
			report_spread(&r->ctas, &r->bins, k->cycle, end, 1000);
	}
}

void report_events(struct report *r)
{
	struct marks m = { .n = 0 };

	for (size_t i = 0; i < r->d->nblocks; i++) {
		const struct dump_table *t = &r->d->tables[r->d->blocks[i].head.table];
		bool kernel = is_event(t, "kernel"), cta = is_event(t, "cta");
		bool cta_end = is_event(t, "cta_end");
		struct dump_rows rows;

		if ((!kernel && !cta && !cta_end) || !dump_rows(r->d, i, &rows))
			continue;
		if (kernel)
			kernel_rows(r, &rows);
		else
			cta_rows(&m, &rows, cta_end);
		dump_rows_free(&rows);
	}
	if (m.n) {
		qsort(m.v, m.n, sizeof *m.v, by_slot);
		count_ctas(r, &m);
	}
	free(m.v);
}
