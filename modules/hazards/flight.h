/* flight.h - private to hazards: results and reads of a warp that are under way
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of registers are words in which register r is bit r % 64: an intersection that is not empty is
 * looked at again.
 */
#ifndef MODULES_HAZARDS_FLIGHT_H
#define MODULES_HAZARDS_FLIGHT_H

#include "found.h"

#include <heddle/gpu/warps.h>

#define RECENT 16u  /* cycles and instructions for which results of fixed latency are kept */
#define FLIGHTS 64u /* of a warp */
#define RZ 256u

/* A result of fixed latency. */
struct result {
	uint64_t time; /* of the issue */
	uint64_t regs;
	uint32_t mask, pc;
	uint16_t dst, preds;
	uint8_t n, row, stall;
	bool yield;
};

/* An instruction of another latency. */
struct flight {
	uint64_t uid, writes, reads; /* reads: until they are done */
	uint64_t waw, war;           /* edge at which a later result is there, 0: there is none */
	uint64_t war_uid;            /* or the flight that will write it */
	struct found waw_by, war_by;
	uint64_t since;              /* edge of the first reader that came too early, */
	uint32_t early;              /* and 1 + its place among what was found */
	uint32_t mask, pc;
	uint16_t dst, preds, src[HD_MAX_SRC];
	uint8_t n, nsrc[HD_MAX_SRC], write, read;
	bool writing;                /* its result is not there */
};

/* Which results of an instruction are followed. */
enum follow { NONE, FIXED, FLIGHT };

/* What is known of a static instruction. */
struct code_sets {
	uint64_t reads, writes;
	struct result result;        /* of fixed latency: without time and mask, as it is issued */
	uint32_t late;               /* cycles by which its sources have to be there later */
	uint8_t follow;
	bool known;
	uint8_t nsrc[HD_MAX_SRC];
	uint16_t src[HD_MAX_SRC];    /* as of a flight */
};

struct track {
	uint64_t age;                /* 1 + that of the warp */
	uint64_t writes, reads;      /* of all flights, at least */
	uint32_t head, n;            /* results so far; flights */
	uint32_t depbar;             /* pc of the last DEPBAR, */
	uint64_t depbar_uid;         /* its uid, 0: none */
	uint8_t depbar_counters;
	uint16_t preds;              /* of flights, at least */
	bool wars;                   /* some flight has .war_uid, or had */
	struct result result[RECENT];
	struct flight flight[FLIGHTS];
};

static inline uint64_t span(uint32_t reg, uint32_t n)
{
	uint64_t set = n > 1 ? (UINT64_C(1) << n) - 1 : 1;
	uint32_t by = reg % 64;

	return by ? set << by | set >> (64 - by) : set;
}

/* First register and number of source i; 0: it is none. */
static inline uint32_t source(const struct hd_inst *inst, uint32_t i, uint32_t *n)
{
	const struct hd_control *c = &inst->control;
	uint32_t reg;

	if (c->flags & HD_CONTROL_OPERANDS) {
		*n = i < HD_OPERAND_SLOTS ? c->nslot[i] : 0;
		return *n ? c->slot[i] : 0;
	}
	reg = i < inst->nsrc ? inst->src[i] : 0;
	*n = 1;
	for (uint32_t k = 0; k < HD_OPERAND_SLOTS; k++)
		if (reg && c->slot[k] == reg && c->nslot[k] > 1)
			*n = c->nslot[k];
	return reg == RZ ? 0 : reg;
}

static inline uint32_t sources(const struct hd_inst *inst)
{
	return inst->control.flags & HD_CONTROL_OPERANDS ? HD_OPERAND_SLOTS : inst->nsrc;
}

static inline uint64_t read_set(const struct hd_inst *inst)
{
	uint64_t set = 0;
	uint32_t n;

	for (uint32_t i = 0; i < sources(inst); i++) {
		uint32_t reg = source(inst, i, &n);

		if (reg)
			set |= span(reg, n);
	}
	return set;
}

static inline uint32_t written(const struct hd_inst *inst)
{
	return inst->control.ndst > 1 ? inst->control.ndst : 1;
}

static inline uint64_t write_set(const struct hd_inst *inst)
{
	return inst->dst && inst->dst != RZ ? span(inst->dst, written(inst)) : 0;
}

