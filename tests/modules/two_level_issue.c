/* two_level_issue.c - the two-level policy with a real issue stage: what they count asleep
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * While active warps only rotate the stage may sleep, if all cycles count as the same: each rule
 * here is tested asleep and awake, as all are.
 */
#include "issue.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'issue'}, "
	"'policy_it': {'module': 'scheduler_two_level', 'params': {@}}, " TOYS
	"'links': [" LINKS("it", "") SYNC("it")
	", {'from': 'policy_it.warps', 'to': 'sm.warps'}, {'from': 'policy_it.ibuffer', "
	"'to': 'sm.ibuffer'}"
	", {'from': 'policy_it.scoreboard', 'to': 'sm.scoreboard'}, "
	"{'from': 'policy_it.fence', 'to': 'sync.fence'}" END;

static const struct rule rules[] = {
	{
		"held warps take turns: idle",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2 w3; 0 sm fill #1 w1; 0 sm fill #2 w2;"
		          "0 sm fill #3 w3; 0 sm block copy w1 w2 w3; 20 sm unblock copy w2;"
		          "33 sm unblock copy w1; 34 sm unblock copy w3",
		.log = "22 sp took slot=0 #2 uid=1 sched=0; end it single=1 idle=39 issued=1;"
		       "end policy_it demotions=22; end 2 records",
	},
	{
		"warps that wait for loads take turns: scoreboard",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2 w3; 0 sm exit w4 w5 w6 w7; 0 sm pending w0 R1 long;"
		          "0 sm pending w1 R1 long; 0 sm pending w2 R1 long;"
		          "0 sm pending w3 R1 long; 0 sm fill #1 w0 src=R1;"
		          "0 sm fill #2 w1 src=R1; 0 sm fill #3 w2 src=R1;"
		          "0 sm fill #4 w3 src=R1; 13 sm done w2 R1; 21 sm done w1 R1;"
		          "29 sm done w0 R1; 31 sm done w3 R1",
		.log = "14 sp took slot=0 #3 uid=1 sched=0; 26 sp took slot=0 #2 uid=2 sched=0;"
		       "end it single=2 scoreboard=11 idle=24 issued=2;"
		       "end policy_it demotions=39; end 2 records",
	},
	{
		"all eight do: scoreboard in every cycle",
		.params = "'active': 3",
		.script = "0 sm cta w0 w1 w2 w3 w4 w5 w6 w7; 0 sm pending w0 R1 long;"
		          "0 sm pending w1 R1 long; 0 sm pending w2 R1 long;"
		          "0 sm pending w3 R1 long; 0 sm pending w4 R1 long;"
		          "0 sm pending w5 R1 long; 0 sm pending w6 R1 long;"
		          "0 sm pending w7 R1 long; 0 sm fill #1 w0 src=R1;"
		          "0 sm fill #2 w1 src=R1; 0 sm fill #3 w2 src=R1;"
		          "0 sm fill #4 w3 src=R1; 0 sm fill #5 w4 src=R1;"
		          "0 sm fill #6 w5 src=R1; 0 sm fill #7 w6 src=R1;"
		          "0 sm fill #8 w7 src=R1; 13 sm done w2 R1; 27 end",
		.log = "14 sp took slot=0 #3 uid=1 sched=0;"
		       "end it single=1 scoreboard=27 issued=1; end policy_it demotions=70;"
		       "end 7 records",
	},
	{
		"some held, some waiting for loads: cycle by cycle one or the other",
		.params = "'active': 1",
		.script = "0 sm cta w0 w1 w2 w3; 0 sm pending w0 R1 long;"
		          "0 sm pending w1 R1 long; 0 sm fill #1 w0 src=R1;"
		          "0 sm fill #2 w1 src=R1; 0 sm fill #3 w2; 0 sm fill #4 w3;"
		          "0 sm block copy w2 w3; 25 end",
		.log = "end it scoreboard=7 idle=19; end policy_it demotions=26; end 4 records",
	},
	{
		"the same beside one that stays and waits for a register",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2 w3; 0 sm pending w0 R9; 0 sm fill #9 w0 src=R9;"
		          "0 sm pending w1 R1 long; 0 sm fill #2 w1 src=R1; 0 sm fill #3 w2;"
		          "0 sm fill #4 w3; 0 sm block copy w2 w3; 25 end",
		.log = "end it scoreboard=26; end policy_it demotions=26; end 4 records",
	},
	{
		"beside one that stays and has no instruction",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2 w3; 0 sm pending w1 R1 long; 0 sm fill #2 w1 src=R1;"
		          "0 sm fill #3 w2; 0 sm fill #4 w3; 0 sm block copy w2 w3; 25 end",
		.log = "end it scoreboard=3 idle=23; end policy_it demotions=26; end 3 records",
	},
	{
		"one that has a load's mark but would pass issues as soon as it is its turn",
		.shows = "P5",
		.params = "'active': 1",
		.script = "0 sm cta w0 w1 w2 w3; 0 sm exit w4 w5 w6 w7; 0 sm pending w0 R1 long;"
		          "0 sm pending w1 R1 long; 0 sm pending w2 R1 long;"
		          "0 sm pending w3 R1 long; 0 sm fill #1 w0 src=R1;"
		          "0 sm fill #2 w1 src=R1; 0 sm fill #3 w2 src=R1;"
		          "0 sm fill #4 w3 src=R1; 4 sm done w3 R1 long; 20 end",
		.log = "11 sp took slot=0 #4 uid=1 sched=0;"
		       "end it single=1 scoreboard=6 idle=14 issued=1;"
		       "end policy_it demotions=11; end 3 records",
	},
	{
		"a free one among those that pend comes in at once",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2 w3; 0 sm block copy w0 w1 w2; 5 sm fill #1 w3;"
		          "6 sm fill #2 w2; 9 sm unblock copy w2; 9 sm block barrier w3;"
		          "12 sm fill #3 w3; 15 sm unblock barrier w3; 30 end",
		.log = "6 sp took slot=0 #1 uid=1 sched=0; 12 sp took slot=0 #2 uid=2 sched=0;"
		       "20 sp took slot=0 #3 uid=3 sched=0; end it single=3 idle=28 issued=3;"
		       "end policy_it demotions=24",
	},
	{
		"a fence that is over ends when its warp is active",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2 w3 w4 w5 w6 w7;"
		          "0 sm block copy w0 w1 w2 w3 w4 w6 w7; 0 sm block fence w5;"
		          "0 sm fill #1 w5; 0 sync over w5; 20 end",
		.log = "1 sync over w5; 2 sp took slot=0 #1 uid=1 sched=0;"
		       "end it single=1 idle=20 issued=1; end policy_it demotions=23",
	},
};

SUITE(two_level_issue, .netlist = netlist, .plain = true, RULES(rules));
