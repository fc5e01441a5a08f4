/* rules_list.h - private to rules: the rules of each interface in heddle/gpu/
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_RULES_RULES_LIST_H
#define MODULES_RULES_RULES_LIST_H

#include <heddle/rules.h>

extern const struct hd_rules hd__rules_async, hd__rules_banks, hd__rules_barrier, hd__rules_cache,
	hd__rules_cluster, hd__rules_coalescer, hd__rules_constants, hd__rules_copy, hd__rules_counters,
	hd__rules_credits, hd__rules_divergence, hd__rules_fence, hd__rules_freeze, hd__rules_hazards,
	hd__rules_ibuffer, hd__rules_icache, hd__rules_map, hd__rules_mbarrier, hd__rules_read_ports,
	hd__rules_regfile, hd__rules_register_cache, hd__rules_registers, hd__rules_remote, hd__rules_replacement,
	hd__rules_products, hd__rules_result_bus, hd__rules_sched_policy, hd__rules_scoreboard, hd__rules_smem_port,
	hd__rules_time, hd__rules_touch, hd__rules_trace, hd__rules_warps;

/* All of them; ends with NULL. */
extern const struct hd_rules *const hd__rules_gpu[];

#endif
