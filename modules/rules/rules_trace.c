/* rules_trace.c - rules of trace sources, the paths of their lanes, and divergence policies
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rules_list.h"

#include <heddle/gpu/divergence.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/trace.h>

/* An instruction that next() has filled in. */
static void check_inst(const struct hd_judged *k, const struct hd_inst *inst)
{
	const char *what = NULL;

	if (inst->nlanes != hd_bits_count32(inst->mask))
		what = "'nlanes' is not the number of its lanes";
	else if (inst->nsrc > HD_MAX_SRC)
		what = "'nsrc' is larger than HD_MAX_SRC";
	else if (inst->dst >= HD_REG_WORDS * 64)
		what = "'dst' is not a register";
	else if (inst->cls >= 64)
		what = "'cls' is not a class";
	else if (inst->space >= HD_SPACES)
		what = "'space' is none of enum hd_space";
	else if (inst->rate == 0)
		what = "'rate' is 0";
	else if (inst->regs != hd_inst_regs(inst))
		what = "'regs' is not hd_inst_regs() of it";
	for (unsigned i = 0; !what && i < inst->nsrc; i++)
		if (inst->src[i] == 0 || inst->src[i] >= HD_REG_WORDS * 64)
			what = "a source is not a register";
	for (unsigned i = 0; !what && i < HD_MAX_SRC; i++)
		if ((inst->operands >> 4 * i & 15) > inst->nsrc)
			what = "'operands' names a source that it does not have";
	if (what)
		hd_rules_wrong(k, "filled an instruction in next() in which %s (pc 0x%x)", what, inst->pc);
}

/* ---- divergence ---- */

struct divergence {
	struct hd_judged by;
	struct hd_divergence_if of;
};

static bool divergence_next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct divergence *k = self;
	uint32_t pc = k->of.pc(k->of.self, warp);
	bool any = k->of.next(k->of.self, warp, inst);

	if (any)
		check_inst(&k->by, inst);
	if (pc != (any ? inst->pc : 0))
		hd_rules_wrong(&k->by, "returned 0x%x from pc(), and next() then gave %s at 0x%x; expected the same",
		               pc, any ? "an instruction" : "none", any ? inst->pc : 0);
	return any;
}

static uint32_t divergence_pc(void *self, uint32_t warp)
{
	struct divergence *k = self;
	uint32_t pc = k->of.pc(k->of.self, warp);

	if (pc != k->of.pc(k->of.self, warp))
		hd_rules_wrong(&k->by, "has an effect in pc() that the next call sees; expected that it only looks");
	return pc;
}

