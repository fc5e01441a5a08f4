/* issue.h - an issue stage among toys: netlists for its rules
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The stage has three routes: to sp, int, mem, with two slots each; the units are named
 * after the toys that they lead to.  The policy of stage X is policy_X.
 */
#ifndef TESTS_MODULES_ISSUE_H
#define TESTS_MODULES_ISSUE_H

#include "harness.h"

#ifndef STAGE_MODULE
#define STAGE_MODULE "issue"
#endif

#define STAGE(it, count, policy) "'" it "': {'module': '" STAGE_MODULE "'" count ", 'params': {@}}, " \
	"'policy_" it "': {'module': 'give_policy'" count policy "}, "
#define TOYS "'sm': {'module': 'sm', 'params': {'slots': 8}}, " MORE_TOYS
#define FEW_TOYS(n) "'sm': {'module': 'sm', 'params': {'slots': 8, 'pending': " n "}}, " MORE_TOYS
#define ROOMY_TOYS "'sm': {'module': 'sm', 'params': {'slots': 8, 'room': true, 'entries': 4}}, " MORE_TOYS
#define MORE_TOYS "'sync': {'module': 'give'}, " \
	"'sp': {'module': 'take_slots', 'params': {'issue': true}}, " \
	"'int': {'module': 'take_slots', 'params': {'issue': true}}, " \
	"'mem': {'module': 'take_slots', 'params': {'issue': true}}}, "
#define WAY(it, to, classes, more) "{'from': '" it ".out', 'to': '" to ".in', 'slots': 2, " \
	"'unit': '" to "', 'classes': [" classes "]" more "}, "
#define LINKS(it, index) WAY(it index, "sp", "'SP'", "") \
	WAY(it index, "int", "'INTP', 'EXIT'", ", 'same_unit_as': ['mem']") \
	WAY(it index, "mem", "'LOAD', 'STORE'", "") \
	"{'from': '" it index ".ibuffer', 'to': 'sm.ibuffer'}, " \
	"{'from': '" it index ".scoreboard', 'to': 'sm.scoreboard'}, " \
	"{'from': '" it index ".policy', 'to': 'policy_" it index ".policy'}, " \
	"{'from': '" it index ".barrier', 'to': 'sync.barrier'}, " \
	"{'from': '" it index ".warps', 'to': 'sm.warps'}"
#define SYNC(it) ", {'from': '" it ".fence', 'to': 'sync.fence'}, " \
	"{'from': '" it ".copy', 'to': 'sync.copy'}"
#define END ", {'from': 'sync.warps', 'to': 'sm.warps'}]"

#define NETLIST(policy) "'instances': {" STAGE("it", "", policy) TOYS \
	"'links': [" LINKS("it", "") SYNC("it") END

#endif
