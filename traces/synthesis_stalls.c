/* synthesis_stalls.c - synthesis of control words: how long each instruction holds its warp, and reuse bits
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Forward over the graph goes, for each result, in how many cycles it can be read at the latest.  An
 * instruction stalls until that is so for whatever may come next; at joins the later one counts.
 * Times and stalls only grow, until nothing changes.
 */
#include "synthesis.h"

#include <stdlib.h>

/* Of an unseen result there is a time for each group of readers.  The counters, as if they were results: that raised
 * ones are seen. */
#define RAISED (RESULT_UNSEEN + LATENCY_UNSEEN * LATENCY_GROUPS)
#define TIMED (RAISED + HD_COUNTERS)
#define WORD 8u /* of them at a time, most of which are 0 */

/* Cycles until a variable-latency instruction can read it. */
struct times {
	uint8_t left[(TIMED + WORD - 1) / WORD * WORD];
};

struct stalls {
	struct synth *s;
	struct times *out; /* at the end of each block, seen from what follows */
};

static inline int most(int a, int b)
{
	return a > b ? a : b;
}

/* The times of a result: of a register one. */
static inline uint32_t place(uint16_t r)
{
	return r < RESULT_UNSEEN ? r : RESULT_UNSEEN + (r - RESULT_UNSEEN) * LATENCY_GROUPS;
}

/* The group in which the instruction reads a result. */
static inline uint32_t group_of(const struct trace_effect *e, uint16_t r)
{
	return r < RESULT_UNSEEN || e->guards >> (r - RESULT_UNSEEN) & 1 ? 0 : e->group;
}

/* Cycles until the point may be issued. */
static int hold(const struct synth *s, const struct synth_point *point, const struct times *t)
{
	const struct trace_latencies *l = s->latencies;
	const struct trace_effect *e = &point->effect;
	uint16_t v[EFFECT_READS];
	unsigned n = hd__trace_effect_reads(e, v);
	int cycles = 0;

	while (n > 0) {
		uint16_t r = v[--n];

		cycles = most(cycles, t->left[place(r) + group_of(e, r)]
		                      - (e->cycles && r < RESULT_UNSEEN ? l->reader : 0));
	}
	n = hd__trace_effect_writes(e, v);
	while (n > 0) { /* not written before the instruction in front of it has */
		uint16_t r = v[--n];
		int written = t->left[place(r)] - (r < RESULT_UNSEEN ? l->reader : 0);
		int after = !e->cycles ? l->variable
		            : r < RESULT_UNSEEN ? e->cycles : e->after[r - RESULT_UNSEEN][0];

		cycles = most(cycles, written - after + 1);
	}
	for (uint32_t k = 0; k < HD_COUNTERS; k++)
		if (point->control.wait >> k & 1)
			cycles = most(cycles, t->left[RAISED + k]);
	return cycles;
}

/* So many cycles pass. */
static void age(struct times *t, int cycles)
{
	for (uint32_t r = 0; r < TIMED; r += WORD) {
		uint8_t *left = &t->left[r];
		uint64_t any;

		memcpy(&any, left, sizeof any);
		for (uint32_t k = 0; any && k < WORD; k++)
			left[k] = (uint8_t)most(left[k] - cycles, 0);
	}
}

static void pass(struct stalls *c, uint32_t i, struct times *t)
{
	const struct synth *s = c->s;
	struct synth_point *point = &s->point[i];
	const struct trace_effect *e = &point->effect;
	int stall = most(point->control.stall, e->stall);
	uint16_t v[EFFECT_WRITES];

	for (unsigned n = hd__trace_effect_writes(e, v); n > 0; n--) {
		uint16_t r = v[n - 1];
		uint8_t *at = &t->left[place(r)];

		if (!e->cycles)
			continue;
		/* lanes that are switched off still have the result before */
		if (r < RESULT_UNSEEN)
			*at = (uint8_t)most(*at, e->cycles + s->latencies->reader);
		for (uint32_t g = 0; r >= RESULT_UNSEEN && g < LATENCY_GROUPS; g++)
			at[g] = (uint8_t)most(at[g], e->after[r - RESULT_UNSEEN][g]);
	}
	if (point->control.write < HD_COUNTERS)
		t->left[RAISED + point->control.write] = s->latencies->visible;
	if (point->control.read < HD_COUNTERS)
		t->left[RAISED + point->control.read] = s->latencies->visible;
	for (uint32_t k = s->after[i]; k < s->after[i + 1]; k++)
		stall = most(stall, hold(s, &s->point[s->to[k]], t));
	point->control.stall = (uint8_t)stall;
	age(t, stall);
}

/* True if what follows the block has to be looked at again. */
static bool pass_block(void *arg, uint32_t b)
{
	struct stalls *c = arg;
	const struct synth *s = c->s;
	uint32_t first = s->block[b];
	struct times t = { { 0 } };
	bool more = false;

	for (uint32_t k = s->before[first]; k < s->before[first + 1]; k++) {
		const struct times *q = &c->out[s->in_block[s->from[k]]];

		for (uint32_t r = 0; r < TIMED; r++)
			t.left[r] = q->left[r] > t.left[r] ? q->left[r] : t.left[r];
	}
	for (uint32_t i = first; i < s->block[b + 1]; i++)
		pass(c, i, &t);
	for (uint32_t r = 0; r < TIMED; r++) {
		more |= t.left[r] > c->out[b].left[r];
		c->out[b].left[r] = (uint8_t)most(c->out[b].left[r], t.left[r]);
	}
	return more;
}

int hd__trace_synth_stalls(struct synth *s)
{
	struct stalls c = { .s = s, .out = calloc(s->blocks + 1, sizeof *c.out) };

	if (!c.out)
		return -1;
	hd__trace_synth_forward(s, pass_block, &c);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->point[i].control.stall >= s->latencies->yield)
			s->point[i].control.flags |= HD_CONTROL_YIELD;
	free(c.out);
	return 0;
}

/* ---- reuse ---------------------------------------------------------------------------------- */

/* By slot and bank: the register that is read there next. */
struct next_read {
	uint16_t reg[HD_OPERAND_SLOTS][LATENCY_BANKS];
};

static void written(struct next_read *next, const struct trace_effect *e)
{
	for (unsigned slot = 0; slot < HD_OPERAND_SLOTS; slot++)
		for (unsigned bank = 0; bank < LATENCY_BANKS; bank++) {
			uint16_t *reg = &next->reg[slot][bank];

			if (*reg && (uint32_t)*reg - 1 - e->dst < e->ndst)
				*reg = 0;
		}
}

void hd__trace_synth_reuse(struct synth *s)
{
	for (uint32_t b = 0; b < s->blocks; b++) {
		struct next_read next = { 0 };

		for (uint32_t i = s->block[b + 1]; i-- > s->block[b];) {
			struct hd_control *w = &s->point[i].control;

			written(&next, &s->point[i].effect);
			for (unsigned slot = 0; slot < HD_OPERAND_SLOTS; slot++) {
				uint16_t reg = w->slot[slot];
				uint16_t *kept = &next.reg[slot][(reg - 1u) % s->latencies->banks];

				if (!reg || !s->point[i].effect.cycles)
					continue; /* others do not read through the cache */
				if (*kept == reg)
					w->reuse |= (uint8_t)(1u << slot);
				*kept = reg;
			}
		}
	}
}
