/* producers.c - tracks which instruction releases which register or dependence counter, by warp
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "producers.h"
#include "base/xalloc.h"
#include "dump_warps.h"

#define REGS (DUMP_COUNTER + 64) /* more than a warp has, and the counters behind them */

/* An instruction that has begun and may not be issued yet. */
struct waiting {
	uint64_t issue;
	int64_t reg[3]; /* what it releases; -1: nothing */
	struct dump_producer by;
};

struct warp {
	struct dump_producer *last; /* by register: the last that was issued */
	size_t nregs;
	struct waiting *v;          /* from `first` on, in the order of the program */
	size_t n, first, cap;
};

struct dump_producers {
	const struct dump_known *k;
	struct dump_warps warps; /* of struct warp */
	uint64_t added;
};

struct dump_producers *dump_producers_new(const struct dump_known *k)
{
	struct dump_producers *p = hd__xcalloc(1, sizeof *p);

	p->k = k;
	dump_warps_init(&p->warps, k->cores->n, sizeof(struct warp));
	return p;
}

static void free_warp(void *arg, uint32_t core, uint32_t number, void *element)
{
	struct warp *w = element;

	(void)arg, (void)core, (void)number;
	free(w->last);
	free(w->v);
}

void dump_producers_free(struct dump_producers *p)
{
	if (!p)
		return;
	dump_warps_each(&p->warps, free_warp, NULL);
	dump_warps_free(&p->warps);
	free(p);
}

/* Room for one more at the end. */
static struct waiting *push(struct warp *w)
{
	if (w->first > w->n / 2) {
		memmove(w->v, w->v + w->first, (w->n - w->first) * sizeof *w->v);
		w->n -= w->first;
		w->first = 0;
	}
	w->v = hd__xgrow(w->v, w->n, &w->cap, sizeof *w->v);
	return &w->v[w->n++];
}

/* Instructions issued up to `now` become the writers of their registers. */
static void issue(struct warp *w, uint64_t now)
{
	for (; w->first < w->n && w->v[w->first].issue <= now; w->first++) {
		const struct waiting *x = &w->v[w->first];

		for (int i = 0; i < 3; i++) {
			if (x->reg[i] < 0 || x->reg[i] >= REGS)
				continue;
			w->last = hd__xgrow_zero(w->last, &w->nregs, (size_t)x->reg[i], sizeof *w->last);
			w->last[x->reg[i]] = x->by;
		}
	}
}

void dump_producers_skip(struct dump_producers *p)
{
	p->added++;
}

uint64_t dump_producers_add(struct dump_producers *p, const struct dump_item *inst)
{
	const struct dump_known *k = p->k;
	const struct dump_transaction *t = inst->transaction;
	int64_t uid = inst->rows->field[k->uid][inst->row];
	int64_t warp = inst->rows->field[k->warp][inst->row];
	int64_t number = inst->rows->field[k->code][inst->row];
	uint32_t step = dump_issue_step(k, t);
	struct dump_code code;
	struct warp *w;

	p->added++;
	/* an instruction that was never issued writes nothing */
	if (uid <= 0 || !dump_code(k->d, number, &code)
	    || !(w = dump_warp_make(&p->warps, dump_core_of_item(k, inst), warp)))
		return p->added;
	issue(w, inst->begin);
	*push(w) = (struct waiting){ step < t->n ? t->steps[step].cycle : t->begin,
		{ code.dst, code.write < 0 ? -1 : DUMP_COUNTER + code.write,
		  code.read < 0 ? -1 : DUMP_COUNTER + code.read },
		{ p->added, (uint64_t)uid, t->end, (uint32_t)number } };
	return p->added;
}

static const struct dump_producer unknown;

/* Rows may be missing.  An instruction that has ended is not the one whose register is waited for; but a counter falls
 * some cycles behind the end. */
static struct dump_producer under_way(struct dump_producer by, int64_t reg, uint64_t since)
{
	return reg >= DUMP_COUNTER || by.end > since ? by : unknown;
}

struct dump_producer dump_producer_of_wait(const struct dump_producers *p,
                                           const struct dump_item *inst, int64_t reg,
                                           uint64_t since)
{
	const struct dump_known *k = p->k;
	const struct warp *w = dump_warp_find(&p->warps, dump_core_of_item(k, inst),
	                                      inst->rows->field[k->warp][inst->row]);

	if (!w || reg < 0)
		return unknown;
	for (size_t i = w->n; i > w->first; i--)
		for (int j = 0; j < 3; j++)
			if (w->v[i - 1].reg[j] == reg)
				return under_way(w->v[i - 1].by, reg, since);
	return (uint64_t)reg < w->nregs ? under_way(w->last[reg], reg, since) : unknown;
}

struct dump_producer dump_producer_of_slot(struct dump_producers *p, const struct dump_item *slot)
{
	const struct dump_known *k = p->k;
	int64_t reg = dump_value(slot->rows, k->reg, slot->row, -1);
	struct warp *w = dump_warp_find(&p->warps, dump_core_of_item(k, slot),
	                                dump_value(slot->rows, k->slot_warp, slot->row, -1));

	if (!w || reg < 0)
		return unknown;
	issue(w, slot->begin);
	return (uint64_t)reg < w->nregs ? under_way(w->last[reg], reg, slot->begin) : unknown;
}

uint64_t dump_add_arrows(struct dump_producers *p, const struct dump_stage_view *s,
                         const struct dump_item *inst, struct dump_changes *c)
{
	for (size_t i = 1; i < c->n; i++) {
		struct dump_change *wait = &c->v[i];

		/* it began with the previous change */
		if (wait->lane == DUMP_LANE_WAIT && !wait->opens && s->v[wait->place].of_register)
			wait->other = dump_producer_of_wait(p, inst, wait->arg, c->v[i - 1].cycle).number;
	}
	return dump_producers_add(p, inst);
}

bool dump_has_result(const struct dump_known *k, const struct dump_item *inst)
{
	struct dump_code code;

	return dump_code(k->d, inst->rows->field[k->code][inst->row], &code)
	       && (code.dst >= 0 || code.write >= 0 || code.read >= 0);
}
