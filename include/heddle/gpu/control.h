/* control.h - interfaces between the stages of a core that follows control words
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md.  Time in unfrozen cycles is that of the issue stage: the edges of its clock without
 * those in which its sub-core was frozen.
 */
#ifndef HEDDLE_GPU_CONTROL_H
#define HEDDLE_GPU_CONTROL_H

#include <heddle/gpu/warp_set.h>
#include <heddle/gpu/inst.h>

/* ---- a sub-core that stands still ------------------------------------------------------------- */

/* By the stage that reserves register ports, evaluated before the stages that it freezes. */
struct hd_freeze {
	uint64_t cycles; /* frozen so far, the present edge included */
	uint64_t at;     /* 1 + the last edge in which the sub-core was frozen */
	struct hd_waker issue; /* woken in each of these; by an issue stage in start */
};

static const struct hd_type hd_type_freeze = {
	.name = "freeze", .size = sizeof(struct hd_freeze), .version = 2,
};

static inline bool hd_frozen(const struct hd_freeze *f, uint64_t now)
{
	return f && f->at == now + 1;
}

/* The sub-core stands still in the present edge. */
static inline void hd_freeze_now(struct hd_freeze *f, uint64_t now)
{
	f->cycles++;
	f->at = now + 1;
	if (f->issue.word)
		hd_wake(f->issue);
}

/* ---- room behind the issue stage ---------------------------------------------------------------- */

/* Places of a queue that an instruction has to find free when it is issued. */
struct hd_credits {
	uint64_t classes; /* of the instructions that need one */
	uint32_t free;
	bool taken;       /* the issue stage takes one for each instruction, else it only has to be
	                   * free */
	bool products;    /* they are those of a unit that multiplies for warpgroups, for reasons of lost slots */
	hd_warp_set spared; /* warps that find a place even if none is free, and are in the set no more */
	/* By the issue stage in start: woken when one is free again; a bit that is set while none is. */
	struct hd_waker issue, full;
};

static const struct hd_type hd_type_credits = {
	.name = "credits", .size = sizeof(struct hd_credits), .version = 4,
};

/* So many places are free now. */
static inline void hd_credits_set(struct hd_credits *c, uint32_t free)
{
	if ((c->free == 0) != (free == 0) && c->issue.word) {
		*c->full.word ^= c->full.bit;
		if (free)
			hd_wake(c->issue);
	}
	c->free = free;
}

/* In dumps a wait for dependence counter i is one for register HD_REG_COUNTER + i (docs/dump-format.md). */
#define HD_REG_COUNTER 1024u

/* ---- dependence counters ------------------------------------------------------------------------ */

/* What an instruction does to the counters of its warp. */
struct hd_raise {
	uint32_t uid;         /* of the instruction, low bits */
	uint16_t dst;         /* as in hd_inst */
	uint8_t warp;
	uint8_t write, read;  /* as in hd_control */
	bool variable;        /* its result has no fixed latency; the counter falls when the register is
	                       * released */
	uint16_t unused;      /* no byte of a checkpoint is undefined */
};

struct hd_counters {
	void *self;
	uint8_t busy[HD_MAX_WARPS]; /* the set of those that are not 0 */
	uint8_t value[HD_MAX_WARPS][HD_COUNTERS];
	/* The counters rise. */
	void (*raise)(void *self, const struct hd_raise *r);
	/* If another warp had the slot, its counters begin at 0 now: called for each new warp. */
	void (*renew)(void *self, uint32_t warp);
	/* The sources of instruction `uid` will have been read so many edges from now; `counter` falls
	 * then, or none.  0: of an instruction that is not to be checked for hazards. */
	void (*read)(void *self, uint32_t warp, uint64_t uid, uint32_t counter, uint32_t edges);
	/* The instruction has completed: hd_counters_completed().  Returns false if others that are under way
	 * will write its register. */
	bool (*completed)(void *self, const struct hd_inst *inst);
	/* The instruction has no result and leaves for memory, from where it does not come back: its write counter
	 * falls so many edges from now. */
	void (*stored)(void *self, const struct hd_inst *inst, uint32_t edges);
};

static const struct hd_type hd_type_counters = {
	.name = "counters", .size = sizeof(struct hd_counters), .version = 4,
	.work = HD_WORK_OUT, .build = HD_WARP_BUILD,
};

/* An instruction has completed.  Most have a result that no counter protects.  Returns whether its register is released
 * with it. */
static inline bool hd_counters_completed(struct hd_counters *c, const struct hd_inst *inst)
{
	return (inst->dst && inst->control.write == HD_NO_COUNTER) || c->completed(c->self, inst);
}

/* ---- reading registers ------------------------------------------------------------------------ */

struct hd_read_ports_if {
	void *self;
	uint32_t banks;  /* of a sub-core; register number r is in bank r % banks, R0 in bank 0 */
	uint32_t window; /* cycles of one instruction's reads */
	/* Reserves ports of the warp's sub-core for reads[bank] registers of each bank, all or none.
	 * Returns how many edges from now the last is read, 0: not all ports are free. */
	uint32_t (*reserve)(void *self, uint32_t warp, const uint8_t *reads);
};

static const struct hd_type hd_type_read_ports_if = {
	.name = "read_ports", .size = sizeof(struct hd_read_ports_if), .version = 1,
	.work = HD_WORK_OUT,
};

struct hd_register_cache_if {
	void *self;
	/* The operand slots of the instruction whose registers are held; changes nothing. */
	uint32_t (*hits)(void *self, const struct hd_inst *inst);
	/* The instruction reads its operands: drops and fills entries. */
	void (*use)(void *self, const struct hd_inst *inst);
};

static const struct hd_type hd_type_register_cache_if = {
	.name = "register_cache", .size = sizeof(struct hd_register_cache_if), .version = 1,
	.work = HD_WORK_OUT,
};

/* ---- constants ---------------------------------------------------------------------------------- */

struct hd_constants_if {
	void *self;
	/* Is the operand there?  If not it is requested, and the warp's scheduler is woken by
	 * hd_warp_touch() when it has come. */
	bool (*look_up)(void *self, uint32_t warp, uint32_t bank, uint32_t offset);
};

static const struct hd_type hd_type_constants_if = {
	.name = "constants", .size = sizeof(struct hd_constants_if), .version = 1,
	.work = HD_WORK_OUT,
};

/* ---- checking ----------------------------------------------------------------------------------- */

struct hd_hazards_if {
	void *self;
	/* Issued at that time, in unfrozen cycles. */
	void (*issued)(void *self, const struct hd_inst *inst, uint64_t time);
	/* The register of instructions without a fixed latency has been written. */
	void (*written)(void *self, uint32_t warp, uint32_t reg);
	/* Instruction `uid`, without a fixed latency, has read its sources. */
	void (*read)(void *self, uint32_t warp, uint64_t uid);
	/* Instruction `uid` has completed, and writes no register. */
	void (*completed)(void *self, uint32_t warp, uint64_t uid);
};

static const struct hd_type hd_type_hazards_if = {
	.name = "hazards", .size = sizeof(struct hd_hazards_if), .version = 1,
};

#endif
