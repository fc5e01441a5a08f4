/* scoreboard.c - rules of the scoreboard
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'scoreboard', 'params': {@}}, 'sm': {'module': 'sm'}, "
	"'a': {'module': 'call'}, 'b': {'module': 'call'}}, "
	"'links': [{'from': 'it.warps', 'to': 'sm.warps'}, {'from': 'a.after', 'to': 'sm.warps'}, "
	"{'from': 'a.scoreboard', 'to': 'it.release'}, {'from': 'b.scoreboard', 'to': 'it.check'}]";

static const struct rule rules[] = {
	{
		"an instruction waits while one of its sources or its destination is pending",
		.shows = "S2",
		.script = "0 b reserve w1 R5; 1 b check #1 w1 src=R5; 1 b check #2 w1 src=R4,R5;"
		          "1 b check #3 w1 dst=R5 src=R1; 1 b check #4 w1 dst=R4 src=R6;"
		          "1 b check #5 w1; 1 b check #6 w1 src=R1,R2,R3,R4,R6,R7,R8,R5",
		.log = "1 b check #1 = waits; 1 b check #2 = waits; 1 b check #3 = waits;"
		       "1 b check #4 = passes; 1 b check #5 = passes; 1 b check #6 = waits;"
		       "held it: warp 1 waits for register R5",
	},
	{
		"registers of other warps do not matter",
		.shows = "S1",
		.script = "0 b reserve w1 R5; 1 b check #1 w0 src=R5; 1 b check #2 w2 dst=R5;"
		          "1 b check #3 w63 dst=R5; 2 a release w1 R5",
		.log = "1 b check #1 = passes; 1 b check #2 = passes; 1 b check #3 = passes;"
		       "2 it event release warp=1 reg=5",
	},
	{
		"releases come before checks in the same cycle",
		.shows = "S4",
		.script = "0 b reserve w0 R0; 3 b check #1 w0 src=R0; 3 a release w0 R0;"
		          "3 b busy; 3 a busy",
		.log = "3 a busy = none; 3 b check #1 = passes; 3 b busy = none;"
		       "3 it event release warp=0 reg=0",
	},
	{
		"register numbers are distinguished by all their bits, and R255 is a register "
		"like others",
		.script = "0 b reserve w0 R255; 0 b check #1 w0 src=R191;"
		          "0 b check #2 w0 src=R127; 0 b check #3 w0 src=R63;"
		          "0 b check #4 w0 src=R254; 0 b check #5 w0 src=R255;"
		          "0 b check #6 w0 src=R256; 1 b reserve w0 R63; 1 b check #7 w0 dst=R63;"
		          "1 b check #8 w0 dst=R62; 1 b check #9 w0 dst=R64",
		.log = "0 b check #1 = passes; 0 b check #2 = passes; 0 b check #3 = passes;"
		       "0 b check #4 = passes; 0 b check #5 = waits; 0 b check #6 = passes;"
		       "1 b check #7 = waits; 1 b check #8 = passes; 1 b check #9 = passes;"
		       "held it: warp 0 waits for register R63;"
		       "held it: warp 0 waits for register R255",
	},
	{
		"a warp is busy until the last of its registers is written",
		.shows = "S1",
		.script = "0 b reserve w2 R1; 0 b reserve w2 R70; 0 b reserve w2 R140;"
		          "0 b reserve w2 R200; 0 b reserve w2 R300; 0 b reserve w3 R1;"
		          "1 a release w2 R1; 1 b busy; 2 a release w2 R70; 2 b busy;"
		          "3 a release w2 R140; 3 b busy; 4 a release w2 R200; 4 b busy;"
		          "5 a release w2 R300; 5 b busy; 6 b busy; 6 a release w3 R1",
		.log = "1 b busy = w2 w3; 1 it event release warp=2 reg=1; 2 b busy = w2 w3;"
		       "2 it event release warp=2 reg=70; 3 b busy = w2 w3;"
		       "3 it event release warp=2 reg=140; 4 b busy = w2 w3;"
		       "4 it event release warp=2 reg=200; 5 b busy = w3;"
		       "5 it event release warp=2 reg=300; 6 b busy = none;"
		       "6 it event release warp=3 reg=1",
	},
	{
		"a release wakes the warp's scheduler, also of a register that is not pending",
		.script = "0 sm cta w2 w4; 0 b reserve w2 R1; 1 sm woken; 1 a release w2 R1;"
		          "2 sm woken; 2 a release w4 R1; 3 sm woken; 4 sm woken",
		.log = "1 sm woken w2 w4 fetch; 1 it event release warp=2 reg=1; 2 sm woken w2;"
		       "3 sm woken w4; 4 sm woken none",
	},
	{
		"the last release of a warp that has ended wakes fetch, which may retire it",
		.script = "0 sm cta w2 w3; 0 b reserve w2 R1; 0 b reserve w2 R2;"
		          "0 b reserve w3 R1; 1 sm exit w2; 1 sm woken; 1 a release w2 R1;"
		          "2 sm woken; 2 a release w2 R2; 3 sm woken; 3 a release w3 R1;"
		          "4 sm woken",
		.log = "1 sm woken w2 w3 fetch; 1 it event release warp=2 reg=1; 2 sm woken w2;"
		       "2 it event release warp=2 reg=2; 3 sm woken w2 fetch;"
		       "3 it event release warp=3 reg=1; 4 sm woken w3",
	},
	{
		"the mark of a load remains after the load, until another instruction writes the "
		"register",
		.shows = "S5",
		.script = "0 b reserve w1 R5 long; 0 b reserve w1 R6; 0 b long w1 R5;"
		          "0 b long w1 R6; 1 a release w1 R5 load; 1 b long w1 R5;"
		          "1 b check #1 w1 src=R5; 2 b reserve w1 R5; 3 b long w1 R5;"
		          "3 a release w1 R5; 4 b long w1 R5; 4 a release w1 R6",
		.log = "0 b long w1 R5 = yes; 0 b long w1 R6 = no; 1 b long w1 R5 = yes;"
		       "1 b check #1 = passes; 1 it event release warp=1 reg=5;"
		       "3 it event release warp=1 reg=5; 3 b long w1 R5 = no;"
		       "4 b long w1 R5 = no; 4 it event release warp=1 reg=6",
	},
	{
		"with 'entries', an instruction that would write one register more waits; others "
		"do not",
		.shows = "S6",
		.params = "'entries': 2",
		.script = "0 b reserve w1 R1; 0 b check #1 w1 dst=R9; 1 b reserve w1 R200;"
		          "1 b check #2 w1 dst=R9; 1 b check #3 w1 src=R9;"
		          "1 b check #4 w2 dst=R9; 2 a release w1 R1; 2 b check #5 w1 dst=R9;"
		          "3 a release w1 R200",
		.log = "0 b check #1 = passes; 1 b check #2 = waits; 1 b check #3 = passes;"
		       "1 b check #4 = passes; 2 b check #5 = passes;"
		       "2 it event release warp=1 reg=1; 3 it event release warp=1 reg=200",
	},
	{
		"registers of the next warp do not count",
		.shows = "S6",
		.params = "'entries': 2",
		.script = "0 b reserve w1 R1; 0 b reserve w2 R2; 0 b reserve w2 R3;"
		          "0 b check #1 w1 dst=R9; 0 b check #2 w2 dst=R9; 1 a release w1 R1;"
		          "1 a release w2 R2; 1 a release w2 R3",
		.log = "0 b check #1 = passes; 0 b check #2 = waits;"
		       "1 it event release warp=1 reg=1; 1 it event release warp=2 reg=2;"
		       "1 it event release warp=2 reg=3",
	},
	{
		"without 'entries' any number of registers may be pending",
		.shows = "S6",
		.script = "0 b reserve w1 R1; 0 b reserve w1 R2; 0 b reserve w1 R3;"
		          "0 b check #1 w1 dst=R9; 1 a release w1 R1; 1 a release w1 R2;"
		          "1 a release w1 R3",
		.log = "0 b check #1 = passes; 1 it event release warp=1 reg=1;"
		       "1 it event release warp=1 reg=2; 1 it event release warp=1 reg=3",
	},
};

SUITE(scoreboard, .netlist = netlist, RULES(rules));
