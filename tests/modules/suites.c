/* suites.c - the rules of modules, and the toys used for them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A new file of rules and a new toy are named here and in tests.am.
 */
#include "harness.h"
#include "toy/actor.h"

#include "kernel/registry.h"

#define SUITES(X) \
	X(address_map) \
	X(address_map_random) \
	X(barrier) \
	X(cache) \
	X(cache_l2) \
	X(cache_stores) \
	X(cluster) \
	X(coalescer) \
	X(collector) \
	X(copy) \
	X(crossbar) \
	X(decode) \
	X(dispatcher) \
	X(dram) \
	X(dram_schedule) \
	X(fence) \
	X(fetch) \
	X(fly) \
	X(front_icache) \
	X(front_cache) \
	X(fu_pipeline) \
	X(hazards) \
	X(ibuffer) \
	X(icache) \
	X(icache_perfect) \
	X(issue) \
	X(issue_account) \
	X(issue_shared) \
	X(issue_types) \
	X(l2_intake) \
	X(l2_slice) \
	X(load_store) \
	X(load_store_answers) \
	X(memory_fixed) \
	X(memory_perfect) \
	X(regfile) \
	X(reply_port) \
	X(result_bus) \
	X(result_queue) \
	X(scheduler_gto) \
	X(scheduler_limited) \
	X(scheduler_lrr) \
	X(scheduler_oldest) \
	X(scheduler_rrr) \
	X(scheduler_two_level) \
	X(scalar) \
	X(scoreboard) \
	X(shared_banks) \
	X(timebase) \
	X(two_level_issue) \
	X(warps) \
	X(writeback)

#define TOYS(X) \
	X(call) \
	X(call_cache) \
	X(call_cluster) \
	X(call_icache) \
	X(call_map) \
	X(call_policy) \
	X(call_warps) \
	X(give) \
	X(give_cache) \
	X(give_cluster) \
	X(give_divergence) \
	X(give_icache) \
	X(give_kernels) \
	X(give_map) \
	X(give_policy) \
	X(give_replacement) \
	X(put_credit) \
	X(put_fetched) \
	X(put_insts) \
	X(put_mem) \
	X(put_slots) \
	X(sm) \
	X(take_fetched) \
	X(take_insts) \
	X(take_mem) \
	X(take_slots) \
	X(ticks) \
	X(turn_mem)

#define DECLARE_SUITE(name) extern const struct suite suite_##name;
#define SUITE(name) &suite_##name,

SUITES(DECLARE_SUITE)

const struct suite *const suites[] = { SUITES(SUITE) NULL };

#define DECLARE_TOY(name) extern const struct toy toy_##name;
#define ADD_TOY(name) hd__registry_add(r, &toy_##name.module, "toy", NULL, d);

TOYS(DECLARE_TOY)

void add_toys(struct hd_registry *r, struct hd_diags *d)
{
	TOYS(ADD_TOY)
}