static void stand_divergence(void *checks, void *provided)
{
	struct divergence *k = checks;
	struct hd_divergence_if *p = provided;

	HD_STAND(&k->of, p, next, divergence_next);
	HD_STAND(&k->of, p, pc, divergence_pc);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_divergence = {
	&hd_type_divergence_if, sizeof(struct divergence), stand_divergence, NULL };

/* ---- paths ---- */

struct trace {
	struct hd_judged by;
	struct hd_trace_if of;
	struct hd_paths_if paths, paths_of;
};

static void paths_claim(void *self)
{
	struct trace *k = self;

	k->paths_of.claim(k->paths_of.self);
}

static void paths_claim_lanes(void *self)
{
	struct trace *k = self;

	k->paths_of.claim_lanes(k->paths_of.self);
}

static void paths_count(void *self, const uint32_t *base, struct hd_path_counts *counts)
{
	struct trace *k = self;

	k->paths_of.count(k->paths_of.self, base, counts);
}

static bool paths_code(void *self, uint32_t warp, uint32_t pc, struct hd_inst *inst)
{
	struct trace *k = self;
	bool any = k->paths_of.code(k->paths_of.self, warp, pc, inst);

	if (any && inst->pc != pc)
		hd_rules_wrong(&k->by, "filled an instruction at 0x%x in code() for 0x%x", inst->pc, pc);
	return any;
}

static uint32_t paths_next_pc(void *self, uint32_t warp, uint32_t pc)
{
	struct trace *k = self;

	return k->paths_of.next_pc(k->paths_of.self, warp, pc);
}

static bool paths_begin(void *self, uint32_t warp, struct hd_path_warp *w)
{
	struct trace *k = self;
	bool any = k->paths_of.begin(k->paths_of.self, warp, w);

	if (any && (w->node == NULL || (w->lanes && w->at == HD_PATH_NONE)))
		hd_rules_wrong(&k->by, "began warp %u nowhere in begin(); expected a node for its lanes", warp);
	return any;
}

static struct hd_path_step paths_execute(void *self, uint32_t warp, uint32_t node, uint32_t lanes, struct hd_inst *inst)
{
	struct trace *k = self;
	struct hd_path_step s;

	if (lanes == 0)
		hd_rules_misused(&k->by, "called execute() of '%s' without lanes", hd_rules_name(k->by.provider));
	s = k->paths_of.execute(k->paths_of.self, warp, node, lanes, inst);
	if ((s.ended & ~lanes) || (s.taken & ~lanes) || (s.taken & s.ended) || (s.waiting & ~s.live) || (s.ended &
	    s.live))
		hd_rules_wrong(&k->by, "returned lanes from execute() that were not among those that it was given: "
		               "ended 0x%x, taken 0x%x, live 0x%x, waiting 0x%x of 0x%x", s.ended, s.taken, s.live,
		               s.waiting, lanes);
	return s;
}

static const struct hd_path_node *paths_nodes(void *self, uint32_t warp)
{
	struct trace *k = self;

	return k->paths_of.nodes(k->paths_of.self, warp);
}

/* ---- trace source ---- */

static bool trace_claim(void *self, uint32_t sms)
{
	struct trace *k = self;

	return k->of.claim(k->of.self, sms);
}

static void trace_ended_at(void *self, uint64_t ns)
{
	struct trace *k = self;

	k->of.ended_at(k->of.self, ns);
}

static int of_three(const struct trace *k, const char *f, int result)
{
	if (result < -1 || result > 1)
		hd_rules_wrong(&k->by, "returned %d from %s(); expected 1, 0 or -1", result, f);
	return result;
}

static int of_launch(const struct trace *k, const char *f, int result, const struct hd_launch *l)
{
	if (result == 1 && (l->warps == 0 || l->ctas == 0))
		hd_rules_wrong(&k->by, "filled a launch of %llu thread blocks of %u warps in %s(); expected at least "
		               "one of each", (unsigned long long)l->ctas, l->warps, f);
	return of_three(k, f, result);
}

static int trace_next_kernel(void *self, struct hd_launch *launch)
{
	struct trace *k = self;

	return of_launch(k, "next_kernel", k->of.next_kernel(k->of.self, launch), launch);
}

static int trace_next_cta(void *self, uint32_t first)
{
	struct trace *k = self;

	return of_three(k, "next_cta", k->of.next_cta(k->of.self, first));
}

static uint64_t trace_block(void *self)
{
	struct trace *k = self;

	return k->of.block(k->of.self);
}

static bool trace_next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct trace *k = self;
	bool any = k->of.next(k->of.self, warp, inst);

	if (any)
		check_inst(&k->by, inst);
	return any;
}

static uint32_t trace_pc(void *self, uint32_t warp)
{
	struct trace *k = self;
	uint32_t pc = k->of.pc(k->of.self, warp);

	if (pc != k->of.pc(k->of.self, warp))
		hd_rules_wrong(&k->by, "has an effect in pc() that the next call sees; expected that it only looks");
	return pc;
}

static bool trace_ended(void *self, uint32_t warp)
{
	struct trace *k = self;

	return k->of.ended(k->of.self, warp);
}

static const char *trace_opcode_text(void *self, uint32_t opcode)
{
	struct trace *k = self;

	return k->of.opcode_text(k->of.self, opcode);
}

