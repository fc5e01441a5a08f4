/* hazards.h - follows the control words of a warp, and finds what they do not protect
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Written without a look at the synthesis: what opcodes read and write, and which of them take a
 * variable time, is listed here once more.  Every instruction is issued as early as its control word
 * permits; what takes a variable time is done only when its counter is awaited, and waits take no time.
 */
#ifndef TESTS_TRACE_HAZARDS_H
#define TESTS_TRACE_HAZARDS_H

#include <heddle/gpu/trace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HAZARD_REGS 256u
#define HAZARD_FIXED 4   /* cycles from issue to issue; */
#define HAZARD_HALF 5    /* of half precision, and of results of two registers */
#define HAZARD_LATE 1    /* more for those that read later */
#define HAZARD_SEEN 2    /* cycles after which a raised counter is seen */

enum hazard {
	HAZARD_NONE,
	HAZARD_READ,      /* of a register that is not written yet, fixed latency */
	HAZARD_UNWAITED,  /* the same, variable latency */
	HAZARD_OVERWRITE, /* of a register that is not written yet */
	HAZARD_UNREAD,    /* of a register that has not been read yet */
	HAZARD_UNSEEN,    /* awaits a counter that has just been raised */
	HAZARD_WORD,      /* a control word that is missing or collapses */
	HAZARD_KINDS
};

static const char *const hazard_names[] = { "none", "read too early", "read without waiting",
	"overwritten too early", "overwritten before it was read", "a counter that is not seen yet",
	"no valid control word" };

struct hazard_reg {
	int64_t ready;     /* fixed latency: when it may be read */
	int64_t raised;    /* variable latency: when its producer was issued, */
	uint8_t counter;   /* and its counter; HD_COUNTERS: none, it is never known to be written */
	int64_t read[HD_COUNTERS + 1]; /* by counter: the last that reads it late was issued */
};

/* A warp; with `apart`, lanes have registers of their own, as far as hazards go. */
struct hazard_warp {
	struct hazard_reg *reg; /* by lane and register */
	bool apart;
	int64_t now, next;      /* issue of the last instruction, and earliest one of the next */
	int64_t raised[HD_COUNTERS], waited[HD_COUNTERS];
	uint64_t count[HAZARD_KINDS];
};

#define HAZARD_LONG_AGO (-1000)

static inline void hazard_begin(struct hazard_warp *w, bool apart)
{
	size_t n = (apart ? HD_LANES : 1) * HAZARD_REGS;

	if (!w->reg)
		w->reg = malloc((size_t)HD_LANES * HAZARD_REGS * sizeof *w->reg);
	w->apart = apart;
	w->now = w->next = 0;
	for (unsigned k = 0; k < HD_COUNTERS; k++)
		w->raised[k] = w->waited[k] = HAZARD_LONG_AGO;
	for (size_t i = 0; i < n && w->reg; i++) {
		w->reg[i] = (struct hazard_reg){ .ready = HAZARD_LONG_AGO, .raised = HAZARD_LONG_AGO };
		for (unsigned k = 0; k <= HD_COUNTERS; k++)
			w->reg[i].read[k] = HAZARD_LONG_AGO;
	}
}

/* ---- opcodes -------------------------------------------------------------------------------- */

static inline bool hazard_begins(const char *op, const char *const *names)
{
	for (; *names; names++)
		if (strncmp(op, *names, strlen(*names)) == 0)
			return true;
	return false;
}

static inline bool hazard_variable(const char *op)
{
	static const char *const names[] = { "LD", "ULDC", "ST", "ATOM", "RED", "TEX", "TLD", "SULD",
		"SUST", "S2R", "S2UR", "R2UR", "MUFU", "DADD", "DMUL", "DFMA", "DSETP", "DMNMX", "HMMA",
		"IMMA", "BMMA", "DMMA", "SHFL", "I2F", "F2I", "F2F", "I2I", "FRND", "POPC", "FLO", "BREV",
		"MATCH", "FROB", NULL };

	return strncmp(op, "LDGDEPBAR", 9) != 0 && hazard_begins(op, names);
}

static inline unsigned hazard_data(const char *op)
{
	return strstr(op, ".128") ? 4 : strstr(op, ".64") ? 2 : 1;
}

static inline bool hazard_global(const char *op)
{
	static const char *const names[] = { "LDG", "LD.", "STG", "ST.", "ATOM.", "ATOMG", "RED.", NULL };

	return hazard_begins(op, names) && strncmp(op, "LDGSTS", 6) != 0 && strstr(op, ".E");
}

static inline unsigned hazard_written(const char *op)
{
	static const char *const memory[] = { "LD", "ULDC", NULL };

	if (strncmp(op, "LDSM", 4) == 0)
		return strstr(op, "M88.4") ? 4 : 1;
	if (hazard_begins(op, memory))
		return hazard_data(op);
	if (strncmp(op, "CS2R", 4) == 0)
		return strstr(op, ".32") ? 1 : 2;
	return strstr(op, "WIDE") || strncmp(op, "DADD", 4) == 0 || strncmp(op, "DFMA", 4) == 0
	       || strncmp(op, "DMUL", 4) == 0 || strstr(op, "HMMA.884") ? 2
	       : strstr(op, "HMMA.16816.F32") ? 4 : 1;
}

