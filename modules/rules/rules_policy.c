/* rules_policy.c - rules of scheduling policies and of policies of replacement
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rules_list.h"

#include <heddle/gpu/replacement.h>
#include <heddle/gpu/sched_policy.h>

struct policy {
	struct hd_judged by;
	struct hd_sched_policy_if of;
	const hd_warp_set *behind; /* that of a ring, which users call as any other here */
	hd_warp_set mine;
};

static void policy_bind(void *self, hd_warp_set mine)
{
	struct policy *k = self;

	k->mine |= mine; /* of several stages */
	k->of.bind(k->of.self, mine);
}

static void policy_changed(void *self, hd_warp_set set)
{
	struct policy *k = self;

	k->of.changed(k->of.self, set);
}

/* Edges in which no warp changes are left out, unless the policy needs them or gets their number. */
static hd_warp_set policy_begin(void *self, hd_warp_set live)
{
	struct policy *k = self;
	struct hd_sched_policy_if *p = (struct hd_sched_policy_if *)(uintptr_t)k->by.provided;
	hd_warp_set may = k->of.begin(k->of.self, live);

	if (p->needs_every_edge || k->of.skipped)
		return may;
	hd_rules_keep(&k->by);
	if (k->of.begin(k->of.self, live) != may || (!p->needs_every_edge && !hd_rules_same(&k->by)))
		hd_rules_wrong(&k->by, "has an effect in begin() that the next call sees, although nothing changed; "
		               "expected 'needs_every_edge' or skipped(), as edges without a change are left out");
	return may;
}

static uint32_t policy_first(void *self, hd_warp_set set)
{
	struct policy *k = self;
	uint32_t warp;

	if (set == 0)
		hd_rules_misused(&k->by, "called first() of '%s' without a warp; expected a set that is not empty",
		                 hd_rules_name(k->by.provider));
	HD_RULES_PURE(k, "first", warp, k->of.first(k->of.self, set));
	if (warp >= HD_MAX_WARPS || !hd_warp_in(set, warp))
		hd_rules_wrong(&k->by, "returned warp %u from first(), which is not in the set that it was given, "
		               "0x%llx; expected one of these", warp, (unsigned long long)set);
	if (k->behind && warp != hd_ring_first(*k->behind, set))
		hd_rules_wrong(&k->by, "returned warp %u from first(); expected warp %u, as it says by 'behind' that "
		               "it is a ring", warp, hd_ring_first(*k->behind, set));
	return warp;
}

static void policy_issued(void *self, uint32_t warp, uint32_t nth)
{
	struct policy *k = self;

	if (k->mine && !hd_warp_in(k->mine, warp))
		hd_rules_misused(&k->by, "called issued() of '%s' for warp %u, which is not one of its scheduler",
		                 hd_rules_name(k->by.provider), warp);
	k->of.issued(k->of.self, warp, nth);
	if (k->behind && *k->behind != hd_warp_above(warp))
		hd_rules_wrong(&k->by, "has not put warp %u behind all others in issued(); expected that, as it says "
		               "by 'behind' that it is a ring", warp);
}

static void policy_skipped(void *self, uint64_t n)
{
	struct policy *k = self;

	k->of.skipped(k->of.self, n);
}

static void stand_policy(void *checks, void *provided)
{
	struct policy *k = checks;
	struct hd_sched_policy_if *p = provided;

	HD_STAND(&k->of, p, bind, policy_bind);
	HD_STAND(&k->of, p, changed, policy_changed);
	HD_STAND(&k->of, p, begin, policy_begin);
	HD_STAND(&k->of, p, first, policy_first);
	HD_STAND(&k->of, p, issued, policy_issued);
	HD_STAND(&k->of, p, skipped, policy_skipped);
	HD_STAND(&k->of, p, self, checks);
	if (p->behind && p->first && p->issued)
		k->behind = p->behind, p->behind = NULL;
	if (p->greedy && p->first && p->issued)
		p->greedy = NULL;
}

const struct hd_rules hd__rules_sched_policy = { &hd_type_sched_policy_if, sizeof(struct policy), stand_policy, NULL };

struct replacement {
	struct hd_judged by;
	struct hd_replacement_if of;
	uint32_t sets, ways;
};

static int replacement_resize(void *self, uint32_t sets, uint32_t ways)
{
	struct replacement *k = self;

	k->sets = sets;
	k->ways = ways;
	return k->of.resize(k->of.self, sets, ways);
}

static void check_line(const struct replacement *k, const char *f, uint32_t set, uint32_t way)
{
	if (set >= k->sets || way >= k->ways)
		hd_rules_misused(&k->by, "called %s() of '%s' for way %u of set %u; expected one of %u ways and %u "
		                 "sets", f, hd_rules_name(k->by.provider), way, set, k->ways, k->sets);
}

static void replacement_allocated(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	struct replacement *k = self;

	check_line(k, "allocated", set, way);
	k->of.allocated(k->of.self, set, way, req);
}

static void replacement_used(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	struct replacement *k = self;

	check_line(k, "used", set, way);
	k->of.used(k->of.self, set, way, req);
}

static uint32_t replacement_victim(void *self, uint32_t set, const uint32_t *ways, uint32_t n,
                                   const struct hd_mem_req *req)
{
	struct replacement *k = self;
	uint32_t i;

	HD_RULES_PURE(k, "victim", i, k->of.victim(k->of.self, set, ways, n, req));
	if (i >= n)
		hd_rules_wrong(&k->by, "returned %u from victim(), with %u ways to choose from; expected less than "
		               "%u", i, n, n);
	return i;
}

static void stand_replacement(void *checks, void *provided)
{
	struct replacement *k = checks;
	struct hd_replacement_if *p = provided;

	HD_STAND(&k->of, p, resize, replacement_resize);
	HD_STAND(&k->of, p, allocated, replacement_allocated);
	HD_STAND(&k->of, p, used, replacement_used);
	HD_STAND(&k->of, p, victim, replacement_victim);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_replacement = {
	&hd_type_replacement_if, sizeof(struct replacement), stand_replacement, NULL };
