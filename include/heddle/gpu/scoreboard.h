/* scoreboard.h - registers that are being written
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Scoreboard: read-after-write and write-after-write only; at most one destination.
 * With `entries`, a warp may have so many pending registers; an instruction that would write one
 * more waits.
 */
#ifndef HEDDLE_GPU_SCOREBOARD_H
#define HEDDLE_GPU_SCOREBOARD_H

#include <heddle/gpu/warps.h>

#define HD_REG_WORDS 5u /* registers 1..319 */
#define HD_AWAITS_ANY 0u       /* hd_scoreboard.awaited, */
#define HD_AWAITS_NONE 0xffffu
#define HD_AWAITS_ENTRY 0xfffeu /* only as a result of hd_scoreboard_awaits() */

/* What happens to registers that instructions write, for any number of instances that want to know: bypasses, weights
 * that stay in a unit, compression.  uid: low bits of hd_inst.uid of the instruction.  Each may be NULL. */
struct hd_registers_if {
	void *self;
	void (*reserved)(void *self, uint32_t warp, uint32_t reg, uint32_t uid); /* at issue */
	void (*written)(void *self, uint32_t warp, uint32_t reg, uint32_t uid);  /* it is in the register file */
	void (*released)(void *self, uint32_t warp, uint32_t reg, uint32_t uid); /* it can be read */
};

static const struct hd_type hd_type_registers_if = {
	.name = "registers", .size = sizeof(struct hd_registers_if), .version = 1,
};

struct hd_scoreboard {
	void *self;
	struct hd_warps *warps;
	hd_warp_set busy; /* warps with at least one pending register */
	uint32_t entries; /* for each warp; 0: as many as there are registers */
	uint64_t any[HD_MAX_WARPS]; /* by warp: its pending registers, as hd_inst.regs */
	uint64_t high; /* all registers reserved so far, ored: less than 64 if .any is the first word of .pending */
	/* By 64 registers, then by warp: warps mostly write low registers, so few cache lines have those of all. */
	uint64_t pending[HD_REG_WORDS][HD_MAX_WARPS];
	uint64_t longop[HD_REG_WORDS][HD_MAX_WARPS]; /* pending on a global or local load */
	/* By warp: a release of another register than this changes nothing for its issue stage, which is not
	 * woken.  HD_AWAITS_ANY: any wakes it.  Issue stages, for their warps. */
	uint16_t awaited[HD_MAX_WARPS];
	void (*report)(void *self, uint32_t warp, uint32_t reg); /* a release; it calls
	                                                          * hd_scoreboard_released(); or NULL */
	const struct hd_registers_if *heard; /* is notified of what happens to registers; or NULL */
	bool loud;                           /* .report or .heard is not NULL, from init on */
	/* For dumps: where the load is that writes the register, enum hd_mem_place.  NULL: not known.
	 * *wakes: `waiter` is woken in the edge in which that may be another place, and may sleep until then;
	 * false: it has to ask again at its next edge. */
	uint8_t (*where)(const void *where_self, uint32_t warp, uint32_t reg, struct hd_waker waiter, bool *wakes);
	const void *where_self;
};

static const struct hd_type hd_type_scoreboard = {
	.name = "scoreboard", .size = sizeof(struct hd_scoreboard), .version = 7,
	.work = HD_WORK_OUT, .build = HD_WARP_BUILD,
};

static inline bool hd_scoreboard_has(const uint64_t *set, uint32_t reg)
{
	return hd_bits_has(set[reg / 64], reg % 64);
}

static inline bool hd_scoreboard_pends(const struct hd_scoreboard *s, uint32_t warp, uint32_t reg)
{
	return hd_bits_has(s->pending[reg / 64][warp], reg % 64);
}

/* Does a load write it? */
static inline bool hd_scoreboard_loads(const struct hd_scoreboard *s, uint32_t warp, uint32_t reg)
{
	return hd_bits_has(s->longop[reg / 64][warp], reg % 64);
}

static inline bool hd_scoreboard_full(const struct hd_scoreboard *s, uint32_t warp)
{
	uint32_t n = 0;

	for (unsigned k = 0; k < HD_REG_WORDS; k++)
		n += hd_bits_count(s->pending[k][warp]);
	return n >= s->entries;
}

/* May the instruction have to wait?  Few have to of which this is not clear at once. */
static inline bool hd_scoreboard_may_wait(const struct hd_scoreboard *s, const struct hd_inst *i)
{
	return (s->any[i->warp] & i->regs) || HD_UNLIKELY(s->entries != 0);
}

