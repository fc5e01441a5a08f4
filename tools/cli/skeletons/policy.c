/* @NAME@.c - a scheduling policy: which of its warps an issue stage looks at first
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * heddle/interface/sched_policy.h has the contract, warp_set.h what can be done with sets of warps,
 * warps.h what else can be known about warps (use a port for it).
 */
#include <heddle/interface/sched_policy.h>

/* One of these per instance, and one instance per scheduler. */
struct state {
	struct hd_sched_policy_if policy; /* what it provides */
	hd_warp_set behind;               /* slots behind the warp that issued last */
	uint64_t chosen;                  /* statistic */
};

/* Before the first edge: these slots are this scheduler's. */
static void bind(void *self, hd_warp_set mine)
{
	(void)mine;
	((struct state *)self)->behind = HD_ALL_WARPS;
}

/* Once per edge; `live` are the warps that are neither ended nor held.  Returns those that may be
 * looked at. */
static hd_warp_set begin(void *self, hd_warp_set live)
{
	(void)self;
	return live;
}

/* The one of `set`, which is not empty, that comes first. */
static uint32_t first(void *self, hd_warp_set set)
{
	struct state *st = self;

	if (set & st->behind)
		set &= st->behind; /* else around again */
	return hd_warp_first(set);
}

/* The warp issued its nth instruction, from 0, of this edge. */
static void issued(void *self, uint32_t warp, uint32_t nth)
{
	struct state *st = self;

	if (nth > 0)
		return;
	st->behind = hd_warp_above(warp);
	st->chosen++;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->policy = (struct hd_sched_policy_if){ .self = st, .bind = bind, .begin = begin,
		                              .first = first, .issued = issued };
	return 0;
}

/* Gives the interface of a port, by its place in ports[]. */
static const struct hd_port ports[] = {
	{ .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES,
	  .type = &hd_type_sched_policy_if, .offset = offsetof(struct state, policy) },
	{ 0 },
};

static const struct hd_stat stats[] = {
	{ .name = "chosen", .unit = "cycles", .doc = "cycles in which a warp issued",
	  .offset = offsetof(struct state, chosen) },
	{ 0 },
};

/* All that the program knows of the module: `heddle modules @NAME@` prints it.  It has no eval:
 * it does its work when it is called. */
const struct hd_module hd_module_@NAME@ = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "@NAME@",
	.doc = "scheduling policy: the warps behind the last one first",
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
};
