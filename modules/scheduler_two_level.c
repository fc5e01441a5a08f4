/* scheduler_two_level.c - scheduling policy: round robin among a few active warps, others pend
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SM_SEMANTICS 6, `two_level_active`.  At the start of each cycle active warps that are held, or
 * whose next instruction reads a register that a global or local load writes, go to the end of the
 * pending queue; those at its front take their places and take part at once.
 */
#include <heddle/interface/ibuffer.h>
#include <heddle/interface/priority.h>
#include <heddle/interface/scoreboard.h>
#include <heddle/interface/sync.h>

struct state {
	struct hd_priority_if policy;
	const struct hd_warps *warps;
	const struct hd_ibuffer *ibuffer;
	const struct hd_scoreboard *scoreboard;
	const struct hd_fence_if *fence;
	struct hd_pool *pool;
	uint32_t active_most;
	uint32_t nactive, head, npending;
	uint32_t place;                  /* of the warp that issues, at the start of the walk */
	uint8_t active[HD_MAX_WARPS];    /* in the order of their turns */
	uint8_t pending[HD_MAX_WARPS];   /* ring */
	uint64_t demotions;
};

enum { PORT_POLICY, PORT_WARPS, PORT_IBUFFER, PORT_SCOREBOARD, PORT_FENCE };

static void append(struct state *st, uint8_t warp)
{
	st->pending[(st->head + st->npending++) % HD_MAX_WARPS] = warp;
}

static void bind(void *self, uint64_t mine)
{
	struct state *st = self;

	for (; mine; mine &= mine - 1) {
		uint8_t warp = (uint8_t)__builtin_ctzll(mine);

		if (st->nactive < st->active_most)
			st->active[st->nactive++] = warp;
		else
			append(st, warp);
	}
}

/* waiting() of the reference: looking at a warp may end its fence. */
static bool held(const struct state *st, uint32_t warp)
{
	const struct hd_warps *w = st->warps;
	uint64_t bit = UINT64_C(1) << warp;

	if (!((w->exited | w->blocked) & bit))
		return false;
	if ((w->exited | w->blocked_by[HD_BLOCK_BARRIER]) & bit)
		return true;
	if ((w->blocked_by[HD_BLOCK_FENCE] & bit) && st->fence)
		st->fence->holds(st->fence->self, warp);
	return (w->blocked & bit) != 0;
}

static bool waits_for_load(const struct state *st, uint32_t warp)
{
	const struct hd_inst *inst;

	if (!(st->ibuffer->filled >> warp & 1))
		return false;
	inst = hd_inst(st->pool, hd_ibuffer_head(st->ibuffer, warp));
	for (unsigned i = 0; i < inst->nsrc; i++)
		if (hd_scoreboard_has(st->scoreboard->longop[warp], inst->src[i]))
			return true;
	return false;
}

static uint64_t begin(void *self, uint64_t live)
{
	struct state *st = self;
	uint64_t set = 0;
	uint32_t kept = 0;

	(void)live; /* fences of active warps only may end here */
	for (uint32_t i = 0; i < st->nactive; i++) {
		uint8_t warp = st->active[i];

		if (held(st, warp) || waits_for_load(st, warp)) {
			append(st, warp);
			st->demotions++;
		} else {
			st->active[kept++] = warp;
		}
	}
	while (kept < st->active_most && st->npending) {
		st->active[kept++] = st->pending[st->head];
		st->head = (st->head + 1) % HD_MAX_WARPS;
		st->npending--;
	}
	st->nactive = kept;
	for (uint32_t i = 0; i < kept; i++)
		set |= UINT64_C(1) << st->active[i];
	return set;
}

static uint32_t first(void *self, uint64_t set)
{
	const struct state *st = self;
	uint32_t i = 0;

	while (!(set >> st->active[i] & 1))
		i++;
	return st->active[i];
}

/* The active warps rotate until the one that issued comes last.  A second instruction rotates by
 * as much again: the reference remembers the place, not the warp. */
static void issued(void *self, uint32_t warp, uint32_t nth)
{
	struct state *st = self;
	uint8_t turned[HD_MAX_WARPS];

	if (nth == 0)
		for (st->place = 0; st->active[st->place] != warp;)
			st->place++;
	for (uint32_t i = 0; i < st->nactive; i++)
		turned[i] = st->active[(st->place + 1 + i) % st->nactive];
	memcpy(st->active, turned, st->nactive);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->pool = hd_pool(ctx, &hd_type_inst);
	st->policy = (struct hd_priority_if){ .self = st, .bind = bind, .begin = begin,
		                              .first = first, .issued = issued,
		                              .restless = true };
	return 0;
}

static const void *provide(void *state, unsigned port)
{
	(void)port;
	return &((struct state *)state)->policy;
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "active", .unit = "warps", .doc = "warps that take part at a time", .type = HD_U32,
	  .offset = P(active_most), .def = "8", .min = 1, .max = HD_MAX_WARPS },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_POLICY] = { .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES,
	                  .type = &hd_type_priority_if },
	[PORT_WARPS] = { .name = "warps", .doc = "who is held", .kind = HD_USES,
	                 .type = &hd_type_warps, .offset = P(warps) },
	[PORT_IBUFFER] = { .name = "ibuffer", .doc = "what warps issue next", .kind = HD_USES,
	                   .type = &hd_type_ibuffer, .offset = P(ibuffer) },
	[PORT_SCOREBOARD] = { .name = "scoreboard", .doc = "which registers loads write",
	                      .kind = HD_USES, .type = &hd_type_scoreboard,
	                      .offset = P(scoreboard) },
	[PORT_FENCE] = { .name = "fence", .doc = "asked whether fences are over", .kind = HD_USES,
	                 .flags = HD_OPTIONAL, .type = &hd_type_fence_if, .offset = P(fence) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "demotions", .unit = "warps", .doc = "times that a warp went to the pending queue",
	  .offset = P(demotions) },
	{ .name = NULL },
};

const struct hd_module hd_module_scheduler_two_level = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scheduler_two_level",
	.doc = "scheduling policy: round robin among a few active warps, the others pend",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.provide = provide,
};