/* The first register that both have, 0: none. */
static inline uint32_t common(uint32_t a, uint32_t na, uint32_t b, uint32_t nb)
{
	uint32_t first = a > b ? a : b;

	return a && b && first < a + na && first < b + nb ? first : 0;
}

/* A register that the instruction reads of n from reg on, 0: none. */
static inline uint32_t reads_of(const struct hd_inst *inst, uint32_t reg, uint32_t n)
{
	uint32_t got = 0, ns;

	for (uint32_t i = 0; i < sources(inst) && !got; i++) {
		uint32_t src = source(inst, i, &ns);

		got = common(src, ns, reg, n);
	}
	return got;
}

static inline uint32_t writes_of(const struct hd_inst *inst, uint32_t reg, uint32_t n)
{
	return inst->dst == RZ ? 0 : common(inst->dst, written(inst), reg, n);
}

/* A register that is still to be read by the flight and that the instruction writes, 0: none. */
static inline uint32_t unread_of(const struct flight *f, uint32_t reg, uint32_t n)
{
	uint32_t got = 0;

	for (uint32_t i = 0; i < HD_MAX_SRC && f->reads && !got; i++)
		got = common(f->src[i], f->nsrc[i], reg, n);
	return got;
}

/* The sets may have what is over: they are made again when they were looked at in vain. */
static inline void count_sets(struct track *t)
{
	t->writes = t->reads = 0;
	t->preds = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct flight *f = &t->flight[i];

		t->writes |= f->writing ? f->writes : 0;
		t->preds |= f->writing ? f->preds : 0;
		t->reads |= f->reads;
	}
}

/* Drops a flight of which nothing is under way. */
static inline void drop(struct track *t, uint32_t i)
{
	if (--t->n != i)
		t->flight[i] = t->flight[t->n];
	if (t->n == 0)
		count_sets(t);
}

static inline void drop_done(struct track *t)
{
	for (uint32_t i = t->n; i-- > 0;)
		if (!t->flight[i].writing && !t->flight[i].reads)
			drop(t, i);
}

/* Makes room: the oldest is taken as done. */
static inline void drop_oldest(struct track *t)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < t->n; i++)
		if (t->flight[i].uid < t->flight[oldest].uid)
			oldest = i;
	t->flight[oldest].writing = false;
	t->flight[oldest].reads = 0;
	drop_done(t);
}

static inline void take_off(struct track *t, const struct hd_inst *inst, const struct code_sets *sets)
{
	uint64_t reads = sets->reads, writes = sets->writes;
	struct flight *f;

	if (t->n == FLIGHTS)
		drop_oldest(t);
	f = &t->flight[t->n++];
	/* not `waw_by`, `war_by` and `since`, which waw, war, war_uid and early make valid */
	f->uid = inst->uid;
	f->writes = writes;
	f->reads = reads;
	f->waw = f->war = f->war_uid = 0;
	f->early = 0;
	f->mask = inst->mask;
	f->pc = inst->pc;
	f->dst = writes ? inst->dst : 0;
	f->preds = inst->control.writes_p;
	memcpy(f->src, sets->src, sizeof f->src);
	memcpy(f->nsrc, sets->nsrc, sizeof f->nsrc);
	f->n = (uint8_t)written(inst);
	f->write = inst->control.write;
	f->read = inst->control.read;
	f->writing = writes || inst->control.writes_p;
	t->writes |= writes;
	t->reads |= reads;
	t->preds |= inst->control.writes_p;
}

/* Why did the instruction not wait for this counter of the flight? */
static inline void find_mend(const struct track *t, const struct hd_inst *inst, const struct flight *f,
                      uint8_t counter, enum mend without, struct found *found)
{
	found->counter = counter;
	if (counter == HD_NO_COUNTER) {
		found->mend = (uint8_t)without;
		found->at = f->pc;
	} else if (inst->control.wait >> counter & 1) {
		found->mend = STALL; /* it did, before the counter had risen */
		found->at = f->pc;
	} else if (t->depbar_uid > f->uid && (t->depbar_counters >> counter & 1)) {
		found->mend = STALL; /* it was not held yet */
		found->at = t->depbar;
	} else {
		found->mend = WAIT;
	}
}

#endif
