/* writeback.c - rules of writeback
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'writeback'}, 'sm': {'module': 'sm'}, "
	"'regs': {'module': 'give'}, "
	"'unit': {'module': 'put_insts'}}, "
	"'links': [{'from': 'unit.out', 'to': 'it.in', 'capacity': 100}, {'from': 'it.warps', "
	"'to': 'sm.warps'}, "
	"{'from': 'it.scoreboard', 'to': 'sm.scoreboard'}, {'from': 'it.regfile', "
	"'to': 'regs.write'}]";

static const struct rule rules[] = {
	{
		"all that are done are completed in one cycle, the oldest first",
		.shows = "W1",
		.script = "0 sm cta w0 w1; 0 sm flight w0 n=2; 0 sm flight w1 n=3;"
		          "0 unit put #1 w0 uid=7 dst=R1; 0 unit put #2 w1 uid=9 dst=R2;"
		          "0 unit put #3 w1 uid=3 dst=R3; 0 unit put #4 w0 uid=8 dst=R4;"
		          "1 unit room; 2 sm show w0 w1",
		.log = "1 regs write w1 R3; 1 regs write w0 R1; 1 regs write w0 R4;"
		       "1 regs write w1 R2; 1 unit room = 100; 2 sm w0 free; 2 sm w1 flight=1;"
		       "end it completed=4",
	},
	{
		"the register is released, with the mark of a load; active lanes count as done",
		.shows = "W1 S4",
		.script = "0 sm cta w0; 0 sm flight w0 n=3; 0 sm pending w0 R1 R2 long;"
		          "0 sm counts; 0 unit put #1 w0 uid=1 dst=R1 mask=0xff; 2 sm show w0;"
		          "2 sm counts; 2 sm woken; 3 unit put #2 w0 uid=2 dst=R2; 4 sm woken;"
		          "5 sm show w0; 5 sm counts; 5 sm woken",
		.log = "0 sm uid=0 completed=0; 1 regs write w0 R1; 2 sm w0 flight=2 R2(long);"
		       "2 sm uid=0 completed=8; 2 sm woken w0 fetch; 4 regs write w0 R2;"
		       "4 sm woken none; 5 sm w0 flight=1; 5 sm uid=0 completed=40;"
		       "5 sm woken w0; end it completed=2",
	},
	{
		"without a destination nothing is written",
		.shows = "W1",
		.script = "0 sm cta w0; 0 sm flight w0 n=1; 0 sm pending w0 R0;"
		          "0 unit put #1 w0 uid=1; 2 sm show w0",
		.log = "2 sm w0 R0; end it completed=1",
	},
	{
		"if the bank is taken the result is neither delayed nor written again",
		.shows = "W2",
		.script = "0 sm cta w0; 0 sm flight w0 n=2; 0 regs refuse writes;"
		          "0 sm pending w0 R1; 0 unit put #1 w0 uid=1 dst=R1; 2 sm show w0;"
		          "2 regs allow; 3 unit put #2 w0 uid=2 dst=R3; 5 sm show w0",
		.log = "1 regs write w0 R1 = no; 2 sm w0 flight=1; 4 regs write w0 R3;"
		       "5 sm w0 free; end it completed=2",
	},
	{
		"the end of the last instruction of a warp that has ended wakes fetch",
		.script = "0 sm cta w0; 0 sm flight w0 n=2; 0 sm exit w0; 1 sm woken;"
		          "1 unit put #1 w0 uid=1; 3 sm woken; 3 unit put #2 w0 uid=2;"
		          "5 sm woken; 5 sm show w0",
		.log = "1 sm woken w0 fetch; 3 sm woken none; 5 sm woken none fetch;"
		       "5 sm w0 ended; end it completed=2",
	},
	{
		"more than sixty-four are completed in the next cycle",
		.script = "0 sm cta w0; 0 sm flight w0 n=80; 0 unit put n=70 #1 w0 uid=1;"
		          "2 sm show w0; 3 sm show w0; 4 sm show w0",
		.log = "2 sm w0 flight=16; 3 sm w0 flight=10; 4 sm w0 flight=10;"
		       "end it completed=70",
	},
};

SUITE(writeback, .netlist = netlist, RULES(rules));
