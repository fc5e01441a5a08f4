/* scheduler_limited.c - scheduling policy: greedy, then oldest, among the few oldest warps
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, P4: as scheduler_gto, but apart from the warp that issued last only
 * the `limit` oldest of those that are neither ended nor held are considered.
 */
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_sched_policy_if policy;
	const struct hd_warps *warps;
	uint32_t limit;
	hd_warp_set greedy; /* set of the one warp that issued last */
};

enum { PORT_POLICY, PORT_WARPS };

static void bind(void *self, hd_warp_set mine)
{
	((struct state *)self)->greedy = hd_warp_lowest(mine);
}

static hd_warp_set begin(void *self, hd_warp_set live)
{
	const struct state *st = self;
	hd_warp_set few = 0;

	if (hd_warp_count(live) <= st->limit)
		return HD_ALL_WARPS;
	for (uint32_t i = 0; i < st->limit; i++)
		few |= hd_warp_bit(hd_warps_oldest(st->warps, live & ~few));
	return few | st->greedy;
}

static uint32_t first(void *self, hd_warp_set set)
{
	const struct state *st = self;

	return set & st->greedy ? hd_warp_first(st->greedy) : hd_warps_oldest(st->warps, set);
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	(void)nth;
	((struct state *)self)->greedy = hd_warp_bit(warp);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->policy = (struct hd_sched_policy_if){ .self = st, .bind = bind, .begin = begin,
		                              .first = first, .issued = issued,
		                              .polls_fences = true };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->greedy);
	HD_SAVED(k, st->policy.needs_every_edge);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "limit", .unit = "warps", .doc = "warps considered besides the one that "
	  "issued last", .type = HD_U32, .offset = P(limit), .def = "4", .min = 1,
	  .max = HD_MAX_WARPS },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_POLICY] = { .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES,
	                  .type = &hd_type_sched_policy_if, .offset = P(policy) },
	[PORT_WARPS] = { .name = "warps", .doc = "age of warps", .kind = HD_USES,
	                 .type = &hd_type_warps, .offset = P(warps),
	                 .like = "policy" },
	{ .name = NULL },
};

const struct hd_module hd_module_scheduler_limited = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scheduler_limited",
	.doc = "scheduling policy: the warp that issued last, then the oldest of a few warps",
	.params = params,
	.ports = ports,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
};
