/* cluster.c - toys: a dispatcher's calls to a cluster; a cluster that writes down those calls
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   place n=N, work, rest    call_cluster: its SMs are numbered from N on; its clock runs, or not
 */
#include "actor.h"

#include <heddle/gpu/cluster.h>

struct state {
	struct actor actor;
	const struct hd_cluster_if *used;
	struct hd_cluster_if face;
	uint32_t first;
	bool works, runs; /* runs: the first cycle has begun */
	bool placing;     /* has placed the SMs */
};

static void place(void *state, struct args *a)
{
	struct state *st = state;

	st->first = (uint32_t)arg_number(a, "n", 0);
	st->placing = true;
	st->used->place(st->used->self, st->first);
}

static void work(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	st->used->work(st->used->self, true);
}

static void rest(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	st->used->work(st->used->self, false);
}

static void placed(void *self, uint32_t first)
{
	((struct state *)self)->first = first;
}

static void switched(void *self, bool works)
{
	struct state *st = self;

	st->works = works;
	if (st->runs)
		toy_log(st->actor.ctx, works ? "works" : "rests");
}

/* The calls before the first cycle. */
static uint64_t begin(void *state)
{
	struct state *st = state;

	if (!st->runs)
		toy_log(st->actor.ctx, "SMs from %u on, %s", st->first,
		        st->works ? "works" : "rests");
	st->runs = true;
	return HD_SLEEP;
}

static const struct verb verbs[] = {
	{ "place", place }, { "work", work }, { "rest", rest }, { .name = NULL },
};

static int init_give(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->actor.ctx = ctx;
	st->face = (struct hd_cluster_if){ .self = st, .place = placed, .work = switched };
	return 0;
}

/* A dispatcher places the SMs before the first cycle, of a run that goes on as well. */
static void call_saved(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	toy_saved(st, k);
	if (hd_loads(k) && st->placing)
		st->used->place(st->used->self, st->first);
}

static const struct hd_port call_ports[] = {
	USES("work", hd_type_cluster_if, used),
	{ .name = NULL },
};

static const struct hd_port give_ports[] = {
	{ .name = "work", .doc = "is "
		"called", .kind = HD_PROVIDES, .flags = HD_PROVIDER_FIRST, .type = &hd_type_cluster_if,
	  .offset = offsetof(struct state, face) },
	{ .name = NULL },
};

TOY_SAVED(call_saved, call_cluster, "calls a cluster", verbs, call_ports,
    .init = actor_init, .eval = actor_eval);

TOY(give_cluster, "a cluster that logs its calls", NULL, give_ports,
    .init = init_give, .eval = begin);
