/* call_access.c - toy: calls the coalescer, the banks of shared memory
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   coalesce #N wN...        "= HOW MANY: ADDRESS/BYTES/LANES ...", hexadecimal
 *   count #N wN...           the same, without the list
 *   conflicts #N wN...       "= cycles"
 */
#include "actor.h"

#include <heddle/gpu/access.h>

struct state {
	struct actor actor;
	const void *after;
	const struct hd_coalescer_if *coalescer;
	const struct hd_banks_if *banks;
};

static uint32_t call(struct state *st, struct args *a, struct hd_access *v, uint32_t *number)
{
	struct hd_inst inst;

	arg_inst(a, &inst);
	*number = inst.code;
	return st->coalescer->coalesce(st->coalescer->self, &inst, v);
}

static void coalesce(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_access v[HD_MAX_ACCESSES];
	char text[2000] = "";
	uint32_t number, count = call(st, a, v, &number);
	size_t n = 0;

	for (uint32_t i = 0; i < count && n < sizeof text; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, " %llx/%x/%x",
		                      (unsigned long long)v[i].addr, v[i].bytes, v[i].lanes);
	toy_log(st->actor.ctx, "#%u = %u:%s", number, count, text);
}

static void count(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_access v[HD_MAX_ACCESSES];
	uint32_t number, n = call(st, a, v, &number);

	toy_log(st->actor.ctx, "#%u = %u", number, n);
}

static void conflicts(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_inst inst;

	arg_inst(a, &inst);
	toy_log(st->actor.ctx, "#%u = %u", inst.code, st->banks->conflicts(st->banks->self, &inst));
}

static int init(void *state, struct hd_ctx *ctx)
{
	static const struct verb verbs[] = {
		{ "coalesce", coalesce }, { "count", count }, { "conflicts", conflicts },
		{ NULL, NULL },
	};

	actor_init(state, ctx, verbs);
	return 0;
}

static const struct hd_port ports[] = {
	CALL_AFTER(struct state),
	{ .name = "coalescer", .doc = "called", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_coalescer_if, .offset = offsetof(struct state, coalescer) },
	{ .name = "banks", .doc = "called", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_banks_if, .offset = offsetof(struct state, banks) },
	{ .name = NULL },
};

const struct hd_module hd_module_call_access = {
	TOY_HEAD, .name = "call_access", .doc = "calls the coalescer and the banks",
	.ports = ports, .state_size = sizeof(struct state), .init = init, .eval = actor_eval,
};
