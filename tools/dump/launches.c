/* launches.c - when kernels ran, from the events of the instances that launch them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "launches.h"
#include "base/xalloc.h"

bool dump_is_event(const struct dump_table *t, const char *name)
{
	const char *dot = strrchr(t->name, '.');

	return t->kind == HD_TABLE_EVENTS && dot && strcmp(dot + 1, name) == 0;
}

/* The event comes in the last of its cycles. */
static void add_rows(struct dump_launches *l, const struct dump_rows *rows)
{
	int kernel = dump_find_field(rows->table, "kernel");
	int cycles = dump_find_field(rows->table, "cycles");

	for (uint32_t i = 0; kernel >= 0 && cycles >= 0 && i < rows->n; i++) {
		int64_t k = rows->field[kernel][i], n = rows->field[cycles][i];
		uint64_t end = (uint64_t)rows->cycle[i] + 1;

		if (k < 0 || k >= rows->dump->nkernels || n < 0)
			continue;
		l->v = hd__xgrow(l->v, l->n, &l->cap, sizeof *l->v);
		l->v[l->n++] = (struct dump_launch){ (uint32_t)k, (uint32_t)rows->who[i],
			(uint64_t)n < end ? end - (uint64_t)n : 0, end };
	}
}

struct dump_launches dump_launches(struct dump *d)
{
	struct dump_launches l = { .n = 0 };

	for (size_t i = 0; i < d->nblocks; i++) {
		struct dump_rows rows;

		if (!dump_is_event(&d->tables[d->blocks[i].head.table], "kernel") || !dump_rows(d, i, &rows))
			continue;
		add_rows(&l, &rows);
		dump_rows_free(&rows);
	}
	return l;
}