/* The first register that it has to wait for, or HD_AWAITS_NONE. */
static inline uint32_t hd_scoreboard_register(const struct hd_scoreboard *s, const struct hd_inst *i)
{
	for (unsigned k = 0; k < i->nsrc; k++)
		if (hd_scoreboard_pends(s, i->warp, i->src[k]))
			return i->src[k];
	return i->dst != 0 && hd_scoreboard_pends(s, i->warp, i->dst) ? i->dst : HD_AWAITS_NONE;
}

/* The first register that the instruction has to wait for, HD_AWAITS_ENTRY, or HD_AWAITS_NONE. */
static inline uint32_t hd_scoreboard_awaits(const struct hd_scoreboard *s, const struct hd_inst *i)
{
	uint32_t reg;

	if (!hd_scoreboard_may_wait(s, i))
		return HD_AWAITS_NONE;
	reg = hd_scoreboard_register(s, i);
	if (reg != HD_AWAITS_NONE)
		return reg;
	return HD_UNLIKELY(s->entries != 0) && i->dst != 0 && hd_scoreboard_full(s, i->warp) ? HD_AWAITS_ENTRY
	                                                                                   : HD_AWAITS_NONE;
}

static inline bool hd_scoreboard_collides(const struct hd_scoreboard *s, const struct hd_inst *i)
{
	return hd_scoreboard_awaits(s, i) != HD_AWAITS_NONE;
}

/* From now on no release but that of `reg` wakes the issue stage of the warp. */
static inline void hd_scoreboard_await(struct hd_scoreboard *s, uint32_t warp, uint32_t reg)
{
	s->awaited[warp] = (uint16_t)reg;
}

/* The register was released. */
static inline void hd_scoreboard_released(const struct hd_scoreboard *s, uint32_t warp, uint32_t reg)
{
	if (s->awaited[warp] == reg || s->awaited[warp] == HD_AWAITS_ANY)
		hd_warp_touch(s->warps, warp);
}

#if defined(__GNUC__)
#define HD__SELDOM __attribute__((noinline, cold, unused))
#else
#define HD__SELDOM inline
#endif

/* Instruction `uid` will write the register, has written it, has released it: for those who listen. */
static HD__SELDOM void hd__scoreboard_reserved(const struct hd_scoreboard *s, uint32_t warp, uint32_t reg, uint64_t uid)
{
	if (s->heard && s->heard->reserved)
		s->heard->reserved(s->heard->self, warp, reg, (uint32_t)uid);
}

static HD__SELDOM void hd__scoreboard_written(const struct hd_scoreboard *s, uint32_t warp, uint32_t reg, uint64_t uid)
{
	if (s->heard && s->heard->written)
		s->heard->written(s->heard->self, warp, reg, (uint32_t)uid);
}

/* pending: it was. */
static HD__SELDOM void hd__scoreboard_released(const struct hd_scoreboard *s, uint32_t warp, uint32_t reg, uint64_t uid,
                                                    bool pending)
{
	if (s->heard && s->heard->released)
		s->heard->released(s->heard->self, warp, reg, (uint32_t)uid);
	if (s->report && pending)
		s->report(s->self, warp, reg);
	else
		hd_scoreboard_released(s, warp, reg);
}

static inline void hd__scoreboard_set(struct hd_scoreboard *s, uint32_t warp, uint32_t reg, bool longop)
{
	s->busy |= hd_warp_bit(warp);
	s->any[warp] |= hd_inst_reg(reg);
	s->high |= reg;
	s->pending[reg / 64][warp] |= hd_bit(reg % 64);
	if (longop)
		s->longop[reg / 64][warp] |= hd_bit(reg % 64);
}

/* Instruction `uid` will write the register. */
static inline void hd_scoreboard_reserve(struct hd_scoreboard *s, uint32_t warp, uint32_t reg,
                                         uint64_t uid, bool longop)
{
	if (HD_UNLIKELY(s->loud))
		hd__scoreboard_reserved(s, warp, reg, uid);
	hd__scoreboard_set(s, warp, reg, longop);
}

/* The instruction's result is in the register file; its release follows. */
static inline void hd_scoreboard_written(const struct hd_scoreboard *s, uint32_t warp, uint32_t reg, uint64_t uid)
{
	if (HD_UNLIKELY(s->loud))
		hd__scoreboard_written(s, warp, reg, uid);
}

