/* issue_shared.c - rules of issue stages whose units are shared
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Two stages, for even and for odd warps, before one slot of each unit.
 */
#include "issue.h"

#define SHARED(to, classes, more) "{'from': 'it[*].out', 'to': '" to ".in', 'slots': 1, " \
	"'index': 'any', 'unit': '" to "', 'classes': [" classes "]" more "}, "

static const char netlist[] = "'instances': {" STAGE("it", ", 'count': 2", "") TOYS "'links': ["
	SHARED("sp", "'SP'", ", 'rotate': true") SHARED("int", "'INTP'", "") SHARED("mem", "'LOAD'", "")
	"{'from': 'it[*].ibuffer', 'to': 'sm.ibuffer'}, "
	"{'from': 'it[*].scoreboard', 'to': 'sm.scoreboard'}, "
	"{'from': 'it[*].policy', 'to': 'policy_it[*].policy'}, "
	"{'from': 'it[*].barrier', 'to': 'sync.barrier'}, "
	"{'from': 'it[*].warps', 'to': 'sm.warps'}" END;

static const struct rule rules[] = {
	{
		"the last free slot goes to the stage that is first in this cycle, in turn",
		.shows = "G3 Y3",
		.script = "0 sm cta w0 w1 w2 w3; 0 sm fill #1 w0; 0 sm fill #2 w2; 0 sm fill #3 w0;"
		          "0 sm fill #4 w1; 0 sm fill #5 w3; 0 sm fill #6 w1; 9 end",
		.log = "0 policy_it[0] issued w0 n=0; 1 policy_it[1] issued w1 n=0;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 policy_it[0] issued w0 n=0;"
		       "2 sp took slot=0 #4 uid=2 sched=1; 3 policy_it[1] issued w1 n=0;"
		       "3 sp took slot=0 #3 uid=3 sched=0; 4 policy_it[0] issued w2 n=0;"
		       "4 sp took slot=0 #6 uid=4 sched=1; 5 policy_it[1] issued w3 n=0;"
		       "5 sp took slot=0 #2 uid=5 sched=0; 6 sp took slot=0 #5 uid=6 sched=1;"
		       "end it[0] single=3 stall=2 idle=5 issued=3;"
		       "end it[1] single=3 stall=3 idle=4 issued=3",
	},
};

SUITE(issue_shared, .netlist = netlist, .plain = true, RULES(rules));
