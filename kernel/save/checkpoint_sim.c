/* checkpoint_sim.c - saves and loads a simulation between two periods: clocks, channels, pools, instances
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Whatever depends on the order of evaluation is saved by instance, so that a simulation may go on in
 * another order, or awake.
 */
#include "save.h"
#include "kernel/timer.h"

#include <inttypes.h>
#include <stdlib.h>

static bool flag(struct hd_checkpoint *k, bool value)
{
	return hd_saved_number(k, value, 1);
}

static void clocks(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;

	for (uint32_t i = 0; i < s->nroots; i++) {
		struct hd_root *r = &s->roots[i];
		const uint64_t moved = UINT64_C(1) << i;

		r->next_phase = (uint32_t)hd_saved_number(k, r->next_phase, r->nphases - 1);
		HD_SAVED(k, r->period);
		HD_SAVED(k, r->passed);
		HD_SAVED(k, r->move_period);
		HD_SAVED(k, r->time);
		if (flag(k, s->gates_moved & moved))
			s->gates_moved |= moved;
		else
			s->gates_moved &= ~moved;
		r->generation++; /* the phases find their processes again */
	}
	for (uint32_t i = 0; i < s->nclocks; i++) {
		HD_SAVED(k, s->clocks[i].now);
		s->clocks[i].open = flag(k, s->clocks[i].open);
		s->clocks[i].on = flag(k, s->clocks[i].on);
	}
}

static void totals(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;

	HD_SAVED(k, s->late);
	s->finished = flag(k, s->finished);
	s->idle = flag(k, s->idle);
	HD_SAVED(k, s->move_mark);
	HD_SAVED(k, s->move_period);
	s->nworking = (uint32_t)hd_saved_number(k, s->nworking, s->ninstances);
	HD_SAVED(k, s->done);
	HD_SAVED(k, s->total);
}

/* ---- names of numbers ---- */

/* Saves the names that the states have as numbers: loaded ones get the same numbers, in the same order. */
static void symbols(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;
	uint64_t kinds = hd_saved_number(k, s->nkinds, 1024);

	for (uint64_t i = 0; i < kinds && !k->why; i++) {
		const struct hd_kind *kind = k->loading ? NULL : &s->kinds[i];
		char *name = hd__saved_string(k, kind ? kind->name : NULL), *symbol;
		uint64_t n = hd_saved_number(k, kind ? kind->n : 0, 64);

		for (uint64_t v = 0; v < n; v++) {
			symbol = hd__saved_string(k, kind ? kind->symbol[v] : NULL);
			if (k->loading && (!name || !symbol || hd__symbol(s, name, symbol) != v))
				hd_refuse(k, "the number of '%s' is another one", symbol ? symbol : "");
			free(symbol);
		}
		free(name);
	}
}

/* ---- processes ---- */

static void process(struct hd_checkpoint *k, struct hd_instance *in)
{
	struct hd_sim *s = k->sim;
	struct hd_process *t = &s->processes[in->rank];
	uint64_t *word = in->ctx.self.word, bit = in->ctx.self.bit;
	bool has = (s->noted[in->rank / 64].armed & bit) && !(*word & bit); /* else of an earlier sleep */
	bool soon = has && t->due == t->clock->now + 1; /* which is the same as awake */
	bool awake = flag(k, soon || (*word & bit)), slept = flag(k, t->flags & HD_PROCESS_SLEPT);
	bool armed = flag(k, !soon && has);
	uint64_t due = armed ? t->due : 0, last = slept ? t->last : 0;

	HD_SAVED(k, last);
	HD_SAVED(k, due);
	if (!k->loading)
		return;
	t->last = last;
	*word = awake ? *word | bit : *word & ~bit;
	t->flags &= ~(uint32_t)HD_PROCESS_SLEPT;
	t->flags |= slept && (t->flags & HD_PROCESS_COUNTS) ? HD_PROCESS_SLEPT : 0;
	hd__routine_changed(k->sim, t);
	hd__disarm(s, in->rank / 64, bit);
	if (armed && t->clock->now != UINT64_MAX && due <= t->clock->now)
		hd_refuse(k, "a timer for edge %" PRIu64 ", which is over", due);
	else if (armed)
		hd__arm(s, in->rank / 64, bit, t, due);
}