/* Returns whether it was pending. */
static inline bool hd__scoreboard_clear(struct hd_scoreboard *s, uint32_t warp, uint32_t reg, bool clear_longop)
{
	uint64_t *p = &s->pending[reg / 64][warp];
	uint64_t bit = hd_bit(reg % 64), any;

	if (clear_longop)
		s->longop[reg / 64][warp] &= ~bit;
	if (!(*p & bit))
		return false;
	any = *p &= ~bit;
	if (s->high > 63)
		any = s->pending[0][warp] | s->pending[1][warp] | s->pending[2][warp] | s->pending[3][warp]
		      | s->pending[4][warp];
	s->any[warp] = any;
	if (any == 0) {
		s->busy &= ~hd_warp_bit(warp);
		if (hd_warp_in(s->warps->exited, warp))
			hd_warp_fetchable(s->warps);
	}
	return true;
}

/* Once for each register that the instruction has reserved.  `clear_longop`: loads that return data do not clear the
 * mark (docs/sm.md, S5). */
static inline void hd_scoreboard_release(struct hd_scoreboard *s, uint32_t warp, uint32_t reg,
                                         uint64_t uid, bool clear_longop)
{
	bool pending = hd__scoreboard_clear(s, warp, reg, clear_longop);

	if (HD_UNLIKELY(s->loud))
		hd__scoreboard_released(s, warp, reg, uid, pending);
	else
		hd_scoreboard_released(s, warp, reg); /* also for readers of .longop */
}

/* By a bypass: the instruction's result can be read from now on, before it is in the register file. */
static inline void hd_scoreboard_forward(struct hd_scoreboard *s, struct hd_inst *inst)
{
	if (!inst->dst || inst->forwarded)
		return;
	inst->forwarded = true;
	hd_scoreboard_release(s, inst->warp, inst->dst, inst->uid, true);
}

static HD__SELDOM void hd__scoreboard_tell(struct hd_scoreboard *s, uint32_t warp, uint32_t reg, uint64_t uid,
                                           bool clear_longop, bool forwarded)
{
	hd_scoreboard_written(s, warp, reg, uid);
	if (!forwarded)
		hd_scoreboard_release(s, warp, reg, uid, clear_longop);
}

static inline void hd__scoreboard_end(struct hd_scoreboard *s, uint32_t warp, uint32_t reg, uint64_t uid,
                                      bool clear_longop, bool forwarded)
{
	if (HD_UNLIKELY(s->loud | forwarded)) {
		hd__scoreboard_tell(s, warp, reg, uid, clear_longop, forwarded);
		return;
	}
	hd__scoreboard_clear(s, warp, reg, clear_longop);
	hd_scoreboard_released(s, warp, reg);
}

/* The instruction's result, which it has, is in the register file: its register is released, unless it was
 * forwarded. */
static inline void hd_scoreboard_complete(struct hd_scoreboard *s, const struct hd_inst *inst)
{
	hd__scoreboard_end(s, inst->warp, inst->dst, inst->uid, true, inst->forwarded);
}

/* Does what hd_scoreboard_complete() does, for a load whose data have come and that has no record any more.  The mark
 * of loads stays (docs/sm.md, S5). */
static inline void hd_scoreboard_loaded(struct hd_scoreboard *s, uint32_t warp, uint32_t reg, uint64_t uid)
{
	hd__scoreboard_end(s, warp, reg, uid, false, false);
}

/* ---- several that listen ---------------------------------------------------------------------- */

static inline void hd__registers_reserved(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	const struct hd_ifs *to = (const struct hd_ifs *)self;

	for (uint32_t i = 0; i < to->n; i++) {
		const struct hd_registers_if *r = (const struct hd_registers_if *)to->v[i];

		if (r->reserved)
			r->reserved(r->self, warp, reg, uid);
	}
}

static inline void hd__registers_written(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	const struct hd_ifs *to = (const struct hd_ifs *)self;

	for (uint32_t i = 0; i < to->n; i++) {
		const struct hd_registers_if *r = (const struct hd_registers_if *)to->v[i];

		if (r->written)
			r->written(r->self, warp, reg, uid);
	}
}

static inline void hd__registers_released(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	const struct hd_ifs *to = (const struct hd_ifs *)self;

	for (uint32_t i = 0; i < to->n; i++) {
		const struct hd_registers_if *r = (const struct hd_registers_if *)to->v[i];

		if (r->released)
			r->released(r->self, warp, reg, uid);
	}
}

/* In `init` of the instance that has the scoreboard: these listen.  *all, in its state, passes calls on to several. */
static inline void hd_scoreboard_hear(struct hd_scoreboard *s, struct hd_ifs *to, struct hd_registers_if *all)
{
	if (to->n == 0)
		return;
	all->self = to;
	all->reserved = hd__registers_reserved;
	all->written = hd__registers_written;
	all->released = hd__registers_released;
	s->loud = true;
	s->heard = to->n == 1 ? (const struct hd_registers_if *)to->v[0] : all;
}

#endif
