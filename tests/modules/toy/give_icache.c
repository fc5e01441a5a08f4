/* give_icache.c - toy: an instruction cache that follows a script
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   hit, miss, fail [n=N]   from now on, or for the next N accesses; then hits again
 *   arrive wN... [pc=N]     lines that have arrived, by default those that missed last: ready()
 *                           gives one warp at a time
 */
#include "actor.h"

#include <heddle/gpu/icache.h>

struct state {
	struct actor actor;
	struct hd_icache_if icache;
	bool perfect;
	uint32_t line; /* bytes; 0: no end */
	uint32_t missed[HD_MAX_WARPS], pc[HD_MAX_WARPS];
	enum hd_icache_status answer;
	uint64_t times; /* for so many accesses */
	hd_warp_set arrived;
	struct hd_waker fetch;
};

static void answer(struct state *st, struct args *a, enum hd_icache_status status)
{
	st->answer = status;
	st->times = arg_number(a, "n", UINT64_MAX);
}

static void hit(void *state, struct args *a)
{
	answer(state, a, HD_ICACHE_HIT);
}

static void miss(void *state, struct args *a)
{
	answer(state, a, HD_ICACHE_MISS);
}

static void fail(void *state, struct args *a)
{
	answer(state, a, HD_ICACHE_FAIL);
}

static void arrive(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t pc = arg_number(a, "pc", UINT64_MAX), set = arg_warps(a);

	st->arrived |= set;
	while (set) {
		uint32_t warp = hd_bits_pop(&set);

		st->pc[warp] = pc == UINT64_MAX ? st->missed[warp] : (uint32_t)pc;
	}
	hd_wake(st->fetch);
}

static const struct verb verbs[] = {
	{ "hit", hit }, { "miss", miss }, { "fail", fail }, { "arrive", arrive }, { .name = NULL },
};

static enum hd_icache_status access_line(void *self, uint32_t warp, uint32_t pc)
{
	static const char *const words[] = { "hit", "miss", "fail" };
	struct state *st = self;
	enum hd_icache_status status = st->times > 0 ? st->answer : HD_ICACHE_HIT;

	st->times -= st->times > 0;
	if (status == HD_ICACHE_MISS)
		st->missed[warp] = pc;
	toy_log(st->actor.ctx, "access w%u pc=%#x = %s", warp, pc, words[status]);
	return status;
}

static int ready(void *self, uint32_t *pc)
{
	struct state *st = self;
	uint32_t warp;

	if (!st->arrived)
		return -1;
	warp = hd_warp_pop(&st->arrived);
	*pc = st->pc[warp];
	return (int)warp;
}

static uint32_t rest(void *self, uint32_t pc)
{
	const struct state *st = self;

	return st->line - pc % st->line;
}

static void watch(void *self, struct hd_waker fetch)
{
	((struct state *)self)->fetch = fetch;
}

static void cycle(void *self)
{
	(void)self;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	actor_init(st, ctx);
	st->fetch = ctx->self;
	st->icache = (struct hd_icache_if){ .self = st, .access = access_line, .ready = ready,
		.cycle = st->perfect ? NULL : cycle, .watch = st->perfect ? NULL : watch,
		.rest = st->line ? rest : NULL };
	return 0;
}

static const struct hd_param params[] = {
	{ .name = "perfect", .unit = "", .doc = "has neither cycle() nor watch()", .type = HD_BOOL,
	  .offset = offsetof(struct state, perfect), .def = "false" },
	{ .name = "line", .unit = "bytes", .doc = "of a line; 0: it has no end", .type = HD_U32,
	  .offset = offsetof(struct state, line), .def = "0", .min = 0, .max = 1024 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	GIVES("icache", hd_type_icache_if, icache),
	{ .name = NULL },
};

TOY(give_icache, "an instruction cache that follows a script", verbs, ports,
    .params = params, .init = init, .eval = actor_eval);