static void trace_position(void *self, uint64_t *done, uint64_t *total)
{
	struct trace *k = self;

	k->of.position(k->of.self, done, total);
	if (*done > *total)
		hd_rules_wrong(&k->by, "returned %llu of %llu from position(); expected at most all",
		               (unsigned long long)*done, (unsigned long long)*total);
}

static uint32_t trace_kernels(void *self)
{
	struct trace *k = self;

	return k->of.kernels(k->of.self);
}

static int trace_peek(void *self, uint32_t i, struct hd_launch *launch)
{
	struct trace *k = self;

	return of_launch(k, "peek", k->of.peek(k->of.self, i, launch), launch);
}

static int trace_open(void *self, uint32_t i, struct hd_launch *launch)
{
	struct trace *k = self;

	return of_launch(k, "open", k->of.open(k->of.self, i, launch), launch);
}

static uint32_t trace_copies(void *self, uint32_t i, const struct hd_trace_copy **v)
{
	struct trace *k = self;

	return k->of.copies(k->of.self, i, v);
}

static uint32_t trace_left(void *self, uint32_t warp)
{
	struct trace *k = self;

	return k->of.left(k->of.self, warp);
}

static uint32_t trace_stores(void *self, uint32_t warp)
{
	struct trace *k = self;

	return k->of.stores(k->of.self, warp);
}

static const struct hd_bulk *trace_bulk(void *self, uint32_t number)
{
	struct trace *k = self;

	return k->of.bulk(k->of.self, number);
}

static void stand_paths(struct trace *k, struct hd_trace_if *p)
{
	if (p->paths == NULL || p->paths == &k->paths)
		return;
	k->paths = *p->paths;
	HD_STAND(&k->paths_of, &k->paths, claim, paths_claim);
	HD_STAND(&k->paths_of, &k->paths, claim_lanes, paths_claim_lanes);
	HD_STAND(&k->paths_of, &k->paths, count, paths_count);
	HD_STAND(&k->paths_of, &k->paths, code, paths_code);
	HD_STAND(&k->paths_of, &k->paths, next_pc, paths_next_pc);
	HD_STAND(&k->paths_of, &k->paths, begin, paths_begin);
	HD_STAND(&k->paths_of, &k->paths, execute, paths_execute);
	HD_STAND(&k->paths_of, &k->paths, nodes, paths_nodes);
	HD_STAND(&k->paths_of, &k->paths, self, (void *)k);
	p->paths = &k->paths;
}

static void stand_trace(void *checks, void *provided)
{
	struct trace *k = checks;
	struct hd_trace_if *p = provided;

	HD_STAND(&k->of, p, claim, trace_claim);
	HD_STAND(&k->of, p, ended_at, trace_ended_at);
	HD_STAND(&k->of, p, next_kernel, trace_next_kernel);
	HD_STAND(&k->of, p, next_cta, trace_next_cta);
	HD_STAND(&k->of, p, block, trace_block);
	HD_STAND(&k->of, p, next, trace_next);
	HD_STAND(&k->of, p, pc, trace_pc);
	HD_STAND(&k->of, p, ended, trace_ended);
	HD_STAND(&k->of, p, opcode_text, trace_opcode_text);
	HD_STAND(&k->of, p, position, trace_position);
	HD_STAND(&k->of, p, kernels, trace_kernels);
	HD_STAND(&k->of, p, peek, trace_peek);
	HD_STAND(&k->of, p, open, trace_open);
	HD_STAND(&k->of, p, copies, trace_copies);
	HD_STAND(&k->of, p, left, trace_left);
	HD_STAND(&k->of, p, stores, trace_stores);
	HD_STAND(&k->of, p, bulk, trace_bulk);
	HD_STAND(&k->of, p, self, checks);
	stand_paths(k, p);
}

const struct hd_rules hd__rules_trace = { &hd_type_trace_if, sizeof(struct trace), stand_trace, NULL };
