/* known.c - finds the tables of instructions and issue slots, and the cycles of stages
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "known.h"
#include "base/xalloc.h"

enum role { OTHER, WAITS, ISSUED };

/* ---- tables ---- */

static void find_instructions(struct dump_known *k)
{
	const struct dump_table *t;

	k->inst = dump_find_table(k->d, "inst");
	k->uid = k->warp = k->code = k->mask = -1;
	if (k->inst < 0)
		return;
	t = &k->d->tables[k->inst];
	k->uid = dump_find_field(t, "uid");
	k->warp = dump_find_field(t, "warp");
	k->code = dump_find_field(t, "code");
	k->mask = dump_find_field(t, "mask");
	if (t->kind != HD_TABLE_TRANSACTIONS || k->uid < 0 || k->warp < 0 || k->code < 0)
		k->inst = -1;
}

static void find_slots(struct dump_known *k)
{
	k->slot = k->unit = k->cause = k->reg = k->slot_warp = k->slot_code = -1;
	for (uint32_t i = 0; i < k->d->ntables; i++) {
		const struct dump_table *t = &k->d->tables[i];

		k->n = dump_find_field(t, "n");
		k->reason = dump_find_field(t, "reason");
		if (t->kind != HD_TABLE_EVENTS || k->n < 0 || k->reason < 0 || !t->fields[k->n].span)
			continue;
		k->slot = (int)i;
		k->unit = dump_find_field(t, "unit");
		k->cause = dump_find_field(t, "cause");
		k->reg = dump_find_field(t, "reg");
		k->slot_warp = dump_find_field(t, "warp");
		k->slot_code = dump_find_field(t, "code");
		return;
	}
}

/* An instruction is issued when it enters the first channel that an instance of the issue module
 * fills; until then the marks of that module are what it waits for. */
static void find_roles(struct dump_known *k)
{
	const struct dump *d = k->d;
	const char *issue = k->slot >= 0 ? d->tables[k->slot].module : NULL;
	json_t *issuers = json_object(); /* paths */

	k->role = hd__xcalloc(d->nplaces, sizeof *k->role);
	for (uint32_t i = 0; issue && i < d->ninstances; i++)
		if (strcmp(d->instances[i].module, issue) == 0)
			json_object_set_new(issuers, d->instances[i].path, json_true());
	for (uint32_t i = 0; i < d->nplaces; i++) {
		const struct dump_place *p = &d->places[i];

		if (p->kind == DUMP_MARK && p->instance < d->ninstances
		    && json_object_get(issuers, d->instances[p->instance].path))
			k->role[i] = WAITS;
		else if (p->kind == DUMP_CHANNEL && p->from && json_object_get(issuers, p->from))
			k->role[i] = ISSUED;
		k->issues |= k->role[i] == ISSUED;
	}
	json_decref(issuers);
}

void dump_know(struct dump_known *k, struct dump *d)
{
	*k = (struct dump_known){ .d = d, .cores = dump_cores_new(d) };
	find_instructions(k);
	find_slots(k);
	find_roles(k);
}

void dump_known_free(struct dump_known *k)
{
	dump_cores_free(k->cores);
	free(k->role);
}

bool dump_is_register(const struct dump_place *p)
{
	return p->arg && strcmp(p->arg, "reg") == 0;
}

uint32_t dump_core_of_item(const struct dump_known *k, const struct dump_item *i)
{
	if (i->transaction)
		return dump_core_of(k->cores, i->transaction);
	return k->cores->of[i->rows->who[i->row]];
}

/* ---- stages ---- */

const char *const dump_stage_names[DUMP_STAGES] = {
	[DUMP_BEGIN] = "begin", [DUMP_ISSUE] = "issue", [DUMP_COLLECT] = "collect",
	[DUMP_DISPATCH] = "dispatch", [DUMP_EXECUTE] = "execute", [DUMP_WRITEBACK] = "writeback",
	[DUMP_END] = "end",
};

bool dump_is_wait(const struct dump_known *k, const struct dump_transaction *t, uint32_t step)
{
	const struct dump_step *s = &t->steps[step];

	return s->cycles && k->d->places[s->place].kind == DUMP_MARK && (step > 0 || k->role[s->place] == WAITS);
}

/* Of a dump that began later than the instruction, the place for what was issued may be missing:
 * then it was left before, and so may others have been. */
uint32_t dump_issue_step(const struct dump_known *k, const struct dump_transaction *t)
{
	uint32_t waited = 0, channel = t->n;

	for (uint32_t i = 0; i < t->n; i++) {
		if (k->role[t->steps[i].place] == ISSUED)
			return i;
		if (k->role[t->steps[i].place] == WAITS)
			waited = i + 1;
		if (!k->issues && channel == t->n && k->d->places[t->steps[i].place].kind == DUMP_CHANNEL)
			channel = i;
	}
	return waited ? waited : channel;
}

/* The channels that an instruction passes give the cycles: from the issue on it is in the first, dispatched when it
 * is put into the second, ready when it is put into the third; and taken from them in between. */
void dump_stages(const struct dump_known *k, const struct dump_transaction *t,
                 uint64_t at[DUMP_STAGES])
{
	unsigned channels = 0;

	for (int i = 0; i < DUMP_STAGES; i++)
		at[i] = DUMP_NEVER;
	at[DUMP_BEGIN] = t->begin;
	for (uint32_t i = dump_issue_step(k, t); i < t->n; i++) {
		const struct dump_step *s = &t->steps[i];

		if (k->d->places[s->place].kind == DUMP_CHANNEL) {
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
	if (!t->unfinished)
		at[DUMP_END] = t->end;
}
