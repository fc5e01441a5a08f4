/* synthesis_counters.c - synthesis of control words: which counter an instruction raises, and which it awaits
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Forward over the graph goes, for each result, the set of counters that fall when it is written and the
 * set of those that fall when it has been read: what is to be awaited before it is read, or written
 * again.  At joins sets are united; sets and waits only grow, until nothing changes.
 */
#include "synthesis.h"

#include <stdlib.h>

#define ROUNDS 6u     /* of choosing counters; after them, all that might be late is taken to be */
#define CROWDED 48u   /* results that one counter covers; it counts up to 63 instructions */
#define ANY HD_COUNTERS /* in `over`, as if it were a counter: without regard to them */
#define BYTES ((RESULTS + 7) / 8 * 8)
#define WORDS (BYTES / 8)

/* By result: a set of counters.  All of them are looked at in words of eight. */
union sets {
	uint8_t of[BYTES];
	uint64_t word[WORDS];
};

struct pending {
	union sets write, read;
};

struct counters {
	struct synth *s;
	struct pending *out; /* at the end of each block */
	union sets *over;    /* at the beginning of each: before which counters are awaited it is overwritten later */
	bool *met;           /* points that have their counters */
	uint8_t last;        /* counter that was chosen last */
};

static bool rises(uint8_t counter)
{
	return counter < HD_COUNTERS;
}

/* ---- forward: what is under way ------------------------------------------------------------- */

/* The set in each byte of a word. */
static uint64_t everywhere(uint8_t set)
{
	return set * UINT64_C(0x0101010101010101);
}

static uint8_t busy(const struct pending *p)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < WORDS; i++)
		all |= p->write.word[i] | p->read.word[i];
	all |= all >> 32;
	all |= all >> 16;
	return (uint8_t)(all | all >> 8);
}

static void release(struct pending *p, uint8_t waited)
{
	uint64_t keep = ~everywhere(waited);

	for (uint32_t i = 0; waited && i < WORDS; i++) {
		p->write.word[i] &= keep;
		p->read.word[i] &= keep;
	}
}

/* A counter that nothing raises at present, the next one in turn; or the one that was raised last, for what
 * it covers is awaited last; but none that covers too much. */
static uint8_t choose(struct counters *c, const struct pending *p, uint8_t other)
{
	uint8_t taken = busy(p) | (uint8_t)(rises(other) ? 1u << other : 0), best = 0;
	uint32_t crowd[HD_COUNTERS] = { 0 };

	for (uint32_t i = 1; i <= HD_COUNTERS; i++) {
		uint8_t k = (uint8_t)((c->last + i) % HD_COUNTERS);

		if (!(taken >> k & 1))
			return c->last = k;
	}
	for (uint32_t i = 0; i < WORDS; i++)
		for (uint32_t k = 0; k < HD_COUNTERS; k++)
			crowd[k] += hd_bits_count((p->write.word[i] | p->read.word[i]) >> k & everywhere(1));
	if (c->last != other && crowd[c->last] < CROWDED)
		return c->last;
	best = other == 0;
	for (uint8_t k = 0; k < HD_COUNTERS; k++)
		if (k != other && crowd[k] < crowd[best])
			best = k;
	return c->last = best;
}

/* What has to be 0 before the point is issued. */
static uint8_t awaited(const struct trace_effect *e, const struct pending *p)
{
	uint16_t v[EFFECT_READS];
	uint8_t wait = e->drains ? busy(p) : 0;
	unsigned n = hd__trace_effect_reads(e, v);

	while (n > 0)
		wait |= p->write.of[v[--n]];
	n = hd__trace_effect_writes(e, v);
	while (n > 0) {
		n--;
		wait |= p->write.of[v[n]] | p->read.of[v[n]];
	}
	return wait;
}

/* Counters of a variable-latency instruction, the first time that it is met. */
static void give_counters(struct counters *c, uint32_t i, const struct pending *p)
{
	struct synth_point *point = &c->s->point[i];
	const struct trace_effect *e = &point->effect;

	if (c->met[i] || e->cycles)
		return;
	c->met[i] = true;
	if (e->ndst || e->writes)
		point->control.write = choose(c, p, HD_NO_COUNTER);
	if (point->late)
		point->control.read = choose(c, p, point->control.write);
}

static void pass(struct counters *c, uint32_t i, struct pending *p)
{
	struct synth_point *point = &c->s->point[i];
	const struct trace_effect *e = &point->effect;
	struct hd_control *w = &point->control;
	uint16_t v[EFFECT_READS];
	unsigned n;

	w->wait |= awaited(e, p);
	release(p, w->wait);
	give_counters(c, i, p);
	if (rises(w->read))
		for (n = hd__trace_effect_reads(e, v); n > 0; n--)
			if (v[n - 1] < RESULT_UNSEEN)
				p->read.of[v[n - 1]] |= (uint8_t)(1u << w->read);
	if (rises(w->write))
		for (n = hd__trace_effect_writes(e, v); n > 0; n--)
			p->write.of[v[n - 1]] |= (uint8_t)(1u << w->write);
}

