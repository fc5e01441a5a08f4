/* rules_warps.c - rules of the state of warps, their registers, and the instruction buffer
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rules_list.h"

#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/warps.h>

#define WRAPPED 0x80000000u /* a count from here on was below 0 */

/* ---- warps ---- */

struct warps {
	struct hd_judged by;
	struct {
		void *self;
		void (*launch_kernel)(void *self, uint32_t number);
		void (*launch_cta)(void *self, uint32_t slot, uint32_t first);
		void (*retire)(void *self, uint32_t warp);
	} of;
};

static void warps_launch_kernel(void *self, uint32_t number)
{
	struct warps *k = self;

	k->of.launch_kernel(k->of.self, number);
}

static void warps_launch_cta(void *self, uint32_t slot, uint32_t first)
{
	struct warps *k = self;
	const struct hd_warps *w = k->by.provided;
	hd_warp_set set;

	if (slot >= HD_MAX_WARPS || first + w->launch->warps > w->count || w->cta_warps[slot])
		hd_rules_misused(&k->by, "called launch_cta() of '%s' for warps %u to %u on CTA slot %u; expected a "
		                 "free slot, and warps below %u", hd_rules_name(k->by.provider), first,
		                 first + w->launch->warps - 1, slot, w->count);
	set = hd_warp_range(first, w->launch->warps);
	if (set & ~w->retired)
		hd_rules_misused(&k->by, "called launch_cta() of '%s' for warp %u, which has not been retired",
		                 hd_rules_name(k->by.provider), hd_warp_first(set & ~w->retired));
	k->of.launch_cta(k->of.self, slot, first);
	if (w->cta_warps[slot] != set || (set & w->retired))
		hd_rules_wrong(&k->by, "has not placed warps %u to %u in launch_cta()", first,
		               first + w->launch->warps - 1);
}

static void warps_retire(void *self, uint32_t warp)
{
	struct warps *k = self;
	const struct hd_warps *w = k->by.provided;

	if (warp >= w->count || !hd_warp_drained(w, warp) || hd_warp_in(w->retired, warp))
		hd_rules_misused(&k->by, "called retire() of '%s' for warp %u; expected one that has ended, is "
		                 "drained and has not been retired", hd_rules_name(k->by.provider), warp);
	k->of.retire(k->of.self, warp);
	if (!hd_warp_in(w->retired, warp))
		hd_rules_wrong(&k->by, "has not retired warp %u in retire()", warp);
}

static void stand_warps(void *checks, void *provided)
{
	struct warps *k = checks;
	struct hd_warps *p = provided;

	HD_STAND(&k->of, p, launch_kernel, warps_launch_kernel);
	HD_STAND(&k->of, p, launch_cta, warps_launch_cta);
	HD_STAND(&k->of, p, retire, warps_retire);
	HD_STAND(&k->of, p, self, checks);
}

/* A count of what is outstanding that has gone below 0: it was settled once too often. */
static void check_count(const struct hd_judged *k, const uint32_t *v, const char *what)
{
	for (uint32_t warp = 0; warp < HD_MAX_WARPS; warp++)
		if (v[warp] >= WRAPPED)
			hd_rules_blame(k, hd_rules_caller(k), "has settled more %s of warp %u than there were; "
			               "expected each of them once", what, warp);
}

static void look_warps(void *checks, const void *provided)
{
	const struct hd_judged *k = checks;
	const struct hd_warps *w = provided;
	hd_warp_set any = 0;

	for (uint32_t i = 0; i < w->holds; i++)
		any |= w->blocked_by[i];
	if (any != w->blocked)
		hd_rules_blame(k, hd_rules_caller(k), "has changed 'blocked' of '%s' alone; expected hd_warp_block() "
		               "and hd_warp_unblock()", hd_rules_name(k->provider));
	check_count(k, w->in_pipeline, "instructions");
	check_count(k, w->stores, "stores");
	check_count(k, w->atomics, "lanes of atomics");
}

