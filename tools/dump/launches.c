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

/* The kernel that had not ended; 0: there is none, or there are several. */
static uint32_t unfinished(const struct dump *d, const struct dump_launches *l)
{
	bool *ended = hd__xcalloc(d->nkernels + 1, sizeof *ended);
	uint32_t found = 0, n = 0;

	for (size_t i = 0; i < l->n; i++)
		ended[l->v[i].kernel] = true;
	for (uint32_t k = 1; k < d->nkernels; k++) {
		if (d->kernels[k].name && !ended[k]) {
			found = k;
			n++;
		}
	}
	free(ended);
	return n == 1 ? found : 0;
}

static void add_cycles(struct hd_range_list *l, size_t *cap, uint64_t begin, uint64_t end)
{
	if (begin >= end)
		return;
	if (l->n > 0 && l->v[l->n - 1].last + 1 >= begin) {
		l->v[l->n - 1].last = end - 1;
		return;
	}
	l->v = hd__xgrow(l->v, l->n, cap, sizeof *l->v);
	l->v[l->n++] = (struct hd_range){ begin, end - 1 };
}

bool dump_kernel_cycles(struct dump *d, const struct hd_range_list *kernels, struct hd_range_list *l)
{
	struct dump_launches all = dump_launches(d);
	uint64_t last = 0;
	uint32_t open;
	size_t cap = 0;
	bool ok = all.n > 0;

	*l = (struct hd_range_list){ .n = 0 };
	for (size_t i = 0; i < all.n; i++) {
		const struct dump_launch *x = &all.v[i];

		ok = ok && x->who == all.v[0].who && x->begin >= last;
		last = x->end;
		if (hd__in_ranges(kernels, x->kernel))
			add_cycles(l, &cap, x->begin, x->end);
	}
	open = unfinished(d, &all);
	if (open && hd__in_ranges(kernels, open))
		add_cycles(l, &cap, last, UINT64_MAX);
	free(all.v);
	return ok;
}