/* ---- channels and pools ---- */

static void channel(struct hd_checkpoint *k, const struct hd_channel *c)
{
	struct hd_chan *h = c->chan;
	uint32_t places = c->slotted ? c->capacity : h->mask + 1;
	bool starved = flag(k, h->flags & HD_CHAN_STARVED);
	uint64_t all = hd_bits_below(c->capacity < 64 ? c->capacity : 64);

	HD_SAVED_FROM(k, h, head, tail);
	HD_SAVED(k, h->full);
	HD_SAVED(k, h->wanted);
	HD_SAVED_FROM(k, h, late_edge, late_count);
	hd_saved(k, h->data, (size_t)places * h->size);
	if (h->visible)
		hd_saved(k, h->visible, places * sizeof *h->visible);
	if (!k->loading)
		return;
	h->flags = starved ? h->flags | HD_CHAN_STARVED : h->flags & ~(uint32_t)HD_CHAN_STARVED;
	h->flags &= ~(uint32_t)HD_CHAN_FULL;
	h->flags |= (h->flags & HD_CHAN_REG) && h->head != h->tail ? HD_CHAN_FULL : 0u;
	if (!c->slotted)
		all = 0; /* a FIFO has no slots that could be occupied */
	if (((h->full | h->late_full) & ~all) != 0 || (!c->slotted && h->tail - h->head > c->capacity))
		hd_refuse(k, "a channel has more payloads than places");
}

/* In each free record stands the next one. */
static bool list_is_good(const struct hd_pool *p)
{
	uint32_t n = p->fresh, h = p->free;

	while (h != 0 && h < p->fresh && n > 0) {
		memcpy(&h, hd_rec(p, h), sizeof h);
		n--;
	}
	return h == 0 && n > 0;
}

static void pools(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;

	if (hd_saved_number(k, s->npools, UINT32_MAX) != s->npools)
		hd_refuse(k, "other pools of records");
	for (size_t i = 0; i < s->npools; i++) {
		struct hd_pool *p = s->pools[i].pool;
		char *name = hd__saved_string(k, s->pools[i].type->name);

		if (k->loading && (!name || strcmp(name, s->pools[i].type->name) != 0))
			hd_refuse(k, "other pools of records");
		free(name);
		p->fresh = (uint32_t)hd_saved_number(k, p->fresh, HD_POOL_MAX - 1);
		HD_SAVED(k, p->free);
		hd_saved(k, hd_rec(p, 1), (size_t)(p->fresh ? p->fresh - 1 : 0) * p->record);
		if (k->loading && !k->why && (p->fresh == 0 || !list_is_good(p)))
			hd_refuse(k, "the list of free records is not one");
	}
}

/* ---- statistics ---- */

static void counters(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;

	for (size_t i = 0; i < s->ninstances; i++)
		for (const struct hd_stat *st = s->instances[i].module->stats; st && st->name; st++)
			for (uint32_t n = 0; n < (st->n > 1 ? st->n : 1); n++)
				hd_saved(k, (char *)s->instances[i].state + st->offset + (size_t)n * st->stride,
				         sizeof(uint64_t));
	for (size_t i = 0; i < s->ngauges; i++) {
		struct hd_meter *m = s->gauges[i].meter;

		hd_saved(k, m, sizeof *m);
		HD_SAVED(k, s->gauges[i].most);
		if (m->sum / UINT32_MAX > m->at || m->at > hd__gauge_edges(&s->gauges[i]) + 1)
			hd_refuse(k, "a meter that has counted more than there was");
	}
	if (hd__hooks.stats)
		hd__hooks.stats->saved(k);
}