const struct hd_rules hd__rules_warps = { &hd_type_warps, sizeof(struct warps), stand_warps, look_warps };

/* ---- instruction buffer ---- */

static void look_ibuffer(void *checks, const void *provided)
{
	const struct hd_judged *k = checks;
	const struct hd_ibuffer *b = provided;

	for (uint32_t warp = 0; warp < HD_MAX_WARPS; warp++)
		if (b->count[warp] > HD_IBUFFER_MAX || (b->count[warp] != 0) != hd_warp_in(b->filled, warp))
			hd_rules_blame(k, hd_rules_caller(k), "has left %u instructions of warp %u in '%s', and its "
			               "bit in 'filled' is %u; expected hd_ibuffer_push() and hd_ibuffer_pop(), for "
			               "at most %u", b->count[warp], warp, hd_rules_name(k->provider),
			               hd_warp_in(b->filled, warp), HD_IBUFFER_MAX);
}

const struct hd_rules hd__rules_ibuffer = { &hd_type_ibuffer, sizeof(struct hd_judged), NULL, look_ibuffer };

/* ---- registers: each is reserved once and released once by the instruction that writes it ---- */

#define REGS (HD_REG_WORDS * 64u)
#define WRITERS 8u /* instructions that write one register at the same time and are followed */

struct reg {
	uint32_t writer[WRITERS]; /* uids, the oldest first; */
	uint32_t n;
	uint32_t others;                /* that write it as well, and are followed no more */
	uint32_t last;                  /* the instruction that has released it last, */
	uint64_t cycle;
	const struct hd_instance *who;  /* through that instance; NULL: none yet */
};

struct scoreboard {
	struct hd_judged by;
	struct hd_registers_if heard;     /* what the scoreboard tells, and */
	const struct hd_registers_if *of; /* to whom else; or NULL */
	struct reg reg[HD_MAX_WARPS][REGS];
};

static struct reg *reg_of(struct scoreboard *k, uint32_t warp, uint32_t reg, const char *f)
{
	if (warp < HD_MAX_WARPS && reg > 0 && reg < REGS)
		return &k->reg[warp][reg];
	hd_rules_blame(&k->by, hd_rules_caller(&k->by), "has %s register %u of warp %u at '%s'; expected registers "
	               "from 1 to %u, and warps below %u", f, reg, warp, hd_rules_name(k->by.provider), REGS - 1,
	               HD_MAX_WARPS);
	return &k->reg[0][0];
}

static uint32_t place_of(const struct reg *r, uint32_t uid)
{
	uint32_t i = 0;

	while (i < r->n && r->writer[i] != uid)
		i++;
	return i;
}

static void drop(struct reg *r, uint32_t i)
{
	r->n--;
	memmove(&r->writer[i], &r->writer[i + 1], (r->n - i) * sizeof *r->writer);
}

static void heard_reserved(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	struct scoreboard *k = self;
	struct reg *r = reg_of(k, warp, reg, "reserved");

	if (place_of(r, uid) < r->n)
		hd_rules_blame(&k->by, hd_rules_caller(&k->by), "has reserved register R%u of warp %u for instruction "
		               "%u a second time; expected once", reg - 1, warp, uid);
	if (r->n == WRITERS) {
		drop(r, 0);
		r->others++;
	}
	r->writer[r->n++] = uid;
	if (k->of && k->of->reserved)
		k->of->reserved(k->of->self, warp, reg, uid);
}

static void heard_written(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	struct scoreboard *k = self;

	reg_of(k, warp, reg, "written");
	if (k->of && k->of->written)
		k->of->written(k->of->self, warp, reg, uid);
}

/* Of two that have released it one is to blame: a plug-in rather than a module that is built in, whose turn it was. */
static const struct hd_instance *to_blame(const struct scoreboard *k, const struct reg *r)
{
	const struct hd_instance *caller = hd_rules_caller(&k->by);

	return hd_rules_plugin(&k->by, r->who) && !hd_rules_plugin(&k->by, caller) ? r->who : caller;
}

