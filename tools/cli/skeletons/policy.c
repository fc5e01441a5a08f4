/* @NAME@.c - a scheduling policy: the order in which an issue stage considers its warps
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * heddle/gpu/sched_policy.h has the contract, warp_set.h the operations on sets of warps,
 * warps.h the state of warps (use a port for it).
 */
#include <heddle/gpu/sched_policy.h>

/* State of an instance; one instance per scheduler. */
struct state {
	struct hd_sched_policy_if policy; /* the provided interface */
	hd_warp_set behind;               /* slots above the warp that issued last */
	uint64_t chosen;                  /* statistic */
};

/* Called before the first edge: `mine` are the warp slots of this scheduler. */
static void bind(void *self, hd_warp_set mine)
{
	(void)mine;
	((struct state *)self)->behind = HD_ALL_WARPS;
}

/* Called once per edge; `live` are the warps that have neither ended nor are held, and those at a fence, which may end
 * when they are considered.  Returns the warps that are. */
static hd_warp_set begin(void *self, hd_warp_set live)
{
	(void)self;
	return live;
}

/* Returns the warp of `set`, which is not empty, to be considered first. */
static uint32_t first(void *self, hd_warp_set set)
{
	struct state *st = self;

	if (set & st->behind)
		set &= st->behind; /* else wrap around */
	return hd_warp_first(set);
}

/* Called when the warp has issued its nth instruction, from 0, of this edge. */
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

/* Saves or loads what changes in a run, for `heddle run --save-at` and --load. */
static void checkpoint(void *state, struct hd_checkpoint *k)
{
	HD_SAVED(k, ((struct state *)state)->behind);
}

/* The kernel takes the interface of a port that provides one from its offset. */
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

/* The descriptor; `heddle modules @NAME@` prints it.  There is no eval: the module only works when
 * it is called. */
const struct hd_module hd_module_@NAME@ = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "@NAME@",
	.doc = "scheduling policy: the warps above the last one first",
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
};