/* At the beginning of a block. */
static void enter(const struct counters *c, uint32_t b, struct pending *p)
{
	const struct synth *s = c->s;
	uint32_t first = s->block[b];

	memset(p, 0, sizeof *p);
	for (uint32_t k = s->before[first]; k < s->before[first + 1]; k++) {
		const struct pending *q = &c->out[s->in_block[s->from[k]]];

		for (uint32_t i = 0; i < WORDS; i++) {
			p->write.word[i] |= q->write.word[i];
			p->read.word[i] |= q->read.word[i];
		}
	}
}

/* True if some of the sets have got new members. */
static bool add(union sets *to, const union sets *more)
{
	uint64_t grows = 0;

	for (uint32_t i = 0; i < WORDS; i++) {
		grows |= more->word[i] & ~to->word[i];
		to->word[i] |= more->word[i];
	}
	return grows != 0;
}

static bool pass_block(void *arg, uint32_t b)
{
	struct counters *c = arg;
	struct pending p;
	bool more;

	enter(c, b, &p);
	for (uint32_t i = c->s->block[b]; i < c->s->block[b + 1]; i++)
		pass(c, i, &p);
	more = add(&c->out[b].write, &p.write);
	return add(&c->out[b].read, &p.read) || more;
}

/* Chooses all counters, and what waits for them. */
static void settle(struct counters *c)
{
	struct synth *s = c->s;

	for (uint32_t i = 0; i < s->n; i++) {
		s->point[i].control.write = s->point[i].control.read = HD_NO_COUNTER;
		s->point[i].control.wait = 0;
		c->met[i] = false;
	}
	memset(c->out, 0, s->blocks * sizeof *c->out);
	c->last = HD_COUNTERS - 1;
	hd__trace_synth_forward(s, pass_block, c);
}

/* ---- backward: which sources are overwritten before they have certainly been read -------------- */

static bool any_source(const struct trace_effect *e, const union sets *o, uint8_t counter)
{
	uint16_t v[EFFECT_READS];
	unsigned n = hd__trace_effect_reads(e, v);

	while (n > 0)
		if (v[--n] < RESULT_UNSEEN && o->of[v[n]] >> counter & 1)
			return true;
	return false;
}

static void go_back(const struct synth_point *point, union sets *o)
{
	uint16_t v[EFFECT_WRITES];
	unsigned n = hd__trace_effect_writes(&point->effect, v);
	uint64_t keep = ~everywhere(point->control.wait);

	while (n > 0)
		o->of[v[--n]] = (1u << (ANY + 1)) - 1;
	for (uint32_t i = 0; point->control.wait && i < WORDS; i++)
		o->word[i] &= keep;
}

/* At the end of a block. */
static void leave(const struct counters *c, uint32_t b, union sets *o)
{
	const struct synth *s = c->s;
	uint32_t last = s->block[b + 1] - 1;

	memset(o, 0, sizeof *o);
	for (uint32_t k = s->after[last]; k < s->after[last + 1]; k++) {
		const union sets *q = &c->over[s->in_block[s->to[k]]];

		for (uint32_t i = 0; i < WORDS; i++)
			o->word[i] |= q->word[i];
	}
}

static void look_back(struct counters *c)
{
	const struct synth *s = c->s;
	bool more = true;
	union sets o;

	memset(c->over, 0, s->blocks * sizeof *c->over);
	while (more) {
		more = false;
		for (uint32_t b = s->blocks; b-- > 0;) {
			leave(c, b, &o);
			for (uint32_t i = s->block[b + 1]; i-- > s->block[b];)
				go_back(&s->point[i], &o);
			more |= memcmp(&o, &c->over[b], sizeof o) != 0;
			c->over[b] = o;
		}
	}
}

/* Finds instructions whose sources need a read counter and have none; false: there is no such.  all: without
 * regard to what is awaited in between. */
static bool find_late(struct counters *c, bool all)
{
	const struct synth *s = c->s;
	bool found = false;
	union sets o;

	look_back(c);
	for (uint32_t b = 0; b < s->blocks; b++) {
		leave(c, b, &o);
		for (uint32_t i = s->block[b + 1]; i-- > s->block[b];) {
			struct synth_point *point = &s->point[i];
			uint8_t k = rises(point->control.write) && !all ? point->control.write : ANY;

			if (!point->effect.cycles && !point->late
			    && any_source(&point->effect, &o, k))
				found = point->late = true;
			go_back(point, &o);
		}
	}
	return found;
}

int hd__trace_synth_counters(struct synth *s)
{
	struct counters c = { .s = s };
	bool more = true;

	c.out = malloc((s->blocks + 1) * sizeof *c.out);
	c.over = malloc((s->blocks + 1) * sizeof *c.over);
	c.met = calloc(s->n + 1, sizeof *c.met);
	if (c.out && c.over && c.met)
		for (uint32_t round = 0; more; round++) {
			settle(&c);
			more = find_late(&c, round >= ROUNDS);
		}
	free(c.out);
	free(c.over);
	free(c.met);
	return more ? -1 : 0;
}
