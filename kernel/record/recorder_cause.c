/* recorder_cause.c - why a payload is not taken: asks along the chain of receivers, and again when one was evaluated
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "recorder.h"

#define CHAIN 16 /* most instances in a chain of waiting */

/* Wakes the process with this bit of a word when the taker gives another answer than the one it has.  Returns false
 * if it cannot: those that it wakes are in one word. */
static inline bool watch_answer(struct hd_observer *o, struct hd_taker *t, uint32_t word, uint64_t self)
{
	if (t->askers == 0) {
		struct hd_asked_process *a = &o->asked[t->rank];

		t->word = word;
		t->next = a->first;
		a->first = t;
		a->process->flags |= HD_PROCESS_ASKED;
		hd__routine_changed(o->sim, a->process);
	}
	t->askers |= t->word == word ? self : 0;
	return t->word == word;
}

/* The process of the instance watches the answers of the chain. */
static bool watch_chain(const struct hd_ctx *c, struct hd_taker **chain, int n, bool *wakes)
{
	struct hd_observer *o = c->sim->observer;
	uint32_t rank = c->instance->rank;
	bool all = rank != HD_NO_PROCESS;

	if (all)
		o->wakes[rank] = wakes;
	while (n > 0 && all)
		all = watch_answer(o, chain[--n], rank / 64, hd_bit(rank % 64));
	return all;
}

uint32_t hd__observe_cause(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot, bool *wakes)
{
	const struct hd_chan *ch = end->ch;
	struct hd_taker *chain[CHAIN];
	bool hold = wakes != NULL;
	uint32_t cause = 0;
	int n = 0;

	while (ch && n < CHAIN) {
		struct hd_taker *t = hd__record_watch(ch)->taker[slot % 64];

		/* a receiver behind a staged channel may have been evaluated in this edge, or not yet */
		if (!t->stall_cause || (ch->flags & HD_CHAN_STAGED)) {
			cause = t->cause;
			break;
		}
		if (t->askers == 0) /* else it is asked after each evaluation (below), so that is what it answers now */
			t->answer = t->stall_cause(t->state, t->port, t->link);
		hold &= t->answer.holds && t->rank != HD_NO_PROCESS;
		chain[n++] = t;
		if (!t->answer.behind) {
			cause = t->cause + 1 + t->answer.reason;
			break;
		}
		ch = t->answer.behind->ch;
		slot = t->answer.slot;
	}
	if (wakes)
		*wakes = hold && watch_chain(c, chain, n, wakes);
	return cause;
}

const struct hd_instance *hd__observe_cause_of(const struct hd_sim *s, uint32_t cause, const char **why)
{
	const uint32_t *first = s->observer->first_cause;
	size_t i = s->ninstances;

	while (first[--i] > cause)
		;
	*why = cause == first[i] ? HD_CAUSE_BUSY : s->instances[i].module->reasons[cause - first[i] - 1].name;
	return &s->instances[i];
}

/* The next one in the chain; NULL: there is none. */
static const struct hd_taker *taker_behind(const struct hd_answer *a)
{
	return a->behind && a->behind->ch ? hd__record_watch(a->behind->ch)->taker[a->slot % 64] : NULL;
}

/* Mostly it is the answer that it was.  If it names another end or slot, the chain may still go on with the same taker,
 * and then the cause is the same as well. */
static __attribute__((noinline)) bool still_leads_on(struct hd_taker *t, struct hd_answer a)
{
	const struct hd_taker *next = taker_behind(&a);

	if (!next || next != taker_behind(&t->answer))
		return false;
	t->answer = a;
	return true;
}

static inline __attribute__((always_inline)) void ask(struct hd_asked_process *p)
{
	struct hd_taker **at = &p->first, *t;

	while ((t = *at) != NULL) {
		struct hd_answer a = t->stall_cause(t->state, t->port, t->link);

		/* one that does not hold any more does not count as the same */
		if (a.holds && ((a.behind == t->answer.behind && a.reason == t->answer.reason
		                 && a.slot == t->answer.slot)
		                || still_leads_on(t, a))) {
			at = &t->next;
			continue;
		}
		p->sim->awake[t->word] |= t->askers;
		while (t->askers)
			*p->sim->observer->wakes[t->word * 64 + hd_bits_pop(&t->askers)] = false;
		*at = t->next;
	}
	if (!p->first) {
		p->process->flags &= ~(uint32_t)HD_PROCESS_ASKED;
		hd__routine_changed(p->sim, p->process);
	}
}

void hd__observe_asked(struct hd_sim *s, uint32_t rank)
{
	ask(&s->observer->asked[rank]);
}

/* What is called for such a process, if it has no other flags. */
static uint64_t eval_asked(void *asked)
{
	struct hd_asked_process *p = asked;
	uint64_t edges = p->process->eval(p->process->state);

	ask(p);
	return edges;
}

void hd__observe_askable(struct hd_observer *o)
{
	struct hd_sim *s = o->sim;

	o->wakes = hd__xcalloc(s->nprocesses, sizeof *o->wakes);
	o->asked = hd__xcalloc(s->nprocesses, sizeof *o->asked);
	o->routines = hd__xcalloc(s->nprocesses, sizeof *o->routines);
	for (uint32_t i = 0; i < s->nprocesses; i++) {
		o->asked[i] = (struct hd_asked_process){ s, &s->processes[i], NULL };
		o->routines[i] = (struct hd_routine){ eval_asked, &o->asked[i] };
	}
	s->asked = o->routines;
}
