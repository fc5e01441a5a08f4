/* depend.c - keeps who was the last in a warp to write a register
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "depend.h"
#include "kernel/base/xalloc.h"

#define REGISTERS 512u

struct producer {
	uint64_t number; /* + 1; 0: nobody */
	uint64_t end;
	uint32_t kernel;
};

struct dump_depend {
	const struct dump_stage_view *picture;
	bool partial;
	int uid, warp, code;    /* fields */
	struct producer **v;    /* by core and warp */
};

struct dump_depend *dump_depend_new(const struct dump_stage_view *s, bool partial)
{
	struct dump_depend *w = hd__xcalloc(1, sizeof *w);
	int table = dump_find_table(s->dump, "inst");

	w->picture = s;
	w->partial = partial;
	w->uid = w->warp = w->code = -1;
	if (table >= 0) {
		const struct dump_table *t = &s->dump->tables[table];

		w->uid = dump_find_field(t, "uid");
		w->warp = dump_find_field(t, "warp");
		w->code = dump_find_field(t, "code");
	}
	w->v = hd__xcalloc((size_t)s->ncores * DUMP_WARPS, sizeof *w->v);
	return w;
}

void dump_depend_free(struct dump_depend *w)
{
	for (size_t i = 0; i < (size_t)w->picture->ncores * DUMP_WARPS; i++)
		free(w->v[i]);
	free(w->v);
	free(w);
}

static void find(const struct dump_depend *w, const struct producer *all, uint32_t kernel,
                 struct dump_changes *c)
{
	for (size_t i = 1; i < c->n; i++) {
		struct dump_change *wait = &c->v[i];
		const struct producer *p;

		if (wait->lane != DUMP_LANE_WAIT || wait->opens
		    || !w->picture->v[wait->place].of_register || wait->arg < 0
		    || wait->arg >= REGISTERS)
			continue;
		p = &all[wait->arg];
		/* it began with the change before */
		if (p->number && p->kernel == kernel && (!w->partial || p->end >= c->v[i - 1].cycle))
			wait->other = p->number;
	}
}

static const struct dump_code *code_of(const struct dump *d, int64_t v)
{
	return v >= 0 && v < d->ncodes && d->codes[v].text ? &d->codes[v] : NULL;
}

void dump_depend(struct dump_depend *w, const struct dump_item *i, uint64_t number,
                 struct dump_changes *c)
{
	const struct dump_code *code;
	struct producer **all;
	int64_t warp;

	if (w->uid < 0 || w->warp < 0 || w->code < 0)
		return;
	warp = i->rows->field[w->warp][i->row];
	code = code_of(w->picture->dump, i->rows->field[w->code][i->row]);
	if (!code || warp < 0 || warp >= DUMP_WARPS)
		return;
	all = &w->v[dump_core_of(w->picture, i->transaction) * DUMP_WARPS + (uint64_t)warp];
	if (!*all)
		*all = hd__xcalloc(REGISTERS, sizeof **all);
	find(w, *all, code->kernel, c);
	/* what was never issued writes nothing */
	if (code->dst >= 0 && code->dst < (int32_t)REGISTERS && i->rows->field[w->uid][i->row] > 0)
		(*all)[code->dst] = (struct producer){ number + 1, i->transaction->end, code->kernel };
}

bool dump_has_result(const struct dump *d, const struct dump_item *i)
{
	int field = dump_find_field(i->rows->table, "code");
	const struct dump_code *code = field < 0 ? NULL : code_of(d, i->rows->field[field][i->row]);

	return code && code->dst >= 0;
}

bool dump_query_partial(const struct dump_query *q)
{
	return q->filter.cycles.n || q->filter.nfields || q->filter.ninstances;
}
