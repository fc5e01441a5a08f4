/* give_divergence.c - toy: a divergence policy and a program that are given line by line
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   line [op=NAME] #N wN pc=N...     the warp's next instruction (actor.h), of that opcode
 *   code #N wN pc=N...               what the program has at that address
 * Instructions are 16 bytes long; the statistic 'hazards' counts what users report.
 */
#include "actor.h"

#include <heddle/gpu/divergence.h>
#include <heddle/gpu/trace.h>

#define MOST 32u
#define LONGEST 24u

struct state {
	struct actor actor;
	struct hd_divergence_if divergence;
	struct hd_paths_if paths;
	struct hd_trace_if trace;
	struct hd_inst line[MOST], code[MOST];
	char opcode[MOST][LONGEST]; /* of the lines */
	uint32_t nlines, ncode;
	uint32_t taken; /* set of lines */
	uint64_t hazards, claims;
	bool bare;
};

static void add(struct state *st, struct args *a, struct hd_inst *v, uint32_t *n)
{
	if (*n < MOST)
		arg_inst(a, &v[(*n)++]);
	else
		wrong(st->actor.ctx, "more than %u lines", MOST);
}

static void line(void *state, struct args *a)
{
	struct state *st = state;
	const char *op = arg_text(a, "op");
	uint32_t n = st->nlines;

	add(st, a, st->line, &st->nlines);
	if (n == st->nlines || !op)
		return;
	snprintf(st->opcode[n], LONGEST, "%s", op);
	st->line[n].opcode = n;
}

static void program(void *state, struct args *a)
{
	struct state *st = state;

	add(st, a, st->code, &st->ncode);
}

static const struct verb verbs[] = {
	{ "line", line }, { "code", program }, { .name = NULL },
};

/* Index of the warp's next line, MOST at its end. */
static uint32_t find(const struct state *st, uint32_t warp)
{
	for (uint32_t i = 0; i < st->nlines; i++)
		if (st->line[i].warp == warp && !(st->taken >> i & 1))
			return i;
	return MOST;
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t i = find(st, warp);

	if (i == MOST)
		return false;
	st->taken |= UINT32_C(1) << i;
	*inst = st->line[i];
	return true;
}

static uint32_t pc(void *self, uint32_t warp)
{
	const struct state *st = self;
	uint32_t i = find(st, warp);

	return i == MOST ? 0 : st->line[i].pc;
}

static void claim(void *self)
{
	((struct state *)self)->claims++;
}

static bool code(void *self, uint32_t warp, uint32_t at, struct hd_inst *inst)
{
	const struct state *st = self;

	(void)warp;
	for (uint32_t i = 0; i < st->ncode; i++) {
		if (st->code[i].pc != at)
			continue;
		*inst = st->code[i];
		return true;
	}
	return false;
}

static uint32_t next_pc(void *self, uint32_t warp, uint32_t at)
{
	(void)self;
	(void)warp;
	return at + 16;
}

static const char *opcode_text(void *self, uint32_t opcode)
{
	return ((const struct state *)self)->opcode[opcode];
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	actor_init(st, ctx);
	st->paths = (struct hd_paths_if){ .self = st, .claim = claim, .code = code,
		.next_pc = next_pc };
	st->trace = (struct hd_trace_if){ .self = st, .next = next, .opcode_text = opcode_text };
	st->divergence = (struct hd_divergence_if){ .self = st, .next = next, .pc = pc,
		.paths = st->bare ? NULL : &st->paths, .control_hazards = &st->hazards };
	return 0;
}

static const struct hd_param params[] = {
	{ .name = "bare", .unit = "", .doc = "has no program", .type = HD_BOOL,
	  .offset = offsetof(struct state, bare), .def = "false" },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	GIVES("divergence", hd_type_divergence_if, divergence),
	GIVES("trace", hd_type_trace_if, trace),
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "hazards", .unit = "hazards", .doc = "that its users counted",
	  .offset = offsetof(struct state, hazards) },
	{ .name = "claims", .unit = "calls", .doc = "of claim()",
	  .offset = offsetof(struct state, claims) },
	{ .name = NULL },
};

TOY(give_divergence, "a divergence policy given line by line", verbs, ports,
    .params = params, .stats = stats, .init = init, .eval = actor_eval);