/* After the instances, which may have found their place in the input again. */
static void item(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;
	uint64_t of = hd_saved_number(k, s->item_of ? s->item_of->number + 1u : 0, s->ninstances);

	HD_SAVED(k, s->item);
	hd_saved_text(k, &s->item_name);
	if (k->loading)
		s->item_of = of ? &s->instances[of - 1] : NULL;
}

/* ---- instances ---- */

/* Loads the next `bytes` bytes for the instance, which must be all of them. */
static void load_instance(struct hd_checkpoint *k, struct hd_instance *in, uint64_t bytes)
{
	const unsigned char *end = k->end, *mine_end;

	if (k->why || bytes > (size_t)(end - k->at)) {
		hd_refuse(k, "its state ends early");
		return;
	}
	mine_end = k->end = k->at + bytes;
	in->module->checkpoint(in->state, k);
	if (!k->why && k->at != k->end)
		hd_refuse(k, "%zu bytes of its state are left over", (size_t)(k->end - k->at));
	k->end = end;
	k->at = k->why ? end : mine_end;
}

static void instance(struct hd_checkpoint *k, struct hd_instance *in)
{
	size_t begin;
	uint64_t bytes;

	k->instance = in;
	in->working = flag(k, in->working);
	HD_SAVED(k, in->done);
	HD_SAVED(k, in->total);
	if (in->rank != HD_NO_PROCESS)
		process(k, in);
	begin = k->out.n;
	bytes = hd_saved_number(k, 0, UINT64_MAX);
	if (k->loading) {
		load_instance(k, in, bytes);
	} else {
		in->module->checkpoint(in->state, k);
		bytes = k->out.n - begin - sizeof bytes;
		memcpy(k->out.v + begin, &bytes, sizeof bytes);
	}
	k->instance = NULL;
}

/* Loaded in the order in which they were saved: what an instance needs of others to find its place
 * again is there. */
static void instances(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;
	struct hd_instance **order = hd__providers_first(s);
	bool *seen = hd__xcalloc(s->ninstances, sizeof *seen);

	for (size_t i = 0; i < s->ninstances && !k->why; i++) {
		uint64_t number = hd_saved_number(k, order[i]->number, s->ninstances - 1);

		if (seen[number])
			hd_refuse(k, "an instance is there twice");
		else
			instance(k, &s->instances[number]);
		seen[number] = true;
	}
	free(seen);
	free(order);
}

static void whole(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;
	bool watched = hd__crash_enter(s, __builtin_frame_address(0));

	symbols(k);
	clocks(k);
	totals(k);
	pools(k);
	for (size_t i = 0; i < s->nchannels; i++)
		channel(k, s->channels[i]);
	instances(k);
	item(k);
	counters(k);
	hd__crash_leave(s, watched);
}

char *hd__not_saved(const struct hd_sim *s)
{
	char *all = NULL, *more;

	for (size_t i = 0; i < s->narrays; i++) {
		const char *name = s->arrays[i].module->name;
		char *quoted = hd__format("'%s'", name);

		if (!s->arrays[i].module->checkpoint && (!all || !strstr(all, quoted))) {
			more = hd__join(all ? all : "", all ? ", " : "", quoted);
			free(all);
			all = more;
		}
		free(quoted);
	}
	return all;
}

char *hd__sim_save(struct hd_sim *s, struct hd_bytes *to)
{
	struct hd_checkpoint k = { .sim = s, .out = *to };

	hd__sim_settle(s);
	whole(&k);
	*to = k.out;
	return k.why;
}

char *hd__sim_load(struct hd_sim *s, const void *bytes, size_t n)
{
	struct hd_checkpoint k = { .sim = s, .loading = true, .at = bytes };
	size_t errors = s->diags->errors;

	k.end = k.at + n;
	whole(&k);
	if (!k.why && k.at != k.end)
		hd_refuse(&k, "%zu bytes are left over", (size_t)(k.end - k.at));
	if (!k.why && (s->bad_input || s->failed || s->diags->errors > errors))
		hd_refuse(&k, "the input cannot be read up to there");
	return k.why;
}