static void not_reserved(const struct scoreboard *k, const struct reg *r, uint32_t warp, uint32_t reg, uint32_t uid)
{
	const struct hd_instance *caller = hd_rules_caller(&k->by);

	if (r->who && r->last == uid)
		hd_rules_blame(&k->by, to_blame(k, r), "has released register R%u of warp %u for instruction %u "
		               "twice, or another one has: '%s' in cycle %llu, and '%s' here; expected that it is "
		               "released once, when its result can be read", reg - 1, warp, uid,
		               hd_rules_name(r->who), (unsigned long long)r->cycle, hd_rules_name(caller));
	else if (r->n)
		hd_rules_blame(&k->by, caller, "has released register R%u of warp %u for instruction %u; expected "
		               "instruction %u, which has reserved it", reg - 1, warp, uid, r->writer[0]);
	else
		hd_rules_blame(&k->by, caller, "has released register R%u of warp %u for instruction %u, which has "
		               "not reserved it", reg - 1, warp, uid);
}

static void heard_released(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	struct scoreboard *k = self;
	struct reg *r = reg_of(k, warp, reg, "released");
	uint32_t i = place_of(r, uid);

	if (i < r->n)
		drop(r, i);
	else if (r->others)
		r->others--;
	else
		not_reserved(k, r, warp, reg, uid);
	r->last = uid;
	r->cycle = hd_rules_cycle(&k->by);
	r->who = hd_rules_caller(&k->by);
	if (k->of && k->of->released)
		k->of->released(k->of->self, warp, reg, uid);
}

static void stand_scoreboard(void *checks, void *provided)
{
	struct scoreboard *k = checks;
	struct hd_scoreboard *p = provided;

	if (p->heard == &k->heard)
		return;
	k->of = p->heard;
	k->heard = (struct hd_registers_if){ k, heard_reserved, heard_written, heard_released };
	p->heard = &k->heard;
	p->loud = true;
}

static void look_scoreboard(void *checks, const void *provided)
{
	const struct hd_judged *k = checks;
	const struct hd_scoreboard *s = provided;

	for (uint32_t warp = 0; warp < HD_MAX_WARPS; warp++) {
		uint64_t any = 0;

		for (uint32_t i = 0; i < HD_REG_WORDS; i++)
			any |= s->pending[i][warp];
		if (any != s->any[warp] || (any != 0) != hd_warp_in(s->busy, warp))
			hd_rules_blame(k, hd_rules_caller(k), "has changed the registers of warp %u at '%s' itself; "
			               "expected hd_scoreboard_reserve() and hd_scoreboard_release()", warp,
			               hd_rules_name(k->provider));
	}
}

const struct hd_rules hd__rules_scoreboard = {
	&hd_type_scoreboard, sizeof(struct scoreboard), stand_scoreboard, look_scoreboard };

/* ---- who listens to registers ---- */

struct registers {
	struct hd_judged by;
	struct hd_registers_if of;
};

static void registers_reserved(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	struct registers *k = self;

	if (k->of.reserved)
		k->of.reserved(k->of.self, warp, reg, uid);
}

static void registers_written(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	struct registers *k = self;

	if (k->of.written)
		k->of.written(k->of.self, warp, reg, uid);
}

static void registers_released(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	struct registers *k = self;

	if (k->of.released)
		k->of.released(k->of.self, warp, reg, uid);
}

static void stand_registers(void *checks, void *provided)
{
	struct registers *k = checks;
	struct hd_registers_if *p = provided;

	HD_STAND(&k->of, p, reserved, registers_reserved);
	HD_STAND(&k->of, p, written, registers_written);
	HD_STAND(&k->of, p, released, registers_released);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_registers = {
	&hd_type_registers_if, sizeof(struct registers), stand_registers, NULL };
