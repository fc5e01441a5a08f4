/* take.c - toys: take instructions out of a register set or a queue, or fetched warps
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * They take everything at once, and log it, unless stopped:
 *   stop, go             from now on; stop [slots=MASK]: these slots only
 *   take n=N             N in this cycle, although stopped
 *   because n=N          the reported cause from now on: a, b, c, d
 */
#include "actor.h"

#include <heddle/gpu/ibuffer.h>

struct state {
	struct actor actor;
	struct hd_pool *pool;
	struct hd_end in;
	uint64_t stopped; /* slots; all: a queue */
	uint64_t quota;   /* in this edge, although stopped */
	uint32_t reason;
	bool issue;       /* logs what the issue stage has set */
};

static void stop(void *state, struct args *a)
{
	struct state *st = state;

	st->stopped = arg_number(a, "slots", UINT64_MAX);
}

static void go(void *state, struct args *a)
{
	(void)a;
	((struct state *)state)->stopped = 0;
}

static void some(void *state, struct args *a)
{
	struct state *st = state;

	st->quota = arg_number(a, "n", 1);
}

static void because(void *state, struct args *a)
{
	((struct state *)state)->reason = (uint32_t)arg_number(a, "n", 0) % 4;
}

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	(void)port;
	(void)link;
	return (struct hd_answer){ .reason = ((const struct state *)state)->reason };
}

static const struct hd_reason reasons[] = {
	{ "a", "the first" }, { "b", "the second" }, { "c", "the third" }, { "d", "the last" },
	{ 0 },
};

static const struct verb verbs[] = {
	{ "because", because }, { "stop", stop }, { "go", go }, { "take", some }, { .name = NULL },
};

static void receive(struct state *st, hd_inst_ref ref, const char *where)
{
	const struct hd_inst *inst = hd_inst(st->pool, ref);

	if (st->issue)
		toy_log(st->actor.ctx, "took %s#%u uid=%llu sched=%u", where, inst->code,
		        (unsigned long long)inst->uid, inst->sched);
	else
		toy_log(st->actor.ctx, "took %s#%u", where, inst->code);
	hd_release(st->pool, ref);
}

static uint64_t take_slots(void *state)
{
	struct state *st = state;
	uint64_t next = actor_eval(st), full = hd_slots_full(&st->in);

	for (uint64_t m = full; m; m &= m - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(m);
		hd_inst_ref ref = *(const hd_inst_ref *)hd_slot(&st->in, slot);
		char where[20];

		if (st->stopped >> slot & 1) {
			if (!st->quota)
				continue;
			st->quota--;
		}
		snprintf(where, sizeof where, "slot=%u ", slot);
		hd_slot_take(&st->in, slot);
		receive(st, ref, where);
	}
	st->quota = 0;
	return next;
}

static uint64_t take_insts(void *state)
{
	struct state *st = state;
	uint64_t next = actor_eval(st);
	const hd_inst_ref *front;

	while ((!st->stopped || st->quota) && (front = hd_front(&st->in)) != NULL) {
		hd_inst_ref ref = *front;

		st->quota -= st->quota > 0;
		hd_take(&st->in);
		receive(st, ref, "");
	}
	st->quota = 0;
	return next;
}

static uint64_t take_warps(void *state)
{
	struct state *st = state;
	uint64_t next = actor_eval(st);
	const struct hd_fetched *front;

	while ((!st->stopped || st->quota) && (front = hd_front(&st->in)) != NULL) {
		st->quota -= st->quota > 0;
		if (front->n)
			toy_log(st->actor.ctx, "took w%u pc=%#x n=%u", front->warp, front->pc, front->n);
		else
			toy_log(st->actor.ctx, "took w%u", front->warp);
		hd_take(&st->in);
	}
	st->quota = 0;
	return next;
}

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->pool = hd_pool(ctx, &hd_type_inst);
	return actor_init(state, ctx);
}

static const struct hd_param params[] = {
	{ .name = "issue", .unit = "", .doc = "logs the number of issue and the scheduler",
	  .type = HD_BOOL, .offset = offsetof(struct state, issue), .def = "false" },
	{ .name = NULL },
};

static const struct hd_port slot_ports[] = {
	{ .name = "in", .doc = "a register set", .kind = HD_IN, .flags = HD_SLOTS,
	  .type = &hd_type_inst, .offset = offsetof(struct state, in) },
	{ .name = NULL },
};

static const struct hd_port inst_ports[] = {
	{ .name = "in", .doc = "a queue", .kind = HD_IN, .type = &hd_type_inst,
	  .offset = offsetof(struct state, in) },
	{ .name = NULL },
};

static const struct hd_port warp_ports[] = {
	{ .name = "in", .doc = "a queue of warps", .kind = HD_IN, .type = &hd_type_fetched,
	  .offset = offsetof(struct state, in) },
	{ .name = NULL },
};

TOY(take_slots, "takes instructions out of a register set", verbs, slot_ports,
    .params = params, .init = init, .eval = take_slots, .reasons = reasons,
    .stall_cause = stall_cause);

TOY(take_insts, "takes instructions out of a queue", verbs, inst_ports,
    .params = params, .init = init, .eval = take_insts, .reasons = reasons,
    .stall_cause = stall_cause);

TOY(take_fetched, "takes fetched warps out of a queue", verbs, warp_ports,
    .init = init, .eval = take_warps);
