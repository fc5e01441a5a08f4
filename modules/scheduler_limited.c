/* scheduler_limited.c - scheduling policy: greedy, then oldest, among the few oldest warps
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, P4: as scheduler_gto, but apart from the warp that issued last only
 * the `limit` oldest of those that are neither ended nor held are looked at.
 */
#include <heddle/interface/sched_policy.h>
#include <heddle/interface/warps.h>

struct state {
	struct hd_sched_policy_if policy;
	const struct hd_warps *warps;
	uint32_t limit;
	uint64_t greedy; /* set of the one warp that issued last */
};

enum { PORT_POLICY, PORT_WARPS };

static void bind(void *self, uint64_t mine)
{
	((struct state *)self)->greedy = mine & -mine;
}

/* Set of the oldest warp of `set`, which is not empty. */
static uint64_t oldest(const struct state *st, uint64_t set)
{
	uint64_t best = set & -set;

	for (set &= set - 1; set; set &= set - 1)
		if (st->warps->age[__builtin_ctzll(set)] < st->warps->age[__builtin_ctzll(best)])
			best = set & -set;
	return best;
}

static uint64_t begin(void *self, uint64_t live)
{
	const struct state *st = self;
	uint64_t few = 0;

	if ((uint32_t)__builtin_popcountll(live) <= st->limit)
		return UINT64_MAX;
	for (uint32_t i = 0; i < st->limit; i++)
		few |= oldest(st, live & ~few);
	return few | st->greedy;
}

static uint32_t first(void *self, uint64_t set)
{
	const struct state *st = self;

	return (uint32_t)__builtin_ctzll(set & st->greedy ? st->greedy : oldest(st, set));
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	(void)nth;
	((struct state *)self)->greedy = UINT64_C(1) << warp;
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

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "limit", .unit = "warps", .doc = "warps that take part, apart from the one that "
	  "issued last", .type = HD_U32, .offset = P(limit), .def = "4", .min = 1,
	  .max = HD_MAX_WARPS },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_POLICY] = { .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES,
	                  .type = &hd_type_sched_policy_if, .offset = P(policy) },
	[PORT_WARPS] = { .name = "warps", .doc = "how old warps are", .kind = HD_USES,
	                 .type = &hd_type_warps, .offset = P(warps) },
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
};