/* Registers of source k; those that a trace names once although they occur twice are not known. */
static inline unsigned hazard_read(const char *op, unsigned k)
{
	static const char *const stores[] = { "ST.", "STG", "STS", "STL", NULL };

	if (hazard_global(op) && k == 0)
		return 2;
	if (hazard_begins(op, stores) && k == 1)
		return hazard_data(op);
	if (strncmp(op, "DADD", 4) == 0 || strncmp(op, "DFMA", 4) == 0 || strncmp(op, "DMUL", 4) == 0)
		return 2;
	return strncmp(op, "LDGSTS", 6) == 0 && k == 1 ? 2 : 1;
}

/* ---- one instruction ------------------------------------------------------------------------ */

static inline void hazard_found(struct hazard_warp *w, enum hazard kind, const struct hd_inst *i,
                                const char *op, unsigned reg)
{
	if (w->count[kind]++ < 3 && getenv("HAZARDS"))
		printf("kernel %u warp %u pc %04x %s: %s, R%u, cycle %lld\n", i->kernel, i->warp, i->pc,
		       op, hazard_names[kind], reg, (long long)w->now);
}

static inline bool hazard_pending(const struct hazard_warp *w, int64_t raised, uint8_t counter)
{
	return raised > HAZARD_LONG_AGO && (counter >= HD_COUNTERS
	                                    || w->waited[counter] < raised + HAZARD_SEEN);
}

static inline void hazard_reads(struct hazard_warp *w, struct hazard_reg *r, unsigned reg,
                                const struct hd_inst *i, const char *op, bool variable)
{
	const struct hd_control *c = &i->control;
	uint8_t counter = c->read < HD_COUNTERS ? c->read : c->write < HD_COUNTERS ? c->write : HD_COUNTERS;

	if (hazard_pending(w, r->raised, r->counter))
		hazard_found(w, HAZARD_UNWAITED, i, op, reg);
	if (w->now < r->ready + (variable ? HAZARD_LATE : 0))
		hazard_found(w, HAZARD_READ, i, op, reg);
	if (variable)
		r->read[counter] = w->now;
}

static inline void hazard_writes(struct hazard_warp *w, struct hazard_reg *r, unsigned reg,
                                 const struct hd_inst *i, const char *op, bool variable, int latency)
{
	const struct hd_control *c = &i->control;

	if (hazard_pending(w, r->raised, r->counter) || (!variable && w->now + latency <= r->ready))
		hazard_found(w, HAZARD_OVERWRITE, i, op, reg);
	for (uint8_t k = 0; k <= HD_COUNTERS; k++)
		if (r->read[k] < w->now && hazard_pending(w, r->read[k], k))
			hazard_found(w, HAZARD_UNREAD, i, op, reg);
	r->ready = variable ? HAZARD_LONG_AGO : w->now + latency;
	r->raised = variable ? w->now : HAZARD_LONG_AGO;
	r->counter = c->write < HD_COUNTERS ? c->write : HD_COUNTERS;
}

static inline void hazard_registers(struct hazard_warp *w, struct hazard_reg *reg,
                                    const struct hd_inst *i, const char *op)
{
	bool variable = hazard_variable(op);
	unsigned n = hazard_written(op);
	int latency = op[0] == 'H' || n > 1 ? HAZARD_HALF : HAZARD_FIXED;

	for (unsigned k = 0; k < i->nsrc; k++)
		for (unsigned j = 0; j < hazard_read(op, k) && i->src[k] + j < HAZARD_REGS; j++)
			hazard_reads(w, &reg[i->src[k] + j], i->src[k] + j - 1, i, op, variable);
	for (unsigned j = 0; i->dst && j < n && i->dst + j < HAZARD_REGS; j++)
		hazard_writes(w, &reg[i->dst + j], i->dst + j - 1, i, op, variable, latency);
}

static inline void hazard_waits(struct hazard_warp *w, const struct hd_inst *i, const char *op)
{
	for (unsigned k = 0; k < HD_COUNTERS; k++) {
		if (!(i->control.wait >> k & 1))
			continue;
		if (w->now < w->raised[k] + HAZARD_SEEN)
			hazard_found(w, HAZARD_UNSEEN, i, op, k);
		w->waited[k] = w->now;
	}
}

static inline void hazard_step(struct hazard_warp *w, const struct hd_inst *i, const char *op)
{
	const struct hd_control *c = &i->control;
	bool yield = c->flags & HD_CONTROL_YIELD;

	if (!(c->flags & HD_CONTROL_GIVEN) || c->stall == 0 || (c->stall >= 12 && !yield)
	    || (c->write < HD_COUNTERS && c->write == c->read))
		hazard_found(w, HAZARD_WORD, i, op, c->stall);
	w->now = w->next;
	w->next = w->now + (c->stall >= 12 && !yield ? 1 : c->stall);
	hazard_waits(w, i, op);
	if (!w->apart)
		hazard_registers(w, w->reg, i, op);
	for (unsigned lane = 0; w->apart && lane < HD_LANES; lane++)
		if (i->mask >> lane & 1)
			hazard_registers(w, w->reg + (size_t)lane * HAZARD_REGS, i, op);
	if (c->write < HD_COUNTERS)
		w->raised[c->write] = w->now;
	if (c->read < HD_COUNTERS)
		w->raised[c->read] = w->now;
}

#endif
