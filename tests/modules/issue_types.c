/* issue_types.c - rules of the issue stage that takes an instruction of each type
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * In the netlist of issue.h the units int and mem are one type, sp is another.
 */
#define STAGE_MODULE "issue_types"
#include "issue.h"

static const char netlist[] = NETLIST("");
static const char polls[] = NETLIST(", 'params': {'polls_fences': true}");
static const char every[] = NETLIST(", 'params': {'begins': true, 'needs_every_edge': true}");
static const char two[] = "'instances': {" STAGE("it", ", 'count': 2", "") TOYS
	"'links': [" LINKS("it", "[*]") SYNC("it[*]") END;

static const struct rule rules[] = {
	{
		"in one cycle an instruction of each type is issued, every one of another warp",
		.shows = "I6",
		.script = "0 policy_it order w0 w1 w2 w3; 0 sm cta w0 w1 w2 w3; 0 sm fill #1 w0;"
		          "0 sm fill #2 w1 class=INTP; 0 sm fill #3 w2; 0 sm fill #4 w3 class=LOAD;"
		          "0 sm fill #5 w0 class=INTP",
		.log = "0 policy_it issued w0 n=0; 0 policy_it issued w1 n=0;"
		       "1 int took slot=0 #2 uid=2 sched=0; 1 policy_it issued w0 n=0;"
		       "1 policy_it issued w2 n=0; 1 sp took slot=0 #1 uid=1 sched=0;"
		       "2 int took slot=0 #5 uid=3 sched=0; 2 policy_it issued w3 n=0;"
		       "2 sp took slot=0 #3 uid=4 sched=0; 3 mem took slot=0 #4 uid=5 sched=0;"
		       "end it single=1 dual=2 idle=3 issued=5",
	},
	{
		"at most 'width' of them",
		.shows = "I6",
		.params = "'width': 1",
		.script = "0 sm cta w0 w1; 0 sm fill #1 w0; 0 sm fill #2 w1 class=INTP",
		.log = "0 policy_it issued w0 n=0; 1 policy_it issued w1 n=0;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 int took slot=0 #2 uid=2 sched=0;"
		       "end it single=2 idle=4 issued=2",
	},
	{
		"a warp that waits for a register, or whose unit has no room, takes no place",
		.shows = "I6",
		.script = "0 sp stop; 0 sm cta w0 w1 w2 w3; 0 sm pending w0 R1; 0 sm fill #1 w0 src=R1;"
		          "0 sm fill #2 w1; 0 sm fill #3 w1; 0 sm fill #4 w1; 0 sm fill #5 w2 class=LOAD;"
		          "2 sm fill #6 w3 class=INTP; 4 sp go; 6 sm done w0 R1; 9 end",
		.log = "0 policy_it issued w1 n=0; 0 policy_it issued w2 n=0;"
		       "1 mem took slot=0 #5 uid=2 sched=0; 1 policy_it issued w1 n=0;"
		       "2 policy_it issued w3 n=0; 3 int took slot=0 #6 uid=4 sched=0;"
		       "4 policy_it issued w1 n=0; 4 sp took slot=0 #2 uid=1 sched=0;"
		       "4 sp took slot=1 #3 uid=3 sched=0; 5 sp took slot=0 #4 uid=5 sched=0;"
		       "6 policy_it issued w0 n=0; 7 sp took slot=0 #1 uid=6 sched=0;"
		       "end it single=4 dual=1 stall=1 scoreboard=1 idle=3 issued=6",
	},
	{
		"held warps and warps that have ended do not issue; a fence is polled",
		.shows = "I6 N2",
		.netlist = polls,
		.script = "0 sm cta w0 w1 w2; 0 sm block barrier w0; 0 sm exit w1; 0 sm fill #1 w0;"
		          "0 sm fill #2 w1 class=INTP; 0 sm fill #3 w2 flags=fence;"
		          "0 sm fill #4 w2; 3 sm unblock barrier w0; 5 sync over w2; 9 end",
		.log = "0 policy_it issued w2 n=0; 0 sync fence w2; 1 sp took slot=0 #3 uid=1 sched=0;"
		       "3 policy_it issued w0 n=0; 4 sp took slot=0 #1 uid=2 sched=0;"
		       "5 policy_it issued w2 n=0; 5 sync over w2;"
		       "6 sp took slot=0 #4 uid=3 sched=0; end it single=3 idle=7 issued=3;"
		       "end 1 records",
	},
	{
		"where the policy does not poll fences, the walk does, for the warps that it comes to",
		.shows = "I6 N2",
		.script = "0 sm cta w0 w1; 0 sm fill #1 w0 flags=fence; 0 sm fill #2 w0;"
		          "4 sync over w0; 5 sm fill #3 w1; 8 end",
		.log = "0 policy_it issued w0 n=0; 0 sync fence w0;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 4 policy_it issued w0 n=0;"
		       "4 sync over w0; 5 policy_it issued w1 n=0;"
		       "5 sp took slot=0 #2 uid=2 sched=0; 6 sp took slot=0 #3 uid=3 sched=0;"
		       "end it single=3 idle=6 issued=3",
	},
	{
		"a policy that needs every edge is called at each one",
		.netlist = every,
		.script = "0 policy_it allow w0; 0 sm cta w0 w1; 0 sm fill #1 w1;"
		          "4 policy_it allow w1; 8 end",
		.log = "0 policy_it changed w0 w1; 4 policy_it issued w1 n=0;"
		       "5 sp took slot=0 #1 uid=1 sched=0; end it single=1 idle=8 issued=1;"
		       "end policy_it edges=9",
	},
	{
		"with 'in_turn', one stage of the array works in each cycle, and only these count",
		.shows = "I7 Z1",
		.netlist = two,
		.params = "'in_turn': true",
		.script = "0 sm cta w0 w1 w2; 0 sm fill #1 w0; 0 sm fill #2 w2; 0 sm fill #3 w2;"
		          "0 sm fill #4 w1; 0 sm fill #5 w1; 7 sm fill #6 w0; 12 end",
		.log = "0 policy_it[0] issued w0 n=0; 1 policy_it[1] issued w1 n=0;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 policy_it[0] issued w2 n=0;"
		       "2 sp took slot=1 #4 uid=2 sched=1; 3 policy_it[1] issued w1 n=0;"
		       "3 sp took slot=0 #2 uid=3 sched=0; 4 policy_it[0] issued w2 n=0;"
		       "4 sp took slot=1 #5 uid=4 sched=1; 5 sp took slot=0 #3 uid=5 sched=0;"
		       "8 policy_it[0] issued w0 n=0; 9 sp took slot=0 #6 uid=6 sched=0;"
		       "end it[0] single=4 idle=3 issued=4; end it[1] single=2 idle=4 issued=2",
	},
	{
		"a class that no unit takes ends the run",
		.shows = "I3",
		.script = "0 sm cta w0; 3 sm fill #1 w0 class=TENSOR",
		.log = "end it stall=1 idle=3; end 1 records;"
		       "error it: cycle 4: no unit accepts class 'TENSOR';"
		       "expected a link of port 'out' whose \"classes\" name it",
	},
	{
		"a warp whose next instruction is of a wrong path is flushed, and the walk goes on",
		.shows = "CH4 CH7",
		.script = "0 sm cta w0 w1; 0 sm fill #1 w0 flags=wrong_path; 0 sm fill #2 w0 flags=wrong_path;"
		          "0 sm fill #3 w1 class=INTP; 4 sm fill #4 w0 flags=wrong_path; 5 sm show w0; 7 end",
		.log = "0 policy_it issued w1 n=0; 1 int took slot=0 #3 uid=1 sched=0;"
		       "5 sm w0 flight=3 flushed;"
		       "end it single=1 idle=7 control_hazard=1 issued=1",
	},
};

SUITE(issue_types, .netlist = netlist, .plain = true, RULES(rules));
