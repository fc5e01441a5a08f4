/* suites.c - the modules whose rules are tried, and the toys that they are tried with
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A new file of rules and a new toy are named here and in tests.am.
 */
#include "harness.h"

#include <heddle/module.h>

extern const struct suite suite_barrier;
extern const struct suite suite_collector;
extern const struct suite suite_decode;
extern const struct suite suite_fence;
extern const struct suite suite_fetch;
extern const struct suite suite_ibuffer;
extern const struct suite suite_issue;
extern const struct suite suite_issue_account;
extern const struct suite suite_regfile;
extern const struct suite suite_result_bus;
extern const struct suite suite_scheduler_gto;
extern const struct suite suite_scheduler_limited;
extern const struct suite suite_scheduler_lrr;
extern const struct suite suite_scheduler_oldest;
extern const struct suite suite_scheduler_rrr;
extern const struct suite suite_scheduler_two_level;
extern const struct suite suite_scoreboard;
extern const struct suite suite_two_level_issue;
extern const struct suite suite_writeback;

const struct suite *const suites[] = {
	&suite_barrier,
	&suite_collector,
	&suite_decode,
	&suite_fence,
	&suite_fetch,
	&suite_ibuffer,
	&suite_issue,
	&suite_issue_account,
	&suite_regfile,
	&suite_result_bus,
	&suite_scheduler_gto,
	&suite_scheduler_limited,
	&suite_scheduler_lrr,
	&suite_scheduler_oldest,
	&suite_scheduler_rrr,
	&suite_scheduler_two_level,
	&suite_scoreboard,
	&suite_two_level_issue,
	&suite_writeback,
	NULL,
};

extern const struct hd_module hd_module_barrier;
extern const struct hd_module hd_module_collector;
extern const struct hd_module hd_module_decode;
extern const struct hd_module hd_module_fence;
extern const struct hd_module hd_module_fetch;
extern const struct hd_module hd_module_ibuffer;
extern const struct hd_module hd_module_issue;
extern const struct hd_module hd_module_regfile;
extern const struct hd_module hd_module_result_bus;
extern const struct hd_module hd_module_scheduler_gto;
extern const struct hd_module hd_module_scheduler_limited;
extern const struct hd_module hd_module_scheduler_lrr;
extern const struct hd_module hd_module_scheduler_oldest;
extern const struct hd_module hd_module_scheduler_rrr;
extern const struct hd_module hd_module_scheduler_two_level;
extern const struct hd_module hd_module_scoreboard;
extern const struct hd_module hd_module_writeback;
/* toys */
extern const struct hd_module hd_module_call_ibuffer;
extern const struct hd_module hd_module_call_policy;
extern const struct hd_module hd_module_call_regs;
extern const struct hd_module hd_module_call_scoreboard;
extern const struct hd_module hd_module_call_sync;
extern const struct hd_module hd_module_give_cache;
extern const struct hd_module hd_module_give_icache;
extern const struct hd_module hd_module_give_policy;
extern const struct hd_module hd_module_give_regs;
extern const struct hd_module hd_module_give_sync;
extern const struct hd_module hd_module_give_trace;
extern const struct hd_module hd_module_put_fetched;
extern const struct hd_module hd_module_put_insts;
extern const struct hd_module hd_module_put_slots;
extern const struct hd_module hd_module_sm;
extern const struct hd_module hd_module_take_fetched;
extern const struct hd_module hd_module_take_insts;
extern const struct hd_module hd_module_take_slots;
extern const struct hd_module *const hd__builtin_modules[];

const struct hd_module *const hd__builtin_modules[] = {
	&hd_module_barrier,
	&hd_module_collector,
	&hd_module_decode,
	&hd_module_fence,
	&hd_module_fetch,
	&hd_module_ibuffer,
	&hd_module_issue,
	&hd_module_regfile,
	&hd_module_result_bus,
	&hd_module_scheduler_gto,
	&hd_module_scheduler_limited,
	&hd_module_scheduler_lrr,
	&hd_module_scheduler_oldest,
	&hd_module_scheduler_rrr,
	&hd_module_scheduler_two_level,
	&hd_module_scoreboard,
	&hd_module_writeback,
	/* toys */
	&hd_module_call_ibuffer,
	&hd_module_call_policy,
	&hd_module_call_regs,
	&hd_module_call_scoreboard,
	&hd_module_call_sync,
	&hd_module_give_cache,
	&hd_module_give_icache,
	&hd_module_give_policy,
	&hd_module_give_regs,
	&hd_module_give_sync,
	&hd_module_give_trace,
	&hd_module_put_fetched,
	&hd_module_put_insts,
	&hd_module_put_slots,
	&hd_module_sm,
	&hd_module_take_fetched,
	&hd_module_take_insts,
	&hd_module_take_slots,
	NULL,
};
