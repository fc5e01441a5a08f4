/* producers.c - follows who writes which register, warp by warp
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "producers.h"
#include "kernel/base/xalloc.h"

#define WARPS 4096 /* more than any SM has; a damaged file must not fill memory */
#define REGS 1024

/* ---- what is known ---- */

static bool find_all(const struct dump_table *t, const char *const *names, int *const *to)
{
	for (; *names; names++, to++) {
		**to = dump_find_field(t, *names);
		if (**to < 0)
			return false;
	}
	return true;
}

void dump_know(struct dump_known *k, const struct dump *d)
{
	static const char *const inst[] = { "uid", "warp", "code", "mask", NULL };
	static const char *const slot[] = { "n", "reason", "unit", "cause", "reg", "warp", "code", NULL };
	int *const of_inst[] = { &k->uid, &k->warp, &k->code, &k->mask };
	int *const of_slot[] = { &k->n, &k->reason, &k->unit, &k->cause, &k->reg, &k->slot_warp,
		&k->slot_code };

	k->inst = dump_find_table(d, "inst");
	k->slot = dump_find_table(d, "issue.slot");
	if (k->inst >= 0 && (d->tables[k->inst].kind != HD_TABLE_TRANSACTIONS
	                     || !find_all(&d->tables[k->inst], inst, of_inst)))
		k->inst = -1;
	if (k->slot >= 0 && (d->tables[k->slot].kind != HD_TABLE_EVENTS
	                     || !find_all(&d->tables[k->slot], slot, of_slot)))
		k->slot = -1;
}

/* ---- stages ---- */

const char *const dump_stage_names[DUMP_STAGES] = {
	[DUMP_BEGIN] = "begin", [DUMP_ISSUE] = "issue", [DUMP_COLLECT] = "collect",
	[DUMP_DISPATCH] = "dispatch", [DUMP_EXECUTE] = "execute", [DUMP_WRITEBACK] = "writeback",
	[DUMP_END] = "end",
};

/* The channels on its way tell: it is issued when it is put into the first, dispatched when it is
 * put into the second, ready when it is put into the third; and taken from them in between. */
void dump_stages(const struct dump *d, const struct dump_transaction *transaction, uint64_t at[DUMP_STAGES])
{
	unsigned channels = 0;

	for (int i = 0; i < DUMP_STAGES; i++)
		at[i] = DUMP_NEVER;
	at[DUMP_BEGIN] = transaction->begin;
	for (uint32_t i = 0; i < transaction->n; i++) {
		const struct dump_step *s = &transaction->steps[i];

		if (d->places[s->place].kind == DUMP_CHANNEL) {
			if (channels < 3)
				at[DUMP_ISSUE + 2 * channels] = s->cycle;
			/* taken and put on in the same cycle */
			if (channels > 0 && channels < 3 && at[2 * channels] == DUMP_NEVER)
				at[2 * channels] = s->cycle;
			channels++;
		} else if ((channels == 1 || channels == 2) && at[2 * channels] == DUMP_NEVER) {
			at[2 * channels] = s->cycle;
		}
	}
	if (!transaction->unfinished)
		at[DUMP_END] = transaction->end;
}

/* ---- producers ---- */

/* An instruction that is known but may not be issued yet. */
struct waiting {
	uint64_t issue;
	int64_t reg;
	struct dump_producer by;
};

struct warp {
	struct dump_producer writes[REGS]; /* by register: of all that were added */
	struct dump_producer issued[REGS]; /* of those that were issued */
	struct waiting *v;                 /* in order */
	size_t n, first, cap;
};

struct dump_producers {
	const struct dump *d;
	struct dump_known known;
	struct warp *warps[WARPS];
};

struct dump_producers *dump_producers_new(const struct dump *d, const struct dump_known *k)
{
	struct dump_producers *p = hd__xcalloc(1, sizeof *p);

	p->d = d;
	p->known = *k;
	return p;
}

void dump_producers_free(struct dump_producers *p)
{
	for (int i = 0; p && i < WARPS; i++)
		if (p->warps[i]) {
			free(p->warps[i]->v);
			free(p->warps[i]);
		}
	free(p);
}

/* Room for one more at the end. */
static struct waiting *push(struct warp *w)
{
	if (w->n == w->cap && w->first > w->n / 2) {
		memmove(w->v, w->v + w->first, (w->n - w->first) * sizeof *w->v);
		w->n -= w->first;
		w->first = 0;
	}
	w->v = hd__xgrow(w->v, w->n, &w->cap, sizeof *w->v);
	return &w->v[w->n++];
}

static uint64_t issue_of(const struct dump *d, const struct dump_transaction *transaction)
{
	for (uint32_t i = 0; i < transaction->n; i++)
		if (d->places[transaction->steps[i].place].kind == DUMP_CHANNEL)
			return transaction->steps[i].cycle;
	return DUMP_NEVER;
}

void dump_producers_add(struct dump_producers *p, const struct dump_item *item)
{
	int64_t warp = item->rows->field[p->known.warp][item->row];
	int64_t code = item->rows->field[p->known.code][item->row];
	struct waiting *x;
	int64_t reg = -1;

	if (warp < 0 || warp >= WARPS)
		return;
	if (!p->warps[warp])
		p->warps[warp] = hd__xcalloc(1, sizeof *p->warps[warp]);
	if (code >= 0 && code < p->d->ncodes)
		reg = p->d->codes[code].dst;
	x = push(p->warps[warp]);
	*x = (struct waiting){ issue_of(p->d, item->transaction), reg, {
		(uint64_t)item->rows->field[p->known.uid][item->row], (uint32_t)code } };
	if (reg >= 0 && reg < REGS)
		p->warps[warp]->writes[reg] = x->by;
}

static struct warp *warp_of(const struct dump_producers *p, int64_t warp, int64_t reg)
{
	return warp >= 0 && warp < WARPS && reg >= 0 && reg < REGS ? p->warps[warp] : NULL;
}

struct dump_producer dump_produces(const struct dump_producers *p, int64_t warp, int64_t reg)
{
	const struct warp *w = warp_of(p, warp, reg);

	return w ? w->writes[reg] : (struct dump_producer){ 0, 0 };
}

struct dump_producer dump_produces_at(struct dump_producers *p, int64_t warp, int64_t reg,
                                      uint64_t now)
{
	struct warp *w = warp_of(p, warp, reg);

	if (!w)
		return (struct dump_producer){ 0, 0 };
	for (; w->first < w->n && w->v[w->first].issue <= now; w->first++) {
		const struct waiting *x = &w->v[w->first];

		if (x->reg >= 0 && x->reg < REGS)
			w->issued[x->reg] = x->by;
	}
	return w->issued[reg];
}
